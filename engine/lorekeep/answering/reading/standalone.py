"""Rewrites questions so that each can be understood alone: follow-ups, several questions in one sentence, and
descriptions instead of a name. Each rewriting is a guess; the judge decides which of them a fact answers."""

import re
from collections.abc import Sequence
from itertools import combinations, pairwise

from lorekeep.routing.words import STOP, words

WH = r"(?:who|whom|whose|what|which|when|where|why|how)"
HAS_WH = re.compile(rf"\b{WH}\b", re.IGNORECASE)
STARTS_WH = re.compile(rf"^(?:(?:in|at|on|by|for|from|to|with|of|since|until) )?{WH}\b", re.IGNORECASE)
_WH_PHRASE = re.compile(
    rf"^(?:(?:in|at|on|by|for|from|to|with|of|since|until) )?{WH}\b(?: (?:many|much|long|old|often|far|year|city|country|town|day|month|person|company|kind of \w+|\w+(?= (?:is|are|was|were|did|does|do|has|have|had|can|will)\b)))*\s*",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^\W*(?:(?:and|or|but|so|then|also|ok|okay|fine|great|good|perfect|thanks|thank you|i see|now|next|please|what about|how about|tell me(?: about)?|and what about)\b[\s,.!:-]*)+",
    re.IGNORECASE,
)
_ORDERS = frozenset(["name", "tell", "give", "list", "state", "say", "show"])
_TOPIC = re.compile(rf"^[^:?!]{{1,60}}:\s+(?={WH}\b)", re.IGNORECASE)
PERSON = re.compile(r"\b(?:he|she|him|her|his|hers)\b", re.IGNORECASE)
# A pronoun refers to an earlier name: "Where is its head office?"
PRONOUN = re.compile(r"\b(?:its?|they|them|their|theirs|he|she|him|his|hers?)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(
    r"\b(?:its|their|his|her(?= [a-z])|hers|(?:the|this|that) (?:company|firm|business|organi[sz]ation|product|person|place|town|city|project|team|department|school|book|model|device|machine|ship|building)'s)\b",
    re.IGNORECASE,
)
_ANAPHOR = re.compile(
    r"\b(?:it|they|them|he|she|him|her|there"
    r"|(?:the|this|that) (?:same )?(?:company|firm|business|organi[sz]ation|product|person|man|woman|place|town|city|project|team|department|school|book|model|device|machine|ship|building|one)\b(?! (?:of|that|which|who|whose|where|with|under|behind|called|named|responsible|in charge)\b))(?!\w)",
    re.IGNORECASE,
)
_SEPARATES = re.compile(
    r",?\s+(?:and(?: also| then)?|as well as|plus|&|\+)\s+|\s*[;,]\s+|(?<=[?.!])\s+", re.IGNORECASE
)
_MAX_PARTS, _MAX_SEPARATORS = 4, 6
# Maximum words of a description.
_MAX_DESCRIPTION = 9
_RELATIVE = re.compile(r"\b(?:that|which|who|whom|whose|where)\b", re.IGNORECASE)


# The end of a sentence, but not of a title: "Dr. Renquist".
FURTHER = re.compile(r"(?<!\b[DMS][rt])(?<!\bMrs)(?<!\bMs)(?<!\bRev)(?<!\bProf)[.!?]\s+(?=[A-Z])")
OR = re.compile(r"\bor\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+")
WHO_IS = re.compile(r"^\W*(?i:who|what) (?i:is|was) ([A-Z][^?,;:]{1,60}?)\s*\??\W*$")
# Questions for a person's role: "What job does Ada Quist have?", "What is Ada Quist's role?"
ROLE_OF = re.compile(
    r"^\W*(?i:what|which)(?:(?i: is)|['’]s)? (?:(?i:the )?(?i:job|role|position|title|post|function)(?: (?i:title))?(?: (?i:does|did|of|has|is))? "
    r"(?P<name>[A-Z][^?,;:]{1,60}?)(?: (?i:have|hold|had|held|do|in))?|(?P<owner>[A-Z][^?,;:]{1,60}?)['’]s? (?i:job|role|position|title|post|function)(?: (?i:title))?"
    r"|(?i:does) (?P<doer>[A-Z][^?,;:]{1,60}?) (?i:do))\W*$"
)
# A question for a part of something that it does not name: "And who is the founder?"
ASKS_FOR_PART = re.compile(r"^(?:who|what|which|where) (?:is|are|was|were) the [\w -]+$", re.IGNORECASE)
_TOPIC_OF = re.compile(r"\bthe (([a-z]+)(?: [a-z]+)?)", re.IGNORECASE)
_MAX_TOPICS = 4


