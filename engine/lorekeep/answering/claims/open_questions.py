"""Turns a yes-or-no question with an amount or a weekday into open questions for the claimed value: "Is the notice period ten weeks?"
claims a duration."""

import re

from lorekeep.answering.amounts import amounts
from lorekeep.answering.claims.measured.measures import DAY

_OPENS = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay)\W+)*(?:is|are|was|were|did|does|do|has|have|had|will|would|can|could|should|must|may|might|am)\b",
    re.IGNORECASE,
)
# "Can you tell me ..." asks for what follows, and a question word asks for more than yes or no.
_ASKS_MORE = re.compile(
    r"\b(?:you (?:tell|say|give|list|name|explain|show)|who|whom|whose|what|which|where|why|how|or)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"n['’]t\b|\b(?:not|never|no|without|except|unless|only)\b", re.IGNORECASE)


def open_questions(question: str) -> list[str]:
    if not _OPENS.match(question) or _ASKS_MORE.search(question) or _NEGATED.search(question):
        return []
    bare = question.strip(" ?!.")
    if days := list(DAY.finditer(bare)):
        rest = re.sub(r"\b(?:on|at|every)?\s*$", "", bare[: days[0].start()]) + bare[days[-1].end() :]
        return [f"When {rest.strip()}?"]
    said = amounts(bare)
    if len(said) != 1 or not said[0].unit:
        return []
    before, behind = _around(bare, said[0].text)
    before = re.sub(
        r"\b(?:more than|less than|within|up to|at least|at most|after|for|over|under|about)?\s*\W*$",
        "",
        before,
    )
    unit = bare[len(bare.partition(said[0].text)[0]) + len(said[0].text) : len(bare) - len(behind)].strip(
        " -"
    )
    rest = f"{before.strip()} {behind.strip()}".strip()
    ways = ["How long", "When"] if said[0].unit == "hour" else ["How much"]
    return [f"{way} {rest}?" for way in [*ways, f"How many {unit}"]]


def _around(text: str, number: str) -> tuple[str, str]:
    """The text before an amount, and the text after its unit."""
    before, _, behind = text.partition(number)
    return before, re.sub(r"^[\s-]?(?:%|°C|[€$£¥]|[A-Za-z]+)?", "", behind)
