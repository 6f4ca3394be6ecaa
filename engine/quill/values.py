"""Makers of names and values: people, firms, places, dates, prices, codes, noun phrases.

Invented words are split in two by their hash: `Voice(held_out=False)` never utters a held-out one, `Voice(held_out=True)`
builds every name from held-out ones only. So no training text can hold a name that the exam asks for.
"""

import random
from collections.abc import Callable
from typing import TypeVar
from zlib import crc32

from . import lexicon as lx

T = TypeVar("T")

ONSETS = "b br bl c ch cl cr d dr f fl fr g gl gr h j k kl kr l m n p ph pl pr qu r s sc sh sk sl sm sn sp st str t th tr tw v w wh y z"
NUCLEI = "a e i o u ai ea ee ie io oa oo ou ow ay".split()
CODAS = ["", "", "", "", "n", "r", "l", "s", "x", "m", *"th ck nd nt rt st ll ss ng ld mp t d p".split()]
FIRM_ENDS = """Labs Systems Foods Motors Works Energy Bank Media Textiles Robotics Airlines Partners Group Limited Supplies Insurance
Logistics Books Brothers Dairy Hotels Travel Software""".split()
PLACE_ENDS = "Falls City Bay Valley Port Hill Street Park Bridge Lake Road Square Island Station".split()
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
PLAIN_WORDS = [*lx.ATTRIBUTES, *lx.OBJECTS, *lx.FOODS, *lx.ANIMALS, *lx.ROOMS, *lx.ADJECTIVES, *lx.MATERIALS]


def is_held_out(word: str) -> bool:
    """One invented word in eight is kept for the exam."""
    return crc32(word.lower().encode()) % 8 == 0


def _letter_followers() -> dict[str, list[str]]:
    """Letter trigrams of the lexicon: invented words that look like English."""
    follow: dict[str, list[str]] = {}
    names = [*lx.FIRST_NAMES, *lx.SURNAMES, *lx.CITIES, *lx.COUNTRIES]
    for word in [*lx.ATTRIBUTES, *lx.COMMON, *lx.OBJECTS, *lx.JOBS, *(n.lower() for n in names)]:
        marked = f"^^{word}$"
        for i in range(len(marked) - 2):
            follow.setdefault(marked[i : i + 2], []).append(marked[i + 2])
    return follow


