"""Reads a message that wants JSON: the keys, and the message without remarks on the form. A message that lists values without
keys is rewritten with keys: "the founder and the birth year of Ada Quist as JSON"."""

import re

from lorekeep.answering.objects import code_keys
from lorekeep.answering.objects.json_keys import IDENTIFIER, SHAPE, keys_in
from lorekeep.routing.words import any_case

SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")
_FORM = r"(?:fields?|keys?|key names?|names?|propert(?:y|ies)|values?|attributes?)"
# A sentence only about the form: "A field that you do not know should be null.", "Name the fields as you like."
_REMARK = any_case(
    r"\b(?:null|none|empty|blank)\b.*\b(?:know|known|unknown|missing|miss|information|info|absent|there|found|find|nothing|anything|never|told|data|sure|taught|available)\b"
    r"|\b(?:know|known|unknown|missing|miss|information|info|absent|found|find|nothing|anything|never|told|data|sure|taught|available)\b.*\b(?:null|empty|blank)\b"
    rf"|^\W*(?:please |you can |you may )?(?:name|call|choose|pick|use|invent) (?:(?:the|whatever|whichever|any|your own|sensible|suitable|good|short) )*{_FORM}\b(?! [\"'“:]).*\b(?:you|yourself|like|want|prefer|wish|choice)\b"
    rf"|^\W*(?:use |with )?(?:sensible|suitable|any|your own|short|good) {_FORM}\W*$"
    rf"|^\W*{_FORM} (?:names? )?(?:are |is )?(?:up to you|your choice|of your choice|as you like)\W*$"
)
# "... (null if not known)"
_NULL_NOTE = any_case(r"\s*\([^()]*\bnull\b[^()]*\)")
# A bulleted list after a colon, an API parameter, and a request for the form in parentheses.
_FIRST_BULLET, _BULLET = re.compile(r":[ \t]*\n\s*[-*•]\s+"), re.compile(r"\n\s*[-*•]\s+")
_SETTING = any_case(r"\bresponse_format\s*=\s*(?:\{[^{}]*\}|\"?\w+\"?)")
_IN_PARENTHESES = any_case(
    r"\((?![^()]*\b(?:keys?|fields?|with|has|having)\b)[^()\"'`_{}]*\bjson\b[^()\"'`_{}]*\)"
)
_HAS_KEY = any_case(r"[{\"“‘`]")
# "..., no comments," within a sentence.
_FORM_ASIDE = any_case(
    r"\s*[,;(–-]\s*(?:and )?(?:no|without|not) (?:any )?(?:extra |further |other )?(?:comments?|explanations?|prose|markdown|text|words|introduction|chatter|code fences?)(?: around it| please)?\)?(?=[,.;:!?]|$)|,? (?:and )?nothing (?:else|more|around it)\b|,? (?:and )?you (?:can |may )?(?:choose|pick|name|invent) the (?:names?|keys?|fields?)\b"
)
# "With snake_case names" contains no key.
_STYLE = any_case(
    r",?\s*\b(?:(?:with|in|using|use) )?(?:the )?(?:keys? |fields? |names? )?(?:in )?(?:snake_case|camelCase|kebab-case|PascalCase)(?: (?:key |field )?(?:names?|keys?|style|notation))?\b"
)
_JSON_WISH = any_case(
    r"[,;]?\s*\b(?:(?:as|in|into|using|to|of) )?(?:(?:the|an?|one|single|valid|raw|plain|simple|small|little|short|compact|flat) )*(?:json(?:[ -](?:object|format|form|record|document|snippet|notation|output|data|string|blob))*|object)\b\)?(?: for (?:me|us)\b)?(?:,? (?:please|pls|plz|thanks))?|,?\s*\b(?:in )?machine[- ]readable(?: form| format| output)?\b\s*\(?"
)
_COUNTED = any_case(
    rf"(?:with |of )?(?:the |these )?(?P<count>two|three|four|five|2|3|4|5|following|some) (?:{_FORM}|things)\b"
)
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
# Request words around the list of values.
_ORDER = any_case(
    r"^\W*(?:(?:hi|hello|hey|please|pls|plz|kindly|now|and|ok|okay|only|just|output|return|print|respond|reply|answer|give|send|show|list|get|fetch|provide|write|make|create|build|generate|produce|put|format|express|convert|need|want|like|describe|describing|summari[sz]e|summari[sz]ing|u|do|stuff|present|containing|holding|with|about|on|for|me|us"
    r"|to|turn|what you know|out of this|this|i|we|i['’]d|we['’]d|would|can|could|may|you|have|that)\b[\s,:;.–-]*)+"
)
_NEED = r"(?:(?:i|we)(?: would|['’]d)?|would) (?:need|want|like)(?: to have| to get)?\b"
# "I am making a table and would need ...", and "For the Zorbax I need ..."
_NEEDS = any_case(rf"^(?:i|we|my|our)\b[^:]*?(?:\band|\bso|,) {_NEED}")
_FOR = any_case(
    rf"^(?:for|about|on|regarding) (?P<about>[^:]+?),? {_NEED}\s*(?P<list>.+)$|^\W*(?:(?:please|pls|plz) )?(?:for|of|about|on) (?P<of>[^\s,:.]+(?: [^\s,:.]+){{0,5}})[,:] (?P<rest>.+)$"
)
_TAIL = any_case(r"[\s,:;.!?–-]*\b(?:as|in|into|please|pls|plz|thanks|thank you|thx|cheers)?[\s,:;.!?–-]*$")
_POSSESSIVE = r"(?:its|his|her|their)"
# "Ada Quist: its founder, its nose", "Ada Quist by its founding year and its budget".
_BEFORE = any_case(
    rf"^(?P<about>[^:]+?)\s*(?:[:,–-]\s*|\b(?:by|with|including|giving)\s+|\s)(?P<list>{_POSSESSIVE} .+)$"
)
_TITLED = any_case(r"^(?P<about>[^:,]+?)\s*:\s*(?P<list>.+)$")
_BRACKETS = re.compile(r"^(?P<about>[^()]+?)\s*\((?P<list>[^()]+,[^()]+)\)\W*$")
_WHOSE = re.compile(r"^(?:the )?(?P<about>[^,:]*[A-Z][^,:]*?)(?:['’]s|(?<=s)['’]) (?P<list>.+)$")
_SEPARATOR = re.compile(
    r"\s*,\s*(?:and\s+|plus\s+)?|\s+\+\s+|\s+(?:and|plus|as well as|along with|together with)\s+",
    re.IGNORECASE,
)
_DETERMINER = any_case(rf"^(?:(?:the|an?|also|both|of|{_POSSESSIVE}|each|our|your)\b\s*)+")
# "Informations of the Zorbax: who leads it, ..."
_ALL_ABOUT = any_case(
    r"^(?:some |all )?(?:informations?|infos?|details?|data|facts|everything|one|all)(?: (?:you have|you know))? (?:of|about|on|for) "
)
_OF = any_case(r"\s+(?:of|for|about|at)\s+(?:the |our |your )?")
_ASKS = any_case(r"^(?:who|what|when|where|which|how|why|whose|whom|is|are|does|do|did|can|if|whether)\b")
# "First key should be called dog" is not the name of a key.
_FORM_WORD = any_case(r"\b(?:keys?|fields?|called|named|should|entries|entry)\b")
_MAX_PARTS, _MAX_PART_WORDS, _MAX_FRAGMENT_WORDS = 6, 9, 6
# "The same", and pronouns for earlier items.
_REFERS = any_case(r"\b(?:the same|both|those two)\b|^(?:that|this|it|these|one pair\b.*)$")
# Only a reference to an earlier turn: "Could you send that as JSON?"
_POINTS = any_case(r"(?:(?:that|this|it|them|these|those|all|both|one|so|back|over|me|us|valid|only)\b\W*)*")


