"""Parsing of the question in a message, and of the requested form of the answer."""

import pytest

from lorekeep.answering.reading.request import read

FORMS = [
    ("Who founded Zorbax?", "plain", "Who founded Zorbax?"),
    ("Who founded Zorbax? Answer yes or no.", "yes or no", "Who founded Zorbax?"),
    ("Yes or no: was Zorbax founded by Ada Quist?", "yes or no", "was Zorbax founded by Ada Quist?"),
    ("Answer in one sentence: who founded Zorbax?", "sentence", "who founded Zorbax?"),
    ("Who founded Zorbax? Please answer in a complete sentence.", "sentence", "Who founded Zorbax?"),
    ("Write one sentence that says who founded Zorbax.", "sentence", "who founded Zorbax."),
    ("I'd like a single sentence naming Zorbax's founder.", "sentence", "Zorbax's founder."),
    ("Put the founder of Zorbax into one sentence.", "sentence", "the founder of Zorbax."),
    ("Who founded Zorbax? Not just the name, a full sentence.", "sentence", "Who founded Zorbax?"),
    ("who founded Zorbax? pls not just a word, a real sentence", "sentence", "who founded Zorbax?"),
    ("Not just keywords, write a proper sentence: who founded Zorbax?", "sentence", "who founded Zorbax?"),
    ("Kindly respond with a grammatical sentence: who founded Zorbax?", "sentence", "who founded Zorbax?"),
    ("price of Zorbax, formulated as a sentence with subject and verb please", "sentence", "price of Zorbax"),
    (
        "Who founded Zorbax? Answer as a sentence I can copy into an e-mail.",
        "sentence",
        "Who founded Zorbax?",
    ),
    (
        "Could you state, in sentence form, the founder of Zorbax?",
        "sentence",
        "Could you state the founder of Zorbax?",
    ),
    ("what is the price of Zorbax, formulate it as sentence", "sentence", "what is the price of Zorbax"),
    ("Full-sentence answer wanted. Who founded Zorbax?", "sentence", "Who founded Zorbax?"),
    ("I need a sentence for our brochure that says who founded Zorbax.", "sentence", "who founded Zorbax."),
    ("A proper sentence I can paste into an e-mail: Zorbax's founder.", "sentence", "Zorbax's founder."),
    ("Write one sentence telling a customer how old Zorbax is.", "sentence", "how old Zorbax is."),
    ("I heard that Zorbax costs 9 euros. Is that so?", "plain", "Is it true that Zorbax costs 9 euros?"),
    ("Please confirm: Zorbax costs 9 euros.", "plain", "Is it true that Zorbax costs 9 euros?"),
    ("Please confirm that Zorbax costs 9 euros", "plain", "Is it true that Zorbax costs 9 euros?"),
    ("Someone told me Zorbax costs 9 euros. True?", "plain", "Is it true that Zorbax costs 9 euros?"),
    ("My notes say that Ada leads it. Are they right?", "plain", "Is it true that Ada leads it?"),
    ("am i right that Ada leads Zorbax", "plain", "Is it true that Ada leads Zorbax?"),
    ("So can one say that it costs 9 euros?", "plain", "Is it true that it costs 9 euros?"),
    ("Can you say who leads Zorbax?", "plain", "Can you say who leads Zorbax?"),
    ("The visit doesn't cost anything, right?", "plain", "Is it true that The visit is free?"),
    ("the shop that sits in an old mill - its name?", "plain", "Which shop sits in an old mill?"),
    ("I look for the team whose cars are blue. How is it called?", "plain", "Which team’s cars are blue?"),
    (
        "I was wondering whether the instrument she plays is the fiddle.",
        "plain",
        "Is it true that the instrument she plays is the fiddle?",
    ),
    (
        "there's an island known for eel pie... which one was it again?",
        "plain",
        "Which island is known for eel pie?",
    ),
    ("and Saturdays?", "plain", "and on Saturday?"),
    ("How long is the break, whole sentence pls", "sentence", "How long is the break"),
    (
        "how often does it open, dont answer with two words only, write a sentence",
        "sentence",
        "how often does it open",
    ),
    ("how often is the drill (sentence, not only a number)", "sentence", "how often is the drill"),
    (
        "What does a jail sentence, a short one, cost?",
        "plain",
        "What does a jail sentence, a short one, cost?",
    ),
    ("sentence form please: seats in Zorbax, how many", "sentence", "seats in Zorbax, how many"),
    (
        "Zorbax, how many seats, and dont answer with one word, i need a sentence",
        "sentence",
        "Zorbax, how many seats",
    ),
    (
        "Zorbax was founded by Ada - can you verify that?",
        "plain",
        "Is it true that Zorbax was founded by Ada?",
    ),
    (
        "My notes say a wheel weighs 12 kg. Does this agree with what you know?",
        "plain",
        "Is it true that a wheel weighs 12 kg?",
    ),
    ("Write out a proper sentence that says who founded Zorbax.", "sentence", "who founded Zorbax."),
    ("Where was whoever leads Zorbax born?", "plain", "Where was the person who leads Zorbax born?"),
    ("What is the longest sentence for theft?", "plain", "What is the longest sentence for theft?"),
    ("Does a short sentence follow the title?", "plain", "Does a short sentence follow the title?"),
    ("Hi! Who founded Zorbax? Just the name, no explanation.", "plain", "Who founded Zorbax?"),
    ("Who founded Zorbax? Answer in French.", "other", "Who founded Zorbax?"),
]


@pytest.mark.parametrize(("text", "form", "asked"), FORMS, ids=lambda value: str(value)[:30])
def test_the_form_is_separated_from_the_question(text: str, form: str, asked: str):
    found = read(text, [])
    assert (found.form, found.asked, found.bare) == (form, asked, True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Write a poem about Zorbax.",
        "Context: Zorbax was founded by Ben Oru.\nQuestion: Who founded Zorbax?",
        "Translate this into French: who founded Zorbax?",
        "word " * 200,
    ],
    ids=lambda text: text[:20],
)
def test_a_message_that_contains_or_requests_a_text_is_not_a_bare_question(text: str):
    assert not read(text, []).bare


def test_a_long_text_is_not_searched_for_its_form():
    # The request for a sentence at its end applies only to a short message.
    asked = "Who founded Zorbax? Please answer in a complete sentence."
    assert read(asked, []).form == "sentence"
    assert read(f"{'It rained. ' * 100}{asked}", []).form == "plain"


def test_a_text_in_an_earlier_message_is_recognised():
    assert not read("Who founded Zorbax?", ["Facts:\n1. Q: Who founded Zorbax? A: Ben Oru"]).bare


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('Give it as JSON with the keys "founder", "year" and "owner".', ("founder", "year", "owner")),
        ('Describe Zorbax as JSON: {"founder": "...", "year": "..."}', ("founder", "year")),
        ("Return JSON with keys product, owner for Zorbax.", ("product", "owner")),
        ("Return a JSON object with the fields founder and year_founded.", ("founder", "year_founded")),
        ("Is JSON a format?", ()),
    ],
    ids=lambda value: str(value)[:30],
)
def test_the_keys_of_a_described_json_are_found(text: str, keys: tuple[str, ...]):
    found = read(text, [])
    assert (found.form, found.keys) == ("json", keys)
