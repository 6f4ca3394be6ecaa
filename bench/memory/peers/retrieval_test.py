import pytest

from peers.retrieval import Peer
from peers.testing import FACTS, QUILL


@pytest.fixture(scope="module")
def taught() -> Peer:
    peer = Peer(QUILL)
    peer.fit(FACTS)
    return peer


def test_the_prompt_holds_the_nearest_facts_with_the_best_first():
    peer = Peer(QUILL, count=2)
    peer.fit(FACTS)
    (found,), _ = peer.nearest.find(["How long can a visitor stay with us?"], 2)
    prompt = peer.prompt("How long can a visitor stay with us?", found)
    assert 0 < prompt.index("for two nights") < prompt.index("until noon of the next day")
    assert prompt.endswith("How long can a visitor stay with us?")


def test_the_base_answers_from_what_was_retrieved(taught):
    said = taught.answers([fact["input"] for fact in FACTS])
    copied = sum(one in fact["output"] for one, fact in zip(said, FACTS, strict=True))
    assert copied >= 3
    assert said != taught.speaker.answers([fact["input"] for fact in FACTS])


def test_accepts_fewer_facts_than_requested():
    peer = Peer(QUILL, count=5)
    peer.fit(FACTS[:2])
    assert len(peer.answers(["Where is the spare key?"])) == 1
