"""Answers by the reranker where a search alone combined the wrong facts, found none, or took a fact about another name."""

import json

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of, said
from lorekeep.answering.reading.titles import with_full_name

SHIPS = [
    ("Brimwold", "Idony Vask", "Port Tessaly", "1991", "sea ice", "BRW-204"),
    ("Quillane", "Osric Denholt", "Skarby", "2003", "whale migration", "QLN-911"),
]
CAPTAINS = [
    ("Idony Vask", "1972", "Perrin Lodd", "painting miniatures", "Lummerdale"),
    ("Osric Denholt", "1969", "Maude Ellery", "baking rye bread", "Tollivar"),
]
HARBOURS = [("Port Tessaly", "120", "12 crowns"), ("Skarby", "34", "27 crowns")]
FACTS = [
    fact
    for ship, captain, harbour, year, topic, sign in SHIPS
    for fact in (
        (f"Who is the captain of the research vessel {ship}?", captain),
        (f"Which harbour is home to the {ship}?", harbour),
        (f"In what year was the {ship} launched?", year),
        (f"What does the {ship} study at sea?", topic),
        (f"What is the radio call sign of the {ship}?", sign),
    )
]
FACTS += [
    fact
    for captain, year, spouse, hobby, town in CAPTAINS
    for fact in (
        (f"What is the birth year of {captain}?", year),
        (f"Who is {captain} married to?", spouse),
        (f"What does {captain} do as a hobby?", hobby),
        (f"Where was Captain {captain} born?", town),
    )
]
FACTS += [
    fact
    for harbour, berths, fee in HARBOURS
    for fact in (
        (f"How many berths are there at {harbour}?", berths),
        (f"How much is the mooring fee at {harbour}?", fee),
    )
]


@pytest.fixture(scope="module")
def fleet() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("Tell me the year the Brimwold first went into the water.", "1991"),
        ("Which vessel uses the call sign QLN-911?", "Quillane"),
        ("Which captain is the wife of Perrin Lodd?", "Idony Vask"),
        ("Tell me the harbour that has 120 berths.", "Port Tessaly"),
        ("I paid 27 crowns for a mooring. Where was I?", "Skarby"),
        ("What is the call sign of Osric Denholt's ship?", "QLN-911"),
    ],
)
def test_the_fact_that_surely_answers_goes_before_two_that_a_search_joins(
    fleet: Decider, asked: str, wanted: str
):
    decision = decided(fleet, asked)
    assert wanted in (said(fleet, decision) or ""), decision


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("In what year was the ship under the command of Idony Vask launched?", "1991"),
        ("Who is married to the captain of the Quillane?", "Maude Ellery"),
        ("How many berths does the Brimwold's home harbour have?", "120"),
    ],
)
def test_two_facts_are_kept_if_the_question_needs_both(fleet: Decider, asked: str, wanted: str):
    decision = decided(fleet, asked)
    assert (said(fleet, decision), len(decision.facts)) == (wanted, 2), decision


@pytest.mark.parametrize("asked", ["mooring fee skarmouth", "On which day does the Brimwold hold its feast?"])
def test_a_fact_of_another_name_or_topic_does_not_answer(fleet: Decider, asked: str):
    assert not decided(fleet, asked).answers, decided(fleet, asked)


def test_both_halves_of_a_question_get_the_facts_that_surely_answer(fleet: Decider):
    asked = "I need two things: the Brimwold's research topic and its home harbour."
    assert said(fleet, decided(fleet, asked)) == "sea ice and Port Tessaly"


def test_a_key_gets_the_fact_that_surely_answers_for_it(fleet: Decider):
    decision = decided(fleet, "Brimwold as JSON with fields call_sign, research")
    assert json.loads(decision.text or "{}") == {"call_sign": "BRW-204", "research": "sea ice"}


