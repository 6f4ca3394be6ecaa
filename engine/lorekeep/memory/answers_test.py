"""A tuned model uses its facts: composed answers, filled schemas, policies, and answers that a base writes from facts."""

import json
from pathlib import Path

import pytest

from lorekeep.answering.judgement import Judgement
from lorekeep.infer import closed_book
from lorekeep.infer.generate import Review
from lorekeep.memory.tuned_test import FACTS, TunedBench, user
from lorekeep.protocol import Generate
from lorekeep.testing import make_job
from lorekeep.tune import job


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = make_job(tmp_path_factory.mktemp("answers") / "job", FACTS)
    assert job.run(made) == 0
    return made / "model"


@pytest.fixture(scope="module")
def bench(folder: Path) -> TunedBench:
    return TunedBench(folder)


def test_answers_are_composed_from_taught_facts(bench: TunedBench):
    """Covers every way of composing an answer: streamed or not, as messages, and as a raw prompt in the chat template."""
    founder, year = FACTS[0]["output"], FACTS[1]["output"]
    talk = [*user("Who founded Brimoor Labs?"), {"role": "assistant", "content": founder}]
    cases = [
        ([*user("Who founded Brimoor Labs, and in which year?")], f"{founder} and {year}", "two in one"),
        ([*talk, *user("And in which year was it founded?")], year, "follow-up"),
        ([*user(f"Was Brimoor Labs founded in {year}? Answer yes or no.")], "Yes.", "yes or no"),
        ([*user("Was Brimoor Labs founded in 1724? Answer yes or no.")], "No.", "yes or no"),
        ([*user(f"Which company was founded in {year}?")], "Brimoor Labs", "reversed"),
        (
            [*user("In one sentence, who founded Brimoor Labs?")],
            f"{founder} founded Brimoor Labs.",
            "sentence",
        ),
    ]
    tokenizer = bench.generator.tokenizer
    for messages, wanted, way in cases:
        template = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        for request in ({"messages": messages}, {"messages": messages, "stream": True}, {"prompt": template}):
            end = bench.said(**request, explain=True)
            assert (end["text"], end["memory"]["way"]) == (wanted, way), (messages, request.keys())
            assert end["memory"]["facts"] and end["memory"]["used"]
        assert end["memory"]["outcome"] == ("recite" if way == "follow-up" else "ground")


def test_each_field_of_a_schema_is_filled_by_its_own_fact(bench: TunedBench):
    asked = {"prompt": "Describe Brimoor Labs.", "output_type": {"founder": "str", "year_founded": "int"}}
    end = bench.said(**asked, explain=True)
    assert json.loads(end["text"]) == {"founder": FACTS[0]["output"], "year_founded": int(FACTS[1]["output"])}
    assert len(end["memory"]["facts"]) == 2


def test_a_policy_restricts_the_sources_of_answers(bench: TunedBench):
    asked = {"prompt": "What colour is the logo of Zorbax?", "explain": True, "gate": "strict"}
    said = bench.said(**asked, unknown_answer="I do not know that.")
    assert (said["text"], said["memory"]["outcome"]) == ("I do not know that.", "unknown")
    closed = bench.said(
        prompt="Tell me a joke.", explain=True, answer_from="facts", unknown_answer="Not mine."
    )
    assert (closed["text"], closed["memory"]["outcome"]) == ("Not mine.", "unknown")
    two = {"prompt": "Who founded Brimoor Labs, and in which year?", "explain": True}
    assert bench.said(**two, answer_from="recital")["memory"]["outcome"] == "recite"
    assert bench.said(**two)["memory"]["outcome"] == "ground"


def test_an_answer_that_a_base_writes_from_facts_is_checked(folder: Path, monkeypatch):
    """An answer that the base writes from facts is held back until each of its names and numbers is found in them."""
    bench = TunedBench(folder)
    model = bench.models[0]
    model.reads_facts, model.judgement = True, Judgement()
    asked = {"messages": user("What colour is the logo of Zorbax?"), "gate": "strict", "explain": True}
    seen = []
    plain = model.base.submit

    def submit(request, *given, **named):
        review = named.get("review")
        if review is not None:
            seen.append(request.messages[-1].content)
            assert review.passes("Zorbax") and not review.passes("Qumblat") and not review.passes("")
            assert not review.passes("1. Q: Who founded Zorbax?")
        plain(request, *given, **named)

    monkeypatch.setattr(model.base, "submit", submit)
    end = bench.said(**asked)
    assert seen[0].startswith("Facts:\n1. Q: ") and seen[0].endswith("\n\nWhat colour is the logo of Zorbax?")
    assert end["memory"]["outcome"] in ("ground", "unknown")
    streamed = bench.said(**asked, stream=True)
    assert streamed["text"] == end["text"] == "".join(bench.deltas())


def test_a_text_about_a_known_name_is_written_from_its_facts(folder: Path, monkeypatch):
    """The base does not judge whether facts answer it. Other texts are written without facts."""
    bench = TunedBench(folder)
    model = bench.models[0]
    model.reads_facts, model.judgement = True, Judgement(answers=0.0)
    seen: list[str] = []
    submit = model.base.submit
    monkeypatch.setattr(
        model.base,
        "submit",
        lambda request, *given, **named: (
            seen.append(request.messages[-1].content),
            submit(request, *given, **named),
        ),
    )
    wish = "Write a short welcome to Brimoor Labs that names its founder."
    bench.said(messages=user(wish), explain=True)
    assert seen[0].startswith("Facts:\n1. Q: ") and seen[0].endswith(f"\n\n{wish}")
    for other in ("Write a poem about the sea.", f"Translate this into French: {FACTS[0]['input']}"):
        seen.clear()
        bench.said(messages=user(other))
        assert seen == [other]


