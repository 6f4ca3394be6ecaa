"""Claims that two subjects have the same value: "Do Ada and Ben work in the same town?" The fact about each subject that has the value is
read, and the two values are compared."""

import re

from lorekeep.answering.claims import yes_no
from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.compose import Composed
from lorekeep.answering.judge import Judge, join_answers
from lorekeep.answering.reading import standalone
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.reranker import Reranker
from lorekeep.answering.word_match import roots

_SAME = re.compile(
    r"\bthe same (?!as\b|time\b|thing\b)([a-z][a-z-]*(?: (?!as\b|for\b|in\b)[a-z-]+)?)", re.IGNORECASE
)
# Maximum number of facts read about one subject, and minimum logit of one that answers.
_MAX_ABOUT, _MIN_LOGIT = 12, 1.0


def _claim_without_names(question: str, names: list[str]) -> str:
    """The words of a claim besides both names: "born in the town"."""
    for name in names:
        question = standalone.renamed(question, name, " ")
    said = re.sub(rf"^\W*{yes_no.AUX}\b|\b(?:and|as|same)\b|[?.!,]", " ", question, flags=re.IGNORECASE)
    return " ".join(said.split())


def same_value(request: Request, judge: Judge, reranker: Reranker) -> Composed | None:
    question = request.asked
    thing, names = _SAME.search(question), judge.knowledge.subjects(question)
    if thing is None or len(names) != 2 or not is_closed(question):
        return None
    facts: list[int] = []
    for name in names:
        about = [fact for fact in judge.knowledge.about(name) if judge.usable(fact)]
        texts = (f"{name} {thing[1]}", f"{name} {_claim_without_names(question, names)}")
        read = [
            one
            for text in texts
            for one in reranker.read(text, reranker.most_similar(text, about, _MAX_ABOUT), judge)
        ]
        logit, fact = max(read, key=lambda one: (one[0], -one[1]), default=(-1.0, -1))
        if logit < _MIN_LOGIT:
            return None
        facts.append(fact)
    entries = [judge.router.entries[fact] for fact in facts]
    values = [
        roots(entry.output) - roots(entry.input) - roots(name)
        for entry, name in zip(entries, names, strict=True)
    ]
    values = [value or roots(entry.output) for value, entry in zip(values, entries, strict=True)]
    if facts[0] == facts[1] or (values[0] & values[1] and values[0] != values[1]):
        return None
    equal = values[0] == values[1]
    text = "Yes." if equal else "No."
    if request.form == "plain":
        text += f" {entries[0].output if equal else join_answers([entry.output for entry in entries])}"
    return Composed("yes or no", tuple(facts), text, 0.9, question)
