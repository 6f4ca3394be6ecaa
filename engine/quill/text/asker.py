"""Generates questions about a world: selects facts and forms of questions.

Forms of questions are in forms/, one a line. Those below "||" are the exam's: training never shows them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .contexts import OPENERS
from .template import Span
from .values import Voice, capital
from .worlds import Known, World

FORMS = Path(__file__).parent / "forms"


@dataclass
class Asked:
    """The last question, its answer, and the turns before it."""

    question: str
    answer: str
    gold: Span | None = None
    statement: Span | None = None
    before: list[tuple[str, str]] = field(default_factory=list)
    standalone: str = ""  # the same question, understandable without those turns
    subject: str = ""


def forms_of(name: str) -> tuple[list[str], list[str]]:
    """(training forms, exam forms): one a line in forms/, with `||` between the two."""
    seen, unseen = (FORMS / f"{name}.txt").read_text().split("||\n")
    return seen.splitlines(), unseen.splitlines()


class Asker:
    """Asks one world; `unseen` takes the exam's forms only."""

    def __init__(self, voice: Voice, world: World, unseen: bool = False):
        self.voice, self.world, self.unseen = voice, world, unseen

    def form(self, forms: tuple[list[str], list[str]], composed: Callable[[Voice], str] | None = None) -> str:
        """A form of a list, or in half of the training cases a composed one."""
        if self.unseen:
            return self.voice.pick(forms[1])
        return composed(self.voice) if composed and self.voice.chance(0.5) else self.voice.pick(forms[0])

    def question(self, k: Known, other: bool = False) -> str:
        """A question for a fact; `other`: a paraphrase of the question in the context."""
        r, voice = k.relation, self.voice
        pool = r.unseen if self.unseen and r.unseen else r.questions
        for _ in range(6):
            q = capital(voice.pick(pool).replace("{e}", k.subject))
            if not other or q != k.asked:
                break
        return q

    def only(self, k: Known) -> bool:
        return len(self.world.by_relation[k.subject, k.relation.key]) == 1

    def pick(self, test: Callable[[Known], object] = lambda k: True) -> Known | None:
        found = [k for k in self.world.known if self.only(k) and test(k)]
        return self.voice.pick(found) if found else None

    def two(self) -> tuple[Known, Known] | None:
        groups = [
            g for g in ([k for k in g if self.only(k)] for g in self.world.by_subject.values()) if len(g) > 1
        ]
        if not groups:
            return None
        a, b = self.voice.r.sample(self.voice.pick(groups), 2)
        return a, b


def shown_answer(k: Known, text: str) -> str:
    return text[slice(*k.place)] if k.place else k.value


def of(k: Known) -> str:
    return k.subject + ("'" if k.subject.endswith("s") else "'s")


# ---------------------------------------------------------------- one fact


def without_capital(q: str) -> str:
    return (
        q[0].lower() + q[1:]
        if q.split(" ", 1)[0].rstrip(",.?:") in OPENERS | {"Tell", "Say", "Do", "Give", "Please", "Name"}
        else q
    )


HOP = forms_of("hop")
