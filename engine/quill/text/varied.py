"""Replaces numbers, times, codes and names in hand-written text consistently, so that values cannot be memorised."""

import re

from . import lexicon as lx
from .values import Voice

_NUMBER = re.compile(r"\d+(?![\ds])")  # not "the 1930s"


class Variation:
    """Called on each text of one passage; remembers its replacements."""

    def __init__(self, voice: Voice, names: dict[str, str] | None = None):
        self.voice = voice
        self.put = dict(names or {})
        self.numbers = voice.chance(0.7)
        days, months = voice.r.sample(lx.DAYS, len(lx.DAYS)), voice.r.sample(lx.MONTHS, len(lx.MONTHS))
        self.days = dict(zip(lx.DAYS, days, strict=True)) if voice.chance(0.5) else {}
        self.months = dict(zip(lx.MONTHS, months, strict=True)) if voice.chance(0.5) else {}
        self.months.pop("May", None)  # "May I ...?"

    def number(self, digits: str) -> str:
        """Keeps the number of digits; small numbers stay small, hours and days stay valid."""
        if digits not in self.put:
            r, n = self.voice.r, int(digits)
            for _ in range(10):
                if digits.startswith("0"):
                    new = digits
                elif n <= 12:
                    new = str(r.randint(2, 12))
                elif n <= 28:
                    new = str(r.randint(10, 28))
                elif n < 60:
                    new = str(r.choice([30, 40, 45, 50, 15, 20, r.randint(29, 59)]))
                elif 1800 <= n <= 2050:
                    new = str(n + r.randint(-30, 20))
                elif n % 10 == 0 and n < 100000:
                    low = 10 ** (len(digits) - 2)
                    new = str(r.randint(low, low * 10 - 1)) + "0"
                else:
                    low = 10 ** (len(digits) - 1)
                    new = str(r.randint(low, low * 10 - 1))
                if new not in self.put.values():
                    break
            self.put[digits] = new
        return self.put[digits]

    def __call__(self, text: str) -> str:
        if self.numbers:
            text = _NUMBER.sub(lambda m: self.number(m[0]), text)
        if self.days or self.months:
            text = re.sub(
                r"\b[A-Z][a-z]+\b", lambda m: self.days.get(m[0], self.months.get(m[0], m[0])), text
            )
        return text
