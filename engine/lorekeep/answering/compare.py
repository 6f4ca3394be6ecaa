"""Answers comparisons of subjects from a taught number of each: "Which costs more, the Corvid or the Merle?", "Is it heavier
than the Merle?", "How much more does it cost than the Merle?". The adjective or the verb determines the relation."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lorekeep.answering.amounts import CURRENCIES, Amount, amount_in, amounts, plain_number
from lorekeep.answering.claims.measured.measure import NUMBER
from lorekeep.answering.judge import Judge
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.reading import standalone
from lorekeep.routing.words import words

OF_AGE = "In which year was it founded?"
# Comparative adjectives, each with the question for its measure, and 1 if the larger value ranks first, else -1. If a noun follows
# ("the longer warranty"), the noun is the measure.
_ADJECTIVES = {
    **dict.fromkeys(("more expensive", "costlier", "pricier", "dearer"), ("How much does it cost?", 1)),
    **dict.fromkeys(("cheaper", "less expensive", "cheapest", "least expensive"), ("How much does it cost?", -1)),
    "most expensive": ("How much does it cost?", 1), "heavier": ("How heavy is it?", 1), "heaviest": ("How heavy is it?", 1),
    "lighter": ("How heavy is it?", -1), "lightest": ("How heavy is it?", -1), "longer": ("How long is it?", 1), "longest": ("How long is it?", 1),
    "shorter": ("How long is it?", -1), "shortest": ("How long is it?", -1), "taller": ("How tall is it?", 1), "tallest": ("How tall is it?", 1),
    "higher": ("How high is it?", 1), "highest": ("How high is it?", 1), "lower": ("How high is it?", -1), "lowest": ("How high is it?", -1),
    "larger": ("How large is it?", 1), "largest": ("How large is it?", 1), "bigger": ("How large is it?", 1), "biggest": ("How large is it?", 1),
    "greater": ("How large is it?", 1), "smaller": ("How large is it?", -1), "smallest": ("How large is it?", -1),
    "faster": ("How fast is it?", 1), "fastest": ("How fast is it?", 1), "slower": ("How fast is it?", -1), "slowest": ("How fast is it?", -1),
    "older": ("In which year was it founded?", -1), "oldest": ("In which year was it founded?", -1), "younger": ("In which year was it founded?", 1),
    "newer": ("In which year was it founded?", 1), "newest": ("In which year was it founded?", 1), "earlier": ("When was it?", -1),
    "later": ("When was it?", 1), "sooner": ("When was it?", -1), "comes first": ("When was it?", -1), "comes last": ("When was it?", 1), "farther": ("How far is it?", 1), "further": ("How far is it?", 1), "nearer": ("How far is it?", -1),
    "closer": ("How far is it?", -1), "more": ("How many are there?", 1), "most": ("How many are there?", 1), "fewer": ("How many are there?", -1),
    "fewest": ("How many are there?", -1), "less": ("How many are there?", -1), "least": ("How many are there?", -1), "wider": ("How wide is it?", 1), "thicker": ("How thick is it?", 1), "thinner": ("How thick is it?", -1), "deeper": ("How deep is it?", 1), "hotter": ("How hot is it?", 1),
    "colder": ("How hot is it?", -1), "quicker": ("How fast is it?", 1), "difference": ("How much does it cost?", 1),
    **dict.fromkeys(("dearest", "priciest", "costliest"), ("How much does it cost?", 1)),
    **dict.fromkeys(("youngest", "most recent", "more recent"), ("In which year was it founded?", 1)),
    **dict.fromkeys(("came first", "come first", "was there first", "was around first", "was first there"), ("In which year was it founded?", -1)),
    **{f"{going} {longest}": ("In which year was it founded?", -1) for going in ("going", "sailing", "running", "around", "in business", "open", "existed", "trading") for longest in ("longest", "the longest")},
}  # fmt: skip
for _verb in [
    "launched",
    "opened",
    "founded",
    "built",
    "born",
    "started",
    "published",
    "established",
    "finished",
    "created",
    "chartered",
    "released",
    "made",
    "formed",
    "completed",
]:
    _ADJECTIVES |= {
        said: (f"When was it {_verb}?", sign)
        for ends, sign in (
            ((f"{_verb} first", f"first {_verb}"), -1),
            ((f"{_verb} last", f"most recently {_verb}"), 1),
        )
        for said in ends
    }
for _verb, _past in (
    ("open", "opened"), ("start", "started"), ("close", "closed"), ("begin", "began"), ("launch", "launched"), ("get going", "got going"),
    ("come out", "came out"), ("come along", "came along"), ("set up", "set up"), ("appear", "appeared"), ("arrive", "arrived"),
):  # fmt: skip
    _ADJECTIVES |= {
        said: (f"When did it {_verb}?", sign)
        for ends, sign in (("first earliest", -1), ("last latest", 1))
        for end in ends.split()
        for said in (f"{end} to {_verb}", f"{_verb} {end}", f"{_past} {end}")
    }
# "The earliest" alone, and not in "the earliest I can come".
_TIME_SUPERLATIVE = r"(?:earliest|latest)(?=\W*$| (?:of|one)\b)"
IS_ASKED = re.compile(
    rf"(?<!\bat )\b({'|'.join(sorted(_ADJECTIVES, key=len, reverse=True))}|{_TIME_SUPERLATIVE})\b",
    re.IGNORECASE,
)
_ADJECTIVES |= {"earliest": (OF_AGE, -1), "latest": (OF_AGE, 1)}
# "Was Ada founded before Bert?"
_BEFORE_OR_AFTER = re.compile(
    r"\b(start|started|begin|began|open|opened|close|closed|end|ended|come|came|founded|built|born|published|established|finished|created|released|made|formed|completed"
    r"|launch|launched|set up) (before|after)\b",
    re.IGNORECASE,
)
# "Longer than ten years" compares with an amount.
_THAN_AMOUNT = re.compile(rf"\bth[ae]n\s+(?:an? |about |just |some )?{NUMBER}", re.IGNORECASE)
_COMPARED_VERB = re.compile(r"\b([a-z]+?)s? (?:more|less|longer|fewer)\b", re.IGNORECASE)
# "How much more does it cost than the Merle?"
_VERB_BEFORE_THAN = re.compile(r"\b(?:does|do|did|would)\b.*\s([a-z]+) than\b", re.IGNORECASE)
_NO_NOUN = r"(?:than|of|or|and|is|are|was|were|the|one|does|do|did|has|have|had|it|in|on|at|to|for|by|per|a|an|from)\b"
_NOUN = re.compile(
    rf" (?!{_NO_NOUN})([a-z]+(?: (?!{_NO_NOUN})[a-z]+)?)",
    re.IGNORECASE,
)
# "Which cut-off comes earlier?"
_NOUN_BEFORE_VERB = re.compile(
    r"\b(?:which|what|whose)(?:['’]s| is)? (?:the )?([a-z-]+) (?:is|are|was|were|comes?|has|have|lasts?|takes?)\b",
    re.IGNORECASE,
)
_DIFFERENCE_NOUN = re.compile(
    r"\b(?!the\b)([a-z]+) difference\b|\bdifference in (?:the )?([a-z]+(?: (?!between\b|of\b)[a-z]+)?)",
    re.IGNORECASE,
)
# Paraphrases of the question for a measure, since facts may use other words.
_PARAPHRASES = {
    "How much does it cost?": ("What is the price of it?", "What is the rent of it?", "How much is it?"),
    "In which year was it founded?": (
        "When did it open?",
        "In which year was it built?",
        "What year is it from?",
    ),
    "How heavy is it?": ("How much does it weigh?",),
    "How fast is it?": ("What is the top speed of it?", "How long does it take?"),
    "How long is it?": ("How long does it take?",),
    "When was it?": ("When does it open?", "When does it start?", "In which year was it founded?"),
}
OF_COST, _OF_SPEED, _OF_LENGTH = "How much does it cost?", "How fast is it?", "How long is it?"
_OF_COUNT, _COSTS = "How many are there?", re.compile(r"\bcosts?\b", re.IGNORECASE)
# Numbers that may be years, and periods of a price.
_YEAR, _YEARS = re.compile(r"\d{4}"), range(1000, 2100)
_PERIOD = re.compile(
    r"(?:\b(?:a|an|per|each|every) |/ ?)(day|night|week|month|quarter|year)\b", re.IGNORECASE
)
_PERIODS_PER_YEAR = {"day": 365, "night": 365, "week": 52, "month": 12, "quarter": 4, "year": 1}
_NON_VERBS = frozenset(
    [
        "is",
        "one",
        "which",
        "it",
        "are",
        "that",
        "and",
        "thi",
        "wa",
        "ha",
        "ha",
        "have",
        "the",
        "much",
        "any",
        "no",
    ]
)
_HOW_MUCH = re.compile(r"\bhow (?:many|much)\b", re.IGNORECASE)
# "Which is dearer, Oak or Acorn, and what is the difference?"
_ASKS_MARGIN = re.compile(
    r"\bby how (?:many|much)\b|\b(?:what['’]s|what is|and|with|give|tell me) the (?:\w+ ){0,2}(?:difference|gap)\b"
    r"|\bhow much (?:do|does|would|will|can|could|did) (?:i|we|you|one|that|it|this) save\b|\band how (?:much|many) (?:cheaper|fewer|dearer|more|less|longer|shorter|bigger|smaller)\b",
    re.IGNORECASE,
)
# "Is it heavier than the Merle?", "fewer workers: Nimbelo / Grubworks"
_COMPARISON_CLAIM = re.compile(
    r"^(?:[^,:;]{0,40}[,:;] )?\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|isn['’]?t|aren['’]?t|doesn['’]?t)\b|\bth[ae]n\b",
    re.IGNORECASE,
)
_ASKS_WHICH = re.compile(r"\b(?:which|what|where|whose|who|name|or)\b|what['’]s", re.IGNORECASE)
# Maximum subjects of a comparison; maximum facts scanned per subject; minimum likeness of equal relations.
_MAX_NAMES, _MAX_FACTS, _MIN_RELATION_LIKENESS = 6, 64, 0.6


@dataclass(frozen=True)
class Comparison:
    facts: tuple[int, ...]
    text: str
    likeness: float


def as_time_comparison(question: str, knowledge: Knowledge) -> str:
    """Rewrites a question whether one of two subjects came before the other as a comparison: "founded earlier than"."""
    if not _BEFORE_OR_AFTER.search(question) or len(knowledge.subjects(question)) != 2:
        return question
    return _BEFORE_OR_AFTER.sub(
        lambda found: f"{found[1]} {'earlier' if found[2].lower() == 'before' else 'later'} than", question
    )


def asks_comparison(question: str) -> bool:
    """Whether a question compares subjects with each other, rather than one with an amount."""
    return IS_ASKED.search(question) is not None and not _THAN_AMOUNT.search(question)


def compare_subjects(question: str, judge: Judge) -> Comparison | None:
    names = in_order(judge.knowledge.subjects(question), question)
    unnamed = question
    for name in names:
        unnamed = standalone.renamed(unnamed, name, "it")
    measured = measure_questions(unnamed)
    if not 2 <= len(names) <= _MAX_NAMES or measured is None or judge.router.embed is None:
        return None
    measures, sign = measured
    best: tuple[float, tuple[int, ...]] | None = None
    for measure, asked_D in zip(
        measures, judge.router.likeness.project(judge.router.embed(measures)), strict=True
    ):
        for facts in _comparable_groups(names, judge):
            likeness = judge.router.relation_likeness(facts[0], measure, asked_D)
            if likeness >= judge.router.gate.asks[judge.budget] and (best is None or likeness > best[0]):
                best = likeness, facts
    if best is None:
        return None
    likeness, facts = best
    entries = judge.router.entries
    answers = [entries[fact].output for fact in facts]
    told = comparable_values(question, [amounts(answer) for answer in answers], answers)
    if told is None:
        told = [amount for fact in facts if (amount := amount_of(judge, fact)) is not None]
    names = [whole_name(name, entries[fact].input) for name, fact in zip(names, facts, strict=True)]
    text = comparison_answer(question, names, told, sign, entries[facts[0]].output)
    return Comparison(facts, text, likeness) if text else None


def comparison_answer(
    question: str, names: list[str], told: list[Amount], sign: int, answer: str
) -> str | None:
    """The name of the first-ranked subject, the difference, or yes or no."""
    sign = direction_of(question, told, sign)
    ranked = sorted(range(len(names)), key=lambda at: -sign * told[at].value)
    first, second = ranked[:2]
    if told[first].value == told[second].value:
        return _tie_answer(question) if len(names) == 2 else None
    difference = _difference(told, answer) if len(names) == 2 else None
    if _ASKS_MARGIN.search(question):
        return f"{names[first]}, by {difference}" if difference else names[first]
    if _HOW_MUCH.search(question):
        return difference and (difference if first == 0 else f"{difference} less")
    if _ASKS_WHICH.search(question) or not _COMPARISON_CLAIM.search(question):
        return names[first]
    return ("Yes." if first == 0 else "No.") if len(names) == 2 else None


def comparable_values(
    question: str, told: Sequence[list[Amount]], answers: Sequence[str]
) -> list[Amount] | None:
    """The years in the answers, if ages are compared, or prices converted to a year, if their periods differ. None for other
    amounts."""
    years = [next((one for one in some if is_year(one)), None) for some in told]
    if is_of_age(question) and None not in years:
        return [one for one in years if one is not None]
    periods = [_PERIOD.search(answer) for answer in answers]
    sizes = [_PERIODS_PER_YEAR[period[1].lower()] if period else 0 for period in periods]
    if (
        not all(sizes)
        or len(set(sizes)) == 1
        or not all(some and some[0].unit in CURRENCIES for some in told)
    ):
        return None
    return [replace(some[0], value=some[0].value * size) for some, size in zip(told, sizes, strict=True)]


def is_year(one: Amount) -> bool:
    return not one.unit and _YEAR.fullmatch(one.text) is not None and one.value in _YEARS


def direction_of(question: str, told: list[Amount], sign: int) -> int:
    """1 if the larger value ranks first, else -1: the older has the earlier year of birth or the larger age, and the faster takes
    less time."""
    asked = adjective_question(question)
    takes_time = all(one.unit == "hour" for one in told)
    since = all(map(is_year, told))
    turned = (takes_time and asked in (OF_AGE, _OF_SPEED)) or (since and asked == _OF_LENGTH)
    return -sign if turned else sign


def of_one_unit(told: Sequence[Amount]) -> bool:
    """Whether amounts can be ranked: all have one unit, or some have none beside others in a basic unit, such as "22" beside "9 m"."""
    units = {one.unit for one in told}
    basic = all(one.value == plain_number(one.text) for one in told)
    return len(units) == 1 or (basic and len(units - {""}) == 1)


def _tie_answer(question: str) -> str:
    asks_which = _ASKS_WHICH.search(question) or _ASKS_MARGIN.search(question) or _HOW_MUCH.search(question)
    return "Neither: it is the same for both." if asks_which else "No."


def _difference(told: list[Amount], answer: str) -> str | None:
    """The difference of two amounts, formatted like the amount in the answer. None if their units differ."""
    found = amount_in(answer, told[0].text)
    numbers = [plain_number(one.text) for one in told]
    if found is None or None in numbers:
        return None
    one, other = (number or 0.0 for number in numbers)
    # With different scales or units, the ratio of the numbers differs from that of the values.
    mine, its = one * told[1].value, other * told[0].value
    if one == other or abs(mine - its) > 1e-6 * max(abs(mine), abs(its)):
        return None
    difference = abs(one - other)
    written = f"{difference:,.2f}" if difference % 1 else f"{difference:,.0f}"
    return f"{found[0]}{written}{found[1]}"


def in_order(names: list[str], question: str) -> list[str]:
    """Names in the order of a question, which may have only parts of them. Words of one name only take precedence."""
    said = [word.plain for word in words(question)]
    own = {name: [word.plain for word in words(name) if word.plain in said] for name in names}
    count = Counter(word for some in own.values() for word in set(some))

    def place(name: str) -> int:
        return said.index(max(own[name], key=lambda word: (count[word] == 1, len(word)), default=said[-1]))

    return sorted(names, key=place)


def measure_questions(question: str) -> tuple[list[str], int] | None:
    """Questions for the compared measure, and 1 if the larger value ranks first, else -1."""
    found = IS_ASKED.search(question)
    if found is None:
        return None
    measure, sign = adjective_question(question), _ADJECTIVES[found[1].lower()][1]
    measures: list[str] = []
    bare = " " not in found[1]
    if bare and (verb := _COMPARED_VERB.search(question)) and verb[1].lower() not in _NON_VERBS:
        measures.append(f"How much does it {verb[1].lower()}?")
    if bare and (verb := _VERB_BEFORE_THAN.search(question)) and verb[1].lower() not in _NON_VERBS:
        measures.append(f"How much does it {verb[1].lower()}?")
    nouns = [noun[1] for one in IS_ASKED.finditer(question) if (noun := _NOUN.match(question, one.end()))]
    for noun in nouns:
        measures += [f"What is the {one} of it?" for one in dict.fromkeys((noun, noun.split()[0]))]
        measures += [f"How many {noun.split()[0]} does it have?"] if "many" in measure else []
    if found[1].lower() == "difference" and not nouns and (noun := _DIFFERENCE_NOUN.search(question)):
        return [f"What is the {noun[1] or noun[2]} of it?"], sign
    if not nouns and (noun := _NOUN_BEFORE_VERB.search(question)):
        measures.append(f"What is the {noun[1]} of it?")
    # The noun may be the measure ("the longer warranty") or not ("the younger company"), so both are tried.
    return list(dict.fromkeys([*measures, measure, *_PARAPHRASES.get(measure, ())])), sign


def is_of_age(question: str) -> bool:
    """Whether a question compares ages or dates of origin."""
    return adjective_question(question) == OF_AGE or adjective_question(question).startswith(
        ("When was it ", "When did it ")
    )


def adjective_question(question: str) -> str:
    """The question for the measure of the first comparative adjective, without regard to nouns."""
    found = IS_ASKED.search(question)
    measure = _ADJECTIVES[found[1].lower()][0] if found else ""
    return OF_COST if measure == _OF_COUNT and _COSTS.search(question) else measure


def _comparable_groups(names: list[str], judge: Judge) -> list[tuple[int, ...]]:
    """Groups of facts, one per subject, with equal relations and numbers of the same unit."""
    asks_F_D, asks = judge.router.asks_F_D, judge.router.keys.asks
    own, *others = (
        {
            fact: amount.unit
            for fact in judge.knowledge.about(name)[:_MAX_FACTS]
            if judge.usable(fact)
            and judge.knowledge.subject(fact).startswith(name)
            and (amount := amount_of(judge, fact)) is not None
        }
        for name in names
    )

    def alike(one: int, other: int) -> float:
        if _question_about_it(judge, one) == _question_about_it(judge, other):
            return 2.0
        return float(asks_F_D[asks[one]] @ asks_F_D[asks[other]])

    groups: list[tuple[int, ...]] = []
    for one, unit in own.items():
        rest = [
            [fact for fact in its if its[fact] == unit and alike(one, fact) >= _MIN_RELATION_LIKENESS]
            for its in others
        ]
        if len(rest) == 1:
            groups += [(one, fact) for fact in rest[0]]
        elif all(rest):
            groups.append((one, *(max(facts, key=lambda fact: alike(one, fact)) for facts in rest)))
    return groups


def _question_about_it(judge: Judge, fact: int) -> str:
    return judge.router.entries[fact].input.replace(judge.knowledge.subject(fact), "it").lower()


def whole_name(name: str, text: str) -> str:
    """A name with its common words, as a question writes it: "Brass Monday" for "Brass"."""
    said = [word.text for word in words(text)]
    if 2 * sum(one[0].isupper() for one in said) > len(said):
        return name  # title case does not mark names
    whole = re.search(rf"(?<=\w )(?:[A-Z][\w-]* )*{re.escape(name)}(?: [A-Z][\w-]*)*", text)
    return whole[0] if whole else name


def amount_of(judge: Judge, fact: int) -> Amount | None:
    """The amount that a fact answers with: the first that is not in its question."""
    entry = judge.router.entries[fact]
    return next((one for one in amounts(entry.output) if one.text not in entry.input), None)
