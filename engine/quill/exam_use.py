"""The exam's second half: answers from given facts, judgements in one token, and hand-written passages.

Names, forms of questions, trades, topics and passages are held out from training.
"""

import json
from collections.abc import Callable

import torch

from .text.asker import Asker
from .text.contexts import REFUSAL
from .text.ordinary import is_apart, lines_of, ordinary_pair, some_facts
from .text.organisations import EXAM, exam_asked
from .text.reading import exam_prompts
from .text.relations import BENCH
from .text.skills import SKILLS
from .text.talks import ANSWERED_UNSEEN, PLAIN, drawn, judge_pairs, rewrite_asked, rewrite_turns, turns_of
from .text.template import BEGIN, HEADER, HEADER_END, REPLY, TURN_END, USER
from .text.values import Voice

Question = tuple[str, tuple[str, ...]]  # a prompt and its right replies
TABLE = ("direct", "reworded", "reversed", "two", "hop", "follow_up", "refused")  # in each layout
LINES = (
    "three",
    "compare",
    "list",
    "yes_no",
    "sentence",
    "brief",
    "json",
    "short_text",
    "refused_follow_up",
    "refused_hop",
)
TITLES = {
    "direct": "direct questions", "reworded": "reworded questions", "reversed": "reversed questions", "two": "two questions in one", "three": "three questions in one", "hop": "two hops",
    "follow_up": "follow-ups", "refused": "not in the facts: refuses", "compare": "comparisons", "list": "lists", "yes_no": "yes or no", "sentence": "one sentence", "brief": "a few words", "json": "JSON, free",
    "short_text": "short texts that hold a fact", "refused_follow_up": "follow-ups not in the facts: refuses",
    "refused_hop": "two hops whose second is not in the facts: refuses",
}  # fmt: skip
LAYOUT_TITLES = {
    "lines": "Q/A lines",
    "statements": "statements",
    "prose": "passages",
    "mixed": "lines and statements",
}
BARS = {
    "lines_direct": 0.95, "lines_reworded": 0.85, "lines_reversed": 0.80, "lines_two": 0.80, "lines_hop": 0.60, "lines_yes_no": 0.90, "lines_follow_up": 0.85, "lines_sentence": 0.85,
    "lines_json_grammar": 0.95, "lines_refused": 0.90, "judge_facts": 0.90, "judge_same": 0.90, "judge_ordinary": 0.90, "judge_ordinary_same": 0.90, "reading_one": 0.50, "reading_five": 0.40,
}  # fmt: skip


def asked_of(
    voice: Voice, skill: str, layout: str = "lines", n: int = 10, where: str = "user"
) -> tuple[str, str, str, str]:
    """(prompt, answer, subject of the answer, value if it is of one fact) for a question of a skill on n facts."""
    while True:
        made, text = drawn(voice, n, layout, plain=True)
        asked = SKILLS[skill][1](Asker(voice, made, unseen=True), text)
        if not asked or (skill == "direct" and layout == "lines" and asked.question not in text):
            continue
        value = ""
        if skill in ("sentence", "short_text"):
            value = max(
                (k.value for k in made.by_subject[asked.subject] if k.value in asked.answer),
                key=len,
                default=asked.answer,
            )
        if where == "late":
            before = "".join(USER + q + REPLY + a + TURN_END for q, a in asked.before)
            return (
                BEGIN + before + USER + PLAIN[0] + text + PLAIN[1] + asked.question + REPLY,
                asked.answer,
                asked.subject,
                value,
            )
        prefix, first = (
            (BEGIN + USER + PLAIN[0] + text, PLAIN[1])
            if where == "user"
            else (f"{BEGIN}{HEADER}system{HEADER_END}\n\n{PLAIN[0]}{text}", TURN_END + USER)
        )
        turns = turns_of(asked, len(prefix), first, 0)
        said = "".join(t.prompt + t.answer for t in turns[:-1]) + turns[-1].prompt
        return prefix + said, asked.answer, asked.subject, value


def _sections() -> dict[str, tuple[str, Callable[[Voice], tuple[str, str, str, str]]]]:
    made = {}
    for layout in ("lines", "statements", "prose"):
        for skill in (*TABLE, *(LINES if layout == "lines" else ())):
            made[f"{layout}_{skill}"] = (
                f"10 facts as {LAYOUT_TITLES[layout]}: {TITLES[skill]}",
                lambda v, s=skill, as_=layout: asked_of(v, s, as_),
            )
    for n in (1, 3, 30):
        made[f"lines_{n}_reworded"] = (
            f"{n} facts as Q/A lines: reworded questions",
            lambda v, n=n: asked_of(v, "reworded", n=n),
        )
    made["mixed_reworded"] = (
        "10 facts as lines and statements: reworded questions",
        lambda v: asked_of(v, "reworded", "mixed"),
    )
    made["system_reworded"] = (
        "10 facts in the system's message: reworded questions",
        lambda v: asked_of(v, "reworded", where="system"),
    )
    made["system_follow_up"] = (
        "10 facts in the system's message: follow-ups",
        lambda v: asked_of(v, "follow_up", where="system"),
    )
    made["late_follow_up"] = (
        "10 facts in the last message: follow-ups",
        lambda v: asked_of(v, "follow_up", where="late"),
    )
    return made


