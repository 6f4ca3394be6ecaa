"""Sentence embeddings from a sentence-transformers folder through plain transformers, with the pooling, the
length limit and the normalisation of the folder's own files. Texts are sorted by length to reduce padding."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

from lorekeep import default_embedder
from lorekeep.errors import EngineError
from lorekeep.folders import Folder
from lorekeep.infer import exact
from lorekeep.infer.fair_queue import FairQueue
from lorekeep.protocol import Embed, Kind

# Limits of one step, in texts and padded tokens. Other accounts are served between steps.
TEXTS, TOKENS, READ = 32, 1024, 512


@dataclass(eq=False)
class Job:
    id: str
    account: str
    texts: list[str]
    refuse: bool
    tokens: list[list[int]] = field(default_factory=list)
    truncated: list[int] = field(default_factory=list)
    order: list[int] | None = None  # remaining texts, longest last
    vectors_N_D: np.ndarray | None = None
    count: int = 0  # number of tokens


class Embedder:
    kind: Kind = "embed"

    def __init__(self, folder: Folder, model, tokenizer, emit: Callable[[dict], None]):
        self.folder, self.model, self.tokenizer, self.emit = folder, model, tokenizer, emit
        self.dtype, self.device = model.dtype, model.device
        self.pooling, self.normalised = _read_modules(folder.path)
        self.limit = _max_tokens(folder, tokenizer)
        self.dimensions = model.config.hidden_size
        exact.pack(model)
        self.waiting: FairQueue[Job] = FairQueue()
        self.bytes = folder.parameters * self.dtype.itemsize
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()

    @property
    def busy(self) -> bool:
        return len(self.waiting) > 0

    @property
    def running(self) -> int:
        return 0

    @property
    def queued(self) -> int:
        return len(self.waiting)

    def submit(self, request: Embed) -> None:
        if not request.texts:
            raise EngineError("prompt_empty", "There is no text to embed.")
        self.waiting.add(
            request.account, Job(request.id, request.account, request.texts, request.too_long == "refuse")
        )

    def cancel(self, id: str) -> bool:
        for job in self.waiting:
            if job.id == id:
                self.waiting.remove(job)
                self.emit(EngineError("cancelled", "The embedding was cancelled.").answer(id))
                return True
        return False

    def step(self) -> None:
        """Computes a part of one job; the next step serves another account."""
        job = self.waiting.take()
        try:
            done = self._go_on(job, TEXTS, TOKENS)
        except EngineError as error:
            self.emit(error.answer(job.id))
            return
        if not done:
            self.waiting.add(job.account, job)
            return
        assert job.vectors_N_D is not None
        data = base64.b64encode(job.vectors_N_D.astype("<f4").tobytes()).decode()
        self.emit(
            {
                "type": "vectors",
                "id": job.id,
                "count": len(job.texts),
                "dimensions": self.dimensions,
                "data": data,
                "tokens": job.count,
                "truncated": job.truncated,
            }
        )

    def _go_on(self, job: Job, texts: int, tokens: int) -> bool:
        if len(job.tokens) < len(job.texts):
            self._read(job)
            return False
        if job.order is None or job.vectors_N_D is None:
            job.order = sorted(range(len(job.texts)), key=lambda i: len(job.tokens[i]))
            job.vectors_N_D = np.empty((len(job.texts), self.dimensions), dtype=np.float32)
        max_length = len(job.tokens[job.order[-1]])
        size = max(1, min(texts, tokens // max(1, max_length), len(job.order)))
        taken = job.order[-size:]
        try:
            job.vectors_N_D[taken] = self._vectors([job.tokens[i] for i in taken])
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            if not isinstance(error, torch.OutOfMemoryError | MemoryError) and "allocate" not in str(error):
                raise
            if size == 1:
                raise EngineError(
                    "out_of_memory", f"Text {taken[0]} needs more memory than there is."
                ) from error
            return self._go_on(job, size // 2, tokens)
        del job.order[-size:]
        return not job.order

    def _read(self, job: Job) -> None:
        begin = len(job.tokens)
        for i, encoding in enumerate(
            self.tokenizer.backend_tokenizer.encode_batch_fast(job.texts[begin : begin + READ]), start=begin
        ):
            ids = encoding.ids
            if len(ids) > self.limit:
                if job.refuse:
                    raise EngineError(
                        "context_exceeded",
                        f"Text {i} has {len(ids)} tokens; the model takes {self.limit}. Split the text.",
                        prompt_tokens=len(ids),
                        context=self.limit,
                        text=i,
                    )
                job.truncated.append(i)
                ids = [*ids[: self.limit - 1], ids[-1]]  # keeps the end token
            job.count += len(ids)
            job.tokens.append(ids)

    def _vectors(self, tokens: list[list[int]]) -> np.ndarray:
        return self.read(tokens)[0]

    @torch.inference_mode()
    def read(self, tokens: list[list[int]]) -> tuple[np.ndarray, tuple[torch.Tensor, ...]]:
        """Vectors of texts, and the states of their tokens after each layer. Vectors derive from the last
        layer."""
        max_length = max(map(len, tokens))
        ids_B_T = torch.zeros(len(tokens), max_length, dtype=torch.long)
        mask_B_T = torch.zeros(len(tokens), max_length, dtype=torch.long)
        for row, ids in enumerate(tokens):
            ids_B_T[row, : len(ids)] = torch.tensor(ids)
            mask_B_T[row, : len(ids)] = 1
        mask_B_T = mask_B_T.to(self.device)
        # Without padding no mask is passed, which permits a faster attention kernel.
        mask = None if all(len(ids) == max_length for ids in tokens) else mask_B_T
        read = self.model(input_ids=ids_B_T.to(self.device), attention_mask=mask, output_hidden_states=True)
        vectors_B_D = pool(read.last_hidden_state.float(), mask_B_T, self.pooling)
        if self.normalised:
            vectors_B_D = torch.nn.functional.normalize(vectors_B_D, dim=-1)
        return vectors_B_D.cpu().numpy(), (*read.hidden_states[:-1], read.last_hidden_state)


def pool(states_B_T_D: torch.Tensor, mask_B_T: torch.Tensor, how: str) -> torch.Tensor:
    mask_B_T_1 = mask_B_T[..., None].to(states_B_T_D.dtype)
    if how == "cls":
        return states_B_T_D[:, 0]
    if how == "lasttoken":
        return states_B_T_D[torch.arange(len(mask_B_T)), mask_B_T.sum(1) - 1]
    if how == "max":
        return states_B_T_D.masked_fill(mask_B_T_1 == 0, float("-inf")).amax(1)
    return (states_B_T_D * mask_B_T_1).sum(1) / mask_B_T_1.sum(1).clamp(min=1e-9)


def read(folder: Folder, device: torch.device):
    default_embedder.check(folder.path)
    safe = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder.path, **safe)
        model = AutoModel.from_pretrained(folder.path, dtype=torch.float32, use_safetensors=True, **safe)
    except Exception as error:  # transformers raises any exception for an inconsistent folder
        raise EngineError(
            "model_invalid", f"{folder.path} cannot be loaded: {error}", reason=str(error)[:1000]
        ) from error
    return model.eval().requires_grad_(False).to(device), tokenizer


_POOLINGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}


def _read_modules(path: Path) -> tuple[str, bool]:
    """Pooling and normalisation of a folder. A plain folder uses the mean without normalisation."""
    if not (path / "modules.json").is_file():
        return "mean", False
    pooling, normalised = "mean", False
    for module in json.loads((path / "modules.json").read_text()):
        name = module["type"].rsplit(".", 1)[-1]
        if name == "Pooling":
            config = json.loads((path / module["path"] / "config.json").read_text())
            modes = [mode for key, mode in _POOLINGS.items() if config.get(key)] or [
                config.get("pooling_mode", "mean")
            ]
            if len(modes) != 1 or modes[0] not in _POOLINGS.values():
                raise EngineError(
                    "model_invalid", f"{path} cannot be loaded: its pooling {modes} is not known here."
                )
            pooling = modes[0]
        elif name == "Normalize":
            normalised = True
        elif name != "Transformer":
            raise EngineError(
                "model_invalid", f"{path} cannot be loaded: its module {name} is not known here."
            )
    return pooling, normalised


def _max_tokens(folder: Folder, tokenizer) -> int:
    said = folder.path / "sentence_bert_config.json"
    own = json.loads(said.read_text()).get("max_seq_length") if said.is_file() else None
    return int(min(own or folder.context, folder.context, tokenizer.model_max_length))
