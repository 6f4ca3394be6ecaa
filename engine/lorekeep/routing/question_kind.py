"""Classifies the kind of answer that a question asks for (price, time, place ...) and checks whether an
answer is of that kind, by English words. Questions in other languages have an unknown kind, which has no
effect."""

import re

from lorekeep.routing.words import any_case, words

# The first matching pattern decides.
_ASKED_KINDS = (
    ("degree", any_case(r"\bhow long\b.*\b(met(re|er)s?|feet|foot|kilomet(re|er)s?|miles?|inch(es)?|[cm]m|km)\b")),
    ("money", any_case(
        r"\b(costs?|price[sd]?|fees?|charges?|rates?|rent|discount|cheap\w*|expensive|afford|free of charge|postage|tariff)\b"
        r"|\bhow much\b.*\b(pay|paid|cost|money|is|are|claim|save|get|charge|earn)\b|\b(pay|get|receive|back)\b.*\bhow much\b"
        r"|\bwhat (do|does|did|will|would|must)\b.*\b(pay|pays|cost|charge)\b"
    )),
    ("duration", any_case(
        r"\bhow (long|quick\w*|soon|fast)\b|\b(how many|number of) (seconds|minutes|hours|days|nights|weeks|months|years)\b"
        r"|\bhow much time\b|\bfor (how long|what time)\b|\b(duration|how old|age)\b|\bwithin what\b"
    )),
    ("time", any_case(
        r"\b(when|(what|which) (time|hours?|days?|weekdays?|date|months?|year|evening|night|week|season)|how (late|early|often|frequently)"
        r"|deadline|opening hours|at what intervals?|between which (hours|times|days|dates|months)|how many times)\b"
    )),
    ("place", any_case(
        r"\b(where|which (floor|room|place|door|entrance|counter|platform|shelf|spot|part|building|station|gate|office|side|address|cabin|street|road|town|city|village|country)"
        r"|what (floor|room|place|address))\b|\bis there a(ny)? (place|spot|room|somewhere)\b"
    )),
    ("person", any_case(r"\b(who|whom|whose|which (people|persons?))\b")),
    ("reason", any_case(r"\b(why|reason|cause)\b")),
    ("degree", any_case(
        r"\bhow (hot|warm|cold|heavy|deep|high|large|big|tall|far|wide|thick|loud|full|much)\b"
        r"|\b(temperature|degrees|weight|weigh|height|depth|length|size|capacity|limit|maximum|minimum|range|speed)\b"
    )),
    ("count", any_case(r"\bhow many\b|\bnumber of\b")),
    ("way", any_case(r"\bhow\b|\bwhat (do|should|must|can|shall) (i|we|you) (do|enter|say|press|click|need to do)\b|\bwhat (now|then)\b")),
    ("yes or no", any_case(
        r"(^|[.;,:]\s*)(is|are|was|can|could|may|might|must|do|does|did|will|would|should|am|have|has|shall)\b"
    )),
    ("thing", any_case(r"\b(what|which)\b")),
)  # fmt: skip
_FIRST_WORD = any_case(
    r"\W*(?:(?:and|or|so|by|to|for|from|until|since|at|on|in|with|of|about) )?(who|whom|whose|where|when|why)\b"
)
_KIND_OF_WORD = {
    "who": "person",
    "whom": "person",
    "whose": "person",
    "where": "place",
    "when": "time",
    "why": "reason",
}
UNKNOWN = "unknown"

