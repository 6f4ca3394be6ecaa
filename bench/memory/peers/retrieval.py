"""Retrieval of facts into the prompt: the questions nearest in meaning with their answers as a context, from which the base answers."""

from pathlib import Path

from peers.nearest import Nearest
from peers.speaker import Speaker

# Chosen on the "choose" part of ordinary.jsonl and on generated facts that are used for nothing else.
COUNT = 1
FORM = ("Context: ", "Question: {input}\nAnswer: {output}", "\n\n", "\nQuestion: {question}")


class Peer:
    name = "retrieval"

    def __init__(self, base_folder: str | Path, count: int = COUNT, form: tuple[str, str, str, str] = FORM):
        self.count, self.form = count, form
        self.speaker = Speaker(base_folder)
        self.nearest = Nearest()
        self.facts: list[dict] = []

    def fit(self, facts: list[dict]) -> None:
        self.facts = facts
        self.nearest.learn([fact["input"] for fact in facts])

    def answers(self, questions: list[str]) -> list[str]:
        found_Q_K, _ = self.nearest.find(questions, self.count)
        return self.speaker.answers(
            [self.prompt(question, found) for question, found in zip(questions, found_Q_K, strict=True)]
        )

    def prompt(self, question: str, found: list[int]) -> str:
        head, fact_form, between, tail = self.form
        told = [
            fact_form.format(input=fact["input"], output=fact["output"])
            for fact in (self.facts[i] for i in found)
        ]
        return head + between.join(told) + tail.format(question=question)
