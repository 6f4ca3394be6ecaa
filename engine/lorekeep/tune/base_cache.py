"""Cache of the base and the embedding model that a process keeps between jobs. Without it a small change of a large model
spends a third of its time on loading them. It holds nothing of a job's facts."""

from pathlib import Path

from lorekeep import default_embedder
from lorekeep.infer.embed import Embedder
from lorekeep.memory import folder as memory_folder
from lorekeep.routing.embedders import parts
from lorekeep.routing.embedders.likeness import Likeness
from lorekeep.routing.vectors import Vectors
from lorekeep.routing.words import Vocabulary
from lorekeep.tune.training.trainer import Trainer


class BaseCache:
    def __init__(self):
        self._trainer: Trainer | None = None
        self._made_for: tuple[str, str, str] | None = None
        self._embedder: tuple[Path, Embedder] | None = None

    def trainer(self, base: str, device: str) -> tuple[Trainer, str]:
        """The trainer of a base, and the base's fingerprint."""
        fingerprint = memory_folder.fingerprint(base)
        wanted = base, device, fingerprint
        if self._trainer is None or wanted != self._made_for:
            self._trainer = self._made_for = None  # frees memory first, since two bases may not fit
            self._trainer, self._made_for = Trainer(base, device), wanted
        return self._trainer, fingerprint

    def router_parts(
        self, path: str | Path | None = None, likeness: Likeness | None = None
    ) -> tuple[Vectors | None, Vocabulary]:
        """Like `parts.router_parts`; an embedding model is loaded only if it differs from the last one."""
        found = default_embedder.folder() if path is None else Path(path)
        if found is None:
            return None, Vocabulary()
        if self._embedder is None or self._embedder[0] != found:
            self._embedder = None  # frees memory first, since two may not fit
            self._embedder = found, parts.read(found).embedder
        return parts.parts_of(Vectors(self._embedder[1]), found, likeness)

    def settle(self, is_done: bool) -> None:
        """Cleans up after a job: its prompt states would fill the process, a failed job may have left unfinished answers, and another
        job may need the GPU."""
        if (
            is_done
            and self._trainer is not None
            and self._made_for is not None
            and self._made_for[1] == "cpu"
        ):
            self._trainer.forget()
        else:
            self._trainer = self._made_for = None
