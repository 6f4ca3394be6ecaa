"""Makers of values: dates, prices, codes, noun phrases, places with their preposition, reasons, actions."""

from collections.abc import Callable

from . import lexicon as lx
from .names import LETTERS, PLAIN_WORDS, capital
from .odd import OddText

__all__ = ["ANY_ENTITY", "ANY_VALUE", "Voice", "capital"]


class Voice(OddText):
    """A seeded random source: every draw of the generator uses it, so a seed fixes the text."""

    # ---- values
    def date(self) -> str:
        x, d, m, y = (
            self.r.random(),
            self.r.randint(1, 28),
            self.pick(lx.MONTHS),
            self.r.randint(1900, 2030),
        )
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
        unit = self.pick(["seconds", "minutes", "hours", "days", "weeks", "months", "years"])
        return (
            f"{self.small_number()} {unit}"
            if self.chance(0.9)
            else self.pick(["half an hour", "a week", "one month", "a full day", "one year"])
        )

    def measure(self) -> str:
        unit = self.pick(
            [
                "kilograms",
                "metres",
                "kilometres",
                "litres",
                "grams",
                "degrees",
                "pages",
                "percent",
                "centimetres",
                "tonnes",
                "miles",
                "watts",
                "volts",
            ]
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
        return f"the {self.pick(lx.TEAMS)} {self.pick(['team', 'department', 'office', 'manager', 'group', 'desk'])}"

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
            else self.pick(
                [
                    "spring",
                    "summer",
                    "autumn",
                    "winter",
                    "annual",
                    "weekly",
                    "school",
                    "village",
                    "staff",
                ]
            )
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
        return f"{self.name()} {self.pick(['stew', 'pie', 'soup', 'cake', 'bread', 'salad', 'curry', 'pudding'])}"

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


ANY_VALUE = [
    "person",
    "person",
    "company",
    "product",
    "place",
    "date",
    "date",
    "clock",
    "money",
    "money",
    "number",
    "code",
    "code",
    "measure",
    "span_of_time",
    "thing",
    "room",
    "name",
    "colour",
    "words",
    "job",
    "email",
    "phone",
    "food",
    "material",
    "year",
    "spot",
]
ANY_ENTITY = [
    "person",
    "person",
    "company",
    "company",
    "product",
    "place",
    "thing",
    "team",
    "building",
    "event",
    "room",
    "animal",
]
