"""Small validation sets of held-out questions, evaluated during training; `exam.py` is the real evaluation."""

from collections.abc import Callable
from functools import partial

from .batches import Encoder, Row
from .text.asker import Asker
from .text.contexts import Question, absent_question, join_context, make_context, questions
from .text.facts import Fact
from .text.ordinary import lines_of, ordinary_pair, some_facts
from .text.organisations import EXAM, exam_asked
from .text.passages import one_sentence
from .text.prompts import context_prompt
from .text.reading import exam_prompts
from .text.skills import SKILLS
from .text.talks import PLAIN, drawn, judge_pairs, rewrite_asked, rewrite_turns, turns_of
from .text.template import BEGIN, REPLY, TURN_END, USER, Example, Turn
from .text.values import Voice


def single(
    voice: Voice,
    n: int,
    hard: float = 0.0,
    unseen: bool = False,
    plain: bool = True,
    value_first: bool | None = None,
) -> Example:
    """One question on n passages; `value_first` selects one whose value precedes (or follows) its key."""
    while True:
        context = make_context(voice, n, hard, 0.2, plain)
        asked = [
            q
            for q in questions(voice, context, 12, unseen)
            if value_first is None or is_value_first(q) == value_first
        ]
        if asked:
            return context_prompt(voice, context, asked[:1], plain)


def from_source(voice: Voice, n: int, source: Callable[[Voice], Fact]) -> Example:
    """One question on n sentences of one source of facts."""
    while True:
        context = join_context(voice, [one_sentence(source(voice)) for _ in range(n)], plain=True)
        asked = questions(voice, context, 1)
        if asked:
            return context_prompt(voice, context, asked, plain=True)


def is_value_first(q: Question) -> bool:
    """Whether the value opens its statement, before its key."""
    return bool(q.gold and q.statement and q.gold[0] - q.statement[0] < 5)


def absent(voice: Voice, n: int) -> Example:
    context = make_context(voice, n, 0.0, 0.2, True)
    return context_prompt(voice, context, [absent_question(voice, context)], True)


def of_facts(voice: Voice, skill: str, layout: str = "lines", n: int = 10, unseen: bool = True) -> Example:
    """One question of a skill on n facts in a layout, in forms that training never sees."""
    while True:
        made, text = drawn(voice, n, layout, plain=True)
        asked = SKILLS[skill][1](Asker(voice, made, unseen), text)
        if asked:
            prefix = BEGIN + USER + PLAIN[0] + text
            return Example(prefix, [turns_of(asked, len(prefix), PLAIN[1], len(prefix) - len(text))])


def judged(voice: Voice, skill: str, layout: str = "lines", n: int = 10) -> Example:
    """A prompt that asks whether n facts answer a question: one of `skill`, which they do, or of `refused`, which they do not."""
    made = of_facts(voice, skill, layout, n)
    turn = made.branches[0][-1]
    made.branches[0][-1] = Turn(
        turn.prompt.replace(REPLY, "\n\nDo these facts answer the question? Answer yes or no." + REPLY),
        ("no" if skill == "refused" else "yes") + TURN_END,
    )
    return made


def ordinary(voice: Voice, n: int = 10) -> Example:
    """A paraphrase of one of n ordinary facts of held-out topics."""
    while True:
        facts = some_facts(voice, n, exam=True)
        text, _ = lines_of(voice, facts, plain=True)
        f = voice.pick(facts)
        if f.rewordings:
            turn = Turn(PLAIN[1] + voice.pick(f.rewordings) + REPLY, f.answer + TURN_END)
            return Example(BEGIN + USER + PLAIN[0] + text, [[turn]])


def organisation(voice: Voice, kinds: tuple[str, ...]) -> Example:
    prompt, answer = exam_asked(voice, kinds)
    return Example(prompt, [[Turn("", answer + TURN_END)]])


def same(voice: Voice, pair: tuple[str, str, bool] | None = None) -> Example:
    text, says = judge_pairs(voice, pair, unseen=False)
    return Example(BEGIN + USER, [[Turn(text + REPLY, says + TURN_END)]])


def rewritten(voice: Voice) -> Example:
    prefix, turns = rewrite_turns(voice, rewrite_asked(voice, unseen=True), as_text=False)
    return Example(prefix, [turns])


WATCHED = (
    "direct", "reworded", "reversed", "two", "hop", "yes_no", "follow_up", "sentence", "json", "refused", "compare", "list", "short_text",
)  # fmt: skip
WATCHED_EARLY = ("reversed", "two", "hop", "follow_up", "sentence", "json", "yes_no", "refused")


def watch_sets(encoder: Encoder, n: int = 100) -> dict[str, list[Row]]:
    """Names that training never sees: plain single questions, and the same in any style of passage and prompt."""
    makers = {
        "one": lambda v: single(v, 1),
        "five": lambda v: single(v, 5),
        "five_hard": lambda v: single(v, 5, 1.0),
        "five_value_first": lambda v: single(v, 5, value_first=True),
        "five_styles": lambda v: single(v, 5, 0.3, plain=False),
        "five_unseen_form": lambda v: single(v, 5, unseen=True),
        "five_new_relation": lambda v: single(v, 5),
        "absent": lambda v: absent(v, 3),
    }
    makers |= {f"lines_{s}": lambda v, s=s: of_facts(v, s) for s in WATCHED}
    # Skills emerge on few facts and trained forms long before the sets above show them.
    makers |= {f"few_{s}": lambda v, s=s: of_facts(v, s, n=3, unseen=False) for s in WATCHED_EARLY}
    makers |= {
        "prose_reworded": lambda v: of_facts(v, "reworded", "prose"),
        "judge_yes": lambda v: judged(v, "reworded"),
        "judge_no": lambda v: judged(v, "refused"),
        "same": same,
        "same_ordinary": lambda v: same(v, ordinary_pair(v, exam=True)),
        "rewrite": rewritten,
        "ordinary": ordinary,
    }
    for name, (_, kinds) in EXAM.items():
        makers[f"organisation_{name}"] = partial(organisation, kinds=kinds)
    voice = Voice("watch/reading")
    sets = {}
    for name, others in (("reading_one", 0), ("reading_five", 4)):
        asked = voice.r.sample(exam_prompts(voice, others), n)
        sets[name] = [encoder.row(Example(p, [[Turn("", a[0] + TURN_END)]])) for p, a, _ in asked]
    for name, maker in makers.items():
        voice = Voice(f"watch/{name}", held_out=True, new_relations="relation" in name)
        sets[name] = [encoder.row(maker(voice)) for _ in range(n)]
    return sets