FOLLOWERS = _letter_followers()
REAL_WORDS = {w.lower() for w in [*PLAIN_WORDS, *lx.COMMON, *lx.HELD_OUT_ATTRIBUTES]}


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class Voice:
    """A seeded speaker: every draw of the generator goes through one, so a seed fixes the text."""

    def __init__(self, seed: int | str, held_out: bool = False, new_relations: bool = False):
        self.r = random.Random(seed)
        self.held_out = held_out  # names that training never sees
        self.new_relations = new_relations  # relation nouns and verbs that training never sees

    def pick(self, options: list[T]) -> T:
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
        return self.name() if self.held_out or self.chance(0.45) else self.pick(lx.FIRST_NAMES)

    def surname(self) -> str:
        return self.name() if self.held_out or self.chance(0.5) else self.pick(lx.SURNAMES)

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
        return f"{self.name()} {self.pick('Rovers United Tigers Lions Wanderers Hawks City Stars'.split())}"

    def book_title(self) -> str:
        w = lambda: self.pick([*lx.OBJECTS, *lx.ANIMALS, *lx.ROOMS, *lx.PUBLIC_PLACES]).capitalize()  # noqa: E731
        return self.pick(
            [
                f"The {w()} of {self.name()}",
                f"The {self.adjective().capitalize()} {w()}",
                f"{self.name()} and the {w()}",
            ]
        )

    # ---- values
    def date(self) -> str:
        x, d, m, y = self.r.random(), self.r.randint(1, 28), self.pick(lx.MONTHS), self.r.randint(1900, 2030)
        if x < 0.3:
            return f"{d} {m} {y}"
        if x < 0.5:
            return f"{m} {d}, {y}"
        if x < 0.7:
            return f"{d} {m}" if x < 0.6 else f"{m} {d}"
        if x < 0.8:
            return f"{m} {y}"
        return f"{y}-{self.r.randint(1, 12):02d}-{d:02d}" if x < 0.88 else self.pick(lx.DAYS)

    def year(self) -> str:
        return str(self.r.randint(1500, 2030))

    def month(self) -> str:
        return self.pick(lx.MONTHS)

    def day(self) -> str:
        return self.pick(lx.DAYS) + (
            " " + self.pick(["morning", "afternoon", "evening"]) if self.chance(0.3) else ""
        )

    def clock(self) -> str:
        x = self.r.random()
        if x < 0.1:
            return self.pick(["noon", "midnight", "sunrise", "sunset"])
        if x < 0.5:
            return f"{self.r.randint(1, 12)}{self.pick([' am', ' pm', ' pm', ':30 pm', ':15 am'])}"
        return f"{self.r.randint(0, 23)}:{self.pick(['00', '15', '30', '45'])}"

    def money(self) -> str:
        r, x = self.r, self.r.random()
        if x < 0.4:
            return f"{r.randint(2, 999)} {self.pick(['euros', 'dollars', 'pounds', 'crowns', 'francs'])}"
        if x < 0.6:
            return f"${r.randint(1, 99)},{r.randint(0, 999):03d}" if x < 0.5 else f"${r.randint(2, 900)}"
        if x < 0.75:
            return f"{r.randint(2, 99)}.{r.randint(10, 99)} euros"
        return (
            f"{self.small_number()} {self.pick(['euros', 'dollars', 'pounds'])}"
            if x < 0.9
            else f"{r.randint(2, 900)} million dollars"
        )

    def small_number(self) -> str:
        return self.pick(lx.NUMBER_WORDS) if self.chance(0.5) else str(self.r.randint(2, 99))

    def number(self) -> str:
        r, x = self.r, self.r.random()
        if x < 0.25:
            return self.pick(lx.NUMBER_WORDS)
        return (
            str(r.randint(2, 999))
            if x < 0.65
            else f"{r.randint(1, 899)},{r.randint(0, 999):03d}"
            if x < 0.85
            else str(r.randint(1000, 99999))
        )

    def code(self) -> str:
        r, x = self.r, self.r.random()
        if x < 0.4:
            return (
                "".join(r.choice(LETTERS) for _ in range(r.randint(1, 3))) + "-" + str(r.randint(10, 99999))
            )
        if x < 0.55:
            return "".join(r.choice(LETTERS + "23456789") for _ in range(r.randint(4, 8)))
        if x < 0.8:
            return f"{r.randint(100, 999)}-{r.randint(1000, 9999)}"
        return self.word() + str(r.randint(1, 99))

    def phone(self) -> str:
        r = self.r
        return self.pick(
            [
                f"{r.randint(100, 999)}-{r.randint(1000, 9999)}",
                f"{r.randint(10, 99)} {r.randint(10, 99)} {r.randint(10, 99)}",
                str(r.randint(100, 9999)),
            ]
        )

    def email(self) -> str:
        return f"{self.word()}@{self.word()}.{self.pick(['com', 'org', 'net', 'example'])}"

    def span_of_time(self) -> str:
        unit = self.pick("seconds minutes hours days weeks months years".split())
        return (
            f"{self.small_number()} {unit}"
            if self.chance(0.9)
            else self.pick(["half an hour", "a week", "one month", "a full day", "one year"])
        )

    def measure(self) -> str:
        unit = self.pick(
            "kilograms metres kilometres litres grams degrees pages percent centimetres tonnes miles watts volts".split()
        )
        return (
            f"{self.small_number()} {unit}"
            if self.chance(0.7)
            else f"{self.r.randint(1, 99)}.{self.r.randint(1, 9)} {unit}"
        )

    def colour(self) -> str:
        a, b = self.r.sample(lx.COLOURS, 2)
        return (
            f"{a} and {b}"
            if self.chance(0.3)
            else self.pick(["dark ", "light ", "bright "]) + a
            if self.chance(0.25)
            else a
        )

    # ---- noun phrases
    def adjective(self) -> str:
        return self.pick(lx.ADJECTIVES if self.chance(0.75) else lx.COLOURS)

    def thing(self) -> str:
        x, noun = self.r.random(), self.pick(lx.OBJECTS)
        noun = f"{self.pick(lx.MATERIALS)} {noun}" if x < 0.06 else noun
        return "the " + (f"{self.adjective()} {noun}" if x < 0.8 else noun)

    def a_thing(self) -> str:
        words = self.thing()[4:]
        return ("an " if words[0] in "aeiou" else "a ") + words

    def food(self) -> str:
        a, b = self.r.sample(lx.FOODS, 2)
        return (
            f"{a} and {b}"
            if self.chance(0.35)
            else f"{self.pick(['fresh', 'warm', 'roast', 'cold', 'spicy', 'sweet'])} {a}"
            if self.chance(0.3)
            else a
        )

    def room(self) -> str:
        x = self.r.random()
        if x < 0.12:
            return f"room {self.r.randint(1, 499)}"
        return "the " + (f"{self.adjective()} " if x < 0.4 else "") + self.pick(lx.ROOMS)

    def container(self) -> str:
        return f"{self.pick(['in', 'in', 'under', 'behind', 'next to', 'on top of'])} the {self.adjective()} {self.pick(lx.CONTAINERS)}"

    def spot(self) -> str:
        """A place phrase with its own preposition: the answer to 'where'."""
        x = self.r.random()
        if x < 0.3:
            return f"in {self.room()}"
        if x < 0.5:
            return f"in {self.town()}"
        if x < 0.7:
            return f"{self.pick(['at', 'near', 'behind', 'opposite', 'next to'])} the {self.adjective() + ' ' if self.chance(0.3) else ''}{self.pick(lx.PUBLIC_PLACES)}"
        return (
            self.container()
            if x < 0.85
            else f"on {self.pick(['the ground floor', 'the second floor', 'the top floor', 'level ' + str(self.r.randint(1, 9)), self.name() + ' Street'])}"
        )

    def building(self) -> str:
        return f"the {self.adjective() if self.chance(0.4) else self.name()} {self.pick(lx.PUBLIC_PLACES)}"

    def team(self) -> str:
        return f"the {self.pick(lx.TEAMS)} {self.pick('team department office manager group desk'.split())}"

    def job(self) -> str:
        job = self.pick(lx.JOBS)
        return ("an " if job[0] in "aeiou" else "a ") + job

    def role(self) -> str:
        return (
            f"the {self.adjective() + ' ' if self.chance(0.35) else ''}{self.pick(lx.PEOPLE_ROLES + lx.JOBS)}"
        )

    def group(self) -> str:
        return self.pick(lx.GROUPS)

    def someone(self) -> str:
        return self.person() if self.chance(0.7) else self.role()

    def animal(self) -> str:
        return (
            f"the {self.adjective() if self.chance(0.4) else self.pick(lx.COLOURS)} {self.pick(lx.ANIMALS)}"
        )

    def kind_of_animal(self) -> str:
        animal = self.pick(lx.ANIMALS)
        return ("an " if animal[0] in "aeiou" else "a ") + animal

    def event(self) -> str:
        x = self.r.random()
        head = (
            self.name()
            if x < 0.5
            else self.pick("spring summer autumn winter annual weekly school village staff".split())
        )
        return f"the {head} {self.pick(lx.EVENTS)}"

    def plural(self) -> str:
        noun = self.pick(lx.OBJECTS)
        return noun + (
            "es"
            if noun.endswith(("s", "x", "ch", "sh"))
            else "s"
            if not noun.endswith(("fe", "lf", "y"))
            else " sets"
        )

    def subject(self) -> str:
        return self.pick(lx.SUBJECTS)

    def language(self) -> str:
        return self.pick(lx.LANGUAGES) if not self.chance(0.2) else self.name()

    def material(self) -> str:
        return self.pick(lx.MATERIALS)

    def reason(self) -> str:
        return self.pick(lx.REASONS)

    def purpose(self) -> str:
        return self.pick(lx.PURPOSES)

    def manner(self) -> str:
        return self.pick(lx.MANNERS)

    def action(self) -> str:
        return self.pick(lx.ACTIONS)

    def quality(self) -> str:
        return self.pick(lx.QUALITIES)

    def ordinal(self) -> str:
        return self.pick(lx.ORDINALS)

    def words(self) -> str:
        return " ".join(self.pick(PLAIN_WORDS) for _ in range(self.r.randint(1, 4)))

    def three_things(self) -> str:
        a, b, c = self.plural(), self.plural(), self.plural()
        return f"{a}, {b} and {c}"

    def three_foods(self) -> str:
        a, b, c = self.r.sample(lx.FOODS, 3)
        return f"{a}, {b} and {c}"

    def work_of_art(self) -> str:
        return self.book_title()

    def dish(self) -> str:
        return f"{self.name()} {self.pick('stew pie soup cake bread salad curry pudding'.split())}"

    def illness(self) -> str:
        return f"{self.name()} {self.pick(['fever', 'cough', 'rash', 'flu', 'disease'])}"

    def form_code(self) -> str:
        return self.pick(list(LETTERS)) + str(self.r.randint(1, 99))

    def error_code(self) -> str:
        return self.pick(["E", "F", ""]) + str(self.r.randint(10, 999))

    def make(self, kind: str) -> str:
        """Draw a value by the name of its maker."""
        maker: Callable[[], str] = getattr(self, kind)
        return maker()

    def value(self) -> str:
        return self.make(self.pick(ANY_VALUE))

    def entity(self) -> str:
        return self.make(self.pick(ANY_ENTITY))


ANY_VALUE = """person person company product place date date clock money money number code code measure span_of_time thing room name
colour words job email phone food material year spot""".split()
ANY_ENTITY = "person person company company product place thing team building event room animal".split()
