"""Turns a taught question and its answer into one statement, by the form of the English question. A question of
another form or language is quoted before its answer."""

import re

_PAST = dict(
    pair.split("/")
    for pair in [
        "begin/began",
        "become/became",
        "break/broke",
        "bring/brought",
        "build/built",
        "buy/bought",
        "choose/chose",
        "come/came",
        "cost/cost",
        "cut/cut",
        "do/did",
        "draw/drew",
        "drink/drank",
        "drive/drove",
        "eat/ate",
        "fall/fell",
        "find/found",
        "fly/flew",
        "forget/forgot",
        "get/got",
        "give/gave",
        "go/went",
        "grow/grew",
        "have/had",
        "hear/heard",
        "hold/held",
        "keep/kept",
        "know/knew",
        "lead/led",
        "leave/left",
        "lend/lent",
        "let/let",
        "lie/lay",
        "lose/lost",
        "make/made",
        "mean/meant",
        "meet/met",
        "pay/paid",
        "put/put",
        "read/read",
        "ride/rode",
        "ring/rang",
        "rise/rose",
        "run/ran",
        "say/said",
        "see/saw",
        "sell/sold",
        "send/sent",
        "set/set",
        "shut/shut",
        "sing/sang",
        "sit/sat",
        "sleep/slept",
        "speak/spoke",
        "spend/spent",
        "stand/stood",
        "steal/stole",
        "swim/swam",
        "take/took",
        "teach/taught",
        "tell/told",
        "think/thought",
        "throw/threw",
        "understand/understood",
        "wear/wore",
        "win/won",
        "write/wrote",
    ]
)
_BE = r"(is|are|was|were|will|can|must|may|should|has|have|had)"
_WHO = re.compile(r"^who\s+(?!(?:is|are|was|were|did|does|do)\b)(.+)$", re.IGNORECASE)
_WHO_IS = re.compile(r"^(?:who|what|which \w+) (is|are|was|were) (.+)$", re.IGNORECASE)
_WHEN = re.compile(
    rf"^(?P<before>in |on |at )?(?:which|what) (?:year|month|day|date|city|town|country|place|street|room|building|region) {_BE} (?P<rest>.+)$",
    re.IGNORECASE,
)
_WHERE = re.compile(rf"^(where|when) {_BE} (.+)$", re.IGNORECASE)
_DID = re.compile(
    r"^(?P<before>in |on |at |by |from |for |to |with )?(?P<what>(?:which|what|where|when|who|whom|how many|how much)\b.*?) (?P<do>did|does|do) (?P<rest>.+)$",
    re.IGNORECASE,
)
# The subject, and the participle of a passive or the complement that follows it.
_PARTICIPLE = re.compile(
    r"^(?P<subject>.+?) (?P<rest>(?:\w+ly )?(?:\w+ed|born|founded|built|made|held|kept|sold|bought|written|drawn|led|run|set|found|taught|known|based|located|situated|called|named|worn|grown|shown|won|begun|cut|put|left|lost|spent|sent|told|paid|given|taken|chosen|spoken|said|read)\b.*)$",
    re.IGNORECASE,
)


_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|will|may|can|must|[a-z]{3,}(?:s|ed))\b")


# An answer that begins with an amount, a time or a place and has no verb: "95 euros for 60 minutes."
_VERBLESS_ANSWER = re.compile(
    r"^(?!.*\b(?:is|are|was|were|has|have|had|will|can|may|must|should|do|does|did)\b)(?:(?:about|up to|only|over) )?"
    r"(?:[\d€$£]|(?:on|at|in|from|by|until|within|every|between|after|before|one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b)",
    re.IGNORECASE,
)
# Words that are in lower case inside a sentence.
_LOWERCASE_WORD = re.compile(
    r"(?:On|At|In|From|By|Until|Within|Every|Between|After|Before|Up|About|Behind|Next|Near|One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|Twelve"
    r"|Yes|No|The|A|An|Our|Your|It|They|You|We)\b"
)


