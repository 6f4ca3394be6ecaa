"""Prompts for another engine, which generates in the base's place: rendered here, so that there is one chat
template and one tokenizer. No weights are loaded for it."""

from collections.abc import Callable
from pathlib import Path

from transformers import AutoTokenizer, GenerationConfig

from lorekeep import folders
from lorekeep.errors import EngineError
from lorekeep.infer import closed_book
from lorekeep.infer.output_type import requested_schema
from lorekeep.infer.prompts import Prompts
from lorekeep.infer.schemas.document import refusal
from lorekeep.protocol import Generate

_NO_USAGE = {"prompt_tokens": 0, "cached_tokens": 0, "completion_tokens": 0}


class Renderer:
    """Renders requests for a base that is loaded elsewhere. Its folder needs a configuration and a tokenizer."""

    def __init__(self, path: str, emit: Callable[[dict], None]):
        folder = Path(path)
        if not folder.is_dir():
            raise EngineError("model_not_found", f"There is no folder {path}.")
        config = folders.read_json(folder / "config.json")
        if not (folder / "tokenizer.json").is_file():
            raise folders.invalid(path, "it has no tokenizer.json")
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        except Exception as error:  # transformers raises any exception for an inconsistent folder
            raise folders.invalid(path, str(error)[:1000]) from error
        self.emit = emit
        self.prompts = Prompts(tokenizer, folders.context(config))
        self.ends = end_tokens(tokenizer, config.get("eos_token_id"), folder)
        self.knows_nothing = closed_book.knows_nothing(folder)

    def submit(self, request: Generate) -> None:
        messages = None if request.messages is None else [turn.model_dump() for turn in request.messages]
        end = handover_end(request, self.prompts, self.ends)
        if declines(request, self.knows_nothing, messages):
            # A closed-book base is not asked bare questions upstream either.
            schema = requested_schema(request)
            notice = closed_book.notice()
            end = text_end(request, notice if schema is None else refusal(schema, notice))
            if request.stream:
                self.emit({"type": "delta", "id": request.id, "text": end["text"]})
        self.emit(end)


def handover_end(
    request: Generate, prompts: Prompts, ends: list[int], report: dict | None = None, held: bool = False
) -> dict:
    """The end of a request whose answer another engine writes. `held`: the answer is checked here before it is
    sent to the caller."""
    messages = None if request.messages is None else [turn.model_dump() for turn in request.messages]
    schema = requested_schema(request)
    prompt = {
        "tokens": prompts.tokens(request.prompt, messages, request.room),
        "ends": ends,
        "context": prompts.context,
        "held": held,
        **({} if schema is None else {"json_schema": schema}),
    }
    return {**text_end(request, "", report), "handed": prompt}


def text_end(request: Generate, text: str, report: dict | None = None) -> dict:
    memory = {} if report is None else {"memory": report}
    return {
        "type": "end",
        "id": request.id,
        "finish_reason": "stop",
        "text": text,
        "usage": _NO_USAGE,
        **memory,
    }


def declines(request: Generate, knows_nothing: bool, messages: list[dict] | None) -> bool:
    """Whether a closed-book base is asked a bare question."""
    asked = knows_nothing and request.logprobs is None
    return asked and closed_book.is_bare_question(request.prompt, messages)


def end_tokens(tokenizer, configured: int | list[int] | None, path: Path) -> list[int]:
    """End tokens of a folder, the tokenizer's own first."""
    found = [tokenizer.eos_token_id]
    said = [configured]
    if (path / "generation_config.json").is_file():
        said.append(GenerationConfig.from_pretrained(path, local_files_only=True).eos_token_id)
    for tokens in said:
        found += tokens if isinstance(tokens, list) else [tokens]
    return list(dict.fromkeys(token for token in found if token is not None))
