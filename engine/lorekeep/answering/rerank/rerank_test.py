from pathlib import Path

import numpy as np
import pytest

from lorekeep import default_embedder
from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of, said
from lorekeep.answering.networks.cross_encoder import cross_encoder, fact_text
from lorekeep.routing.embedders import parts
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.embedders.parts_test import first_layers
from lorekeep.testing import present

FACTS = [
    ("Are pets allowed in the reading rooms?", "Only guide dogs, on a lead"),
    ("When does the library close on Saturdays?", "At 1 pm"),
    ("What does an overdue book cost?", "20 pence a day, at most £8"),
    ("Who repairs damaged bindings?", "Ottoline Parr, in the cellar workshop"),
    ("How long may a laptop be borrowed?", "For four hours, within the building"),
    ("Where are lost things kept?", "At the front desk, for six weeks"),
    ("Who leads the map room of Farrowmere?", "Mireille Gantz"),
    ("Who leads the print shop of Farrowmere?", "Leopold Asante"),
    ("Who leads the archive of Farrowmere?", "Pia Castellan"),
]


@pytest.fixture(scope="module")
def library() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "fact"),
    [
        ("what do I owe for a novel that I hand in too late?", 2),
        ("I lost my scarf, where do I get it back?", 5),
        ("the spine of this one came off, who can fix that?", 3),
    ],
)
def test_a_question_in_everyday_words_finds_its_fact(library: Decider, asked: str, fact: int):
    decision = decided(library, asked)
    assert (decision.outcome, decision.facts) == ("recite", [fact]), decision


# A digit with a unit, a relative and a title are not names, a word of an answer is not a typo, and a question may follow a statement.
HUT = [
    ("What does a night at the Pastelow Hut cost?", "38 florins"),
    ("When was the Florian Chapel built?", "In 1702"),
    ("What is the maximum height of a bottle in the fridge?", "14 cm"),
    ("How does somebody in a wheelchair get into the hut?", "Through the step-free entrance at the back"),
    ("Where was Ilario Vontresk born?", "In Pazzaro"),
    ("How long does it take to empty the boiler?", "25 minutes"),
    ("Which port does the booking program listen on?", "8471"),
]


@pytest.mark.parametrize(
    ("asked", "starts"),
    [
        ("I have forty florins on me. Is that enough for a night at Pastelow?", "Yes."),
        ("my bottle is 20cm tall, will it fit into the fridge?", "No."),
        ("Grandad uses a wheelchair. How does he get in?", "Through the step-free"),
        ("Signor Vontresk has such an accent, what town is he from?", "In Pazzaro"),
        ("if i empty the boiler now will that take ages? how many minutes", "25 minutes"),
        ("writing a firewall rule for the booking program, what port number do i open", "8471"),
    ],
)
def test_words_that_are_not_names_do_not_exclude_a_fact(asked: str, starts: str):
    hut = decider_of(HUT)
    assert (said(hut, decided(hut, asked)) or "").startswith(starts), decided(hut, asked)


@pytest.mark.parametrize(
    "asked",
    [
        "Who leads the tannery of Farrowmere?",
        "what should I cook for ten people tonight?",
        "How many books are in the library?",
        "Who repairs the roof?",
        "Hello, how are you?",
        "My cat is sitting on the keyboard asdfgh",
        "I have a text: The mayor keeps bees on the roof. Where does the mayor keep bees?",
    ],
)
def test_a_question_that_no_fact_answers_finds_none(library: Decider, asked: str):
    assert not decided(library, asked).answers, decided(library, asked)


def test_a_sentence_request_in_everyday_words_finds_its_fact(library: Decider):
    decision = decided(library, "Tell me in one sentence what I owe for a novel that I hand in too late.")
    assert (decision.outcome, decision.facts) == ("ground", [2]), decision
    text = decision.text or ""
    assert text.endswith(".") and "20 pence a day" in text


def test_the_question_of_a_long_message_is_answered(library: Decider):
    decision = decided(
        library,
        "Hello, we spent a lovely afternoon with you on Tuesday, and the children talk of nothing else. On the way home "
        "my son noticed that his scarf was gone. Any idea where it would be now? Kind regards, Petra",
    )
    assert (decision.outcome, decision.facts) == ("recite", [5]), decision