def statement(question: str, answer: str, subject: str) -> str:
    """Turns question and answer into one declarative sentence. `subject` is the name that it is about."""
    bare = " ".join(question.split()).rstrip(" ?.!")
    value = answer.strip().rstrip(".")
    if re.search(r"[.!?]\s", value) or "\n" in value:
        first, _, more = answer.strip().partition(". ")
        bare = _VERBLESS_ANSWER.match(first) or not re.search(r"\b(?:did|does|do)\b|" + _VERB.pattern, first)
        if not more or "\n" in first or not bare:
            return answer.strip()  # it is a complete text
        return f"{statement(question, first, subject)} {more.strip()}"
    if (
        _VERB.search(value)
        and answer.rstrip().endswith(".")
        and _is_about(value, subject)
        and not _VERBLESS_ANSWER.match(value)
    ):
        return answer.strip()  # it is a sentence about the subject
    value = value[:1].lower() + value[1:] if _LOWERCASE_WORD.match(value) else value
    made = _by_question_form(bare, value, subject)
    return _capitalised(made) + "." if made else f"The answer to “{question.strip()}” is {value}."


def _is_about(value: str, subject: str) -> bool:
    """Whether a sentence names the subject, or the beginning of its name, where there is one."""
    first = subject.split()[:1]
    names = [subject, *(one for one in first if one[:1].isupper())]
    return not subject or any(re.search(rf"(?<![\w@.]){re.escape(name)}\b", value) for name in names)


# "How many berths are there at the port?", "What does it cost to join?", "How much is the fee?"
_HOW_MANY_THERE = re.compile(r"^how many ([\w -]+?) (are|were) there\b(.*)$", re.IGNORECASE)
_IT_COSTS = re.compile(r"^(?:what|how much) (?:does|did) it cost (.+)$", re.IGNORECASE)
_HOW_MUCH_IS = re.compile(
    r"^how (?:much|long|old|high|deep|far|big|large|small|tall|wide|thick|heavy|fast|hot|cold|strong|loud|steep) (is|are|was|were) (?!there\b)(.+)$",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r".+ (?:to|with|by|for|from|of|in|at|on)$", re.IGNORECASE)
# A predicate noun without an article: "home to the ship" in "Which harbour is home to the ship?"
_BARE_PREDICATE = re.compile(
    r"(?!(?:the|an?|our|your|my|its|their|his|her)\b)[a-z][\w-]*\s(?:to|of|for|in|at|by|near|behind)\b"
)


# "What does a lesson in the lorry cost?", "When does the office open?": the verb is the last word.
_LAST_VERB = re.compile(
    r"^(?P<asks>what|how (?:much|long|many \w+)|when|at what time|until when|from when) (?P<do>does|did|do) (?P<rest>.+) "
    r"(?P<verb>cost|weigh|measure|last|take|open|close|start|begin|end|finish|leave|arrive|run|expire|hold|seat)$",
    re.IGNORECASE,
)


def _ends_with_verb(found: re.Match[str], value: str) -> str:
    verb = {"did": _past_tense, "does": _third_person, "do": str}[found["do"].lower()](found["verb"].lower())
    asks = found["asks"].lower()
    timed = "when" in asks or "time" in asks
    return f"{found['rest']} {verb} {_with_preposition(value, 'when') if timed else value}"


