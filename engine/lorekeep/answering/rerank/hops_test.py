"""Two-hop questions that contain the answer of the first fact."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

SITES = [
    ("Brackenfold", "Ines Calloway", "1931", "Tannery Lane", "a hedgehog"),
    ("Harrowmere", "Tobias Wrenfield", "1947", "Coldharbour Road", "a runner bean"),
    ("Pellow Hill", "Marguerite Osei", "1919", "Chapel Rise", "a magpie"),
]
FACTS = [
    fact
    for name, chair, year, street, emblem in SITES
    for fact in [
        (f"Who chairs the {name} Allotments?", chair),
        (f"In which year were the {name} Allotments founded?", year),
        (f"On which street are the {name} Allotments?", street),
        (f"What is the emblem of the {name} Allotments?", emblem),
    ]
]


@pytest.fixture(scope="module")
def sites() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("What's the emblem of the allotments chaired by Tobias Wrenfield?", "a runner bean"),
        ("On which street are the allotments founded in 1931?", "Tannery Lane"),
    ],
)
def test_a_description_is_resolved_by_the_first_fact(sites: Decider, asked: str, text: str):
    decision = decided(sites, asked)
    assert (decision.way, decision.text) == ("hops", text), decision


def test_a_description_without_a_matching_fact_is_not_answered(sites: Decider):
    assert not decided(sites, "What is the emblem of the allotments founded in 1932?").answers


def test_a_fact_of_another_place_is_not_led_to():
    wharves = decider_of(
        [
            ("Where does the Marsh Harrier depart from?", "Ossery Wharf"),
            ("How many parking spaces are there at Ossery Wharf?", "34"),
            ("In which town is Tanner's Basin?", "Fennick"),
            ("Where does the Edith Pallow depart from?", "Tanner's Basin"),
        ]
    )
    assert not decided(wharves, "How many parking spaces are there at Tanner's Basin?").answers
    hop = "How many parking spaces are there at the place where the Marsh Harrier departs from?"
    assert decided(wharves, hop).text == "34"
