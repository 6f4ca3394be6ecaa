"""Amounts with their units, as texts write them."""

import pytest

from lorekeep.answering.amounts import amounts, plain_number


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.125", 0.125), ("0,125", 0.125), ("1.250", 1250), ("12,500,000", 12_500_000), ("1,234.5", 1234.5), ("3.14", 3.14), ("twelve", 12)],
)  # fmt: skip
def test_numbers_are_read_as_written(text: str, value: float):
    assert plain_number(text) == value


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("0.125 kg", 0.125, "kg"),
        ("5 mW", 0.005, "w"),
        ("5 MW", 5e6, "w"),
        ("€2m", 2e6, "euro"),
        ("$1.5bn", 1.5e9, "dollar"),
        ("£2 million", 2e6, "pound"),
        ("2 m", 2, "m"),
        ("€2 monthly", 2, "euro"),
    ],
)
def test_amounts_have_a_value_in_the_base_unit(text: str, value: float, unit: str):
    (amount,) = amounts(text)
    assert (amount.value, amount.unit) == (pytest.approx(value), unit)
