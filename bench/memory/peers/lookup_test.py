import pytest

from peers.lookup import Peer
from peers.speaker import Speaker
from peers.testing import FACTS, QUILL


@pytest.fixture(scope="module")
def taught() -> Peer:
    peer = Peer(QUILL)
    peer.fit(FACTS)
    return peer


def test_a_stored_question_gets_its_stored_answer(taught):
    assert taught.answers([fact["input"] for fact in FACTS]) == [fact["output"] for fact in FACTS]
    for number, (fact, score) in enumerate(taught.scores([fact["input"] for fact in FACTS])):
        assert fact == number
        assert score == pytest.approx(1, abs=1e-4)


def test_another_wording_gets_the_nearest_fact(taught):
    assert taught.answers(["In what place do we keep the extra key?"]) == ["under the third flower pot"]


def test_below_the_threshold_the_base_answers():
    peer = Peer(QUILL, threshold=0.9)
    peer.fit(FACTS)
    asked = ["Where is the spare key?", "Name a river of France.", "Who feeds the fish?"]
    said = peer.answers(asked)
    assert said == [
        "under the third flower pot",
        *Speaker(QUILL).answers(asked[1:2]),
        "whoever comes first, one spoonful",
    ]


def test_no_questions_get_no_answers(taught):
    assert taught.answers([]) == []
