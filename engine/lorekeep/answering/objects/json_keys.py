"""Keys of an object that a message describes: a template or a schema in braces, identifiers, or a list in words."""

import json
import re
from collections.abc import Iterator
from typing import Any

from lorekeep.answering.objects import code_keys, described_keys
from lorekeep.routing.words import any_case

# Braces, with up to two more levels of them inside.
SHAPE = re.compile(r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
# Identifiers: "max_weight", "maxWeight".
IDENTIFIER = re.compile(
    r"(?<![\w@./-])(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]{2,}[0-9]*(?:[A-Z][a-z0-9]*)+)(?![\w@-])"
)
# A message that requests an object, unlike a question about a key or a field: "What does the key max_retries do?"
_OBJECT = any_case(
    r"\b(?:an?|one|single|flat|the) (?:[\w-]+ ){0,2}object\b|\b(?:this|following|my|our|the) (?:[\w-]+ )?(?:schema|template|interface|shape)\b"
    r"|\b(?:schema|keys|fields)\s*:|\binterface \w+\s*\{"
)
_MACHINE_READABLE = any_case(r"\bmachine[- ]readable\b")
# Names alone in braces, "Zorbax: {vendor, price}", unlike a pattern of file names: "report.{pdf,txt}".
_BARE_OBJECT = re.compile(
    r"""(?<![\w./*-])\{\s*["']?[A-Za-z_]\w*["']?(?:\s*,\s*["']?[A-Za-z_]\w*["']?)+\s*,?\s*\}"""
)
# Plain words as keys: "as one object, keys rent and area", "an object with by (who made it)", "as an object: a for the year".
_KEYS_OF_OBJECT = any_case(
    r"\b(?:object|machine[- ]readable)\b[^.!]*\b(?:keys|fields)\b\W*\w|\bobject with \w+ \(|\b(?:as|in|into) (?:an?|one|a single) object\s*[:(]"
)
# An item of braces: a name, perhaps quoted, with a type or an empty value behind it.
_ITEM = re.compile(r"""["'“]?([A-Za-z][\w\-]*(?: [\w\-]+){0,2})["'”]?\??\s*(?::.*|=.*)?""", re.DOTALL)
_EMPTY_VALUE = r"""(?:["'][\s.…?_-]*["']|["']<[^<>\n]*>["']|\.\.+|…|_+|-+|\?|null|0|\[\s*\]|<[^<>]*>|(?:string|number|integer|int|float|boolean|bool)(?:\[\])?)?"""
# A key with a given value.
_GIVEN = re.compile(
    r"""["“]([A-Za-z][\w\- ]*)["”]\s*:\s*(?:["“]([^"“”{}]*[^\W_][^"“”{}]*)["”]|([1-9]\d{0,14}))\s*(?=[,}])"""
)
_TYPE_WORDS = frozenset(
    ["string", "str", "text", "number", "integer", "int", "float", "boolean", "bool", "value", "date"]
)
# An object without values, except for some at its start.
_EMPTY_OBJECT = re.compile(
    rf"""\{{\s*(?:["“][\w\- ]+["”]\s*:\s*(?:["“][^"“”{{}}]*["”]|\d+)\s*,\s*)*["'“]?[A-Za-z][\w\-]*(?: [\w\-]+){{0,3}}["'”]?\s*:\s*{_EMPTY_VALUE}\s*[,;}}]"""
)
_MAX_KEYS = 24
# Boundaries between a list of keys and the text around it.
_BOUNDARY = re.compile(r"(?<=[\w)])[.!?:](?:\s+|$)|\n|[-=]+>|→|\s[-–—]\s|<-|\),?\s|\bjson\b", re.IGNORECASE)
_LEAD = any_case(
    r"^(?:(?:with|of|the|holding|having|giving|containing|keys?|fields?|properties|attributes)\b[\s:]*)+(?=\w)"
)
# "... and captain as a JSON", "... and captain in it".
_TAIL = any_case(
    r"(?<=\w)(?: (?:as|in|into|inside)(?: (?:an?|it|there))?| (?:please|pls|plz|thanks|thx|first|second|third)|[)\]]+)+$"
)
_ORDER = any_case(r"^(?:(?:first|second|third|then|next|finally|lastly|also)\b[\s:,]*)+(?=\w)")
# A remark in parentheses after a key, and the text after the last key.
_REMARK, _AFTER_LAST_KEY = (
    re.compile(r"(?<=\w) \((?![^()]*\b(?:keys?|fields?|columns)\b)[^(),_]*\)"),
    re.compile(r"\s+(?:for|of|about|from)\s.*$", re.DOTALL),
)
_SEPARATOR = re.compile(r"\s*(?:[,;/&+|]|\band\b)\s*")
# Notes beside keys: their types, and remarks in parentheses.
NOTE = re.compile(
    r"\([^(),_]*\)|\[[^\[\],_]*\]|\s*:\s*(?:string|number|integer|int|float|boolean|bool)(?:\[\])?(?![\w-])",
    re.IGNORECASE,
)
# Words of a message that are not keys: "values only", "no prose, thanks".
_NOT_A_KEY = any_case(
    r"\b(?:keys?|fields?|objects?|json|only|just|nothing|no|please|pls|plz|thanks?|ta|cheers|values?|numbers?|strings?|text|prose|explanations?|else|in|as|for|of|with|the|an?|you|me|my|our|your|is|are|it|that|these|this|to|from|about|respond|return|answer|output|named|called|describe|describing)\b"
)


def describes_object(text: str) -> bool:
    """Whether a message without the word JSON wants an object."""
    if _EMPTY_OBJECT.search(text) or _schema(text):
        return True
    if "?" not in text and (_BARE_OBJECT.search(text) or _KEYS_OF_OBJECT.search(text)):
        return True
    wanted = _OBJECT.search(text) or ("?" not in text and _MACHINE_READABLE.search(text))
    return bool(wanted and IDENTIFIER.search(text))


def _schema(text: str) -> list[str]:
    """The properties of a JSON schema in a message, or those that it requires."""
    shape = SHAPE.search(text)
    if shape is None or not ("properties" in shape[0] or "required" in shape[0]):
        return []
    try:
        said: Any = json.loads(shape[0])
    except ValueError:
        return []
    said = said if isinstance(said, dict) else {}
    properties, required = said.get("properties"), said.get("required")
    if isinstance(properties, dict) and properties:
        return list(properties)
    is_list = isinstance(required, list) and all(isinstance(one, str) for one in required)
    return required if is_list and "type" in said else []


def given_values(text: str) -> dict[str, str | int]:
    """The values that a template in braces gives: {"ship": "Osprey", "captain": ...}. Empty for a template without missing values."""
    shape = SHAPE.search(text)
    if shape is None or not _EMPTY_OBJECT.search(shape[0]):
        return {}
    found = _GIVEN.findall(shape[0])
    return {
        key: int(number) if number else said for key, said, number in found if said.lower() not in _TYPE_WORDS
    }


def _braced(text: str) -> list[str]:
    """The names in braces: {"a": "", "b": ""}, { a: string; b: number }, {a, b}. Empty for nested objects."""
    shape = SHAPE.search(text)
    if shape is None or "{" in shape[0][1:]:
        return []
    items = [one.strip() for one in re.split(r"[,;\n](?![^\[]*\])", shape[0][1:-1]) if one.strip()]
    found = [_ITEM.fullmatch(NOTE.sub("", one).strip()) for one in items]
    return [one[1].strip() for one in found if one] if found and all(found) else []


def _identified(text: str) -> list[str]:
    """The identifiers, and the plain words beside them in a list: "conductor, min_age and fee"."""
    found: list[str] = []
    for part in _BOUNDARY.split(NOTE.sub(" ", SHAPE.sub(" ", _VALUE_OF_EACH.sub(" ", text)))):
        said = [one.strip() for one in _SEPARATOR.split(part)]
        items = [_TAIL.sub("", _ORDER.sub("", _LEAD.sub("", one))) for one in said]
        named = [IDENTIFIER.findall(one) for one in items]
        places = [at for at, names in enumerate(named) if names]
        if not places:
            continue
        first, last = places[0], places[-1]
        # Extend to items of one or two words before and after the identifiers in the same list.
        while first > 0 and (head := _BEFORE_FIRST_KEY.sub("", items[first - 1])) and _is_word(head):
            first, begins = first - 1, head != items[first - 1]
            items[first] = head
            if begins:
                break
        while last + 1 < len(items) and _is_word(items[last + 1]):
            last += 1
        tail = _AFTER_LAST_KEY.sub("", said[last + 1]) if last + 1 < len(items) else ""
        if _is_word(tail):
            last += 1
            items[last] = tail
        for item, names in zip(items[first : last + 1], named[first : last + 1], strict=True):
            found += names or ([item] if _is_word(item) else [])
    return found


# "A JSON object about Zorbax holding boss, foundedYear": the words before the first key.
_BEFORE_FIRST_KEY = any_case(
    r"^.*\b(?:holding|with|containing|having|including|output|give|get|return|list|send|show|provide|need|want)(?: me)?(?: the| its| their)? (?=[a-z][\w-]*$)"
)


def _is_word(item: str) -> bool:
    worded = re.fullmatch(r"[A-Za-z][\w-]*(?: [A-Za-z][\w-]*)?", item) is not None
    # Two words in capitals are a name.
    return worded and not _NOT_A_KEY.search(item) and not re.match(r"[A-Z][a-z]+ [A-Z]", item)


# "As json: opens, closes", "json: opens, closes for the Zorbax".
_LIST_AFTER_JSON = any_case(
    r"\bjson\b[^:.\n]{0,48}?(?::|->|=>|→|\s[-–]\s)\s*([^.!?:]+?)(?: (?:for|of|about|on) (?:the |our )?[\w'-]+(?: [\w'-]+){0,3})?[.!?]?\s*$"
)


# "JSON (captain, year)", "keys = [length, topic]".
_BRACKETED = any_case(
    r"^\s*\[([^()\[\]{}\"'?]+,[^()\[\]{}\"'?]+)\]|\b(?:json|keys?|fields?|properties|attributes)\b[^()\[\]{}.?!]{0,20}?[(\[]([^()\[\]{}]+,[^()\[\]{}]+)[)\]]"
)
# "A JSON object containing mount and masterpiece."
_LIST_AFTER_CONTAINING = any_case(
    r"\b(?:json|object|record|dictionary|document)\b,? (?:containing|including|having|holding|listing|showing|with) (?:just |only )?(?:the )?(?:(?:keys|fields|properties|attributes) )?([^.!?:;()\[\]{}]+?)(?:,? (?:for|of|about|from) |[.!?:;()\[\]{}]|$)"
)


def _enclosed(text: str) -> list[str]:
    """A list in brackets after "json", "keys" and the like."""
    return _items_of(_BRACKETED.search(text))


def _contained(text: str) -> list[str]:
    return _items_of(_LIST_AFTER_CONTAINING.search(_VALUE_OF_EACH.sub(" ", text)))


def _items_of(listed: re.Match[str] | None) -> list[str]:
    said = next(filter(None, listed.groups()), "") if listed else ""
    items = [one.strip(" \"'“”") for one in _SEPARATOR.split(said)] if said else []
    return items if len(items) > 1 and all(_is_word(one) and not _ARTICLE.match(one) for one in items) else []


# "Its founder" is not the name of a key.
_ARTICLE = any_case(r"(?:the|its|their|his|her) ")
# "For Zorbax please send ceo, hq and employees."
_LIST_AFTER_VERB = any_case(
    r"\b(?:send|give(?: me)?|need|want|include|return|provide|list|show|output|get)\b(?: me)?(?: just| only)?(?: the| its| their)? ((?:[\w-]+(?:, | and |, and ))+[\w-]+)(?=[.!?]|$| (?:for|of|about|as|in)\b)"
)


def _listed_after_verb(text: str) -> list[str]:
    return _items_of(_LIST_AFTER_VERB.search(text))


def _set_equal(text: str) -> list[str]:
    return described_keys.equated_keys(SHAPE.sub(" ", text))


def _listed_after_json(text: str) -> list[str]:
    return _items_of(_LIST_AFTER_JSON.search(text))


WITH_SHORT = any_case(r"\bw/ ?(?=\w)")


def keys_in(text: str) -> tuple[str, ...]:
    """The keys of the object that a message describes."""
    return next(readings(text), ())


def readings(text: str) -> Iterator[tuple[str, ...]]:
    """The possible keys of a message, the most reliable reading first."""
    text = WITH_SHORT.sub("with ", text)
    for find in (
        _schema,
        _braced,
        described_keys.questions,
        described_keys.noted_keys,
        _set_equal,
        described_keys.labelled_keys,
        described_keys.in_which,
        _identified_or_worded,
        _enclosed,
        _contained,
        _listed_after_json,
        _listed_after_verb,
    ):
        if found := tuple(dict.fromkeys(find(text))):
            yield found[:_MAX_KEYS]


def are_named(keys: tuple[str, ...], text: str) -> bool:
    """Whether a message names these keys explicitly: in code, in quotes, in braces, at least one as an identifier, or after a word such
    as "keys"."""
    if not keys or code_keys.read(text) is not None:
        return bool(keys)
    shape = SHAPE.search(text)
    said = rf"\b(?:keys?|fields?|propert(?:y|ies)|attributes?|columns?|called|named)\b[^.?!\n]{{0,24}}?(?<!\w){re.escape(keys[0])}(?!\w)"
    return (
        any(IDENTIFIER.fullmatch(key) and key in text for key in keys)
        or re.search(said, text, re.IGNORECASE) is not None
        or all(
            (shape is not None and key in shape[0]) or any(f"{mark}{key}{mark}" in text for mark in "\"'`")
            for key in keys
        )
    )


def _identified_or_worded(text: str) -> list[str]:
    """The identifiers, or a list in words if it contains all of them and more."""
    named, worded = _identified(text), _worded(text)
    return worded if set(named) < set(worded) else named


_QUOTED = re.compile(r"(?<!\w)[\"'“”`‘’]([\w][\w .\-]{0,40})[\"'“”`‘’](?!\w)")
# "With a and b as keys."
_AS_KEYS = any_case(
    r"(?:\b(?:with|using|use|of|has|having)|\bformat:|\bjson:)\s+(\w[\w \-,&]*?)\s+as (?:its |the )?(?:keys?|fields?)\b"
)
# The keys "a", "b" and "c".
_LISTED_QUOTED = re.compile(
    rf"\b(?:[Kk]eys?|[Ff]ields?|[Pp]roperties|[Aa]ttributes|[Cc]olumns|[Mm]embers)\b(?: (?:named|called|are)|[^.?!:\"'“”]{{0,40}}?,? namely)?\s*:?\s*\(?{_QUOTED.pattern}(?:(?:,|\s|\band\b|&)+{_QUOTED.pattern})+"
)
_LISTED = any_case(
    r"\b(?:keys|fields|properties|attributes|columns|key|property|field(?! (?:school|trip|work|day)))\b(?:,? (?:named|called|are|should be|being)\b)?(?:,? namely)?\s*[:=]?\s*\(?([\w \-,/&]+?)(?:\)|[.;:?!=\n]|\s*[-=]?[>→]|$| and (?:the |whose )?values?\b| and (?=.* as (?:the )?values?\b)| (?:for|of|about|from|holding|giving|containing|with|that|which|showing|describing) |, describing )"
)


# "Key "groups" and an array of the reading groups."
_ONE_KEY = any_case(r"(?:key|field|property|attribute)\b")

# "Keys a, b and c, and the head of each as the value."
_VALUE_OF_EACH = any_case(
    r",?\s+(?:and (?:the|an?)|with(?: the| an?)?) (?:(?!\band\b)[\w ])+? (?:of|for) each\b(?: (?:one )?as (?:the |a )?values?| (?!as\b)\w+)?"
)
_OBJECT_WITH = any_case(
    r"\b(?:object|json)(?: (?:about|for|on|of) (?:the )?[\w'-]+(?: [\w'-]+){0,3}?)? with (?:the |its )?((?:\w+, )*\w+,? and \w+)\b(?! (?:of|for)\b)"
)
_WITH = any_case(
    r"\bjson\b(?: object)? (?:with|of|holding) (?:the |its )?([\w \-,]+?) (?:of|for|about|from) "
)


# "A string called conductor and a number called since", "a key urgent and a key routine".
_CALLED = any_case(
    r"\b(?:keys?|fields?|propert(?:y|ies)|attributes?|strings?|numbers?|integers?|booleans?|arrays?|lists?|texts?|values?|another(?: one)?|the other(?: one)?|one|(?:the )?(?:first|second|third|last|next)(?: one)?)(?: is| being| should be| must be)? (?:called|named) [\"'“`]?([a-z]\w*)"
)
_ORDINAL = r"(?:an?|one|the|whose|another|(?:the )?(?:first|second|third|fourth|next|last|other))"
_ONE_BY_ONE = any_case(
    rf"""\b{_ORDINAL} (?:key|field|property|attribute)(?: (?:is|should be|being|=))?[\s:]+["'“]?([a-z]\w*)"""
    rf"""|\b(?:key|field|property|attribute|{_ORDINAL})(?: (?:is|should be|being))?[\s:=]+["'“‘`]([a-z][\w -]*)["'”’`]"""
)
# "JSON with informations of the Zorbax" names no keys.
_UNSPECIFIC = any_case(r"(?:the |some |all )?(?:informations?|infos?|details?|data|facts|everything)")
# Words after "keys" that are not keys: "one key each", "a key per firm".
_NOT_A_LIST = any_case(
    r"\bjson\b|^(?:for|of|with|to|in|that|which|as|on|from)\s|^(?:exactly|just|only|each|per|every|apiece)\b|^\d"
)


def _worded(text: str) -> list[str]:
    """Quoted words, or a list after "keys"."""
    text = described_keys.without_types(text)
    shape = SHAPE.search(text)
    one_by_one = [bare or quoted for bare, quoted in _ONE_BY_ONE.findall(text)]
    for named in (_CALLED.findall(text), one_by_one):
        if not shape and len(named) > 1:
            return named
    if shape and (found := re.findall(r"[\"'“]?([A-Za-z][\w \-]{0,40}?)[\"'”]?\s*:", shape[0])):
        return found
    if listed := _LISTED_QUOTED.search(text):
        return _QUOTED.findall(listed[0])
    listed = _AS_KEYS.search(_QUOTED.sub(r" \1 ", text))
    said = _REMARK.sub("", _VALUE_OF_EACH.sub(" ", _QUOTED.sub(r" \1 ", text)))
    if listed := listed or _LISTED.search(said):
        *found, last = re.split(r"(?:,\s*)?\band\b|&", listed[1], maxsplit=1)
        # The text after the last key is not a key: "keys a and b, times for guests".
        found = (
            [*re.split(r"[,/]", " ".join(found)), last.split(",")[0]] if found else re.split(r"[,/]", last)
        )
        found = [one.strip() for one in found]
        if _ONE_KEY.match(listed[0]):
            found = found[:1]
        return [one for one in found if one and len(one.split()) <= 4 and not _NOT_A_LIST.search(one)]
    if quoted := [one for one in _QUOTED.findall(text) if not _NOT_A_LIST.search(one)]:
        return quoted
    text = _VALUE_OF_EACH.sub(" ", text)
    listed = _WITH.search(text) or _OBJECT_WITH.search(text)
    found = re.split(r",\s*(?:and\s+)?|\s+and\s+", listed[1]) if listed else []
    found = [one.strip() for one in found if one.strip() and len(one.split()) <= 4]
    return [] if any(_UNSPECIFIC.fullmatch(one) for one in found) else found