def with_name_in(text: str, name: str) -> list[str]:
    """The questions that a text may mean if its pronouns refer to a name."""
    said = with_name(text, name)
    if said is None:
        return []
    bare = without_lead(said)
    return [said] if STARTS_WH.match(bare) or not bare else [said, f"What is {bare}?"]


def topics(text: str) -> list[str]:
    """Things without a name in a text, such as "the canteen"."""
    found = [one for both in _TOPIC_OF.findall(text) for one in reversed(both)]
    return [f"the {one}" for one in dict.fromkeys(found)][:_MAX_TOPICS]


def about_topic(text: str, topic: str) -> list[str]:
    """The questions that a text may mean about a thing without a name: "the canteen"."""
    bare = re.sub(r"\s+(?:there|here)$", "", without_lead(text), flags=re.IGNORECASE)
    said = with_name(bare, topic)
    return ([f"{said}?"] if said else []) + [f"{bare} in {topic}?", f"{bare} of {topic}?"]


def with_name(text: str, name: str) -> str | None:
    """The question with its pronouns replaced by a name."""
    owner = name + ("'" if name.endswith("s") else "'s")
    said = _ANAPHOR.sub(name, _POSSESSIVE.sub(owner, text), count=1)
    return None if said == text else said


def points_back(text: str) -> bool:
    """Whether a text has a pronoun for a person or an owner, whose antecedent is an earlier name. "It" and "they" often have none."""
    return bool(PERSON.search(text) or _POSSESSIVE.search(text))


def without_lead(text: str) -> str:
    """The question without a leading "And", "What about" or topic, as in "Zorbax: who leads it?"."""
    return _LEAD.sub("", _TOPIC.sub("", text)).strip(" ?.!,")


# "Wixby too, please."
_FILLER_WORDS = frozenset(
    [
        "too",
        "also",
        "well",
        "please",
        "pls",
        "thanks",
        "instead",
        "same",
        "wait",
        "sorry",
        "meant",
        "mean",
        "again",
        "now",
        "then",
        "hm",
        "hmm",
        "ok",
        "okay",
        "question",
        "thing",
        "info",
    ]
)


def asks_nothing(text: str, names: set[str]) -> bool:
    """Whether a text consists of names only: "And Wixby?" """
    rest = {word.plain for word in words(without_lead(text))} - names
    return bool(names) and not rest - STOP - _FILLER_WORDS


def complete_fragment(part: str, name: str, frame: str = "") -> list[str]:
    """Complete questions about a name that a fragment may stand for. `frame` is a complete question about it."""
    if (said := with_name(part, name)) is not None:
        return [said]
    part = without_lead(part)
    if not part:
        return []
    if not STARTS_WH.match(part):
        bare = re.sub(r"^(?:the|a|an) ", "", part, flags=re.IGNORECASE)
        return [f"What is the {bare} of {name}?", f"the {bare} of {name}", f"Who is the {bare} of {name}?"]
    if not without_wh(part):
        return [f"{part} {without_wh(frame)}?"] if frame else [f"{part} is {name}?"]
    return [f"{part} {name}?", f"{part} of {name}?"]


def is_clause(text: str) -> bool:
    """Whether a text is a complete question, with more than the question word."""
    return bool(STARTS_WH.match(without_lead(text))) and bool(without_wh(text))


def lacks_verb(part: str, names: Sequence[str]) -> bool:
    """Whether a question has only a question word, an auxiliary and a name: "when was Wixby" """
    rest = {word.plain for word in words(without_wh(part))} - {
        word.plain for name in names for word in words(name)
    }
    return bool(STARTS_WH.match(without_lead(part))) and bool(names) and not rest - STOP


def asks_twice(text: str) -> bool:
    """Whether a text has the question words of two questions."""
    parts = [part for part in _SEPARATES.split(text.strip().rstrip(" ?.!")) if part]
    return sum(bool(STARTS_WH.match(without_lead(part))) for part in parts) > 1


def without_wh(question: str) -> str:
    """The question after its question word: "founded Zorbax" of "Who founded Zorbax?"."""
    return _WH_PHRASE.sub("", without_lead(question)).strip(" ?.!,")


