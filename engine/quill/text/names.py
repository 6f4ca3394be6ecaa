"""Invented and common names: people, firms, products, places, titles.

Invented words are split in two by their hash: `Names(held_out=False)` never generates a held-out one, `Names(held_out=True)`
builds every name from held-out ones only. So no training text can hold a name that the exam asks for.
"""

import random
from collections.abc import Sequence
from typing import TypeVar
from zlib import crc32

from . import lexicon as lx

T = TypeVar("T")

ONSETS = "b br bl c ch cl cr d dr f fl fr g gl gr h j k kl kr l m n p ph pl pr qu r s sc sh sk sl sm sn sp st str t th tr tw v w wh y z"
NUCLEI = [
    "a",
    "e",
    "i",
    "o",
    "u",
    "ai",
    "ea",
    "ee",
    "ie",
    "io",
    "oa",
    "oo",
    "ou",
    "ow",
    "ay",
]
CODAS = [
    "",
    "",
    "",
    "",
    "n",
    "r",
    "l",
    "s",
    "x",
    "m",
    *["th", "ck", "nd", "nt", "rt", "st", "ll", "ss", "ng", "ld", "mp", "t", "d", "p"],
]
FIRM_ENDS = [
    "Labs",
    "Systems",
    "Foods",
    "Motors",
    "Works",
    "Energy",
    "Bank",
    "Media",
    "Textiles",
    "Robotics",
    "Airlines",
    "Partners",
    "Group",
    "Limited",
    "Supplies",
    "Insurance",
    "Logistics",
    "Books",
    "Brothers",
    "Dairy",
    "Hotels",
    "Travel",
    "Software",
]
PLACE_ENDS = [
    "Falls",
    "City",
    "Bay",
    "Valley",
    "Port",
    "Hill",
    "Street",
    "Park",
    "Bridge",
    "Lake",
    "Road",
    "Square",
    "Island",
    "Station",
]
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
PLAIN_WORDS = [
    *(lx.ATTRIBUTES + lx.OBJECTS + lx.FOODS + lx.ANIMALS + lx.ROOMS + lx.ADJECTIVES + lx.MATERIALS),
    *(w for w in lx.COMMON if w not in lx.HELD_OUT_WORDS and len(w) > 2),
]


def is_held_out(word: str) -> bool:
    """One invented word in eight is held out for the exam."""
    return crc32(word.lower().encode()) % 8 == 0


def _letter_followers() -> dict[str, list[str]]:
    """Letter trigrams of the lexicon: invented words that look like English."""
    follow: dict[str, list[str]] = {}
    names = [*lx.FIRST_NAMES, *lx.SURNAMES, *lx.CITIES, *lx.COUNTRIES]
    for word in [
        *lx.ATTRIBUTES,
        *lx.COMMON,
        *lx.OBJECTS,
        *lx.JOBS,
        *(n.lower() for n in names),
    ]:
        marked = f"^^{word}$"
        for i in range(len(marked) - 2):
            follow.setdefault(marked[i : i + 2], []).append(marked[i + 2])
    return follow


FOLLOWERS = _letter_followers()
REAL_WORDS = {w.lower() for w in [*PLAIN_WORDS, *lx.COMMON, *lx.HELD_OUT_WORDS]}


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class Names:
    """A seeded generator of names."""

    def __init__(self, seed: int | str, held_out: bool = False, new_relations: bool = False):
        self.r = random.Random(seed)
        self.held_out = held_out  # names that training never sees
        self.new_relations = new_relations  # relation nouns and verbs that training never sees

    def pick(self, options: Sequence[T]) -> T:
        return self.r.choice(options)

    def chance(self, p: float) -> bool:
        return self.r.random() < p

    # ---- names
    def _invent(self) -> str:
        r = self.r
        if r.random() < 0.5:
            return "".join(
                r.choice(ONSETS.split()) + r.choice(NUCLEI) + r.choice(CODAS)
                for _ in range(r.choice([1, 2, 2, 3]))
            )
        text = "^^"
        while text[-1] != "$" and len(text) < 14:
            text += r.choice(FOLLOWERS[text[-2:]])
        return text[2:].rstrip("$")

    def word(self) -> str:
        """An invented word, lower case, on this voice's side of the split."""
        while True:
            w = self._invent()
            if 3 <= len(w) <= 10 and w not in REAL_WORDS and is_held_out(w) == self.held_out:
                return w

    def name(self) -> str:
        if not self.held_out and self.chance(0.12):
            return self.pick(PLAIN_WORDS).capitalize()
        return self.word().capitalize()

    def first_name(self) -> str:
        return self.name() if self.held_out or self.chance(0.6) else self.pick(lx.FIRST_NAMES)

    def surname(self) -> str:
        return self.name() if self.held_out or self.chance(0.6) else self.pick(lx.SURNAMES)

    def person(self) -> str:
        x = self.r.random()
        if x < 0.22:
            return self.first_name()
        if x < 0.3:
            return self.pick(["Dr", "Ms", "Mr", "Mrs", "Professor"]) + " " + self.surname()
        return f"{self.first_name()} {self.surname()}"

    def company(self) -> str:
        x = self.r.random()
        return (
            self.name()
            if x < 0.15
            else f"{self.name()} {self.pick(FIRM_ENDS)}"
            if x < 0.85
            else f"{self.name()} & {self.name()}"
        )

    def product(self) -> str:
        tail = [
            str(self.r.randint(2, 990)),
            self.pick(list("XVZRT")) + str(self.r.randint(1, 99)),
            "Pro",
            "Mini",
            "Max",
            "Plus",
        ]
        return f"{self.name()} {self.pick(tail)}"

    def place(self) -> str:
        x = self.r.random()
        if not self.held_out and x < 0.35:
            return self.pick(lx.CITIES if x < 0.25 else lx.COUNTRIES)
        return self.name() + (f" {self.pick(PLACE_ENDS)}" if x > 0.75 else "")

    def town(self) -> str:
        return self.place()

    def river(self) -> str:
        return self.name()

    def animal_named(self) -> str:
        return self.name()

    def team_name(self) -> str:
        return f"{self.name()} {self.pick(['Rovers', 'United', 'Tigers', 'Lions', 'Wanderers', 'Hawks', 'City', 'Stars'])}"

    def adjective(self) -> str:
        return self.pick(lx.ADJECTIVES if self.chance(0.75) else lx.COLOURS)

    def book_title(self) -> str:
        def w():
            return self.pick([*lx.OBJECTS, *lx.ANIMALS, *lx.ROOMS, *lx.PUBLIC_PLACES]).capitalize()

        return self.pick(
            [
                f"The {w()} of {self.name()}",
                f"The {self.adjective().capitalize()} {w()}",
                f"{self.name()} and the {w()}",
            ]
        )
