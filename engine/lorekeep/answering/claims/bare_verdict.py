"""Yes or No alone, as a message may ask for: what its claim is answered where only a question mark asks for a verdict."""

from collections.abc import Callable
from dataclasses import replace

from lorekeep.answering.claims import yes_no
from lorekeep.answering.claims.verdicts import SAYS
from lorekeep.answering.decision import Decision
from lorekeep.answering.reading.request import Request


def bare_verdict(best: Decision, request: Request, decide: Callable[[Request], Decision]) -> Decision:
    """A decision with no more than a verdict, if one was asked for and another reading of the claim gives it."""
    if request.form != "yes or no" or SAYS.match(best.text or ""):
        return best
    asks = yes_no.asks_yes_no(request.asked, wanted=False)
    asked = request.asked if asks else f"Is it true that {request.asked.strip(' .!')}?"
    found = decide(replace(request, asked=asked, form="plain"))
    says = SAYS.match(found.text or "") if found.answers else None
    return replace(found, text=f"{says[1].capitalize()}.") if says else best