def same_kind(question: str, other: str) -> bool:
    """Whether both questions name the same kind of thing to ask for: "on which street", "how many plots"."""
    return names_kind(question) and _kind_words(question) == _kind_words(other)


def names_kind(question: str) -> bool:
    """Whether a question names the kind of thing that it asks for."""
    return bool(_kind_words(question))


def _kind_words(question: str) -> set[str]:
    return set(without_lead(question).lower().split()) - set(without_wh(question).lower().split()) - STOP


def splits(text: str, names: Sequence[str] = ()) -> list[list[str]]:
    """Ways to split a text into questions, most parts first. No name is split: "Salt & Ember"."""
    low = text.lower()
    inside = [(at, at + len(name)) for name in names if (at := low.find(name.lower())) >= 0]
    places = [
        place
        for place in _SEPARATES.finditer(text.strip().rstrip(" ?.!"))
        if not any(start < place.start() and place.end() < end for start, end in inside)
    ][:_MAX_SEPARATORS]
    found = []
    for count in range(min(len(places), _MAX_PARTS - 1), 0, -1):
        for chosen in combinations(places, count):
            starts = [0, *(place.end() for place in chosen)]
            ends = [*(place.start() for place in chosen), len(text)]
            parts = [text[a:b].strip(" ,;?.!") for a, b in zip(starts, ends, strict=True)]
            if all(re.search(r"\w", part) and not _REASON.match(part) for part in parts):
                found.append(parts)
    return found


# The reason for a question: "..., i need to order". But "..., and I need to know when" is a question.
_REASON = re.compile(
    r"(?:(?:because|cause|cuz|since|as|so|for) )?(?:i|we)(?:'m| am|'re| are)? (?:need|have|want|got|going|trying|planning|hoping|supposed|about)"
    r" to (?!know|ask|find|learn|hear|see)",
    re.IGNORECASE,
)

_BETWEEN_NAMES = re.compile(
    r"[\s,;/]*(?:\b(?:and|plus)\b|[&+])?[\s,]*(?:\b(?:of|for|to|at|in|from|on|with|by)\b\s*)?(?:\bthe\b\s*)?",
    re.IGNORECASE,
)
_BEFORE_WH = re.compile(rf"^[\s,;:?.!–-]*(?={WH}\b)", re.IGNORECASE)
POLITE_END = re.compile(r"[\s,]*\b(?:pls|plz|please|thanks|thank you|thx)\b[\s.!?]*$", re.IGNORECASE)


def _place_of(name: str, text: str) -> re.Match[str] | None:
    """The place of a name in a text, in any case and with or without its article."""
    said = r"[\W_]+".join(re.escape(word.text) for word in words(name) if word.plain != "the")
    return re.search(rf"(?:\bthe )?\b{said}\b", text, re.IGNORECASE) if said else None


def renamed(text: str, name: str, other: str) -> str:
    """The question with a name, or a part of it, replaced by another: "Pastelow" of the Pastelow Hut."""
    if (place := _place_of(name, text)) is not None:
        return text[: place.start()] + other + text[place.end() :]
    parts = [word.text for word in words(name)]
    runs = [parts[begin:end] for begin in range(len(parts)) for end in range(begin + 1, len(parts))]
    for run in sorted(runs, key=len, reverse=True):
        if run[0].lower() not in STOP and (place := _place_of(" ".join(run), text)):
            return text[: place.start()] + other + text[place.end() :]
    return text


def question_per_name(question: str, names: Sequence[str]) -> list[str]:
    """The question about each of the names that stand side by side in it: "what do TM-40 and TM-17 mean", "fare to Corran and to
    Great Ennis"."""
    text = POLITE_END.sub("", question)
    places = sorted((*place.span(), name) for name in names if (place := _place_of(name, text)))
    if len(places) < 2 or not all(
        _BETWEEN_NAMES.fullmatch(text[end:start]) for (_, end, _), (start, _, _) in pairwise(places)
    ):
        return []
    head, tail = text[: places[0][0]], text[places[-1][1] :]
    # "TM-40 and TM-17, what do they mean?"
    asks = _BEFORE_WH.sub("", tail)
    if asks != tail and PRONOUN.search(asks):
        return [PRONOUN.sub(lambda _, name=name: name, asks, count=1) for _, _, name in places]
    return [f"{head}{name}{tail}" for _, _, name in places]