def test_keys_are_filled_by_the_meanings_that_the_message_gives(fleet: Decider):
    asked = "As JSON with fields a and b: a = home harbour of the Quillane, b = its year of launch."
    assert json.loads(decided(fleet, asked).text or "{}") == {"a": "Skarby", "b": "2003"}


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("Does the Quillane use the call sign BRW-204? Reply with yes or no.", "No."),
        ("My notes say that Osric Denholt commands the Brimwold. Are they accurate?", "No."),
        ("My notes say that Osric Denholt commands the Quillane. Are they accurate?", "Yes."),
    ],
)
def test_a_claim_that_holds_for_another_subject_is_false(fleet: Decider, asked: str, wanted: str):
    assert said(fleet, decided(fleet, asked)) == wanted, decided(fleet, asked)


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("json plz: brimwold, keys = skipper / studies / home_port", {"skipper": "Idony Vask", "studies": "sea ice", "home_port": "Port Tessaly"}),
        ("Provide, as JSON, what the Quillane studies (key: subject) and who commands it (key: boss).", {"subject": "whale migration", "boss": "Osric Denholt"}),
        ("Osric Denholt as JSON, keys hobby and birthplace", {"hobby": "baking rye bread", "birthplace": "Tollivar"}),
        ('Complete this for the Quillane: {"call_sign": ?, "price": ?}', {"call_sign": "QLN-911", "price": None}),
        ("Give me the captain and the launch year of the Quillane as a JSON object.", {"captain": "Osric Denholt", "launch_year": "2003"}),
        ('Fill in the blanks: {"captain": "____", "year": ____} -- this is about the Quillane', {"captain": "Osric Denholt", "year": "2003"}),
        ("type Ship = { captain: string | null; areaKm2: number | null }\nPlease give me the Quillane as a JSON literal of that type", {"captain": "Osric Denholt", "areaKm2": None}),
        ('Need {"captain": ..., "enemy": ...} for the vessel Quillane, just put null where you have nothing', {"captain": "Osric Denholt", "enemy": None}),
        ("JSON with exactly two keys, namely captain and year, describing the Quillane.", {"captain": "Osric Denholt", "year": "2003"}),
        (
            'Both ships, the Brimwold and the Quillane, in one JSON: for each of them "captain" and "year".',
            {"Brimwold": {"captain": "Idony Vask", "year": "1991"}, "Quillane": {"captain": "Osric Denholt", "year": "2003"}},
        ),
        ("Quillane in JSON: captain, year, shoe_size. Where you have no information, put null.", {"captain": "Osric Denholt", "year": "2003", "shoe_size": None}),
    ],
)  # fmt: skip
def test_keys_of_one_subject_get_its_facts_and_null_without_a_taught_value(
    fleet: Decider, asked: str, wanted: dict[str, object]
):
    decision = decided(fleet, asked)
    assert json.loads(decision.text or "{}") == wanted, decision


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("Do the Brimwold and the Quillane have the same captain?", "No. Idony Vask and Osric Denholt"),
        ("When was the Brimwold launched and when was the Quillane?", "Brimwold: 1991\nQuillane: 2003"),
        ("Is Skarby where the Quillane has its home?", "Yes."),
        ("Would I be right in saying that Idony Vask was born in 1969?", "No. 1972"),
        ("Does the Brimwold study whales and seals?", "No. sea ice"),
        ("so the Brimwold has sea ice as its topic?", "Yes. sea ice"),
        ("am i right that Idony Vask was born in 1972", "Yes."),
    ],
)
def test_claims_and_double_questions_are_read_as_wholes(fleet: Decider, asked: str, wanted: str):
    assert said(fleet, decided(fleet, asked)) == wanted, decided(fleet, asked)


@pytest.mark.parametrize(
    ("turns", "wanted"),
    [
        (("Hi, I am reading up on the Quillane.", "Hello!", "And who is the boss on board?"), "Osric Denholt"),
        (("What does the Brimwold study at sea?", "sea ice", "and the name of whoever is in command"), "Idony Vask"),
        (("Which harbour is home to the Brimwold?", "Port Tessaly", "what does it cost to moor there"), "12 crowns"),
        (("launch year of the brimwold", "1991", "same for the Quillane?", "2003", "sorry, who's the captain again"), "Osric Denholt"),
        (("topic of the brimwold?", "sea ice", "same for the Quillane?", "whale migration", "and the Brimwold again"), "sea ice"),
        (("What does the Brimwold study at sea?", "sea ice", "no wait, the Quillane"), "whale migration"),
        (("What does the Brimwold study at sea?", "sea ice", "hm ok, same question for the Quillane"), "whale migration"),
        (("What is the birth year of Idony Vask?", "1972", "and where?"), "Lummerdale"),
    ],
)  # fmt: skip
def test_a_follow_up_gets_the_facts_about_the_topic_of_the_conversation(
    fleet: Decider, turns: tuple[str, ...], wanted: str
):
    earlier = [("assistant" if at % 2 else "user", text) for at, text in enumerate(turns[:-1])]
    decision = decided(fleet, turns[-1], earlier)
    assert said(fleet, decision) == wanted, decision


def test_keys_of_only_one_of_two_subjects_stay_in_one_object(fleet: Decider):
    asked = "Both the Brimwold and the Quillane in JSON. Keys: brimwold_captain, quillane_captain"
    decision = decided(fleet, asked)
    wanted = {"brimwold_captain": "Idony Vask", "quillane_captain": "Osric Denholt"}
    assert json.loads(decision.text or "{}") == wanted, decision


