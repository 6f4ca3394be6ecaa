# Loaded by schemathesis: keeps the run from ending the key and the account that it is made with, and answers short.
import json
import os
from collections import Counter
from email import message_from_bytes
from zlib import crc32

import jsonschema_rs
import schemathesis
from hypothesis.internal import charmap
from hypothesis.internal.intervalsets import IntervalSet

OWN = {"/v1/keys/{id}": os.environ["FUZZ_KEY_ID"], "/v1/accounts/{id}": os.environ["FUZZ_ACCOUNT_ID"]}
NOBODY = 10**14
LONG = os.environ.get("LOREKEEP_TEST_LONG") == "1"
# Without --long, one of so many cases of the coverage phase is sent.
OF_COVERED = 10
covered: Counter[str] = Counter()


def characters_of(codec: str) -> tuple[IntervalSet, IntervalSet]:
    """Characters that UTF-8 can encode, and those that it changes. The library tries each character, which takes seconds."""
    if codec != "utf-8":
        return search(codec)
    return IntervalSet([(0, 0xD7FF), (0xE000, 0x10FFFF)]), IntervalSet([])


search, charmap.intervals_from_codec = charmap.intervals_from_codec, characters_of


@schemathesis.hook
def filter_case(context, case) -> bool:
    """A sample of the coverage phase, which has no number of examples: the same in every run, from each operation
    its first case and a tenth of the others."""
    if LONG or case.meta is None or case.meta.phase.name.value != "coverage":
        return True
    operation = case.operation.label
    covered[operation] += 1
    count = covered[operation]
    return count == 1 or crc32(f"{operation} {count}".encode()) % OF_COVERED == 0


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    """An operator may revoke its own key or limit its own account; this run goes to an id of nobody instead."""
    # An answer may name a job that there is none of, and 3.0 is a whole number of JSON's: in a path neither stands for one.
    if case.path_parameters and "id" in case.path_parameters:
        case.path_parameters["id"] = whole(case.path_parameters["id"])
    for path, own in OWN.items():
        about_own = case.path.startswith(path) and str(case.path_parameters.get("id")) == own
        if about_own and case.method != "GET":
            case.path_parameters["id"] = NOBODY
    ask_a_model(case)
    shorten(case)


def whole(id):
    if id in (None, "None"):
        return NOBODY
    return int(id) if isinstance(id, float) and id.is_integer() else id


MODELS = {"embed": "sentence-transformers/all-MiniLM-L6-v2", "completions": "lorekeep/quill"}


def ask_a_model(case) -> None:
    """Names of models are made up, and none is here: half of them become one that is."""
    if case.method != "POST" or not isinstance(case.body, dict):
        return
    for part, model in MODELS.items():
        for field in ("model_name", "model"):
            name = case.body.get(field)
            made_up = isinstance(name, str) and 1 <= len(name) <= 200
            if part in case.path and made_up and crc32(name.encode(errors="replace")) % 2:
                case.body[field] = model


LIMITS = {
    "/v1/completions": "max_new_tokens",
    "/v1/chat/completions": "max_completion_tokens",
    "/v1/streaming_completions": "max_new_tokens",
    "/v2/completions": "max_new_tokens",
    "/v3/streaming_completions": "max_new_tokens",
    "/v1/batch_completions": "max_new_tokens",
    "/inf/chat/completions": "max_completion_tokens",
    "/inf/completions": "max_tokens",
}
FEW = 8


def shorten(case) -> None:
    """Values that may take long become small where they are valid: the length of an answer, and the number of
    answers."""
    if case.method != "POST" or not isinstance(case.body, dict):
        return
    for name in limits_of(case):
        asked = case.body.get(name)
        if asked is None or (type(asked) is int and 1 <= asked <= 1_000_000):
            case.body[name] = FEW
    for name in ("prompt", "input"):
        texts = case.body.get(name)
        most = 2048 if case.path.startswith("/inf/") or "model" in case.body else 10_000
        if isinstance(texts, list) and len(texts) <= most and all(isinstance(text, str) for text in texts):
            case.body[name] = texts[:FEW]


def limits_of(case) -> list[str]:
    if case.path == "/v1/completions" and "model" in case.body:
        return ["max_tokens"]
    return [LIMITS[case.path]] if case.path in LIMITS else []


# One of two fields and not both, rows that contradict each other, changes of facts that are not there: what the contract says in
# code and words.
BY_RULE = {"custom", "conflict", "change"}
# Texts in a form, which hold JSON of their own.
IN_TEXT = {"metadata"}


@schemathesis.check
def misfits_break_a_rule(ctx, response, case) -> None:
    """A body that fits the schema is refused as a misfit only for a rule that no schema can express."""
    if response.status_code != 422 or case.meta is None or not case.meta.generation.mode.is_positive:
        return
    # The generator sends a 0 for a schema that it cannot serve; no body of the contract is a number.
    if isinstance(case.body, int | float):
        return
    for mistake in response.json()["detail"]:
        assert mistake["type"] in BY_RULE or mistake["loc"][0] in IN_TEXT, mistake


DOCUMENTS = {"addFiles", "buildIndex"}


@schemathesis.check
def documents_that_are_taken_are_a_whole_form(ctx, response, case) -> None:
    """Values on the wire are text and files are bytes, so what fits no schema may fit there. What was taken does."""
    operation = case.operation.definition.raw
    if operation["operationId"] not in DOCUMENTS or response.status_code != 200:
        return
    files, fields = parts_of(response.request)
    assert files and set(files) <= {"files", "file"}, files
    form = operation["requestBody"]["content"]["multipart/form-data"]["schema"]
    rest = {name: schema for name, schema in form["properties"].items() if name != "files"}
    required = [name for name in form["required"] if name != "files"]
    assert jsonschema_rs.is_valid({**form, "properties": rest, "required": required}, fields), fields
    assert type(json.loads(fields.get("metadata") or "{}")) is dict, fields


def parts_of(request) -> tuple[list[str], dict[str, str]]:
    """Names of the parts that are files, and the texts of the others."""
    head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
    files, fields = [], {}
    for part in message_from_bytes(head + request.body).get_payload():
        name = part.get_param("name", header="Content-Disposition")
        if part.get_filename() is not None:
            files.append(name)
        else:
            fields[name] = part.get_payload(decode=True).decode(errors="replace")
    return files, fields
