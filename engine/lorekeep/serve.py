"""The engine process: reads requests and writes answers as JSON lines. One thread reads and answers
heartbeats, one computes, one loads models."""

import json
import logging
import os
import threading
from queue import Empty, SimpleQueue
from typing import Any, cast

import torch
from pydantic import ValidationError

from lorekeep import default_embedder, protocol
from lorekeep.errors import EngineError
from lorekeep.infer.embed import Embedder
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.tuned import TunedModel
from lorekeep.models import Model, Models, Settings
from lorekeep.protocol import AskStatus, Cancel, Embed, Generate, Load, Ping, Stage, Unload

log = logging.getLogger(__name__)
_END_OF_INPUT = object()


class Outlet:
    """Output lines to the server. The answers of a step are flushed at once."""

    def __init__(self, file):
        self.file, self.lock, self.lines = file, threading.Lock(), []

    def emit(self, answer: dict) -> None:
        line = json.dumps(answer, separators=(",", ":")) + "\n"
        with self.lock:
            self.lines.append(line.encode())

    def flush(self) -> None:
        with self.lock:
            lines, self.lines = self.lines, []
            if lines:
                self.file.write(b"".join(lines))
                self.file.flush()


class Engine:
    def __init__(self, settings: Settings, lines_in, file_out):
        self.settings, self.lines_in, self.out = settings, lines_in, Outlet(file_out)
        self.inbox: SimpleQueue = SimpleQueue()
        self.models = Models(settings, self.out.emit, self._progress, lambda *found: self.inbox.put(found))
        self.patient: dict[
            str, list[Load | Generate | Embed]
        ] = {}  # requests that wait for a model, by model
        self.unloading: dict[str, list[Unload]] = {}

    def run(self) -> None:
        """Runs until the server closes the pipe."""
        embedder = default_embedder.folder()
        hello = protocol.Hello(
            protocol=protocol.VERSION,
            pid=os.getpid(),
            device=self.settings.device,
            gpus=0 if self.settings.device == "cpu" else torch.cuda.device_count(),
            embedder=None if embedder is None else str(embedder),
        )
        self.out.emit(hello.model_dump())
        threading.Thread(target=self._read, name="reader", daemon=True).start()
        while self._take_messages():
            loaded = list(self.models.loaded.values())
            self.models.decisions.turn(
                any(model.busy for model in loaded if not isinstance(model, TunedModel))
            )
            for model in loaded:
                if model.busy:
                    self._step(model)
            self._unload()
            self.out.flush()

    def _read(self) -> None:
        for line in self.lines_in:
            if (id := _pinged(line)) is not None:
                # Answered on the reading thread, so that a long step does not look like a hanging process.
                self.out.emit(protocol.Pong(id=id).model_dump())
                self.out.flush()
            elif line.strip():
                self.inbox.put(line)
        self.inbox.put(_END_OF_INPUT)

    def _take_messages(self) -> bool:
        """Handles all received messages; blocks for one if there is no work."""
        self.out.flush()
        for message in self._come():
            request = self._understood(message)
            if request is _END_OF_INPUT:
                return False
            if isinstance(request, tuple):
                self._arrived(*request)
            elif request is not None:
                self._handle(request)
        return True

    def _come(self) -> list:
        idle = not any(model.busy for model in self.models.loaded.values())
        messages = [self.inbox.get()] if idle else []
        while True:
            try:
                messages.append(self.inbox.get(block=False))
            except Empty:
                return messages

    def _understood(self, message):
        """A request, or an internal message: a loaded model, or the end of input."""
        if not isinstance(message, bytes):
            return message
        id = None
        try:
            said = json.loads(message)
            id = (
                (said.get("id") or None)
                if isinstance(said, dict) and isinstance(said.get("id"), str)
                else None
            )
            # Tokenizers reject lone surrogates, which only an escape can produce.
            if b"\\ud" in message:
                json.dumps(said, ensure_ascii=False).encode()
            return protocol.requests.validate_python(said)
        except ValidationError as error:
            self._refuse(id, EngineError("message_invalid", _summary(error)))
        except (ValueError, RecursionError) as error:
            self._refuse(id, EngineError("message_invalid", f"The line is not JSON: {error}"))
        except Exception:
            log.exception("a line failed")
            self._refuse(id, _mistake())
        return None

    def _handle(self, request) -> None:
        try:
            self._take(request)
        except EngineError as error:
            self._refuse(request.id, error)
        except Exception:
            log.exception("a request failed")
            self._refuse(request.id, _mistake())

    def _take(self, request) -> None:
        match request:
            case Cancel():
                self._cancel(request.id)
            case AskStatus():
                self._status(request.id)
            case Unload():
                self.unloading.setdefault(request.model, []).append(request)
            case _:
                self._want(request)

    def _want(self, request: Load | Generate | Embed) -> None:
        if isinstance(request, Generate) and request.handover and not memory_folder.is_tuned(request.model):
            self.models.renderer(request.model).submit(request)
            return
        kind = request.kind if isinstance(request, Load) else request.type
        model = self.models.use(request.model)
        if model is not None:
            self._give(model, request)
            return
        if not isinstance(request, Load) and self._queued() >= self.settings.queue:
            raise _overloaded(self.settings.queue)
        base = getattr(request, "base", None)
        if not isinstance(request, Load) and not request.wait:
            self.models.order(request.model, kind, base)
            raise EngineError("model_loading", f"{request.model} is being loaded. Try again in a moment.")
        # The loading thread begins at once: progress goes to requests that wait already.
        waiting = self.patient.setdefault(request.model, [])
        waiting.append(request)
        try:
            self.models.order(request.model, kind, base)
        except EngineError:
            waiting.remove(request)
            if not waiting:
                del self.patient[request.model]
            raise

    def _give(self, model: Model, request: Load | Generate | Embed) -> None:
        kind = request.kind if isinstance(request, Load) else request.type
        if model.kind != kind:
            raise EngineError("model_kind", f"{request.model} is loaded to {model.kind}, and cannot {kind}.")
        if isinstance(request, Load):
            self.out.emit(_loaded(request, model))
            return
        if self._queued() >= self.settings.queue:
            raise _overloaded(self.settings.queue)
        cast(Any, model).submit(request)  # model and request are of the same kind

    def _arrived(self, name: str, found: Model | EngineError) -> None:
        self.models.arrived(name, found)
        for request in self.patient.pop(name, []):
            try:
                if isinstance(found, EngineError):
                    raise found
                self._give(found, request)
            except EngineError as error:
                self._refuse(request.id, error)
            except Exception:
                log.exception("a request failed")
                self._refuse(request.id, _mistake())

    def _step(self, model: Model) -> None:
        try:
            model.step()
        except Exception:
            # A step reports the errors of its requests; anything else is a bug of the engine, which the server then restarts.
            log.exception("a step failed")
            self.out.flush()
            raise

    def _cancel(self, id: str) -> None:
        if any(model.cancel(id) for model in self.models.loaded.values()):
            return
        for requests in self.patient.values():
            for request in [request for request in requests if request.id == id]:
                requests.remove(request)
                if isinstance(request, Generate):
                    self.out.emit(protocol.cancelled_end(id))
                else:
                    self._refuse(id, EngineError("cancelled", "The request was cancelled."))

    def _unload(self) -> None:
        for name in list(self.unloading):
            if self.models.unload(name):
                for request in self.unloading.pop(name):
                    self._status(request.id)

    def _status(self, id: str) -> None:
        states = [
            protocol.ModelStatus(
                model=name,
                kind=model.kind,
                state="ready",
                bytes=model.bytes,
                running=model.running,
                queued=model.queued,
            )
            for name, model in self.models.loaded.items()
        ] + [
            protocol.ModelStatus(
                model=name,
                kind=kind,
                state="loading",
                bytes=0,
                running=0,
                queued=len(self.patient.get(name, [])),
            )
            for name, kind in self.models.loading.items()
        ]
        status = protocol.Status(
            id=id,
            models=states,
            memory_bytes=self.models.bytes,
            budget_bytes=self.settings.budget,
            queue_limit=self.settings.queue,
        )
        self.out.emit(status.model_dump())

    def _queued(self) -> int:
        return sum(model.queued for model in self.models.loaded.values()) + sum(
            map(len, self.patient.values())
        )

    def _progress(self, name: str, stage: Stage, done: int, total: int) -> None:
        # A request that waits for a tuned model also waits for its base.
        tuned = [other for other, base in list(self.models.bases.items()) if base == name]
        for request in [request for one in (name, *tuned) for request in self.patient.get(one, [])]:
            answer = protocol.Progress(id=request.id, model=name, stage=stage, done=done, total=total)
            self.out.emit(answer.model_dump())
        self.out.flush()

    def _refuse(self, id: str | None, error: EngineError) -> None:
        self.out.emit(error.answer(id))


def _pinged(line: bytes) -> str | None:
    """The id of a heartbeat; None for other lines, which are left to the computing thread."""
    if len(line) > 400 or b'"ping"' not in line:
        return None
    try:
        return Ping.model_validate_json(line).id
    except ValidationError:
        return None


def _loaded(request: Load, model: Model) -> dict:
    return protocol.Loaded(
        id=request.id,
        model=request.model,
        kind=model.kind,
        family=model.folder.family,
        context=model.limit if isinstance(model, Embedder) else model.folder.context,
        parameters=model.folder.parameters,
        bytes=model.bytes,
        dtype=str(model.dtype).removeprefix("torch."),
        chat=bool(model.tokenizer.chat_template),
    ).model_dump()


def _mistake() -> EngineError:
    return EngineError("internal", "The engine failed at this request; see its log.")


def _overloaded(limit: int) -> EngineError:
    return EngineError("overloaded", f"{limit} requests are waiting already.", limit=limit)


def _summary(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "message"
    return f"{place}: {first['msg']}"