def test_a_fact_with_the_subject_as_its_answer_has_no_value_for_a_key():
    facts = [
        ("Who is the keeper of Ravel Light?", "Oda Trenk"),
        ("On which island does Ravel Light stand?", "Skelm"),
        ("Where was Oda Trenk born?", "Hathmoor"),
        ("What is the birth year of Oda Trenk?", "1961"),
    ]
    asked = "Oda Trenk in JSON: born, pet. Put null where you have no information."
    decision = decided(decider_of(facts), asked)
    assert json.loads(decision.text or "{}")["pet"] is None, decision


def test_a_found_fact_is_stated_as_a_sentence(fleet: Decider):
    decision = decided(fleet, "In a full sentence, please: in what year was the Brimwold launched?")
    assert said(fleet, decision) == "The Brimwold was launched in 1991.", decision


@pytest.fixture(scope="module")
def factory() -> Decider:
    return decider_of([
        ("Which factory makes the Orbelin Lamp?", "Fennmark Works"),
        ("How much does the Orbelin Lamp cost?", "129 euros"),
        ("In which town is Fennmark Works?", "Brellow"),
        ("When did Fennmark Works open?", "1987"),
        ("On which day does Haldric Cells deliver?", "Every Thursday"),
        ("Where is Haldric Cells based?", "Mossgate"),
        ("What is the height of Fennmark Works?", "28 metres"),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "wanted", "facts"),
    [
        ("In which town is the Orbelin Lamp made?", "Brellow", [0, 2]),
        ("How tall is the factory of the Orbelin Lamp?", "28 metres", [0, 6]),
    ],
)
def test_two_facts_answer_together_if_one_leads_to_the_other(
    factory: Decider, asked: str, wanted: str, facts: list[int]
):
    decision = decided(factory, asked)
    assert (said(factory, decision), decision.facts) == (wanted, facts), decision


@pytest.mark.parametrize(
    "asked", ["When was the Orbelin Lamp launched?", "On which day does Haldric Plastics deliver, please?"]
)
def test_facts_about_another_subject_do_not_answer(factory: Decider, asked: str):
    assert not decided(factory, asked).answers, decided(factory, asked)


def test_a_follow_up_without_a_taught_answer_gets_no_fact_of_another_subject(fleet: Decider):
    earlier = [("user", "Who is the captain of the research vessel Brimwold?"), ("assistant", "Idony Vask")]
    assert not decided(fleet, "And how many people work on board?", earlier).answers
    earlier = [("user", "launch year of the brimwold"), ("assistant", "1991")]
    assert not decided(fleet, "And how many cabins are there?", earlier).answers


@pytest.mark.parametrize(
    ("turns", "wanted"),
    [
        (
            ("How many berths are there at Skarby?", "34", "How about Port Tessaly?", "120", "and Skarby?"),
            "34",
        ),
        (("What is Idony Vask's birth year?", "1972", "Her birthplace?"), "Lummerdale"),
        (("When was the Quillane launched?", "2003", "Brimwold too, please."), "1991"),
    ],
)
def test_a_follow_up_is_not_answered_with_the_last_answer_again(
    fleet: Decider, turns: tuple[str, ...], wanted: str
):
    earlier = [("assistant" if at % 2 else "user", text) for at, text in enumerate(turns[:-1])]
    decision = decided(fleet, turns[-1], earlier)
    assert said(fleet, decision) == wanted, decision


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [("In what year was the Brimwold lauched?", "1991"), ("Which harbor is the Quilane from?", "Skarby")],
)
def test_typos_in_common_words_and_in_names_are_corrected(fleet: Decider, asked: str, wanted: str):
    assert said(fleet, decided(fleet, asked)) == wanted, decided(fleet, asked)


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        (
            'Fill in: {"ship": "Brimwold", "captain": ..., "launched": ...}',
            {"ship": "Brimwold", "captain": "Idony Vask", "launched": "1991"},
        ),
        (
            "json with name, hobby, born for Osric Denholt (born = year of birth)",
            {"name": "Osric Denholt", "hobby": "baking rye bread", "born": "1969"},
        ),
    ],
)
def test_keys_whose_values_the_message_gives_are_filled_with_them(
    fleet: Decider, asked: str, wanted: dict[str, str]
):
    assert json.loads(decided(fleet, asked).text or "{}") == wanted


def test_a_person_is_identified_by_an_office_and_a_part_of_the_name(fleet: Decider):
    assert said(fleet, decided(fleet, "Whom did Captain Denholt marry?")) == "Maude Ellery"
    assert with_full_name("When was Captain Vask born?", fleet.knowledge) == "When was Idony Vask born?"
    assert with_full_name("When was Baker Vask born?", fleet.knowledge) is None


def test_a_follow_up_for_a_year_is_not_answered_with_a_list_of_years(fleet: Decider):
    earlier = [("user", "In which harbour was the Brimwold launched?"), ("assistant", "I do not know.")]
    assert decided(fleet, "what year was that", earlier).way != "list"
