"""Keys of an object that a message describes one by one: "a = weight of the Zorbax", "who owns it (key: parent)", "TEL for the number"."""

import re
from collections.abc import Sequence

from lorekeep.routing.words import any_case

_OPEN, _CLOSE = r"""["'“‘`]?""", r"""["'”’`]?"""
_KEY = r"(?:key|field|property|attribute|entry|member|column)"
_TYPE_NOTE = any_case(
    r"\s*\((?:an? )?(?:strings?|text|numbers?|integers?|booleans?|dates?|arrays?(?: of \w+)?|lists?(?: of \w+)?)\)"
)
# Words before "for" or "=" that are not keys.
_NOT_A_KEY = any_case(
    r"(?:json|objects?|keys?|fields?|properties|attributes|names?|values?|null|records?|arrays?|lists?|one|another|only|look\w*|ask\w*|need|thanks?|response_format|format|type)"
)
# "What the Zorbax costs (key: price) and who made it (call it maker).", "its price under "price"", "her agent into a field named agent".
_NEXT_QUOTED = r"""\s*(?:,|\band\b|&)\s*["'“`]"""
_NOTED = any_case(
    rf"""\(\s*(?:(?:as |the )?{_KEY}\b(?: (?:named|called))?\s*[:=]?|(?:call|name) (?:it|this|that)|as|under)\s*{_OPEN}([a-z]\w*){_CLOSE}\s*\)"""
    rf"""|\b(?:under|into|as|goes in)(?: (?:the|an?))? (?:{_KEY}|name)(?: (?:named|called) {_OPEN}([a-z]\w*){_CLOSE}|\s*["'“`]([a-z]\w*)["'”`])(?!\w)(?!{_NEXT_QUOTED})"""
    rf"""|\bunder\s+["'“`]([a-z]\w*)["'”`](?!{_NEXT_QUOTED})"""
)
_CLAUSE = re.compile(r"[,;:]\s+(?:and\s+)?|\s+and\s+|[).]\s+(?:and\s+)?")
_PUTS = any_case(
    r"^\W*(?:please |pls |kindly )?(?:put|give|send|write|return|show|store|place|list)(?: me)?\s+(?:the )?"
)
_GOES = any_case(r"\s+(?:goes|go|belongs|should go|comes)\s*$")
# "a = weight of the DripSage and b = ..."
_EQUATED = any_case(r"""(?:^|[\s,;:("'“])(\w{1,20})["'”]?\s*=\s*(?=[a-z"'“])""")
# "TEL for the phone number, ADR for the address."
_MEANING_START = r"(?:the|its|his|her|their|our|an?|who|whoever|what|whatever|where|when|how|whose|which)\b"
_KEY_FOR = any_case(
    rf"""(?<![\w"'’]){_OPEN}([a-z]\w*){_CLOSE}\s+(?:is )?for\s+({_MEANING_START}[^,;.:(]+?)(?=\s*(?:[,;.:(]|$|\band\b))"""
)
_ASIDE = re.compile(r"\([^()]*\)")
# "With person for the one and town for the other."
_FOR_EACH = any_case(
    rf"""\b{_OPEN}(\w+){_CLOSE} for the (?:one|first|former)(?: one)?,? and {_OPEN}(\w+){_CLOSE} for the (?:other|second|latter)\b"""
)
# "Its title under the key title and its price under price."
_UNDER_KEY = any_case(rf"\bunder\s+(?:the {_KEY}\s+)?(?!(?:the|a|an)\b)([a-z]\w*)(?!\w)")
# "... in which artist is the person who drew it and year is the year it came out".
_HOLDS = r"(?:is|holds|contains|gives|has|shows|says|tells)"
_IN_WHICH = any_case(
    rf"""\b(?:in which|where|so that|such that)\s+{_OPEN}(\w+){_CLOSE} {_HOLDS} [^;.]+?,? and {_OPEN}(\w+){_CLOSE} {_HOLDS}\b"""
)
_SENTENCES = re.compile(r"(?<=[.?!;])\s+|\n+|:\s+|\bjson\b", re.IGNORECASE)
_SAYS_KEY = re.compile(rf"\b{_KEY}s?\b|[{{}}`\"“]", re.IGNORECASE)
_PARTS = re.compile(r",\s*(?:and\s+)?|\s+(?:and|plus|as well as|together with)\s+", re.IGNORECASE)
# Filler words at the start of a part.
_FILLERS = any_case(
    r"^(?:(?:and|of|the|its|his|her|their|for|about|on|to|i|we|you|would|need|want|like|please|get|have|give|me|send|tell|show|return|with|as|in|an?|it|that|this|is|here|hi|hello|thanks|one|other)\b[\s,:]*)+"
)
# "Use my two questions as the keys: "Who owns Zorbax?" "Where is it?" "
_QUESTION = re.compile(r"[\"“]([^\"“”?\n]{8,80}\?)[\"”]")
# The meaning of a key: "a = guildmaster of the tanners, b = the year of the charter".
_STANDS_FOR = r"""["'”]?\s*(?:=|:=|->|→|stands for|is for|means|meaning|being|is|(?:and |which |that )?(?:holds|contains|gives|says|tells|has))\s*(?:the )?((?:(?!,| and ["'“]?\w+["'”]?\s*(?:=|->|→|stands|is|means)|[;.?!](?:\s|$)).)+)"""
# Words before a name that are not properties of it.
_NOT_A_PROPERTY = frozenset(
    [
        "record",
        "instance",
        "object",
        "data",
        "profile",
        "information",
        "info",
        "details",
        "values",
        "row",
        "body",
        "entry",
        "description",
        "summary",
        "facts",
        "version",
        "rest",
        "following",
        "this",
        "these",
        "that",
    ]
)


