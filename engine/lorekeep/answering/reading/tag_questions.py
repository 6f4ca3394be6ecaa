"""Tag questions: "The bridge is higher than 20 m, isnt it", "It takes an hour, I believe?", "He is a native of Skellan, or so I've read.
Right?" The statements become "Is it true that ...?" """

import re

from lorekeep.answering.reading.negation import without_negation
from lorekeep.answering.reading.standalone import WH
from lorekeep.routing.words import any_case

_WHO = r"(?:it|he|she|they|that|this|there|we|you|i|one)"
_AUX = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|wo|ca|should|must|may|might|am|ai)"
_SO = r"(?:so|right|true|correct|the case|accurate)"
_I = r"(?:i|we)(?:['’](?:ve|m|d)| have| am| was| had)?"
# Tags after a statement, with or without a comma, and words that are tags only after a comma or as a sentence.
_TAG = any_case(
    rf"[\s,.;:–-]+(?:(?:and|but|or)\s+)?(?:{_AUX}(?:n['’]?t)\s{_WHO}|{_AUX}\s(?:it|he|she|they)(?:\snot)?"
    rf"|(?:is|isn['’]?t|was|wasn['’]?t) (?:that|this|it)(?: not)? {_SO}|(?:is|are) (?:he|she|they) {_SO}"
    rf"|(?:do|does|did) (?:he|she|they|i|we) (?:have|get|got) (?:that|it|this) (?:right|correctly)"
    rf"|am i (?:right|correct)(?: about that)?|are we (?:right|correct)|(?:have i|did i) (?:got|get|misunderstood|misunderstand)(?: (?:that|it|this|something))?(?: (?:right|wrong))?"
    rf"|or so {_I} (?:read|heard|hear|told|think|thought|believe|understood)|or so (?:my|the|our) [\w'-]+ (?:says?|said|claims?|told me)|or so (?:they|people|everyone|everybody|he|she) (?:says?|said|claims?|tells? me|told me|thinks?)"
    rf"|{_I} (?:guess|believe|suppose|think|thought|assume|presume|reckon|imagine|gather|take it|hear|heard|read|told|hope|understand|understood)(?: so)?"
    rf"|right|correct|true|innit)\s*[?!.]*\s*$"
)
# "It isn't free, is it?" asks for the affirmative statement.
_AUXILIARY_TAG = any_case(rf"(?<![\s,.;:–-])[\s,.;:–-]+(?:or\s+)?{_AUX}\s(?P<who>{_WHO})\s*[?!.]*\s*$")
# "You won't charge me, will you?" has a tag, and "I can't find it, can you?" has none.
_NEGATED_AUXILIARY = any_case(rf"\b(?P<who>you|we|i|there)\s{_AUX}(?:n['’]?t|\snot)\b")
_COMMA_TAG = any_case(r"\s*[,.;:–-]+\s*(?:yes|yeah|yep|no|nah|eh|huh|ok|okay|or|or not|or what)\s*\?+\s*$")
_SENTENCES = re.compile(r"(?<=[.!?;])(?<!\b[DM][rs]\.)(?<!\b(?:Mrs|Rev)\.)(?<!\bSt\.)(?<!\bProf\.)\s+")
# Words that begin a question or an order.
_ASKS = any_case(
    rf"^\W*(?:(?:and|but|so|ok|okay|or|then|well|please)\W+)*(?:(?:in |on |at |to |for |from |by )?{WH}\b|{_AUX}(?:n['’]?t)?\s|(?:tell|give|show|list|name|explain|say|write)\b|i (?:want|need|would like)\b|i['’]d like\b)"
)
_LEADS = any_case(r"^\W*(?:(?:so|and|but|ok|okay|hm+|oh|wait|well|hi|hello|hey)\W+)+")
_MIN_WORDS, _ENDS = 3, " .,;!"


def without_tag(text: str, heard: re.Pattern[str]) -> str | None:
    """The statement at the end of a message as a question for its truth, after the sentences before it and without its source (`heard`)."""
    before, said = "", text.strip()
    sentences = _SENTENCES.split(said)
    if len(sentences) > 1:
        # "..., or so I've read. Right?": the tag is a sentence of its own.
        last = 2 if len(sentences[-1].split()) <= 6 and _is_tag(sentences[-1]) else 1
        before, said = " ".join(sentences[:-last]), " ".join(sentences[-last:])
    stated = _without_tags(said)
    if stated == said.strip(_ENDS) or len(stated.split()) < _MIN_WORDS or "?" in stated:
        return None
    stated = heard.sub("", _LEADS.sub("", stated))
    if _ASKS.match(stated):
        return None
    if _AUXILIARY_TAG.search(said):
        stated = without_negation(stated) or stated
    return f"{before} Is it true that {stated}?".strip()


def _is_tag(sentence: str) -> bool:
    return _without_tags(f", {sentence}").strip(" ,") == ""


def _without_tags(text: str) -> str:
    for _ in range(3):
        shorter = _COMMA_TAG.sub("", _TAG.sub("", text))
        denies, back = _NEGATED_AUXILIARY.search(shorter), _AUXILIARY_TAG.search(shorter)
        if denies and back and denies["who"].lower() == back["who"].lower():
            shorter = shorter[: back.start()]
        if shorter == text:
            break
        text = shorter
    return text.strip(_ENDS)