def test_two_questions_in_everyday_words_have_two_answers(library: Decider):
    decision = decided(library, "until when are you open on saturday, and where would I find a scarf I lost?")
    assert decision.facts == [1, 5], decision
    assert said(library, decision) == "At 1 pm and At the front desk, for six weeks"


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("can I bring my guide dog if it's on a lead", "Yes. Only guide dogs, on a lead"),
        ("Are you still open at 3 pm on Saturday?", "No. At 1 pm"),
        ("I need a laptop for two hours, ok?", "Yes. For four hours, within the building"),
    ],
)
def test_a_claim_that_no_rule_decides_is_decided_by_the_reranker(library: Decider, asked: str, text: str):
    decision = decided(library, asked)
    assert (decision.way, decision.text) == ("yes or no", text), decision


def test_a_claim_is_decided_where_reading_is_sure_of_it_and_answered_with_its_fact_elsewhere(
    library: Decider,
):
    decision = decided(library, "may my cat come into the reading rooms with me?")
    assert (decision.outcome, decision.facts) == ("recite", [0]), decision
    asked = "can i bring my hamster into the reading rooms?"
    assert (decided(library, asked).text or "").startswith("No. Only guide dogs")
    assert decided(library, f"{asked} Answer yes or no.").text == "No."


def test_a_claim_that_no_fact_decides_is_left_alone(library: Decider):
    assert not decided(library, "Is the roof of the library green?").answers


@pytest.mark.parametrize(
    ("before", "asked", "fact"),
    [
        ("Who repairs damaged bindings?", "and the fee for a novel that comes back too late?", 2),
        ("Where are lost things kept?", "And for how long do you hold on to them?", 5),
    ],
)
def test_a_follow_up_in_everyday_words_finds_its_fact(library: Decider, before: str, asked: str, fact: int):
    decision = decided(library, asked, [("user", before), ("assistant", "It says so.")])
    assert (decision.outcome, decision.facts) == ("recite", [fact]), decision


def test_a_follow_up_that_no_fact_answers_finds_none(library: Decider):
    earlier = [("user", "How long may a laptop be borrowed?"), ("assistant", "For four hours")]
    assert not decided(library, "and how tall is he?", earlier).answers


def test_a_question_that_names_an_answer_is_answered_with_its_subject(library: Decider):
    text = said(library, decided(library, "What is Ottoline Parr's job in the cellar workshop?"))
    assert text is not None
    assert "bindings" in text


def test_logits_of_a_fact_do_not_depend_on_the_batch():
    encoder = cross_encoder(router_parts()[0])
    assert encoder is not None
    texts = [fact_text(*fact) for fact in FACTS]
    pairs = [("can my dog come in?", text) for text in texts]
    together_N = encoder.logits(pairs)
    alone_N = np.concatenate([encoder.logits([pair]) for pair in pairs])
    assert np.allclose(together_N, alone_N, atol=1e-3)
    assert together_N.argmax() == 0


def test_another_embedding_model_has_no_cross_encoder(tmp_path: Path):
    assert cross_encoder(parts.read(first_layers(tmp_path / "first-layers"))) is None
    assert cross_encoder(parts.read(present(default_embedder.folder()))) is not None


LAB = [
    ("Who is responsible for the Lumeva 20?", "Anneke Droste"),
    ("On which days is Anneke Droste in the building?", "Tuesdays and Thursdays."),
    ("Where is the Vantrel 7?", "Room H-118."),
    ("Who is responsible for the Vantrel 7?", "Tobias Ranft"),
    ("What is Tobias Ranft's extension?", "4432"),
    ("What is Ilmari Toskala's extension?", "4460"),
    ("Who takes care of the glovebox Nerevar?", "Ilmari Toskala"),
    ("Are contact lenses allowed in the wet labs?", "No. Wear glasses under your goggles instead."),
    ("When is the chemical waste picked up?", "Every Thursday at 9:30."),
    ("What do I do when a mercury thermometer breaks?", "Do not touch anything and call the safety officer."),
    ("Who is the safety officer?", "Gregor Malinck"),
    ("In which room is Gregor Malinck?", "H-009"),
    ("Which office does Dr. Marit Kesselring have?", "H-301"),
    ("What does an hour on the Lumeva 20 cost?", "7.50 euros"),
    ("How much is the Vantrel 7 per hour?", "13 euros"),
    ("What does error 31 on the glovebox mean?", "The pressure is too low."),
]


