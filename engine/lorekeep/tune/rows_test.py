"""Facts that are too long are detected although most facts are never tokenized."""

import pytest

from lorekeep.tune.facts import Fact, FactsError
from lorekeep.tune.rows import Rows
from lorekeep.tune.training.trunk import Row


def rows(*texts: str) -> tuple[Rows, list[str]]:
    """A fake tokenizer: a word is one token, a non-ASCII letter three."""
    read = []

    def tokens(text: str) -> tuple[int, ...]:
        return (0,) * (len(text.split()) + 3 * sum(not letter.isascii() for letter in text))

    def row(fact: Fact) -> Row:
        read.append(fact.output)
        return Row(tokens(fact.input) + (1,) * 4, (*tokens(fact.output), 2))

    return Rows([Fact("Who?", text, at) for at, text in enumerate(texts)], row), read


def test_short_facts_are_not_tokenized():
    facts, read = rows("Ada", "Cleo", "Ben")
    facts.refuse_longer(40)
    assert read == ["Ada"]


def test_a_long_text_with_few_tokens_is_accepted():
    facts, read = rows("Ada", "x" * 100)
    facts.refuse_longer(40)
    assert read == ["Ada", "x" * 100]


@pytest.mark.parametrize("text", ["Ada " * 60, "é" * 13])
def test_a_fact_that_is_too_long_is_named_with_its_size(text):
    facts, _ = rows("Ada", text)
    with pytest.raises(FactsError, match=r"Row 1 has \d+ tokens with its answer; max_length is 40"):
        facts.refuse_longer(40)
