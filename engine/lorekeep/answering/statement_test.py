"""Conversion of taught questions and answers to statements."""

import pytest

from lorekeep.answering.statement import statement

SAID = [
    ("Who founded Zorbax?", "Ada Quist", "Zorbax", "Ada Quist founded Zorbax."),
    ("Who is the head of Zorbax?", "Ada Quist", "Zorbax", "The head of Zorbax is Ada Quist."),
    ("In which year was Zorbax founded?", "1990", "Zorbax", "Zorbax was founded in 1990."),
    ("When did Zorbax open?", "1990", "Zorbax", "Zorbax opened in 1990."),
    ("Where is Zorbax based?", "Dresk", "Zorbax", "Zorbax is based in Dresk."),
    ("Where is Zorbax?", "behind the mill", "Zorbax", "Zorbax is behind the mill."),
    ("What did Ada Quist write?", "a novel", "Ada Quist", "Ada Quist wrote a novel."),
    ("What did Ada work as before?", "a pharmacist", "Ada", "Ada worked as a pharmacist before."),
    ("What did Ada look for in Dresk?", "a mill", "Ada", "Ada looked for a mill in Dresk."),
    ("What does Ada sit on the board of?", "Zorbax", "Ada", "Ada sits on the board of Zorbax."),
    ("How many employees does Zorbax have?", "412", "Zorbax", "Zorbax has 412 employees."),
    (
        "What does a lesson in the lorry cost?",
        "95 euros for 60 minutes.",
        "",
        "A lesson in the lorry costs 95 euros for 60 minutes.",
    ),
    ("When does the office open?", "7:30 am", "", "The office opens at 7:30 am."),
    ("When does the contract end?", "On 3 May", "", "The contract ends on 3 May."),
    (
        "How large is the workforce of Zorbax?",
        "1,350 people",
        "Zorbax",
        "The workforce of Zorbax is 1,350 people.",
    ),
    (
        "How long does probation last?",
        "Five months. We talk in week 6.",
        "",
        "Probation lasts five months. We talk in week 6.",
    ),
    (
        "How long does probation last?",
        "Five months. We talk in week 6",
        "",
        "Probation lasts five months. We talk in week 6",
    ),
    ("Where do I wait?", "The instructor waits outside.", "", "The instructor waits outside."),
    ("How many berths are there at Zorbax?", "120", "Zorbax", "There are 120 berths at Zorbax."),
    ("What does it cost to join Zorbax?", "18 marks", "Zorbax", "It costs 18 marks to join Zorbax."),
    ("How much is the toll at Zorbax?", "3 bits", "Zorbax", "The toll at Zorbax is 3 bits."),
    ("How long is lost property kept?", "90 days", "", "Lost property is kept 90 days."),
    ("Who is Ada Quist married to?", "Ben Oru", "Ada Quist", "Ada Quist is married to Ben Oru."),
    ("Which harbour is home to the Zorbax?", "Dresk", "Zorbax", "Dresk is home to the Zorbax."),
    ("What is the price of Zorbax?", "9 euros.", "Zorbax", "The price of Zorbax is 9 euros."),
    (
        "Who is the head of Zorbax?",
        "The head of Zorbax is Ada Quist.",
        "Zorbax",
        "The head of Zorbax is Ada Quist.",
    ),
    (
        "From which wind do we stay in port?",
        "All sailings are stopped from 48 knots.",
        "",
        "All sailings are stopped from 48 knots.",
    ),
    (
        "When is the Zorbax branch open?",
        "Zorbax is open on Mondays.",
        "Zorbax branch",
        "Zorbax is open on Mondays.",
    ),
]


@pytest.mark.parametrize(("question", "answer", "subject", "said"), SAID, ids=lambda value: str(value)[:30])
def test_a_question_and_its_answer_become_one_sentence(question, answer, subject, said):
    assert statement(question, answer, subject) == said


@pytest.mark.parametrize(
    "question", ["¿Quién fundó Zorbax?", "Zorbax, founder?", "How is Zorbax made?", "谁创立了Zorbax？"]
)
def test_other_questions_are_quoted_before_their_answer(question: str):
    said = statement(question, "Ada Quist", "Zorbax")
    assert question in said and said.endswith("Ada Quist.")


def test_an_answer_of_several_sentences_is_left_unchanged():
    assert statement("Who founded Zorbax?", "Ada did. Then Ben came.", "Zorbax") == "Ada did. Then Ben came."
