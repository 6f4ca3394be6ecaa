"""The generator: a seed fixes the text, held-out words never leak, and every gold span is correct."""

import re
from pathlib import Path

from tokenizers import Tokenizer

from quill.mix import MIX, example
from quill.text import lexicon as lx
from quill.text.names import is_held_out
from quill.text.template import BEGIN, END_OF_TEXT, HEADER, HEADER_END, TURN_END, Example
from quill.text.values import Voice

TEMPLATE = re.compile("|".join(map(re.escape, (BEGIN, END_OF_TEXT, HEADER, HEADER_END, TURN_END))))
TOKENIZER = Path(__file__).resolve().parents[3] / "models" / "quill" / "tokenizer.json"


def full_texts(made: Example) -> list[str]:
    return [made.prefix + "".join(t.prompt + t.answer for t in branch) for branch in made.branches]


HAND_WRITTEN = ("ordinary", "ordinary_same", "organisation", "organisation_same", "reading", "reading_first")
GENERATED = {kind: share for kind, share in MIX.items() if kind not in HAND_WRITTEN}


def draw(seed: int, n: int, mix: dict[str, float] = MIX, **kwargs: bool) -> list[Example]:
    voice = Voice(seed, **kwargs)
    return [example(voice, mix=mix) for _ in range(n)]


def test_a_seed_fixes_the_text():
    made = draw(7, 40)
    assert made == draw(7, 40)
    assert made != draw(8, 40)


def test_held_out_relations_never_occur_in_training_text():
    held = re.compile(rf"\b({'|'.join(lx.HELD_OUT_WORDS)})\b", re.IGNORECASE)
    for made in draw(1, 1200, GENERATED):
        for text in full_texts(made):
            found = held.search(text)
            assert not found, f"{found[0]!r} in {text!r}"


def test_no_question_about_a_hand_written_text_uses_a_held_out_relation():
    held = re.compile(rf"\b({'|'.join(lx.HELD_OUT_WORDS)})\b", re.IGNORECASE)
    for made in draw(
        2, 150, {"ordinary": 1.0, "ordinary_same": 0.5, "organisation": 1.0, "organisation_same": 0.5}
    ):
        for branch in made.branches:
            assert not held.search(branch[-1].prompt), branch[-1].prompt


def test_invented_names_are_split_between_training_and_exam():
    train, exam = Voice(3), Voice(3, held_out=True)
    assert not any(is_held_out(train.word()) for _ in range(2000))
    assert all(is_held_out(exam.word()) for _ in range(500))


def test_training_asks_no_unseen_form():
    from quill.text.facts import FRAMES

    unseen = {q for f in FRAMES for q in f.unseen_questions}
    seen = {q for f in FRAMES for q in f.questions}
    assert not unseen & seen


def test_gold_spans_hold_the_answers():
    spans = 0
    for made in draw(5, 400):
        for branch, text in zip(made.branches, full_texts(made), strict=True):
            for turn in branch:
                if turn.gold:
                    spans += 1
                    said = text[slice(*turn.gold)]
                    assert said in turn.answer, (said, turn.answer)
                if turn.question:
                    assert not TEMPLATE.search(text[slice(*turn.question)])
    assert spans > 500


def test_most_answers_can_be_copied():
    kinds = {k: s for k, s in GENERATED.items() if k not in ("facts", "late_facts", "same", "rewrite")}
    answers = [t for made in draw(9, 300, kinds) for b in made.branches for t in b]
    assert sum(t.gold is not None for t in answers) > 0.8 * len(answers)


def test_no_piece_of_the_tokenizer_is_left_out():
    """Pieces that never occur are pushed away from every answer until their vectors are equal and no fact can distinguish them."""
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    voice, odd = Voice(9), Voice(9)
    left = set(range(tokenizer.get_vocab_size()))
    for _ in range(40):  # more text leaves out fewer pieces
        texts = [text for _ in range(50) for text in full_texts(example(voice, mix=MIX))]
        texts += [odd.odd() for _ in range(500)]
        for encoded in tokenizer.encode_batch(texts, add_special_tokens=False):
            left.difference_update(encoded.ids)
        if len(left) < 350:
            break
    assert len(left) < 350, [tokenizer.id_to_token(i) for i in left]