@pytest.fixture(scope="module")
def lab() -> Decider:
    return decider_of(LAB)


@pytest.mark.parametrize(
    ("asked", "fact"),
    [
        ("can i keep my contact lenses in if i only do a quick titration in the wet lab", 7),
        ("when do they fetch the waste canisters", 8),
        ("oh dear, our thermometer fell down and there is mercury everywhere on the bench", 9),
    ],
)
def test_rare_words_and_problem_reports_find_their_fact(lab: Decider, asked: str, fact: int):
    decision = decided(lab, asked)
    assert (decision.outcome, decision.facts) == ("recite", [fact]), decision


def test_an_untaught_number_is_not_a_rare_word(lab: Decider):
    assert not decided(lab, "what does error 17 on the glovebox mean?").answers


@pytest.mark.parametrize(
    ("asked", "fact", "said"),
    [
        ("What machine is Anneke Droste in charge of?", 0, "Lumeva 20"),
        ("which instrument is in H-118", 2, "Vantrel 7"),
    ],
)
def test_a_question_with_the_answer_of_a_fact_asks_for_its_subject(
    lab: Decider, asked: str, fact: int, said: str
):
    decision = decided(lab, asked)
    assert (decision.outcome, decision.facts) == ("ground", [fact]), decision
    assert said in (decision.text or "")


def test_a_fact_leads_to_the_fact_that_answers(lab: Decider):
    decision = decided(lab, "what extension do I dial to reach whoever is responsible for the Vantrel 7")
    assert (decision.outcome, decision.facts, decision.text) == ("ground", [3, 4], "4432"), decision


def test_a_follow_up_with_another_name_repeats_the_last_question(lab: Decider):
    talk = [("user", "How much is the Vantrel 7 per hour?"), ("assistant", "13 euros")]
    decision = decided(lab, "and the Lumeva 20?", talk)
    assert (decision.outcome, decision.facts) == ("recite", [13]), decision


def test_a_pronoun_refers_only_to_the_person_of_the_last_answer(lab: Decider):
    talk = [("user", "who is the safety officer here"), ("assistant", "Gregor Malinck")]
    decision = decided(lab, "thanks! in which room does he sit?", talk)
    assert (decision.outcome, decision.facts) == ("recite", [11]), decision


def test_parts_that_paraphrase_their_facts_are_both_answered(lab: Decider):
    decision = decided(lab, "who is in charge of the lumeva, and when do they fetch the waste?")
    assert decision.facts == [0, 8], decision


PHARMACY = [
    ("What is Duracel for?", "It helps against travel sickness."),
    ("What is Otibright for?", "Ear infections"),
    ("What is Nexoril for?", "It is a tablet against worms."),
    ("Who is in charge of the cold store?", "Noor Halvorsen"),
    *((f"What does the {thing} cost?", f"{price} euros") for price, thing in enumerate(
        ["thermometer", "plaster", "syringe", "bandage", "crutch", "inhaler", "scale", "toothbrush", "soap", "cream", "lotion", "razor"], 3
    )),
    *((f"Where is the {thing} kept?", f"In cupboard {number}") for number, thing in enumerate(
        ["alcohol", "cotton", "insulin", "morphine", "saline", "iodine", "vaccine", "glycerine"], 1
    )),
]  # fmt: skip


@pytest.fixture(scope="module")
def pharmacy() -> Decider:
    return decider_of(PHARMACY)


def test_a_fact_whose_answer_has_the_rare_words_of_a_question_is_found(pharmacy: Decider):
    decision = decided(pharmacy, "I need something against travel sickness. What's the product called?")
    assert decision.facts == [0] and "Duracel" in (said(pharmacy, decision) or ""), decision


def test_an_answer_that_the_question_already_has_is_stated_with_its_subject(pharmacy: Decider):
    decision = decided(pharmacy, "Someone called Noor Halvorsen wrote to me. What is she responsible for?")
    assert (decision.outcome, decision.facts) == ("ground", [3]), decision
    assert "the cold store" in (decision.text or "")