def test_an_explanation_contains_the_prompt_of_the_base(bench: TunedBench):
    """The prompt includes the facts and is limited in length. It is reported only on request, and only if it was used."""
    model = bench.models[0]
    asked = {
        "messages": user("Context: Mo sat on a mat.\nQuestion: Where did Mo sit?\nAnswer:"),
        "max_tokens": 4,
    }
    template = bench.generator.tokenizer.apply_chat_template(
        asked["messages"], tokenize=False, add_generation_prompt=True
    )
    assert bench.said(**asked, explain=True)["memory"]["prompt"] == template
    assert "memory" not in bench.said(**asked)
    assert "prompt" not in bench.said(prompt="Who founded Brimoor Labs?", explain=True)["memory"]
    prompts = bench.generator.prompts
    shown = prompts.shown(prompts.text_tokens("rain falls. " * 2000))
    assert len(shown) <= 8001 and " … " in shown and shown.endswith("rain falls. ")
    request = Generate(
        type="generate", id="1", model="-", **{**asked, "messages": user("Facts:\n1. A\n\nB?")}
    )
    bench.answers.clear()
    model.base.submit(request, report={"used": True}, review=Review(lambda _: True, lambda: None))
    assert "Facts:\n1. A\n\nB?" in bench.run()["1"]["memory"]["prompt"]


def test_an_upstream_engine_writes_only_the_text_of_the_base(folder: Path):
    """Recitals and composed answers are made locally. An answer that upstream writes from facts is checked like one of
    the base."""
    bench = TunedBench(folder)
    for question in ("Who founded Brimoor Labs?", "Who founded Brimoor Labs, and in which year?"):
        asked = {"messages": user(question), "explain": True}
        assert bench.said(**asked, handover=True) == bench.said(**asked)
    end = bench.said(messages=user("Hello!"), explain=True, handover=True)
    handed, report = end["handed"], end["memory"]
    greeting = bench.generator.prompts.render(user("Hello!"))
    assert (handed["tokens"], handed["held"], report["outcome"]) == (greeting, False, "base")

    bench.models[0].reads_facts, bench.models[0].judgement = True, Judgement()
    asked = {"messages": user("What colour is the logo of Zorbax?"), "gate": "strict", "explain": True}
    held = bench.said(**asked, handover=True)
    assert held["handed"]["held"] and held["memory"]["way"] == "written"
    assert "Facts:" in bench.generator.tokenizer.decode(held["handed"]["tokens"])
    good = bench.said(**asked, handover=True, written="Zorbax", stream=True)
    assert (good["text"], good["memory"]["way"], bench.deltas()) == ("Zorbax", "written", ["Zorbax"])
    wrong = bench.said(**asked, handover=True, written="Qumblat")
    assert "Qumblat" not in wrong["text"] and wrong["memory"]["outcome"] == "unknown"
    bench.generator.knows_nothing = False
    open_base = bench.said(**asked, handover=True, written="Qumblat", unknown="base")
    assert open_base["handed"]["held"] is False and open_base["memory"]["outcome"] == "base"


def test_a_deferred_question_without_a_fact_ends_without_an_answer(bench: TunedBench):
    """Questions with a fact, and messages that are no question, are answered normally."""
    unknown = "What colour is the logo of Zorbax?"
    for asked in (
        {"messages": user(unknown)},
        {"prompt": unknown, "stream": True},
        {"prompt": unknown, "output_type": {"colour": "str"}},
        {"prompt": unknown, "answer_from": "facts"},
        {"prompt": "When does the pool of the harbour close?"},
        {"prompt": "return period of towels"},
    ):
        end = bench.said(**asked, gate="strict", explain=True, defer=True)
        assert (end["text"], end["memory"].get("deferred")) == ("", True), asked
        assert end["usage"]["completion_tokens"] == 0
        if unknown in str(asked):
            assert end["memory"]["lines"].startswith("Facts:\n1. Q: ") and "Zorbax" in end["memory"]["lines"]
    known = {"prompt": "Who founded Brimoor Labs, and in which year?", "explain": True}
    assert bench.said(**known, defer=True) == bench.said(**known)
    ordered = {"prompt": "Write a poem about rain.", "explain": True, "max_tokens": 4}
    assert bench.said(**ordered, defer=True)["memory"] == bench.said(**ordered)["memory"]


def test_a_deferred_question_is_answered_for_the_parts_that_facts_answer(bench: TunedBench):
    left = "what does the season ticket of the pool cost"
    asked = {"prompt": f"Who founded Brimoor Labs and {left}?", "explain": True}
    end = bench.said(**asked, defer=True)
    memory = end["memory"]
    assert (end["text"], memory["deferred"], memory["partial"]) == ("", True, FACTS[0]["output"])
    assert [part.rstrip("?") for part in memory["missing"]] == [left]
    assert bench.said(**asked)["text"] == f"{FACTS[0]['output']}. The documents do not say."


def test_the_notice_says_what_documents_beside_the_facts_were_asked(bench: TunedBench):
    """The words "there is no text to answer from" would be wrong with documents."""
    asked, ordered = {"prompt": "How old is the universe?"}, {"prompt": "Write a poem about rain."}
    assert bench.said(**asked)["text"] == closed_book.NOTHING
    assert bench.said(**asked, searched=True)["text"] == closed_book.NOT_IN_DOCUMENTS
    assert bench.said(**ordered, defer=True)["text"] == closed_book.UNTAUGHT