SECTIONS = _sections()


def said_well(reply: str, subject: str, value: str, answer: str) -> bool:
    """Whether a free sentence or short text names the subject and the value, ends, and is not too long."""
    return (
        value.lower() in reply.lower()
        and subject.lower() in reply.lower()
        and len(reply) <= 2 * len(answer)
        and "\n" not in reply
    )


# ---------------------------------------------------------------- JSON whose keys a grammar gives
def under_grammar(e, prompts: list[str], answers: list[str]) -> list[str]:
    """The strings that the model fills in under a grammar with these keys and string values."""
    keys = [list(json.loads(a)) for a in answers]
    said = ["{" for _ in answers]
    quotes = [i for i in range(len(e.tokenizer)) if '"' in e.tokenizer.decode([i])]
    for step in range(max(map(len, keys))):
        going = [i for i, k in enumerate(keys) if step < len(k)]
        for i in going:
            said[i] += ("," if step else "") + f'"{keys[i][step]}":"'
        values = e.replies([prompts[i] + said[i] for i in going], ends=[*e.ends, *quotes])
        for i, v in zip(going, values, strict=True):
            said[i] += v.split('"')[0] + '"'
    return [s + "}" for s in said]


# ---------------------------------------------------------------- judgements
def area(yes: list[float], no: list[float]) -> float:
    """The probability that a right pair scores higher than a wrong one (AUC)."""
    return sum((y > n) + 0.5 * (y == n) for y in yes for n in no) / max(1, len(yes) * len(no))


def judge_facts(voice: Voice, holds: bool) -> str:
    skill = voice.pick(["reworded", "reversed", "hop"]) if holds else "refused"
    prompt = asked_of(voice, skill)[0]
    return prompt.removesuffix(REPLY) + "\n\n" + ANSWERED_UNSEEN[0] + REPLY


def ordinary_asked(voice: Voice, holds: bool, n: int = 10) -> tuple[str, str]:
    while True:
        facts = some_facts(voice, n, exam=True)
        f = voice.pick(facts)
        text, _ = lines_of(voice, facts, plain=True)
        asks = f.rewordings if holds else [q for q in f.near if is_apart(q, f, facts)]
        if asks:
            return BEGIN + USER + PLAIN[0] + text + PLAIN[1] + voice.pick(
                asks
            ) + REPLY, f.answer if holds else REFUSAL


def _same(voice: Voice, ordinary: bool, holds: bool) -> str:
    while True:
        pair = ordinary_pair(voice, exam=True) if ordinary else None
        text, says = judge_pairs(voice, pair, unseen=True)
        if (says == "yes") == holds:
            return BEGIN + USER + text + REPLY


JUDGEMENTS: dict[str, tuple[str, Callable[[Voice, bool], str]]] = {
    "judge_facts": ("do these 10 facts answer the question? (area under the curve)", judge_facts),
    "judge_ordinary": (
        "the same, ordinary facts",
        lambda v, y: ordinary_asked(v, y)[0].removesuffix(REPLY) + "\n\n" + ANSWERED_UNSEEN[0] + REPLY,
    ),
    "judge_same": (
        "do these two questions ask the same? (area under the curve)",
        lambda v, y: _same(v, False, y),
    ),
    "judge_ordinary_same": ("the same, ordinary questions", lambda v, y: _same(v, True, y)),
}


@torch.no_grad()
def leaning(e, prompts: list[str]) -> list[float]:
    """Log-odds of 'yes' against 'no' as the reply's first token."""
    yes, no = (e.tokenizer(w, add_special_tokens=False)["input_ids"][0] for w in ("yes", "no"))
    found = []
    for p in prompts:
        ids = torch.tensor([e.tokenizer(p, add_special_tokens=False)["input_ids"]], device=e.device)
        logits = e.model(ids).logits[0, -1]
        found.append((logits[yes] - logits[no]).item())
    return found


def independent_ordinary(voice: Voice, n: int = 10) -> list[Question]:
    """The facts of the service's own retrieval benchmark of ordinary facts, which this recipe does not use."""
    rows = [json.loads(line) for line in (BENCH / "ordinary.jsonl").read_text().splitlines()]
    made = []
    for row in rows:
        others = [*voice.r.sample([r for r in rows if r is not row], n - 1), row]
        voice.r.shuffle(others)
        text = "\n".join(f"{i}. Q: {o['input']} A: {o['output']}" for i, o in enumerate(others, 1))
        made.append(
            (
                BEGIN + USER + PLAIN[0] + text + PLAIN[1] + voice.pick(row["rewordings"]) + REPLY,
                (row["output"],),
            )
        )
    return made


