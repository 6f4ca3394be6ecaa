"""Yes-or-no questions beside facts that say that something is allowed, needed or there, and questions for an objection."""

import pytest

from lorekeep.answering.claims.objections import as_permission
from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of, said


@pytest.fixture(scope="module")
def canal() -> Decider:
    return decider_of([
        ("Is cycling allowed on the towpath?", "Cycling is allowed on the towpath, but walkers have priority."),
        ("Do I need a licence to hire a boat?", "No licence is needed to hire a boat."),
        ("How old must the helmsman be?", "16, or 14 with a parent on board."),
        ("May I bring a dog on board?", "Two dogs are allowed on each boat, at no charge."),
        ("Are barbecues permitted on deck?", "Barbecues are not permitted on deck."),
        ("Is smoking allowed below deck?", "Smoking is forbidden below deck."),
        ("Is there wifi on the boats?", "There is no wifi on board."),
        ("Is fishing permitted from the bank?", "Fishing from the bank is permitted with a day ticket of £6."),
        ("When does the boatyard open?", "At 9 am from April to October."),
        ("May flowers be brought along?", "Flowers are allowed in the saloon but not in the galley."),
        ("May glass bottles be brought on deck?", "Glass bottles may not be brought on deck."),
        ("Can children travel alone?", "Children under 12 must travel with an adult."),
        ("Who may enter the engine room?", "Children under 6 may not enter the engine room."),
        ("Drones", "Prohibited along the whole canal."),
        ("Is the Heron a diesel or an electric boat?", "It runs on batteries, so the Heron is electric."),
        ("Is the Marlin electric or diesel?", "The Marlin is a diesel boat."),
        ("What does the harbour tour cost for children?", "Children under 8 get in free with a parent."),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "starts"),
    [
        # Synonyms of what the fact denies.
        ("Do I need some qualification to rent one?", "No."),
        ("do the boats have internet?", "No."),
        ("may I ride my bike along the towpath?", "Yes."),
        # An objection has the opposite answer of a permission.
        ("Is it a problem if I bring my dog?", "No."),
        ("Would bringing a dog be a problem?", "No."),
        ("We'd like to smoke below deck. Is that a problem?", "Yes."),
        ("Is smoking below deck against the rules?", "Yes."),
        ("Is it forbidden to barbecue on deck?", "Yes."),
        # A thing that is needed, or not.
        ("Can I fish from the bank without a ticket?", "No."),
        ("Can I hire a boat without a licence?", "Yes."),
        ("can i take flowers into the galley", "No."),
        ("Can I take flowers into the saloon?", "Yes."),
        ("Is it a problem if I carry wine in a glass bottle onto the deck?", "Yes."),
        # The rule of an age says the opposite of what is asked.
        ("my son is 10, can he travel by himself", "No."),
        ("My daughter is 14. Would she be allowed to travel on her own?", "Yes."),
        ("my little girl is 4, may she enter the engine room?", "No."),
        ("My son is 9. May he enter the engine room?", "Yes."),
        ("my son is 7, do i have to pay for him on the harbour tour", "No."),
        # A rule below a label, without its subject.
        ("Are drones ok along the canal?", "No."),
        ("Are drones prohibited?", "Yes."),
        # One of two alternatives.
        ("Is the Marlin an electric boat?", "No."),
        ("Is the Marlin diesel?", "Yes."),
        # Two least ages.
        ("Is a 13 year old allowed to steer?", "No."),
        ("Can a 17 year old be the helmsman?", "Yes."),
        ("May a 15-year-old steer the boat?", "16, or 14"),
    ],
)
def test_the_verdict_agrees_with_the_fact(canal: Decider, asked: str, starts: str):
    decision = decided(canal, asked)
    assert (said(canal, decision) or "").startswith(starts), decision


@pytest.mark.parametrize(
    ("asked", "permission"),
    [
        ("Is it a problem if we are late?", "Is it allowed if we are late?"),
        ("Do you mind if I park here?", "Is it allowed if I park here?"),
        ("Is there a problem with dogs?", "Is dogs allowed?"),
        ("Would a tent be a problem?", "Is a tent allowed?"),
        ("What is the problem with the pump?", None),
        ("Is the problem solved?", None),
        ("Who minds the shop?", None),
    ],
)
def test_an_objection_is_read_as_a_permission(asked: str, permission: str | None):
    assert as_permission(asked) == permission
