"""Values of schemas in the answers of facts: each as it was taught, or none."""

import json
from typing import Any

import pytest

from lorekeep.answering.schemas.numbers import number_of
from lorekeep.answering.schemas.values import items_of, values_of
from lorekeep.infer.schemas.shape import shape_of

STRING = {"type": "string"}


def value(answer: str, schema: dict, words: str = "", items: tuple[str, ...] = ()) -> Any:
    (one,) = shape_of(schema).alternatives
    found = values_of(answer, items, one, words)
    return json.loads(found[0]) if found else None


@pytest.mark.parametrize(
    ("answer", "words", "number"),
    [
        ("850 kg", "load", 850),
        ("€1,249.50", "price", 1249.5),
        ("1.249,50 €", "price", 1249.5),
        ("2,5 m", "depth", 2.5),
        ("about 1,250 people", "people", 1250),
        ("-3.5 degrees", "temperature", -3.5),
        ("3.2 million euros", "budget", 3_200_000),
        ("Yes, down to -20 °C.", "temperature", -20),
        ("In 2017, after 3 years of work", "year", 2017),
        ("412 employees in 3 countries", "employees", 412),
        ("24-month cover", "cover months", 24),
        ("850kg", "load kg", 850),
        ("The 4th floor", "floor", 4),
        ("Gate 9", "gate", 9),
        ("Two years", "warranty years", 2),
        ("€89.00", "price eur", 89),
        # Digits of codes, times, dates, ranges, names and phone numbers.
        ("HW-4471-B", "code", None),
        ("TP-0093", "code", None),
        ("0555 310 442", "phone", None),
        ("+44 555 310", "phone", None),
        ("At 16:00.", "closes", None),
        ("12/05/2017", "date", None),
        ("12 May 2017", "day", None),
        ("Model 5G", "model", None),
        ("10-20", "seats", None),
        ("Quillon 9", "product", None),
        ("version 1.2.3", "version", None),
        ("Signe Halvorsen", "designer", None),
        # Another unit than that of the field, and several numbers.
        ("10 kW", "weight kg", None),
        ("36 months", "warranty years", None),
        ("€1,249.50", "price usd", None),
        ("850 kg", "The load in pounds: load", None),
        ("850 kg", "The load in kilograms: load", 850),
        ("€14 outdoors and €22 in the hall", "price", None),
        ("two or three", "count", None),
    ],
)
def test_the_number_of_an_answer(answer: str, words: str, number: float | None):
    found = number_of(answer, words)
    assert (None if found is None else float(found)) == number


@pytest.mark.parametrize(
    ("answer", "schema", "wanted"),
    [
        ('He said "no"\n', STRING, 'He said "no"\n'),
        ("850 kg", {"type": "integer"}, 850),
        ("€89.00", {"type": "integer"}, 89),
        ("€1,249.50", {"type": "integer"}, None),
        ("€1,249.50", {"type": "number"}, 1249.5),
        ("Yes, down to -20 °C.", {"type": "boolean"}, True),
        ("No, never", {"type": "boolean"}, False),
        ("In 2017", {"type": "boolean"}, None),
        ("a red one", {"enum": ["blue", "red"]}, "red"),
        ("orange", {"enum": ["or", "orange"]}, "orange"),
        ("a dark grey one", {"enum": ["grey", "dark grey"]}, "dark grey"),
        ("black or orange", {"enum": ["black", "red"]}, None),
        ("black, orange and grey", {"enum": ["red", "black"]}, None),
        ("It is in stock.", {"enum": ["in_stock", "sold_out"]}, "in_stock"),
        ("€12", {"enum": ["EUR", "USD"]}, "EUR"),
        ("Yes, of course", {"enum": ["yes", "no"]}, "yes"),
        ("1912", {"enum": [1850, 1912]}, 1912),
        ("Bram Oyelaran", {"enum": ["Ada Quist", "Signe Halvorsen"]}, None),
        ("black, orange and grey", {"type": "array", "items": STRING}, ["black", "orange", "grey"]),
        ("Ada", {"type": "array", "items": STRING}, ["Ada"]),
        ("black, orange and grey", {"type": "array", "items": {"enum": ["grey", "orange", "black"]}}, ["black", "orange", "grey"]),
        ("black, orange and grey", {"type": "array", "items": {"enum": ["orange", "red"]}}, None),
        ("2, 3 and 5", {"type": "array", "items": {"type": "integer"}}, [2, 3, 5]),
        ("€1,249.50", {"type": "array", "items": STRING}, ["€1,249.50"]),
        ("anything", {"type": "array"}, ["anything"]),
        ("Ada", {"type": "object", "properties": {"a": STRING}}, None),
    ],
    ids=str,
)  # fmt: skip
def test_the_value_of_an_answer(answer: str, schema: dict, wanted: Any):
    assert value(answer, schema) == wanted


def test_the_answers_of_which_one_is_made_are_the_items_of_an_array():
    made = value("Ada and Ben Oru", {"type": "array", "items": STRING}, items=("Ada", "Ben and Oru Ltd"))
    assert made == ["Ada", "Ben and Oru Ltd"]


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("black, orange and grey", ["black", "orange", "grey"]),
        ("- soap\n- towels", ["soap", "towels"]),
        ("1. Open it.\n2. Close it.", ["Open it.", "Close it."]),
        ("Within 30 days.\nThe customer pays the postage.", None),
        ("Yes, down to -20 °C.", None),
        ("From Monday to Friday, but only if it has not rained in the week before, and never at night", None),
        ("Signe Halvorsen", None),
    ],
)
def test_only_lists_have_items(answer: str, items: list[str] | None):
    assert items_of(answer) == (items or [answer])
