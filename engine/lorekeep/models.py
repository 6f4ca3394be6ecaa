"""Manages the loaded models. A model is loaded on its first request, one at a time, within a memory budget. The least
recently used (LRU) idle model is evicted to make room."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import torch
from transformers.utils import logging as transformers_logging

from lorekeep import folders, machine
from lorekeep.bulk import bulk
from lorekeep.errors import EngineError
from lorekeep.folders import Folder
from lorekeep.infer import embed
from lorekeep.infer.embed import Embedder
from lorekeep.infer.generate import Generator
from lorekeep.infer.handover import Renderer
from lorekeep.infer.weights import reading
from lorekeep.memory import embedder
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.decision_queue import DecisionQueue
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.folder import Memory
from lorekeep.memory.tuned import TunedModel
from lorekeep.protocol import Kind
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.vectors import Vectors

log = logging.getLogger(__name__)
Model = Generator | Embedder | TunedModel


@dataclass(frozen=True)
class Settings:
    budget: int  # bytes for all models and their caches
    kv_bytes: int  # maximum of them for the KV cache of one model
    max_batch: int = 32  # sequences in one batch
    queue: int = 512  # maximum waiting requests over all models
    device: str = "cpu"
    dtype: str = "auto"
    expert_bytes: int = 1 << 28  # bytes for cached experts of tuned models
    embedder: str | None = None  # folder of an additional embedding model

    def dtype_for(self, folder: Folder) -> torch.dtype:
        if self.dtype != "auto" and folder.precision is None:
            return getattr(torch, self.dtype)
        return reading.dtype_for(folder, self.device)


class Models:
    """Loads models on a thread of its own, which calls `ready(name, model or error)` and `progress(name,
    stage, done, total)`."""

    def __init__(self, settings: Settings, emit: Callable, progress: Callable, ready: Callable):
        self.settings, self.emit, self.progress, self.ready = settings, emit, progress, ready
        self.loaded: OrderedDict[str, Model] = OrderedDict()  # least recently used first
        self.loading: dict[str, Kind] = {}  # model -> kind
        self.bases: dict[str, str] = {}  # tuned models that wait for their base
        self.orders: SimpleQueue[tuple[str, Folder | Path]] = SimpleQueue()
        self.experts_cache = ExpertCache(settings.expert_bytes)
        self.vectors: dict[str, Vectors] = {}  # for routers, by the weights of their likeness
        self.decisions = DecisionQueue(emit)
        self.renderers: dict[str, Renderer] = {}  # prompt renderers of bases on upstream engines
        self.read: dict[str, Model | EngineError] = {}  # results of the loading thread
        threading.Thread(target=self._load_all, name="loader", daemon=True).start()

    @property
    def bytes(self) -> int:
        routing = sum(vectors.embedder.bytes for vectors in self.vectors.values())
        return sum(model.bytes for model in self.loaded.values()) + self.experts_cache.bytes + routing

    def use(self, name: str) -> Model | None:
        if name in self.loaded:
            self.loaded.move_to_end(name)
            if isinstance(model := self.loaded[name], TunedModel):
                self.loaded.move_to_end(model.base_name)
        return self.loaded.get(name)

    def renderer(self, name: str) -> Renderer:
        if name not in self.renderers:
            self.renderers[name] = Renderer(name, self.emit)
        return self.renderers[name]

    def order(self, name: str, kind: Kind, base: str | None = None) -> None:
        """Starts loading a model. Invalid folders are refused at once. `base` is the current location of a tuned
        model's base."""
        if name in self.loading:
            return
        if kind == "generate" and memory_folder.is_tuned(name):
            self._order_tuned(name, base or memory_folder.about(name)["base"]["path"])
            return
        folder = folders.check(name, kind)
        need = self._need(folder, kind)
        if self.settings.device == "cpu":
            machine.refuse_larger(name, need)
        if need > self.settings.budget:
            raise EngineError(
                "out_of_memory",
                f"{name} needs {need} bytes; the engine may use {self.settings.budget}. Raise the budget or take a smaller model.",
                needed=need,
                budget=self.settings.budget,
            )
        self.loading[name] = kind
        self.progress(name, "waiting", 0, 1)
        self.orders.put((name, folder))

    def _order_tuned(self, name: str, base: str) -> None:
        if base not in self.loaded:
            self.order(base, "generate")
        self.loading[name] = "generate"
        self.bases[name] = base
        self.orders.put((name, Path(base)))

    def arrived(self, name: str, model: Model | EngineError) -> None:
        """Takes over a loaded model on the computing thread."""
        del self.loading[name]
        self.bases.pop(name, None)
        if not isinstance(model, EngineError):
            self.loaded[name] = model

    def unload(self, name: str) -> bool:
        if (model := self.loaded.get(name)) is None:
            return True
        # Tuned models are useless without their base, and quick to reload.
        leave = {
            other: one
            for other, one in list(self.loaded.items())
            if one is model or (isinstance(one, TunedModel) and one.base is model)
        }
        if any(one.busy for one in leave.values()):
            return False
        for other in leave:
            del self.loaded[other]
        return True

    def make_room(self, folder: Folder, kind: str) -> None:
        need = self._need(folder, kind)
        for name in list(self.loaded):
            if self.bytes + need <= self.settings.budget:
                return
            if self.unload(name):
                log.info("unloaded %s to make room for %s", name, folder.path)
        if self.bytes + need > self.settings.budget:
            raise EngineError(
                "overloaded",
                f"The models at work leave no room for {folder.path}. Try again when they are done.",
                needed=need,
            )

    def _make_room_beside(self, base: str, model: Model, name: str) -> None:
        """Makes room for a tuned model. Other tuned models are evicted first, since they reload quickly.
        Cached experts make room by themselves and are no reason to refuse."""
        need, budget = memory_folder.serving_bytes(name), self.settings.budget

        def fits() -> bool:
            # Includes a base that has just been loaded.
            coming = 0 if base in self.loaded else model.bytes
            return self.bytes - self.experts_cache.bytes + coming + need <= budget

        others = [other for other in list(self.loaded) if other not in (base, name)]
        for other in sorted(others, key=lambda other: not isinstance(self.loaded.get(other), TunedModel)):
            if fits():
                return
            if self.unload(other):
                log.info("unloaded %s to make room for %s", other, name)
        if not fits():
            raise EngineError(
                "out_of_memory" if model.bytes + need > budget else "overloaded",
                f"{name} needs {need} bytes beside its base and what is at work; the engine may use {budget}. Raise the budget, or try again later.",
                needed=need,
                budget=budget,
            )

    def _need(self, folder: Folder, kind: str) -> int:
        if kind == "embed":
            return folder.parameters * 4
        # The KV cache takes the rest.
        return reading.weight_bytes(folder, self.settings.dtype_for(folder))

    def _load_all(self) -> None:
        while True:
            name, folder = self.orders.get()
            kind = self.loading[name]
            try:
                if isinstance(folder, Path):
                    found = self._load_tuned(name, str(folder))
                else:
                    self.make_room(folder, kind)
                    found = self._load(name, folder, kind)
            except EngineError as error:
                found = error
            except (MemoryError, torch.OutOfMemoryError):
                found = EngineError("out_of_memory", f"There is not enough memory to load {name}.")
            except Exception:
                log.exception("loading %s failed", name)
                found = EngineError("internal", f"Loading {name} failed; see the engine's log.")
            self.read = {name: found}
            self.ready(name, found)

    @bulk()
    def _load_tuned(self, name: str, base: str) -> TunedModel:
        """Loads a tuned model, whose base is loaded already."""
        self.progress(name, "preparing", 0, 2)
        model = self.read.get(base) or self.loaded.get(base)
        if isinstance(model, EngineError) and model.code == "model_damaged":
            reason = f"its base is damaged: {model.facts['reason']}"
            raise EngineError("model_damaged", model.message, model=base, reason=reason)
        if isinstance(model, EngineError):
            raise model
        if not isinstance(model, Generator):
            raise EngineError("overloaded", f"The base of {name} was unloaded meanwhile. Try again.")
        memory_folder.refuse_damaged(name)
        self._make_room_beside(base, model, name)
        memory = memory_folder.read(name)
        if memory_folder.fingerprint(base) != memory.about["base"]["fingerprint"]:
            raise memory_folder.invalid(
                name,
                f"{base} is not the base that it was tuned on; where it is another precision of it, move the model there",
            )
        vectors = self._vectors_of(memory)
        self.progress(name, "preparing", 1, 2)
        return TunedModel(memory, model, base, self.experts_cache, vectors, decisions=self.decisions)

    def _vectors_of(self, memory: Memory) -> Vectors | None:
        """Vectors of the embedding model that a tuned model was made with."""
        place = embedder.place(memory, self.settings.embedder)
        # A likeness fitted by another version is fitted again.
        key = memory.likeness.weights if memory.likeness else str(place)
        if key not in self.vectors:
            vectors, _ = router_parts(place, memory.likeness)
            if vectors is None:
                return None
            self.vectors = {**self.vectors, key: vectors}  # read by the computing thread
        return self.vectors[key]

    def _load(self, name: str, folder: Folder, kind: str) -> Model:
        self.progress(name, "checking", 0, 1)
        device = torch.device(self.settings.device)
        transformers_logging.set_tqdm_hook(lambda factory, args, kwargs: _Watched(self, name, args, kwargs))
        if kind == "embed":
            model, tokenizer = embed.read(folder, device)
            self.progress(name, "preparing", 0, 1)
            return Embedder(folder, model, tokenizer, self.emit)
        model, tokenizer = reading.read(folder, self.settings.dtype_for(folder), device)
        self.progress(name, "preparing", 0, 1)
        room = max(0, self.settings.budget - self.bytes - self._need(folder, kind))
        return Generator(
            folder, model, tokenizer, self.settings.max_batch, min(room, self.settings.kv_bytes), self.emit
        )


class _Watched:
    """Replaces transformers' progress bar and reports every tenth of the progress."""

    def __init__(self, models: Models, name: str, args: tuple, kwargs: dict):
        self.models, self.name = models, name
        self.items = args[0] if args else kwargs.get("iterable", ())
        self.total = kwargs.get("total") or (len(self.items) if hasattr(self.items, "__len__") else 0)

    def __iter__(self):
        for done, item in enumerate(self.items):
            if self.total and done * 10 // self.total != (done - 1) * 10 // self.total:
                self.models.progress(self.name, "reading", done, self.total)
            yield item

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def __getattr__(self, _):
        return lambda *_, **__: None
