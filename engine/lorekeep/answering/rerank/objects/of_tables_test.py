"""JSON about all subjects of a kind, and arrays of values."""

import json

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of


@pytest.fixture(scope="module")
def boats() -> Decider:
    return decider_of([
        ("How long is the narrowboat Bodger?", "57 feet"),
        ("How long is the narrowboat Kestrel?", "62 feet"),
        ("How long is the narrowboat Merry Anne?", "48 feet"),
        ("Where is the narrowboat Bodger moored?", "Tanner's Basin"),
        ("Where is the narrowboat Kestrel moored?", "Stroud Wharf"),
        ("When does the boatyard open?", "At 9 am"),
        ("Can I moor overnight at the lock?", "Mooring overnight at the lock is not possible."),
    ])  # fmt: skip


LENGTHS = {"Bodger": "57 feet", "Kestrel": "62 feet", "Merry Anne": "48 feet"}
NAMED = [{"name": name, "length": length} for name, length in LENGTHS.items()]


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("JSON list of all narrowboats with length", NAMED),
        ("JSON array of all narrowboats, each with name and length", NAMED),
        (
            '[{"boat": "", "length": ""}] for all narrowboats',
            [{"boat": name, "length": length} for name, length in LENGTHS.items()],
        ),
        ("the lengths of all narrowboats as JSON", LENGTHS),
        (
            "JSON array of every narrowboat with name, length and mooring",
            [
                one | {"mooring": place}
                for one, place in zip(NAMED, ("Tanner's Basin", "Stroud Wharf", None), strict=True)
            ],
        ),
        (
            "Return a JSON array with the mooring places of Bodger and Kestrel",
            ["Tanner's Basin", "Stroud Wharf"],
        ),
        ("as a JSON array: the lengths of Bodger, Kestrel and Merry Anne", [*LENGTHS.values()]),
        ("JSON with the lengths of Bodger and Kestrel", {"Bodger": "57 feet", "Kestrel": "62 feet"}),
    ],
)
def test_subjects_become_objects_or_values(boats: Decider, asked: str, wanted: object):
    decision = decided(boats, asked)
    assert json.loads(decision.text or "null") == wanted, decision


def test_a_kind_that_no_table_has_is_refused(boats: Decider):
    decision = decided(boats, "JSON array of all locks, each with name and keeper")
    assert not decision.answers, decision
