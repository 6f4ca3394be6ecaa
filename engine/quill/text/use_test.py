"""Questions on facts: answers are right in the world, forms of the exam stay out of training, varied hand-written text stays consistent."""

import json
import re

import pytest

from quill.text import answer_shapes, asker, follow_ups, questions, refusals
from quill.text.asker import Asker
from quill.text.contexts import REFUSAL
from quill.text.ordinary import is_exam_topic, ordinary, ordinary_pair, some_facts
from quill.text.reading import EXAM_TOPICS, FOLDER, BadReading, parse, readings, told_anew
from quill.text.skills import SKILLS
from quill.text.talks import SAME_UNSEEN, drawn, facts_prompt, pair_of_questions, rewrite_asked
from quill.text.values import Voice
from quill.text.varied import Variation


def asked(skill: str, n: int, unseen: bool = False, seed: int = 1):
    voice, made = Voice(f"{skill}/{seed}"), []
    while len(made) < n:
        world, text = drawn(voice, 8)
        found = SKILLS[skill][1](Asker(voice, world, unseen), text)
        if found:
            made.append((world, text, found))
    return made


@pytest.mark.parametrize("skill", SKILLS)
def test_every_answer_stands_in_the_context_or_is_one_of_a_few_words(skill: str):
    for world, text, q in asked(skill, 40):
        assert q.question and q.answer
        if q.gold:
            assert text[slice(*q.gold)] == q.answer
        if q.answer in (REFUSAL, "Yes.", "No."):
            continue
        told = [
            k
            for k in world.known
            if k.value.lower() in q.answer.lower() or k.subject.lower() in q.answer.lower()
        ]
        assert told, (q.answer, text)


def test_two_answers_are_both_facts_of_the_world_and_json_is_json():
    for world, _, q in asked("two", 40):
        values = {k.value for k in world.known}
        assert any(q.answer == f"{a} and {b}" for a in values for b in values)
    for _, _, q in asked("json", 40):
        assert all(isinstance(v, str) for v in json.loads(q.answer).values())
        assert ": " not in re.sub(r'"[^"]*"', "", q.answer), "as the server's grammar writes it"


def test_yes_is_said_of_what_is_told_and_no_of_what_is_not():
    found = asked("yes_no", 300)
    assert 0.4 < sum(q.answer == "Yes." for _, _, q in found) / 300 < 0.6
    for world, _, q in found:
        whole = [k for k in world.by_subject[q.subject] if k.value.lower() in q.question.lower()]
        if q.answer == "Yes.":
            assert whole, q.question


def test_a_comparison_names_the_one_that_has_more():
    checked = 0
    for world, _, q in asked("compare", 200):
        if q.answer in ("Yes.", "No.") or "igher" not in q.question:
            continue
        by_value = {}
        for k in world.known:
            amount = questions._amount(k.value)
            if amount and k.subject in q.question and any(n in q.question for n in k.relation.nouns):
                by_value[k.subject] = amount[0]
        if len(by_value) == 2:
            checked += 1
            assert max(by_value, key=by_value.__getitem__) == q.answer
    assert checked > 8


def test_a_refused_question_has_no_told_answer():
    for world, text, q in asked("refused", 150):
        assert q.answer == REFUSAL
        if q.subject not in world.by_subject:
            assert q.subject not in text


def test_a_follow_up_stands_alone_once_it_is_rewritten():
    voice = Voice(5)
    for _ in range(60):
        q = rewrite_asked(voice)
        assert q.before and q.standalone
        assert not re.search(r"\{|\}", q.standalone)


def pattern_of(form: str) -> str:
    """A pattern of a form; a genitive before a noun has its mark, or any words would do for both."""
    parts = re.split(r"\{\w+\}", form)
    names = re.findall(r"\{(\w+)\}", form)
    pattern = re.escape(parts[0])
    for at, name in enumerate(names):
        genitive = name == "s" and names[at + 1 : at + 2] and names[at + 1].startswith("n")
        pattern += (r".+'s?" if genitive else ".+") + re.escape(parts[at + 1])
    return pattern


