"""Error codes of the engine. The server maps each code to an HTTP status. docs/reference/engine-protocol.md
lists them."""

from lorekeep.contract import ErrorCode

CODES: dict[ErrorCode, str] = {
    "message_invalid": "The line is not a message of the protocol.",
    "prompt_empty": "The prompt holds no token.",
    "context_exceeded": "The prompt is longer than the model's context.",
    "template_failed": "The model has no chat template, or its template refuses these messages.",
    "schema_impossible": "Nothing can be written that satisfies the schema, or it uses what is not supported.",
    "max_tokens_too_small": "The shortest answer that the schema allows is longer than max_tokens.",
    "model_not_found": "There is no folder at that path.",
    "model_invalid": "The folder does not hold a model that can be loaded.",
    "model_damaged": "A file of the model does not match its checksum, or a fact is not recited as it was taught.",
    "model_loading": "The model is being loaded and the request did not want to wait.",
    "model_kind": "The model embeds and was asked to generate, or the other way round.",
    "overloaded": "The queue is full.",
    "out_of_memory": "It needs more memory than there is.",
    "cancelled": "An embedding was cancelled. (A cancelled generation ends with finish_reason cancelled.)",
    "internal": "An error of the engine; see its log.",
}


class EngineError(Exception):
    """An error answer: a code of the table, a sentence that says what to do, and its facts."""

    def __init__(self, code: ErrorCode, message: str, **facts):
        assert code in CODES, code
        super().__init__(message)
        self.code = code
        self.message = message
        self.facts = facts

    def answer(self, id: str | None) -> dict:
        return {
            "type": "error",
            "id": id,
            "code": self.code,
            "message": self.message,
            "facts": self.facts,
        }