def _by_question_form(bare: str, value: str, subject: str) -> str | None:
    if found := _HOW_MANY_THERE.match(bare):
        counted = f"{value} {found[1]}" if value[-1:].isdigit() or " " not in value else value
        return f"There {found[2]} {counted}{found[3]}"
    if found := _IT_COSTS.match(bare):
        return f"It costs {value} {found[1]}"
    if found := _HOW_MUCH_IS.match(bare):
        return _reordered(found[2], found[1], value)
    if found := _WHO.match(bare):
        return f"{value} {found[1]}"
    if found := _LAST_VERB.match(bare):
        return _ends_with_verb(found, value)
    if found := _DID.match(bare):
        return _from_do_question(found, value, subject)
    if found := _WHERE.match(bare):
        return _reordered(found[3], found[2], _with_preposition(value, found[1]))
    if found := _WHEN.match(bare):
        before = (found["before"] or "").lower() or ("in " if value[:1].isdigit() else "")
        return _reordered(found["rest"], found[2], _with_preposition(before + value if before else value, ""))
    if found := _WHO_IS.match(bare):
        if subject and found[2].startswith(subject) and _PREPOSITION.match(found[2]):
            return f"{subject} {found[1]}{found[2].removeprefix(subject)} {value}"
        if _BARE_PREDICATE.match(found[2]):
            return f"{value} {found[1]} {found[2]}"
        placed = _PARTICIPLE.match(found[2]) if subject and found[2].startswith(subject) else None
        return None if placed else f"{found[2]} {found[1]} {value}"
    return None


def _reordered(rest: str, verb: str, value: str) -> str | None:
    """ "was" + "Zorbax founded" + "in 1990": "Zorbax was founded in 1990"."""
    parts = _PARTICIPLE.match(rest)
    if parts:
        return f"{parts['subject']} {verb} {parts['rest']} {value}"
    return f"{rest} {verb} {value}"


def _from_do_question(found: re.Match[str], value: str, subject: str) -> str | None:
    rest, do = found["rest"], found["do"].lower()
    at = rest.lower().find(subject.lower()) if subject else -1
    if at < 0:
        return None
    who, after = rest[: at + len(subject)], rest[at + len(subject) :].strip()
    verb, _, more = after.partition(" ")
    if not verb or verb.startswith("'") or not verb.isalpha():
        return None
    said = {"did": _past_tense(verb), "does": _third_person(verb), "do": verb}[do]
    what = found["what"].lower()
    before = (found["before"] or "").lower() or (
        "in " if what.startswith("when") and value[:4].isdigit() else ""
    )
    counted = re.match(r"how (?:many|much) (.+)$", what)
    unit = f" {counted[1]}" if counted and re.fullmatch(r"[\d.,]+", value) else ""
    if stranded := _STRANDED.match(more):
        said, more = f"{said} {stranded[1]}", stranded[2]
    tail = f" {more}" if more else ""
    return (
        f"{who} {said}{tail} {before}{value}{unit}"
        if more.rpartition(" ")[2] in _PARTICLES
        else f"{who} {said} {before}{value}{unit}{tail}"
    )


# "As before" in "What did she work as before?": the answer goes between the two words.
_STRANDED = re.compile(
    r"(in|at|on|to|from|for|with|by|as|of) ((?:in|at|on|to|from|for|with|by|of|before|after|during|until|since"
    r"|earlier|previously|formerly|originally|first|then|now|today)\b.*)"
)
_PARTICLES = frozenset(
    ("", "in", "at", "on", "to", "from", "for", "with", "by", "as", "of", "up", "open", "close", "start")
)


def _past_tense(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    return verb + "ed"


def _third_person(verb: str) -> str:
    if verb == "have":
        return "has"
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def _with_preposition(value: str, asks: str) -> str:
    """A place or a time with its preposition."""
    if re.match(
        r"(?:in|on|at|by|near|behind|under|above|since|from|next|opposite|between|before|after|every)\b",
        value,
        re.IGNORECASE,
    ):
        return value
    if asks.lower() == "when" and re.match(r"\d{1,2}(?:[:.]\d\d| ?[ap]\.?m)", value, re.IGNORECASE):
        return f"at {value}"
    if asks.lower() == "when" and not re.match(r"\d{4}$", value):
        return ("on " if re.search(r"\d|day\b", value) else "in ") + value
    return f"in {value}" if asks else value


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