_MONEY = any_case(
    r"\b(euros?|cents?|dollars?|pounds?|francs?|free|nothing|charge|paid?|percent|cheaper|discount|voucher)\b|[€$£%]"
)
_TIME = any_case(
    r"\b(seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|terms?|season|at once|immediately)\b"
    r"|\b\d{1,2}(:\d\d)?\s*(am|pm)\b|\b\d{1,2}:\d\d\b|\b\d+(st|nd|rd|th)\b"
    r"|\b((mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|\b(noon|midnight|morning|afternoon|evening|daily|weekly|yearly|once|twice|times|before|after|when|until|every|summer|winter|spring"
    r"|autumn|always|never|today|tomorrow|date|holidays)\b"
)  # fmt: skip
_PLACE = any_case(
    r"\b(in|at|on|behind|beside|under|above|below|near|next to|inside|outside|opposite|floor|room|door|left|right|upstairs|downstairs"
    r"|basement|entrance|between|to)\b"
)
_NUMBER = any_case(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|hundred|none|half)\b"
)
_PERSON = any_case(
    r"\b(we|you|the \w+er|the \w+or|owner|manager|office|department|team|staff|doctor|nurse|guard|desk|head|parents?|people|person|everyone"
    r"|anyone|whoever|nobody|each|members?|tenant|landlord|driver|teacher|children|students?|pupils|family|families|partners?|company"
    r"|customer|those|your|our|his|her|mr|mrs|ms)\b"
)
_ORDER = any_case(
    r"^\s*(open|press|use|call|write|send|choose|click|hold|put|take|turn|ask|go|tell|bring|wait|wash|keep|clean|dial|pull|add|fill|cover"
    r"|rub|freeze|order|show|give|check|drive|stop|listen|report|follow|photograph|tick|hang|run|drop|place|set|book|pay|leave|note|cut|let"
    r"|type|log|scan|enter|select|push|move|switch|with|by|online|within|from|on the)\b"
)
_YES = any_case(
    r"^\s*(yes|no|not|never|only|always|gladly|of course|nothing|everything|up to)\b|,\s*(yes|no)\b"
)
_FORMS = {"money": _MONEY, "duration": _TIME, "time": _TIME, "place": _PLACE, "person": _PERSON, "degree": _NUMBER, "count": _NUMBER,
          "way": _ORDER}  # fmt: skip

# Kinds whose answers have a number, or say the time or the price in words.
_NUMBERED = {"money", "count", "time", "duration", "degree"}
_DIGIT = any_case(r"\d")
_ASKS_PLACE = any_case(r"\W*(?:(?:and|but|so|in|on|at|to|from) )*(?:where|which|what)\b")
_PHONE_NUMBER = any_case(r"[\d\s+()/.-]{3,}")
_ASKS_PRICE = any_case(r"\bhow much (?:is|are|for)\b|\b(?:costs?|prices?)\b")
_MEASURE = any_case(
    r"\d\s?(?:k?wh?|kg|g|mg|t|km|c?m|mm|l|ml|gb|mb|tb|litres?|liters?|met(?:re|er)s?|°c|degrees|bar|v|a)\b"
)

_OPPOSITES = [
    tuple(frozenset(side.split()) for side in line.split("/"))
    for line in (
        "open opens opened opening / close closes closed closing shut", "begin begins start starts beginning / end ends stop stops finish",
        "before ahead / after afterwards", "first / last", "largest biggest large big / smallest small little",
        "maximum most highest max / minimum least lowest min fewest", "inside in / outside", "on / off", "up / down",
        "buy bought / sell sold", "borrow / lend", "cheapest cheaper cheap / expensive", "arrive arrival arrives / leave departure departs",
        "lock block locked blocked / unlock unblock", "summer / winter", "day / night", "hot warm / cold cool", "with / without",
        "add create make / remove delete", "early earliest / late latest", "find found / lose lost", "oldest / youngest", "old used / new",
        "above over more / below under less", "wet / dry", "full / empty", "men man boys / women woman girls", "adult adults / child children",
        "always / never", "upload / download", "fastest fast / slowest slow", "public / private", "adopt connect enable / disconnect disable",
        "same / different another",
    )
]  # fmt: skip
_NEGATIONS = frozenset(["not", "never", "no", "nobody", "without", "nothing", "don't", "can't", "cannot"])


def answer_kind(question: str) -> str:
    """The kind of answer that the last question of a text asks for; earlier sentences are context."""
    sentences = [part for part in re.split(r"(?<=[.;!?:])\s+", question.strip()) if part]
    for sentence in [*reversed(sentences)]:
        if first := _FIRST_WORD.match(sentence):
            return _KIND_OF_WORD[first[1].lower()]
        if found := next((kind for kind, pattern in _ASKED_KINDS if pattern.search(sentence)), None):
            return found
    return UNKNOWN