# Words match in one way only, since an ambiguous pattern would backtrack without end on a long word.
_PART = r"(?!(?:the|and)\b)[a-z][a-z-]*"
_PROPERTY = rf"{_PART}(?: {_PART}){{0,3}}?"
_RELATIONS_OF = re.compile(
    rf"^\W*(?:please |give me |tell me |what(?:['’]s| is| are) |i need )*(?:the )?({_PROPERTY}(?:, (?:the )?{_PROPERTY})*),? (?:and|&|\+) (?:the )?({_PROPERTY}) "
    r"(?:of|for|on) ((?:the |a )?\S.*?)\W*$",
    re.IGNORECASE,
)


def question_per_relation(question: str, names: Sequence[str]) -> list[str]:
    """One question for each of several properties of one name: "power and price of the Kestrel"."""
    found = _RELATIONS_OF.match(POLITE_END.sub("", question))
    if (
        found is None
        or len(names) != 1
        or not _place_of(names[0], found[3])
        or _place_of(names[0], found[1] + found[2])
    ):
        return []
    parts = [*re.split(r", (?:the )?", found[1]), found[2]]
    return [f"What is the {part[:1].lower()}{part[1:].strip()} of {found[3]}?" for part in parts]


def named_first(question: str, names: Sequence[str]) -> str:
    """Moves a name before the question into it, as one sentence: "the rill, how many kilowatts can it handle"."""
    place = _place_of(names[0], question) if len(names) == 1 else None
    tail = question[place.end() :] if place else ""
    asks = _BEFORE_WH.sub("", tail)
    if (
        place is None
        or re.search(r"\w", question[: place.start()])
        or asks == tail
        or not PRONOUN.search(asks)
    ):
        return question
    return PRONOUN.sub(lambda _: names[0], asks, count=1)


def nouns(question: str) -> list[tuple[int, int]]:
    """Spans where a question may describe something without its name: "the head of customer service", "the plan that
    has 8 TB of storage"."""
    found = []
    for the in re.finditer(r"\b(?:the|our)\b", question, re.IGNORECASE):
        ends = [
            the.end() + word.end()
            for word in re.finditer(r"\s+[^\s?!;:,]+", question[the.end() :].split("?")[0])
        ]
        found += [(the.start(), end) for end in ends[:_MAX_DESCRIPTION]]
    return [(a, b) for a, b in found if _asks_beside(question[:a] + " " + question[b:])]


_CLAUSE = re.compile(r"^([a-z][\w -]{2,30}?) (that|which|who|where|whose) (.+)$", re.IGNORECASE)


def clause_questions(description: str) -> list[str]:
    """The questions that a description with a clause answers: "company that makes our seals", "hotel where the spa is"."""
    found = _CLAUSE.match(description)
    if found is None:
        return []
    kind, joins, said = found.groups()
    if joins.lower() == "where":
        place = re.sub(r"\s+(?:is|are|was|sits|stands|lies)$", "", said, flags=re.IGNORECASE)
        return [f"in which {kind} is {place}?"]
    if joins.lower() == "whose":
        return [f"which {kind} has the {said}?"]
    return [f"which {kind} {said}?", f"who {said}?", f"what {said}?"]


def descriptions(question: str, name: str) -> list[tuple[int, int]]:
    """Spans where a question may describe something by a name: "the founder of Zorbax", "Zorbax's founder", "the firm
    that Ada Quist founded"."""
    at = question.lower().find(name.lower())
    if at < 0:
        return []
    end = at + len(name)
    found = []
    if owned := re.match(r"['’]s?((?:\s+[\w-]+){1,4})", question[end:]):
        found += [(at, end + owned.start(1) + word.end()) for word in re.finditer(r"\s+[\w-]+", owned[1])]
    after = [end + word.end() for word in re.finditer(r"\s+[\w'-]+", question[end:])][:5]
    for the in re.finditer(r"\b(?:the|a|an|that)\b", question[:at], re.IGNORECASE):
        between = question[the.end() : at]
        if not 1 <= len(between.split()) <= 8 or re.search(r"[?!;:]", between):
            continue
        found.append((the.start(), end))
        if _RELATIVE.search(between) or len(between.split()) == 1:
            found += [(the.start(), close) for close in after]
    return [(a, b) for a, b in found if _asks_beside(question[:a] + " " + question[b:])]


def _asks_beside(rest: str) -> bool:
    """Whether something is asked about a description, beyond "What is" or "Name"."""
    said = [word.plain for word in words(rest)]
    return any(
        (word not in STOP and word not in _ORDERS) or word in ("when", "where", "why", "how") for word in said
    )