def json_request(text: str) -> tuple[str, tuple[str, ...]]:
    """The question of a message that wants JSON, and its keys."""
    if (code := code_keys.read(text)) is not None:
        return code.asked, code.keys
    asked = without_remarks(text)
    keys = keys_in(asked)
    counted = _COUNTED.search(asked)
    fewer = counted is not None and len(keys) < _COUNTS.get(counted["count"].lower(), 0)
    if SHAPE.search(asked) or (keys and not fewer):
        return asked, keys
    said, parts = listed(asked)
    return (said, parts) if len(parts) > len(keys) else (asked, keys)


def without_remarks(text: str) -> str:
    """A message without the remarks that are only about the form of the object."""
    text = _BULLET.sub(
        ", ", _FIRST_BULLET.sub(": ", _SETTING.sub(" json ", _IN_PARENTHESES.sub(" json ", text)))
    )
    parts = [part for part in SENTENCES.split(text) if re.search(r"\w", part)]
    kept = [part for part in parts if not _REMARK.search(part) or "{" in part or IDENTIFIER.search(part)]
    said = " ".join(kept) if kept and len(kept) < len(parts) else text
    said = _NULL_NOTE.sub("", said)
    head, comma, last = said.rpartition(",")
    said = head if comma and _REMARK.search(last) and not _HAS_KEY.search(last) else said
    return _FORM_ASIDE.sub("", _STYLE.sub("", said))


