"""Dimensions that a question and a fact are about: the width of a tunnel is not its length."""

import re

# The adjectives behind "how" and the other words for each dimension.
_DIMENSIONS = {
    name: re.compile(rf"\bhow (?:{adjectives})\b|\b(?:{said})\b", re.IGNORECASE)
    for name, adjectives, said in (
        ("length", "long (?:is|are|was|were)", "length"),
        ("width", "wide|broad", "width|breadth"),
        ("height", "high|tall", "height|elevation|altitude|headroom"),
        ("depth", "deep", "depth|draught|draft"),
        ("weight", "heavy", "weighs?|weight"),
        ("thickness", "thick", "thickness"),
        ("diameter", "big around", "diameter|radius|circumference"),
        ("area", "spacious", "area|acreage|floor space"),
        ("temperature", "hot|cold|warm", "temperature"),
    )
}


def dimensions_differ(asked: str, taught: str, answer: str) -> bool:
    """Whether a question wants another dimension than a fact states."""
    mine, its = _dimensions(asked), _dimensions(taught)
    return bool(mine and its) and not mine & (its | _dimensions(answer))


def _dimensions(text: str) -> set[str]:
    return {name for name, pattern in _DIMENSIONS.items() if pattern.search(text)}