def _some(questions: list[Question], n: int, seed: str) -> list[Question]:
    return Voice(f"some/{seed}").r.sample(questions, min(len(questions), n))


def _rows(n: int) -> dict[str, tuple[str, list[Question]]]:
    """Sections of prompts with their right replies."""
    rows: dict[str, tuple[str, list[Question]]] = {}
    voice = Voice("exam/use", held_out=True)
    rewrites = [rewrite_asked(voice, unseen=True) for _ in range(n)]
    prompts = [(rewrite_turns(voice, q, voice.chance(0.5), unseen=True), q.standalone) for q in rewrites]
    rows["rewrite"] = (
        "follow-ups rewritten so that they stand alone",
        [(prefix + turns[0].prompt, (alone,)) for (prefix, turns), alone in prompts],
    )
    rows["ordinary_reworded"] = (
        "10 ordinary facts as Q/A lines, topics held out: reworded",
        [(p, (a,)) for p, a in (ordinary_asked(voice, True) for _ in range(n))],
    )
    rows["ordinary_refused"] = (
        "the same: near misses refused",
        [(p, (a,)) for p, a in (ordinary_asked(voice, False) for _ in range(n))],
    )
    rows["ordinary_independent"] = (
        "10 of the 300 facts of bench/memory/ordinary.jsonl: reworded",
        independent_ordinary(voice)[: max(n, 40)],
    )
    for name, (title, kinds) in EXAM.items():
        voice = Voice(f"exam/organisation_{name}")
        asked = [exam_asked(voice, kinds) for _ in range(n)]
        rows[f"organisation_{name}"] = (
            f"10 facts of an organisation, written by hand, trades held out: {title}",
            [(p, (a,)) for p, a in asked],
        )
    for name, others in (("reading_one", 0), ("reading_five", 4)):
        asked = exam_prompts(Voice(f"exam/{name}"), others)
        held = [(p, a) for p, a, _ in asked if a != (REFUSAL,)]
        lost = [(p, a) for p, a, _ in asked if a == (REFUSAL,)]
        what = "passages written by hand, topics held out" + (", among four others" if others else ", alone")
        rows[name] = (what, _some(held, 2 * n, name))
        rows[name + "_refused"] = (what + ": unanswerable, refuses", _some(lost, n, name))
    return rows


def examine_use(e, n: int, entry: Callable, right: Callable, only: str = "") -> dict[str, dict]:
    """The table's rows, for an `Examinee`; `only`: prefixes of section names, separated by commas."""
    table: dict[str, dict] = {}

    def wanted(name):
        return name.startswith(tuple(only.split(",")))

    for name, (title, make) in SECTIONS.items():
        if not wanted(name) and not (name == "lines_json" and wanted("lines_json_grammar")):
            continue
        voice = Voice(f"exam/{name}", held_out=True)
        asked = [make(voice) for _ in range(n)]
        said = e.replies([a[0] for a in asked], most=64)
        marks = [right(s, (a,)) for s, (_, a, _, _) in zip(said, asked, strict=True)]
        if name.endswith(("_sentence", "_short_text")):
            marks = [
                (said_well(s, subject, value, a),) * 2
                for s, (_, a, subject, value) in zip(said, asked, strict=True)
            ]
        table[name] = entry(title, marks)
        if name == "lines_json":
            filled = under_grammar(e, [a[0] for a in asked], [a[1] for a in asked])
            table["lines_json_grammar"] = entry(
                "10 facts as Q/A lines: JSON under a grammar",
                [right(s, (a[1],)) for s, a in zip(filled, asked, strict=True)],
            )
    for name, (title, make) in JUDGEMENTS.items():
        if wanted(name):
            voice = Voice(f"exam/{name}", held_out=True)
            yes, no = ([*leaning(e, [make(voice, holds) for _ in range(n // 2)])] for holds in (True, False))
            table[name] = {"title": title, "exact": round(area(yes, no), 3), "n": len(yes) + len(no)}
    for name, (title, asked) in _rows(n).items():
        if wanted(name):
            said = e.replies([p for p, _ in asked], most=64)
            table[name] = entry(title, [right(s, a) for s, (_, a) in zip(said, asked, strict=True)])
            if name == "reading_one":
                table[name]["said"] = [
                    [p.split(PLAIN[1])[-1].removesuffix(REPLY), a[0], s]
                    for s, (p, a) in list(zip(said, asked, strict=True))[:60]
                ]
    for name, bar in BARS.items():
        if name in table:
            table[name]["bar"] = bar
    return table
