"""Hand-written organisations: malformed files are refused, answers come from their facts, the exam's trades stay out of
training."""

import json

import pytest

from quill.text.contexts import REFUSAL
from quill.text.organisations import (
    FOLDER,
    KINDS,
    Ask,
    BadOrganisation,
    answer_of,
    asked_pair,
    exam_asked,
    is_exam_trade,
    organisation_prompt,
    organisations,
    parse,
)  # fmt: skip
from quill.text.values import Voice

FILE = """# ferry
1. Who steers the Marrow? = Ada Quist
2. When does the Marrow leave? = 8.15 am, from pier 2.
same 1: the captain's name?
two 1 2: Who is the captain and when do we leave?
no 2: Can I come at nine?
json 1 2: As JSON with "captain" and "leaves". = captain, leaves
none: Is there a bar?
"""


def test_answers_are_made_of_the_facts():
    made = parse(FILE, "ferry")
    assert [answer_of(made.facts, a) for a in made.asks] == [
        "Ada Quist",
        "Ada Quist and 8.15 am, from pier 2",
        "No.",
        '{"captain":"Ada Quist","leaves":"8.15 am, from pier 2"}',
        REFUSAL,
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("maybe 1: Is it?", "no kind 'maybe'"),
        ("same 9: Who?", "2 facts' numbers"),
        ("two 1: Who and when?", "2 to 2 of the"),
        ("same 1: Who? = Ada", "takes no ' = answer'"),
        ("part 2: Which pier?", "needs ' = answer'"),
        ('json 1 2: "a" and "b". = a', "need as many keys"),
        ("4. What is missing? = 3", "fact 4 follows 2 facts"),
        ("a line", "is neither"),
    ],
)
def test_a_malformed_line_is_refused(wrong: str, said: str):
    with pytest.raises(BadOrganisation, match=said):
        parse(FILE + wrong, "ferry")


def test_a_file_without_facts_or_questions_is_refused():
    for text in ("", "# ferry", "# ferry\n1. Who? = Ada"):
        with pytest.raises(BadOrganisation, match="needs a trade"):
            parse(text, "ferry")


def test_every_file_is_valid_and_has_every_kind_of_question():
    found = [parse(path.read_text(), path.stem) for path in sorted(FOLDER.glob("*.txt"))]
    assert len(found) > 200
    assert {a.kind for one in found for a in one.asks} == set(KINDS)
    for one in found:
        for a in one.asks:
            if a.kind == "json":
                assert len(json.loads(answer_of(one.facts, a))) == len(a.facts)


def test_trades_of_the_exam_are_not_trained():
    trained, judged = organisations(False), organisations(True)
    assert len(judged) > 70 and len(trained) > 4 * 70
    facts = [{(f.question, f.answer) for o in some for f in o.facts} for some in (trained, judged)]
    assert not facts[0] & facts[1]
    names = {path.stem for path in FOLDER.glob("*.txt")}
    assert {name for name in names if is_exam_trade(name)} and {
        name for name in names if not is_exam_trade(name)
    }


def test_facts_left_out_of_the_prompt_are_refused_and_the_rest_is_answered():
    voice = Voice(4)
    refused = answered = 0
    for _ in range(200):
        made = organisation_prompt(voice)
        for branch in made.branches:
            answer = branch[-1].answer.removesuffix("<|eot_id|>")
            if answer == REFUSAL:
                refused += 1
            elif answer not in ("yes", "no", "Yes.", "No."):
                answered += 1
    assert 0.2 < refused / (refused + answered) < 0.5


def test_a_follow_up_comes_after_the_question_that_it_follows():
    voice = Voice(6)
    for _ in range(30):
        prompt, answer = exam_asked(voice, ("follow",))
        assert prompt.count("<|start_header_id|>assistant") == 2 and answer


def test_pairs_are_half_the_same():
    voice = Voice(8)
    made = [asked_pair(voice) for _ in range(400)]
    assert 0.4 < sum(same for _, _, same in made) / 400 < 0.6
    assert all(a != b for a, b, _ in made)


def test_an_answer_loses_the_final_stop_of_its_fact():
    made = parse(FILE, "ferry")
    assert answer_of(made.facts, Ask("same", [1], "When?")) == "8.15 am, from pier 2"