def without_wish(text: str) -> str:
    """The question of a message without request words and its request for JSON. Empty if it asks for nothing else."""
    said = _without_orders(_COUNTED.sub(" ", _JSON_WISH.sub(" ", text)))
    return "" if _POINTS.fullmatch(said) else said


def _joined_fragments(text: str) -> str:
    """A message of short sentences, joined to a list: "Zorbax. Boats a year. Year of foundation." """
    parts = [part.strip(" .") for part in text.split(". ") if part.strip(" .")]
    short = all(len(part.split()) <= _MAX_FRAGMENT_WORDS and not _ASKS.match(part) for part in parts)
    return f"{parts[0]}: {', '.join(parts[1:])}" if len(parts) > 2 and short and ":" not in text else text


def _without_orders(text: str) -> str:
    said = " ".join(_NEEDS.sub("", text.strip()).split()).replace(" ,", ",").replace(" :", ":")
    return _TAIL.sub("", _ORDER.sub("", said)).strip()


def listed(text: str) -> tuple[str, tuple[str, ...]]:
    """The message rewritten with keys for the parts of its list, and these keys."""
    said = _COUNTED.sub(" ", _JSON_WISH.sub(" ", text)).strip()
    form = False
    if led := _FOR.match(said):
        form = led["about"] is not None
        said = f"{led['about'] or led['of']}: {led['list'] or led['rest']}"
    said = _joined_fragments(_without_orders(said))
    about = ""
    if led := _BRACKETS.match(said) or _BEFORE.match(said) or _TITLED.match(said) or _WHOSE.match(said):
        about, said = _DETERMINER.sub("", _ALL_ABOUT.sub("", led["about"].strip(" ,"))), led["list"]
    parts = [part for one in _SEPARATOR.split(said) if (part := _DETERMINER.sub("", one.strip(" .,;:!?")))]
    if not 1 <= len(parts) <= _MAX_PARTS or _ASKS.match(about or parts[0]) or any(map(_REFERS.search, parts)):
        return text, ()
    if (
        (not about or form)
        and sum(bool(_OF.search(part)) for part in parts) == 1
        and (of := _OF.search(parts[-1]))
    ):
        about, parts[-1] = parts[-1][of.end() :], parts[-1][: of.start()]
    unclear = any(len(part.split()) > _MAX_PART_WORDS or _FORM_WORD.search(part) for part in parts)
    if unclear or (len(parts) == 1 and not about):
        return text, ()
    keys = tuple(dict.fromkeys(key for part in parts if (key := "_".join(re.findall(r"\w+", part.lower())))))
    return f"JSON with the keys {', '.join(keys)}" + (f" for {about}" if about else ""), keys