def unseen_forms() -> list[re.Pattern]:
    found = []
    modules = (asker, questions, answer_shapes, follow_ups, refusals)
    for value in (value for module in modules for value in vars(module).values()):
        if isinstance(value, tuple) and len(value) == 2 and all(isinstance(v, list) for v in value):
            assert not set(value[0]) & set(value[1])
            found += [
                re.compile(pattern_of(form.strip()))
                for form in value[1]
                if len(re.sub(r"\{\w+\}", "", form)) > 12
            ]
    return found


def test_no_form_of_the_exam_is_trained():
    forms = unseen_forms()
    assert len(forms) > 25
    voice = Voice(11)
    for _ in range(150):
        for branch in facts_prompt(voice).branches:
            for turn in branch:
                for form in forms:
                    assert not form.search(turn.prompt.split("<|eot_id|>")[0]), (form.pattern, turn.prompt)
    assert not any(
        SAME_UNSEEN[0] in t.prompt for _ in range(30) for b in facts_prompt(voice).branches for t in b
    )


def test_no_form_of_any_kind_is_one_of_the_exam_of_another_kind():
    forms = unseen_forms()
    for file in sorted(asker.FORMS.glob("*.txt")):
        for line in asker.forms_of(file.stem)[0]:
            said = re.sub(r"\{\w+\}", "the Zor mill", line.split(" => ")[0])
            assert not any(form.search(said[:1].upper() + said[1:]) for form in forms), (file.stem, line)


def test_pairs_of_questions_are_half_the_same_and_half_not():
    for pair in (pair_of_questions, ordinary_pair):
        voice = Voice(3)
        made = [pair(voice) for _ in range(400)]
        assert 0.4 < sum(same for _, _, same in made) / 400 < 0.62
        assert all(a != b for a, b, _ in made)


def test_topics_of_the_exam_are_apart_from_those_of_training():
    assert not set(ordinary(True)) & set(ordinary(False))
    assert all(
        is_exam_topic(f.topic) == exam for exam in (True, False) for f in some_facts(Voice(1), 10, exam)
    )
    topics = {path.stem for path in FOLDER.glob("*.txt")}
    assert topics >= EXAM_TOPICS and 0.08 < len(EXAM_TOPICS) / len(topics) < 0.16
    assert not {r.topic for r in readings(False)} & EXAM_TOPICS


# ---------------------------------------------------------------- passages written by hand
def test_every_passage_is_told_once_and_asked_often_enough():
    known = readings(True) + readings(False)
    assert len(known) >= 900 and len({r.text for r in known}) == len(known)
    for r in known:
        asks = [j for i in r.items for j in (i, *i.after)]
        assert 3 <= len(asks) <= 12, (r.topic, r.text)
        assert all(a.strip() == a and a for i in asks for a in i.answers)


GOOD = (
    "# T\n\n== mail\nThe shop opens at 9.\n\nQ: When does it open?\nA: at 9\nF: And who opens it?\nA: -\n~\n"
)


@pytest.mark.parametrize(
    "bad",
    ["", "no title", GOOD.replace("~\n", ""), GOOD.replace("A: -\n", ""), GOOD.replace("Q: When", "X: When"), GOOD.replace("Q: When", "F: When"), GOOD.replace("mail\n", "mail\n\n\n").replace("The shop opens at 9.\n\n", "")],
)  # fmt: skip
def test_a_malformed_passage_is_refused_by_name(bad: str):
    (good,) = parse(GOOD, "shop")
    assert good.items[0].answers == ("at 9",) and good.items[0].after[0].answers == ()
    with pytest.raises(BadReading, match="shop"):
        parse(bad, "shop")


def test_a_passage_told_anew_still_holds_its_answers():
    voice, kept, changed = Voice(2), 0, 0
    for r in readings(False)[::6]:
        new = told_anew(voice, r)
        changed += new.text != r.text
        for old, item in zip(r.items, new.items, strict=True):
            if old.answers and re.search(rf"(?<!\w){re.escape(old.answers[0])}(?!\w)", r.text):
                kept += 1
                assert item.answers[0] in new.text, (item.answers, new.text)
    assert kept > 200 and changed > 60


def test_one_number_has_one_other_number():
    v = Variation(Voice(4))
    v.numbers = True
    first, second = v("Room 4711 holds 35 people until 18:30."), v("Until 18:30, 35 people; room 4711.")
    assert re.findall(r"\d+", first)[0] == re.findall(r"\d+", second)[-1] != "4711"
    assert v("May I come in May?") == "May I come in May?"
