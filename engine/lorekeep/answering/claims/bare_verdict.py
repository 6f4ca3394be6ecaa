"""Answers a message that asks for Yes or No alone by the verdict on its claim, decided as a plain yes-or-no question."""

from collections.abc import Callable
from dataclasses import replace

from lorekeep.answering.claims import yes_no
from lorekeep.answering.claims.verdicts import SAYS
from lorekeep.answering.decision import Decision
from lorekeep.answering.reading.request import Request


def bare_verdict(best: Decision, request: Request, decide: Callable[[Request], Decision]) -> Decision:
    """The bare verdict, if the message asks for one, `best` has none, and the claim as a plain question has one. `best` otherwise."""
    if request.form != "yes or no" or SAYS.match(best.text or ""):
        return best
    asks = yes_no.asks_yes_no(request.asked, wanted=False)
    asked = request.asked if asks else f"Is it true that {request.asked.strip(' .!')}?"
    found = decide(replace(request, asked=asked, form="plain"))
    says = SAYS.match(found.text or "") if found.answers else None
    return replace(found, text=f"{says[1].capitalize()}.") if says else best
