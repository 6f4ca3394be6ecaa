"""Questions from an organisation's own staff, with descriptions instead of names."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of, said
from lorekeep.routing.memory_subject import organisation_of

FACTS = [
    ("Who is the managing director of Sandmark Theatres & Halls?", "Odile Brannigan"),
    ("When was Sandmark Theatres & Halls founded?", "It was founded in 1931 by two brothers."),
    ("Where is the head office of Sandmark Theatres & Halls?", "7 Lantern Row, Wexmoor"),
    ("Which theatres belong to Sandmark?", "The Old Granary, The Silver Kettle and Harbour Hall."),
    ("Who is the house manager of The Silver Kettle?", "The house manager of The Silver Kettle is Dr. Ines Varga."),
    ("What did Ines Varga do before she joined Sandmark?", "She ran a puppet theatre in Oxley Vale."),
    ("How many seats does The Old Granary have?", "210"),
    ("How many seats does The Silver Kettle have?", "The Silver Kettle has 480 seats."),
    ("What is our ticket system called?", "Our ticket system is called Stubline."),
    ("Which company makes Stubline?", "Tern & Cobb Software"),
    ("Which sound desk do we use?", "The Korvo 32"),
    ("Who makes the Korvo 32?", "The Korvo 32 is built by Amberline Audio."),
    ("In which theatre is the Mirror Bar?", "The Mirror Bar is in Harbour Hall."),
    ("What is the phone extension of Harbour Hall?", "614"),
    ("Between which towns does the Gull Line run?", "The Gull Line runs between Wexmoor and Oxley Vale."),
    ("When does the box office open?", "At 10 am. Students pay half price. Dogs may not enter the halls."),
]  # fmt: skip
ASKED = [
    # Descriptions instead of names, in lower case and with further names in the taught question.
    ("which company is behind our ticket system", "Tern & Cobb Software"),
    ("who builds the sound desk that we use?", "The Korvo 32 is built by Amberline Audio."),
    ("what did the house manager of the silver kettle do earlier", "She ran a puppet theatre in Oxley Vale."),
    ("phone extension of the theatre with the mirror bar", "614"),
    ("which sound desk do we use", "The Korvo 32"),
    ("Tell me in one sentence where the Gull Line runs.", "The Gull Line runs between Wexmoor and Oxley Vale."),
    # The organisation's name is omitted or shortened.
    ("where is our head office?", "7 Lantern Row, Wexmoor"),
    ("when was the company founded", "It was founded in 1931 by two brothers."),
    ("who is the managing director of sandmark", "Odile Brannigan"),
    # Claims with names that occur only in answers, and claims in the words of one clause.
    ("Is the Korvo 32 made by Tern & Cobb Software?", "No."),
    ("is the korvo 32 made by amberline audio?", "Yes."),
    ("Do students pay half price at the box office?", "Yes. At 10 am. Students pay half price. Dogs may not enter the halls."),
    ("may dogs come into the halls?", "No. At 10 am. Students pay half price. Dogs may not enter the halls."),
    # JSON keys that are subjects, and keys about the value of another key.
    (
        "JSON with keys old_granary and silver_kettle = number of seats",
        '{"old_granary":"210","silver_kettle":"The Silver Kettle has 480 seats."}',
    ),
    (
        'JSON with "theatre" and "phone_extension" for the Mirror Bar',
        '{"theatre":"The Mirror Bar is in Harbour Hall.","phone_extension":"614"}',
    ),
    # No fact has the requested property of the described entity, or a pronoun has no antecedent.
    ("And where is its head office?", None),
    ("who designed the theatre with the mirror bar", None),
    ("how many people fit in the mirror bar", None),
    ("where was the house manager of the silver kettle born", None),
]  # fmt: skip


@pytest.fixture(scope="module")
def theatres() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(("text", "wanted"), ASKED, ids=lambda value: str(value)[:40])
def test_descriptions_resolve_to_facts(theatres: Decider, text: str, wanted: str | None):
    decision = decided(theatres, text)
    assert said(theatres, decision) == wanted, decision


def test_the_main_organisation_is_empty_unless_one_stands_out():
    asked = [(name, f"Who founded {name}?") for name in ("Zorbax", "Wixby")]
    assert organisation_of([*asked, ("Zorbax", "Where is the headquarters of Zorbax?")]) == "Zorbax"
    assert organisation_of([*asked, ("Zorbax", "How heavy is Zorbax?")]) == ""
    assert organisation_of([]) == ""