def noted_keys(text: str) -> list[str]:
    """Keys that follow their descriptions."""
    return [next(filter(None, one.groups())) for one in _notes(text)]


def _notes(text: str) -> list[re.Match[str]]:
    bare = list(_UNDER_KEY.finditer(text))
    return bare if len(bare) > 1 else list(_NOTED.finditer(text))


def equated_keys(text: str) -> list[str]:
    """Keys that a message equates with their meanings: "a = weight"."""
    found = [one for one in _EQUATED.findall(text) if len(one) == 1 or not _NOT_A_KEY.fullmatch(one)]
    return found if len(found) > 1 else []


def labelled_keys(text: str) -> list[str]:
    """Keys that precede their descriptions, in a message with a word such as "key"."""
    if each := _FOR_EACH.search(text):
        return list(each.groups())
    found = [one for one, _ in _KEY_FOR.findall(_ASIDE.sub("", text)) if not _NOT_A_KEY.fullmatch(one)]
    return found if len(found) > 1 and re.search(_KEY, text, re.IGNORECASE) else []


def in_which(text: str) -> list[str]:
    found = _IN_WHICH.search(text)
    return list(found.groups()) if found else []


def questions(text: str) -> list[str]:
    """Questions that serve as the keys of their answers."""
    return _QUESTION.findall(text) if re.search(rf"{_KEY}s\b", text, re.IGNORECASE) else []


def in_order(text: str, name: str, keys: Sequence[str]) -> dict[str, str]:
    """The part of a sentence for each key, if the sentence lists as many items as there are keys: "Zorbax: article number and price.
    With "sku" for the first and "eur" for the second." """
    for sentence in _SENTENCES.split(text):
        if _SAYS_KEY.search(sentence) or all(key in sentence for key in keys):
            continue
        said = (
            re.sub(rf"(?:the )?{re.escape(name)}(?:['’]s)?", " ", sentence, flags=re.IGNORECASE)
            if name
            else sentence
        )
        parts = [part for one in _PARTS.split(said) if (part := _FILLERS.sub("", one.strip(" ,.?!-")))]
        if len(parts) == len(keys) > 1:
            return dict(zip(keys, parts, strict=True))
    return {}


def property_of(name: str, text: str) -> str:
    """The property of a name that a text wants: "the Kestrin's colour", "colour of the Kestrin". Empty if there is none."""
    said = re.escape(name)
    owned = re.search(rf"\b{said}['’]s? ([a-z]+)", text, re.IGNORECASE)
    of = re.search(rf"\b([a-z]+) (?:of|from|at|to|in|by) (?:the |our )?{said}\b", text, re.IGNORECASE)
    found = (one[1].lower() for one in (owned, of) if one is not None)
    return next((word for word in found if word not in _NOT_A_PROPERTY), "")


def note_of(key: str, text: str) -> str:
    """The note after a key with its meaning: "born" (the year), born = the year. Empty without a note, or if it is a type."""
    name = rf"""(?<![\w-])["'“`]?{re.escape(key)}["'”`]?"""
    found = re.search(rf"{name}\s*\(([^(),]{{3,40}})\)", text)
    found = found or re.search(rf"{name}\s*=\s*([A-Za-z][^(),;=]{{2,40}})(?=[),;.]|$)", text)
    return "" if found is None or _TYPE_NOTE.fullmatch(f" ({found[1]})") else found[1]


def without_types(text: str) -> str:
    return _TYPE_NOTE.sub("", text)


def definitions(text: str, keys: tuple[str, ...]) -> dict[str, str]:
    """The meaning of each key; empty unless a message gives one for every key."""
    if not keys:
        return {}
    if keys == tuple(questions(text)):
        return {key: key for key in keys}
    if keys == tuple(labelled_keys(text)) and not _FOR_EACH.search(text):
        return {key: said for key, said in _KEY_FOR.findall(text) if key in keys}
    if keys == tuple(noted_keys(text)):
        found = _notes(text)
        starts = [0, *(one.end() for one in found)]
        before = [text[at : one.start()] for at, one in zip(starts, found, strict=False)]
        said = [_PUTS.sub("", _GOES.sub("", _CLAUSE.split(one.rstrip())[-1])).strip() for one in before]
        return dict(zip(keys, said, strict=True)) if all(said) else {}
    stands = {
        key: said
        for key in keys
        if (said := re.search(rf"""(?<![\w-])["'“`]?{re.escape(key)}`?{_STANDS_FOR}""", text, re.IGNORECASE))
    }
    return {key: said[1].strip() for key, said in stands.items()} if len(stands) == len(keys) else {}
