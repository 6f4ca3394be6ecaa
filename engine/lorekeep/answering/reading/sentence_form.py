"""Recognises a request for an answer in a sentence, and removes it from the question."""

import re

from lorekeep.routing.words import any_case

_MANNER = (
    r"(?:\w+ly|short|single|full|complete|whole|brief|plain|simple|propp?er|english|grammatical|polite|cheerful|nice|warm|clear|formal|casual"
    r"|welcoming|professional|kind|real|actual|normal|good|tidy|readable)"
)
# Maximum words of manner before "sentence". Without a bound, "friendly-friendly-..." takes quadratic time.
_MAX_MANNERS = 6
_ONE = rf"(?:(?:exactly |just |only )?(?:an?|one|1)(?:[ -]{_MANNER}){{0,{_MAX_MANNERS}}}|{_MANNER}(?:[ -]{_MANNER}){{0,{_MAX_MANNERS}}})[ -]sent[ea]nces?\b"
_SAY = r"(?:write(?: out| down)?|give|say|state|compose|form|make|tell|draft|produce|build|formulate)"
_PLEASE = r"(?:please|pls|plz|thanks|only|will do|is enough)"
_ASKS = r"(?:who|what|when|where|which|how|why|whose|whom|that|from which|until when)"


_SOMEBODY = r"(?: [\w'-]+){1,3}?"
_SAYING = (
    rf"(?:telling|informing|reminding|letting|showing|(?:that|which) (?:tells|informs|reminds)){_SOMEBODY}(?: know)?(?= {_ASKS}\b| the\b)"
    r"|(?:that|which) (?:says|states|tells(?: me| us)?|answers|explains|names|gives|mentions|contains)|saying|stating|naming|giving|mentioning|telling(?: me| us)?(?= \w+ )"
    rf"|(?:to|for){_SOMEBODY} (?:saying|stating|explaining)|about|on|with|of|out of(?: this)?"
)
# "In one sentence", with the instruction before it.
_IN_ONE = any_case(
    r"[,(\s]*\b(?:(?:please |kindly )?(?:answer|reply|respond|formulated?|written|worded|phrased|write|say it|put it|(?:write|give|make|phrase) it(?: out| down)?|(?:i|we) (?:need|want) it|tell me|state)[\s,:]+)?"
    rf"(?:with|in|into|as|using|use) {_ONE}(?: with (?:a )?subject and (?:a )?verb| (?:that |which )?(?:i|we) (?:can|could|may) [^,.:?!]{{1,40}}?(?=[,.:?!]|$))?[):,]*(?: {_PLEASE}\b[:,]?)?"
    rf"|(?<=[.!?])\s+(?:just |only )?(?:an?|one|1)(?: {_MANNER}){{0,{_MAX_MANNERS}}} sentence(?:,? {_PLEASE})?[.!]*\s*$"
    rf"|\s*[,(–-]\s*(?:just |only |as |in )?{_ONE}(?:,? {_PLEASE})?[.!)]*\s*$"
)
# "I'd like one sentence for our brochure that says ..."
_ONE_THAT = any_case(
    rf"^\W*(?:please |pls )?(?:for [^,.:?!]{{1,30}}?,? )?(?:(?:(?:i|we)(?:['’]?d| would)? )?(?:like|love|want|need) |{_SAY}(?: me| us?)? )?(?:just )?{_ONE}(?: only| answer)?"
    rf"(?:,? {_PLEASE}\b)?(?: for [\w' -]{{1,40}}?(?= (?:{_SAYING})\b| {_PLEASE}\b|[,:]))?(?:,? {_PLEASE}\b)?(?:,? (?:that |which )?(?:i|we) (?:can|could|may) [^,.:?!]{{1,40}}?(?= (?:{_SAYING})\b|[,:]))?"
    rf"(?:,? (?:{_SAYING})(?:\s*[:,–-]+\s*|\s+)|\s*[:,–-]+\s+|\s+(?={_ASKS}\b))"
)
# "Put ... into one sentence."
_PUT = any_case(
    rf"^\W*(?:please |pls )?(?:put|turn|express|phrase|wrap|state|sum up|summari[sz]e|formulate)\s+(?!it\b)(?=.*\b(?:in|into|as|using|with) {_ONE})"
)
# "Full-sentence answer wanted.", "Not just the name, a full sentence."
_SENTENCE_REQUEST = any_case(rf"\b{_ONE}")
_ASKED = any_case(rf"\?|\b{_ASKS}\b(?! i\b)")
# The rest of a request for a sentence: "... that names the camera", "..., not a bare name".
_REQUEST_REST = any_case(r"^\W*(?:(?:that|which|with|not|please|pls|so|for|it['’]?s|and not)\b[^?]*)?$")
_NO_NAME = any_case(r"^\W*(?:please |pls )?(?:don['’]?t|do not|not) (?:just|only)\b[^?]*$")
# "Not just keywords, write a proper sentence: who ...?"
_NOT_JUST = any_case(
    rf"^\W*(?:please |pls )?(?:don['’]?t|do not|not) (?:just|only)\b[^?,:.]{{1,40}}?,? (?:but )?(?=(?:{_SAY} )?(?:me )?{_ONE})"
)
# "Could you state, in sentence form, ...?", "..., formulate it as sentence".
_FORM = any_case(
    r"[,(\s]*\b(?:(?:in )?sentence form|(?:please |pls )?(?:formulate|phrase|write|put|say|word) (?:it|this|that) as sentence)\b[,)]*(?: please\b)?"
)
# "..., dont answer with two words only, write a sentence", "... (sentence, not only a number)"
_LAST_CLAUSE = any_case(
    rf"\s*[,;(–-]\s*(?:and )?(?:please |pls )?(?:(?:don['’]?t|do not|not) (?:just |only )?(?:answer|reply|respond|write|give|say|tell)\b[^,;.?!()]*[,;]\s*(?:but )?)?(?:(?:please |pls )?{_SAY}(?: me)? |(?:i|we) (?:need|want) )?(?:an? |one )?(?:{_MANNER} )?sent[ea]nce\b(?: please| pls)?(?:,? (?:and )?(?:not|no)\b[^,;.?!()]*)?[.!?)]*\s*$"
)
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")


def without_sentence(text: str) -> str | None:
    """The question of a message that requests a sentence. None if it does not request one."""
    if (rest := _FORM.sub(" ", text)) != text:
        return " ".join(rest.split())
    if not _SENTENCE_REQUEST.search(text):
        return _before_last(text)
    parts = [part for part in _SENTENCES.split(text) if re.search(r"\w", part)]
    asked = [_of_part(part, alone=len(parts) == 1) for part in parts]
    if asked == parts:
        return _before_last(text)
    return " ".join(one for one in asked if one and not _NO_NAME.match(one)) or text


def _before_last(text: str) -> str | None:
    """The question before a last clause that requests a sentence."""
    rest = _LAST_CLAUSE.sub("", text)
    return rest if rest != text else None


def _of_part(part: str, alone: bool) -> str:
    """The question in one sentence of a message, without the request for a sentence; empty if it has only the request."""
    rest = _IN_ONE.sub(" ", _ONE_THAT.sub("", _PUT.sub("", _NOT_JUST.sub("", part))))
    wishes = _SENTENCE_REQUEST.search(rest) and not _ASKED.search(rest)
    if not alone and (wishes or (rest != part and _REQUEST_REST.match(rest))):
        return ""
    return rest.strip(" ,:;–-")
