"""Paraphrased questions about several names or several properties, in other words than the facts."""

import pytest

from lorekeep.answering.decide_test import decided, decider_of, said
from lorekeep.answering.objects.json_keys import keys_in
from lorekeep.answering.reading import standalone

FACTS = [
    ("Who founded Tarn Ferries?", "Tarn Ferries was founded by Osk Hallander."),
    ("In which year was Tarn Ferries founded?", "1958"),
    ("Who is the managing director of Tarn Ferries?", "Our managing director is Mirjam Sollis."),
    ("Where is the head office of Tarn Ferries?", "4 Rope Walk, Hexwater"),
    ("What did Mirjam Sollis do before she came to Tarn Ferries?", "She ran an oyster farm before she came to us."),
    ("In which year did Brandt Ekelund join Tarn Ferries?", "2009"),
    ("What is Brandt Ekelund's special field?", "Diesel engines"),
    ("Who is the captain of the Merrow?", "The captain of the Merrow is Dr Ines Quaife."),
    ("Who is the captain of the Zennor?", "Tam Orchard"),
    ("How fast is the Merrow?", "The Merrow makes 19 knots."),
    ("How fast is the Zennor?", "31 knots"),
    ("How many cars does the Merrow take?", "85"),
    ("How many passengers does the Merrow carry?", "410"),
    ("In which year was the Merrow built?", "1998"),
    ("What is the power of the Swift pump?", "375 W"),
    ("What is the power of the Kestrel pump?", "The Kestrel delivers 445 W."),
    ("What does the Swift pump cost?", "€154"),
    ("What does the Kestrel pump cost?", "€189"),
    ("How long does the crossing from Hexwater to Saint Ennor take?", "55 minutes"),
    ("On which days does the ferry to Saint Ennor run?", "It runs on Wednesdays and Sundays."),
    ("What does status TF-40 mean?", "The consignment is held by customs."),
    ("What does status TF-17 mean?", "The parcel was left with a neighbour."),
    ("What does status TF-55 mean?", "The goods were damaged on the way."),
]  # fmt: skip
ASKED = [
    # Several names, or several properties of one.
    ("captain of the merrow and of the zennor pls", "The captain of the Merrow is Dr Ines Quaife and Tam Orchard"),
    ("what do TF-40 and TF-17 mean", "TF-40: The consignment is held by customs.\nTF-17: The parcel was left with a neighbour."),
    ("price of the swift and of the kestrel", "Swift pump: €154\nKestrel pump: €189"),
    ("Power and price of the Kestrel, please.", "The Kestrel delivers 445 W and €189"),
    ("When was Tarn Ferries founded, and by whom?", "1958 and Tarn Ferries was founded by Osk Hallander."),
    # Partial names, names with a title, and an omitted organisation.
    ("how long is the crossing to saint ennor", "55 minutes"),
    ("What does Dr Ekelund specialise in?", "Diesel engines"),
    ("in which year did brandt ekelund join", "2009"),
    ("Who is Ines Quaife?", "The captain of the Merrow is Dr Ines Quaife."),
    # The unit that a question counts, or the noun after "which".
    ("how many knots does the Merrow make?", "The Merrow makes 19 knots."),
    ("which shipyard built the merrow?", None),
    ("How many years of warranty come with the Kestrel?", None),
    # Found by words of the answer.
    ("who used to run an oyster farm", "Mirjam Sollis"),
    ("Which of your pumps gives 445 watts?", "Kestrel pump"),
    ("which status code means damaged", "TF-55"),
    # Comparisons.
    ("Which is faster, the Zennor or the Merrow, and what's the difference?", "Zennor, by 12 knots"),
    ("which is cheaper swift or kestrel", "Swift"),
    ("Was the Merrow built before the year 2000?", "Yes."),
    ("Was the Merrow built after 2005?", "No."),
    ("Has Brandt Ekelund been with us since 2009?", "Yes."),
    # Keys of JSON.
    ("json with keys swift, kestrel -> price of each", '{"swift":"€154","kestrel":"€189"}'),
    ("I need a JSON object with merrow and zennor as keys and the speed as value.", '{"merrow":"The Merrow makes 19 knots.","zennor":"31 knots"}'),
]  # fmt: skip


@pytest.fixture(scope="module")
def decider():
    return decider_of(FACTS)


@pytest.mark.parametrize(("question", "wanted"), ASKED)
def test_a_paraphrased_question_is_answered(decider, question: str, wanted: str | None):
    assert said(decider, decided(decider, question)) == wanted


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('JSON please, with the keys "acorn", "oak" and "willow" and the monthly price of each plan.', ("acorn", "oak", "willow")),
        ("Return JSON with keys book and dvd and the loan period of each as values.", ("book", "dvd")),
        ("A JSON object whose keys are a, b and c and whose values are the heads of those offices.", ("a", "b", "c")),
        ("JSON with the keys name and price for the Zorbax", ("name", "price")),
    ],
)  # fmt: skip
def test_json_keys_are_read_from_the_message(text: str, keys: tuple[str, ...]):
    assert keys_in(text) == keys


@pytest.mark.parametrize("text", ["a" * 490, "a-" * 240, "the a, " * 70, "a and " * 80])
def test_a_text_of_one_long_word_causes_no_backtracking(text: str):
    # An ambiguous pattern would backtrack without end.
    assert standalone.question_per_relation(text, ["Zorbax"]) == []
