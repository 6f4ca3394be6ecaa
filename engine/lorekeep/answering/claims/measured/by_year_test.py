"""Claims about years, decades, centuries and bounds of years, compared with the year of a fact."""

import pytest

from lorekeep.answering.claims.measured.by_measure import verdict

OPENED, CLOSED = "When was the bridge opened?", "When did the inn close?"


@pytest.mark.parametrize(
    ("question", "taught", "answer", "wanted"),
    [
        ("Was the bridge opened in 1874?", OPENED, "1874", True),
        ("Was the bridge opened in 1875?", OPENED, "1874", False),
        ("Was the bridge opened before 1900?", OPENED, "1874", True),
        ("Was the bridge opened after 1880?", OPENED, "1874", False),
        ("Was it built later than 1850?", OPENED, "It was opened in 1874.", True),
        ("Did the bridge open in the 1870s?", OPENED, "1874", True),
        ("Did the bridge open in the 1880s?", OPENED, "1874", False),
        ("Was it opened before the 1880s?", OPENED, "1874", True),
        ("Was it opened after the 1880s?", OPENED, "1874", False),
        ("Was it built before the 19th century?", OPENED, "1874", False),
        ("Is it from the nineteenth century?", OPENED, "1874", True),
        ("Is it a bridge of the 18th century?", OPENED, "1874", False),
        ("Was it opened between 1870 and 1880?", OPENED, "1874", True),
        ("Was it opened between 1880 and 1890?", OPENED, "1874", False),
        ("Was the bridge already there in 1860?", OPENED, "1874", False),
        ("Had the bridge already opened by 1890?", OPENED, "1874", True),
        ("Was the inn still open in 1990?", CLOSED, "It shut its doors in 1988.", False),
        ("Was the inn still open in 1980?", CLOSED, "It shut its doors in 1988.", True),
        ("Was the inn gone by 1990?", CLOSED, "It shut its doors in 1988.", True),
        ("Was the inn open until 1988?", CLOSED, "It shut its doors in 1988.", True),
        # Undecided.
        ("Was the inn still open in 1988?", CLOSED, "It shut its doors in 1988.", None),
        ("Was the bridge still open in 1990?", OPENED, "1874", None),
        ("Was it opened in the early 1870s?", OPENED, "1874", None),
        ("Was it opened around the 1880s?", OPENED, "1874", None),
        ("Was it opened around 1870?", OPENED, "1874", None),
        ("Was it opened in 1870 or 1874?", OPENED, "1874", None),
        ("Was it opened in 1874?", OPENED, "1874, and again in 1951", None),
        ("Does it cost 1870 crowns?", "What does it cost?", "1874 crowns", None),
    ],
)  # fmt: skip
def test_a_claimed_year_is_compared_with_a_fact(question: str, taught: str, answer: str, wanted: bool | None):
    assert verdict(question, taught, answer) is wanted
