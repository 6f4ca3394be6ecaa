"""Claims about days, months and seasons, compared with the dates of a fact."""

import pytest

from lorekeep.answering.claims.measured.by_measure import verdict

POOL, OPEN = "When is the outdoor pool open?", "From 15 May to 10 September."


@pytest.mark.parametrize(
    ("question", "taught", "answer", "wanted"),
    [
        ("Can I use the pool in June?", POOL, OPEN, True),
        ("Can I swim there in October?", POOL, OPEN, False),
        ("is the pool open on 20 september", POOL, OPEN, False),
        ("Is the pool open on May 20th?", POOL, OPEN, True),
        ("Is the pool closed in winter?", POOL, OPEN, True),
        ("Is the pool open in summer?", POOL, OPEN, True),
        ("Can I take my dog there in February?", "When are dogs allowed?", "From October to April.", True),
        ("Can I take my dog there in July?", "When are dogs allowed?", "October to April", False),
        ("Is the hut open in January?", "When is the hut closed?", "From November to March", False),
        ("Is the festival in November?", "When is the festival?", "In the second week of October", False),
        ("Is the festival in autumn?", "When is the festival?", "In the second week of October", True),
        ("Is the festival in October?", "When is the festival?", "On 12 October", True),
        ("Can I hand it in on 2 July?", "By when must the thesis be handed in?", "By 30 June", False),
        ("Can I still hand it in on June 28?", "By when must the thesis be handed in?", "30 June at noon", True),
        # Undecided.
        ("Is the pool open in May?", POOL, OPEN, None),
        ("Is the pool open before June?", POOL, OPEN, None),
        ("Is the pool open in summer?", "When is the pool open?", "From July to September", None),
        ("Can my dog come in July?", "When are dogs allowed?", "From October to April. In summer only before 8 am.", None),
        ("Is the pool open in June?", "Who runs the pool?", "Ada Quist, since 15 May", None),
    ],
)  # fmt: skip
def test_a_date_is_compared_with_the_dates_of_a_fact(
    question: str, taught: str, answer: str, wanted: bool | None
):
    assert verdict(question, taught, answer) is wanted
