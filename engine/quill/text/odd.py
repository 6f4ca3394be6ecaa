"""Random text that can only be copied: words joined by marks, letters of any script, in brackets."""

from . import lexicon as lx
from .names import PLAIN_WORDS, Names, capital

MARKS = "!#$%&*+,-./:;<=>?@\\^_`|~"
ODD_WORDS = [*PLAIN_WORDS, *(word for job in lx.JOBS for word in job.split())]
BRACKETS = [
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("<|", "|>"),
    ("</", ">"),
    ('"', '"'),
    ("'", "'"),
    ("«", "»"),
]
# Latin with marks, Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai, punctuation, symbols, kana, Chinese, Korean, emoji; the bytes of anything else.
SCRIPTS = [
    (0xA1, 0x17F), (0xA1, 0x17F), (0x391, 0x3C9), (0x410, 0x44F), (0x5D0, 0x5EA), (0x620, 0x64A), (0x905, 0x939), (0xE01, 0xE30), (0x2010, 0x203A),
    (0x20A0, 0x22FF), (0x3041, 0x30FE), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x1F300, 0x1F64F), (0x180, 0x1FFF), (0x10000, 0x3FFFF),
]  # fmt: skip


class OddText(Names):
    def odd(self) -> str:
        """Otherwise a third of the tokenizer's pieces would never be trained, and their vectors would become equal."""
        r = self.r

        def part() -> str:
            x = r.random()
            if x < 0.45:
                word = self.pick(ODD_WORDS)
                return (
                    word[r.randint(0, len(word) - 2) :]
                    if self.chance(0.3)
                    else capital(word)
                    if self.chance(0.3)
                    else word
                )
            if x < 0.7:
                low, high = self.pick(SCRIPTS)
                return "".join(chr(r.randint(low, high)) for _ in range(r.randint(1, 4)))
            return "".join(
                r.choice(MARKS + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
                for _ in range(r.randint(1, 5))
            )

        opening, closing = self.pick(BRACKETS) if self.chance(0.4) else ("", "")
        joint = r.choice(MARKS) if self.chance(0.6) else " "
        return opening + joint.join(part() for _ in range(r.randint(1, 4))) + closing