def is_of_kind(answer: str, kind: str) -> bool | None:
    """True if an answer is of a kind; None if the kind has no recognisable form."""
    return bool(_FORMS[kind].search(answer)) if kind in _FORMS else None


def cannot_answer(question: str, taught: str, answer: str) -> bool:
    """Whether a fact cannot answer a question about its name, by the kinds of answers that both questions ask for."""
    return (
        _lacks_asked_kind(answer, question, taught)
        or _is_measured(question, taught)
        or _asks_for_another(question, taught, answer)
    )


def _lacks_asked_kind(answer: str, question: str, taught: str) -> bool:
    """Whether a question asks for a number or a time that an answer lacks, since its taught question is of another kind: the
    price paid is no description."""
    kind, its = answer_kind(question), answer_kind(taught)
    if kind == "place" and its != "place" and _PHONE_NUMBER.fullmatch(answer) and _ASKS_PLACE.match(question):
        return True  # a telephone number is no street
    if _ASKS_PRICE.search(question) and its != "money" and _MEASURE.search(answer):
        return not _MONEY.search(answer)
    if kind in ("duration", "time") and its == "money":
        return not _TIME.search(answer)
    if kind not in _NUMBERED or kind == its or _DIGIT.search(answer):
        return False
    return not _FORMS[kind].search(answer)


def _is_measured(one: str, other: str) -> bool:
    """Whether one question asks for a measure, and the other for a time, a place or a person."""
    kinds = {answer_kind(one), answer_kind(other)}
    return "degree" in kinds and not kinds.isdisjoint(("time", "place", "person", "reason"))


_ASKED_NOUN = any_case(
    r"^\W*(?:(?:by|in|at|on|from|for|with) )?(?:which|what) (?!is\b|was\b|are\b|were\b|do\b|does\b|did\b)([a-z]+)\b"
)
_ASKS_DATE = any_case(r"\b(?:which|what) (?:year|day|month|date|weekday|week)\b")
_TIME_NOUNS = frozenset(
    [
        "year",
        "years",
        "day",
        "days",
        "month",
        "months",
        "date",
        "dates",
        "week",
        "weeks",
        "weekday",
        "weekdays",
        "time",
        "times",
        "hour",
        "hours",
        "period",
        "decade",
        "century",
        "season",
        "point",
        "age",
        "term",
        "quarter",
        "moment",
        "morning",
        "afternoon",
        "evening",
        "night",
    ]
)


def _asks_for_another(question: str, taught: str, answer: str) -> bool:
    """Whether a question asks for a thing by its noun, and the taught one for a date: "Which shipyard built it?" """
    noun = _ASKED_NOUN.match(question)
    if noun is None or noun[1].lower() in _TIME_NOUNS or not _ASKS_DATE.search(taught):
        return False
    return not re.search(rf"\b{re.escape(noun[1])}", f"{taught} {answer}", re.IGNORECASE)


_ASKS_COUNT = any_case(r"\bhow many ([a-z]+)\b")


def counted_noun(question: str) -> str | None:
    """The noun that a question counts: "knots" of "How many knots does it make?" """
    found = _ASKS_COUNT.search(question)
    return found[1].lower() if found else None


def counts_noun(noun: str, taught: str, answer: str) -> bool:
    """Whether a fact gives the number of a noun."""
    one = re.escape(noun.removesuffix("s"))
    return counted_noun(taught) == noun or bool(
        re.search(rf"\d[\d.,]*\s(?:[a-z]+ )?{one}s?\b", answer, re.IGNORECASE)
    )


def yes_or_no(answer: str) -> bool:
    return bool(_YES.search(answer))


def antonym_pairs(a: str, b: str) -> int:
    """Number of words in one text with an antonym in the other."""
    mine, its = ({word.plain for word in words(text)} for text in (a, b))
    return sum(
        bool(mine & one and its & other and not mine & other and not its & one)
        or bool(mine & other and its & one and not mine & one and not its & other)
        for one, other in _OPPOSITES
    )


def is_negated(text: str) -> bool:
    return any(word.plain in _NEGATIONS for word in words(text))
