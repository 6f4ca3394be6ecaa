"""A tuned model in the engine: the base, a shelf of experts and a router. What the gate does not let through is the base's alone."""

import numpy as np

from lorekeep.generate import Generator, Recall
from lorekeep.memory.folder import Memory, needs
from lorekeep.memory.question import Wrapping
from lorekeep.memory.reading import question_tokens
from lorekeep.memory.router import Found, Router
from lorekeep.memory.shelf import Shelf
from lorekeep.memory.vectors import Vectors
from lorekeep.memory.words import Vocabulary
from lorekeep.protocol import Generate


class Tuned:
    kind = "generate"
    busy, running, queued = False, 0, 0  # its requests are the base's

    def __init__(
        self,
        memory: Memory,
        base: Generator,
        base_name: str,
        shelf: Shelf,
        embed: Vectors | None,
        router: Router | None = None,
    ):
        """With a router of this memory, where there is one already."""
        self.memory, self.base, self.base_name, self.shelf = memory, base, base_name, shelf
        base.remember()
        self.router = router or _router(memory, embed)
        self.wrapping = Wrapping(base.tokenizer)
        self.folder, self.tokenizer, self.dtype = base.folder, base.tokenizer, base.dtype
        self.bytes = needs(memory.path)

    def submit(self, request: Generate) -> None:
        found = self.route(request)
        told = self._told(request, found) if request.explain else None
        if found is None or not found.passed:
            self.base.submit(request, told=told)
            return
        name, file, row = self.memory.place(found.fact)
        expert = self.shelf.take(name, file, row)
        question = self.memory.facts[found.fact]["input"]
        self.base.submit(request, Recall(question_tokens(self.base.prompts, question), expert), told)

    def foresee(self, requests: list[Generate]) -> None:
        """Reads in one go what `route` would read for one after the other."""
        self.router.foresee([self._question(request) for request in requests])

    def route(self, request: Generate) -> Found | None:
        question = self._question(request)
        budget = request.gate or self.memory.about["gate"]["budget"]
        found = self.router.route(question, budget, whole=request.prompt)
        if found is not None and not self.memory.facts[found.fact]["recalled"]:
            found.passed = False  # what was not recited when it was taught is never said
        return found

    def _question(self, request: Generate) -> str:
        messages = None if request.messages is None else [turn.model_dump() for turn in request.messages]
        return self.wrapping.bare(request.prompt, messages)

    def step(self) -> None:
        pass

    def cancel(self, id: str) -> bool:
        return False

    def _told(self, request: Generate, found: Found | None) -> dict:
        """Which fact was used, or came nearest."""
        if found is None:
            return {"used": False, "facts": []}
        fact = self.memory.facts[found.fact]
        told = {
            "input": fact["input"],
            "similarity": round(float(np.clip(found.likeness, -1, 1)), 4),
            "dataset_id": fact.get("dataset_id"),
            "row": fact["row"],
        }
        return {"used": found.passed, "facts": [told]}


def _router(memory: Memory, embed: Vectors | None) -> Router:
    vocabulary = Vocabulary.of(embed.embedder.tokenizer) if embed else Vocabulary()
    return Router(memory.entries, memory.keys, memory.gate, vocabulary, embed, memory.about["arguments"])
