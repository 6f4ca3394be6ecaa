"""Parses the last message of a request: the question, and the requested form of the answer. Forms are recognised in English
only; in other languages every request is plain."""

import re
from dataclasses import dataclass
from typing import Literal

from lorekeep.answering.objects.json_keys import describes_object
from lorekeep.answering.objects.json_request import json_request
from lorekeep.answering.reading.sentence_form import without_sentence
from lorekeep.answering.reading.tag_questions import without_tag
from lorekeep.routing.instructions import WRITE, instruction_of
from lorekeep.routing.words import any_case

Form = Literal["plain", "yes or no", "sentence", "json", "other"]
# Maximum characters and sentences of a question; longer messages hold a text to work on.
_MAX_LENGTH, _MAX_SENTENCES = 500, 6


_SPLIT = re.compile(r"(?<=[.!?;])\s+|\n+")
_ORDERS = any_case(
    r"^\W*(?:and |but )?(?:please |kindly )?(?:answer|reply|respond|say|use|write|keep|return|output|format|put|give|be|make|state|phrase|limit"
    r"|only|just|do not|don't|no|in|as|with)\b"
)
_OF_FORM = any_case(
    r"\b(?:sentences?|words?|yes|no|json|format|form|brief|briefly|short|concise|concisely|explanations?|else|keys?|fields?|only|answers?|lines?|list)\b"
)
# Forms, and the words that request them, which are removed from the question.
_YES_NO = any_case(
    r"[,:(\s]*\b(?:(?:please )?(?:answer|reply|respond|say|tell me|just|simply|only|with)[\s,:]+)*(?:with )?(?:a (?:simple |plain )?)?(?:yes or no|yes/no|true or false)\b(?: only| answer)?[):]*"
)
# "Make a list of the heads" is not a request to write a text.
_A_LIST = any_case(
    r"^\W*(?:please )?(?:make|give|write|draw up|put together|compile)(?: me)? (?:a|the) (?:short |complete |full )?list of (?=(?:the|our|your|all|both)\b)"
)
# "Tell me who leads it." as part of a request for a form.
_TELL_ME = any_case(
    r"^\W*(?:pls |please )?(?:(?:tell|remind|inform)(?: [\w'-]+){1,4}?|say|explain(?: to [\w'-]+(?: [\w'-]+){0,3}?)?|describe|let me know|sum up)\s+(?=(?:who|what|when|where|which|how|why)\b)"
)
# A question about JSON as a topic, not a request for JSON: "How much is the JSON export?"
_ABOUT_JSON = any_case(
    r"^(?:what|which|why|how|where|when|who|does|do|is|are|will)\b(?:(?!\b(?:json|keys?|fields?)\b)[^.!?\n{}])*(?<![,:;] )"
    r"\bjson (?:exports?|imports?|files?|apis?|feeds?|endpoints?|parsers?|schemas?|dumps?|payloads?|support|editors?|logs?)\b"
    r"[^.!?\n{}]*\?\s*$"
)
_JSON = any_case(
    r"\bjson(?:\b|_)|\bobject with (?:\w+ )?(?:keys?|fields?|properties|attributes)\b|\b(?:array|list) of objects\b"
)
_OTHER = any_case(
    r"\bin (?:french|german|spanish|italian|dutch|portuguese|polish|russian|chinese|japanese|korean|arabic|turkish|hindi|latin|rhymes?|verse|capitals|capital letters|upper ?case|bullet points|a table|markdown|html|xml|yaml)\b"
    r"|\b(?:as (?:a|an) (?:poem|haiku|table|tweet|joke|story|letter|e-?mail))\b|\blike a \w+\b|\bin (?:two|three|four|five|\d+) (?:sentences|paragraphs)\b"
)
_BRIEF = any_case(
    r"[,(\s]*\b(?:(?:please )?(?:answer|reply|respond)[\s,:]+)?(?:briefly|concisely|in (?:a few|few|one|two|three|1|2|3|a couple of) words?|in short|as briefly as (?:you can|possible))\b[):,]*"
)
# Labels of a text in the message, which the base reads.
_TEXT_LABEL = re.compile(
    r"^\W*(?:context|text|facts?|documents?|passages?|article|source|excerpt|notes?|background|information|given|input)\s*:"
    r"|\b(?:have|here is|following|this)(?: an?| the| my)? (?:context|text|passage|article|excerpt|document)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_LEADING = any_case(
    r"^\W*(?:(?:hi|hello|hey|ok|okay|well|please|thanks|thank you|good (?:morning|day|afternoon|evening))\b[\s,.!:;]*)+"
)


# "I heard that ... Is that so?"
_CONFIRMATION_TAG = any_case(
    r"(?:[.;,!]|\s[-–])\s+(?:and |so )?(?:(?:can|could) you (?:please )?(?:verify|confirm|check) (?:that|this|it)|(?:does|do) (?:this|that|it|these) (?:agree|match|fit)(?: with [\w' ]{1,30})?|is (?:that|this|it) (?:so|right|correct|true|accurate|the case)|are (?:they|these|those) (?:right|correct|true|accurate)|(?<=\.\s)(?:true|correct|right|is it))\s*\?+\s*$"
)
# "Please confirm: the clinic is free."
_PLEASE_CONFIRM = any_case(
    r"^\W*(?:(?:hi|hello|please|pls|kindly|so|and|(?:can|could|would|will) you)\W+)*(?:confirm|verify)(?: (?:for me|to me))?(?:\s+that\b\s*|\s*[:,-]\s*)(?=\w)"
)
# "The clinic doesn't cost anything, right?"
_COSTS_NOTHING = any_case(
    r"\bcosts? (?:me |us |you )?nothing\b|\b(?:does|do)(?:n['’]?t| not) cost (?:me |us |you )?(?:anything|a thing|a penny|a cent)\b"
)
_HEARD = any_case(
    r"^\W*(?:i (?:have |['’]ve )?(?:heard|read|think|thought|believe|assume|was told)|(?:my|our|the) [\w -]{1,24}? (?:says?|said|claims?|thinks?|told me|tells? me)"
    r"|some(?:one|body) (?:says|said|told me)|they say|people say|apparently)(?: that)?,?\s+"
)
# "Am I right that ...?", "Can one say that ...?", "Do I understand correctly that ...?"
_ASKS_CONFIRMATION = any_case(
    r"^\W*(?:(?:so|and|but|ok|okay|hi|hello|hey|well|just to be sure|just checking|please|sorry)\W+)*(?:"
    r"(?:am i|are we) (?:right|correct)(?:,? (?:in (?:thinking|saying|assuming|believing|understanding)|to (?:think|say|assume|believe)|if i (?:say|think|assume)|when i (?:say|think|assume)))?"
    r"|(?:can|could|may|would) (?:one|i|we|you) (?:rightly |really |safely )?(?:say|state|claim|assume|confirm|agree)"
    r"|(?:is|would) it (?:be )?(?:right|correct|true|fair|accurate|a fact|the case)(?: to (?:say|assume|claim))?"
    r"|(?:do|did|have) (?:i|we) (?:understand|understood|remember|get|got|see|hear|heard|read)(?: (?:it|this|that))?,? (?:correctly|right|rightly)"
    r"|(?:do|would) you (?:agree|confirm)|does it hold|is my (?:understanding|assumption|information) (?:right|correct)"
    r")(?:\s+that\b|\s*[,:-])\s*(?=\w)"
    r"|^\W*(?:(?:so|and|hi|hello|please)\W+)*(?:i (?:was |am |['’]m )?(?:wonder(?:ing)?|curious)|(?:i|we)(?: would|['’]d)? (?:like|want|need) to know|(?:can|could|would) you (?:please )?(?:tell me|check|confirm|say|verify|find out)|do you know|any idea) (?:whether|if) (?=(?:the|it|my|our)\b|[A-Z])"
    r"|^\W*(?:so\W+)?(?:would|do) you (?:say|think)(?: that)? (?=(?:the|my|our|it|he|she|they|there)\b|[A-Z])"
    r"|^\W*(?:so\W+)?(?:am i|are we) (?:right|correct) (?:(?:in thinking|in saying|to think|to say|to assume)\s+)?(?=(?:the|my|our)\b|[A-Z])"
)
# "The house that sits in a warehouse, its name?", "I look for the team whose cars are blue. How is it called?"
_ASKS_NAME = any_case(
    r"^\W*(?:(?:i(?:['’]?m| am)? (?:look|looking|search|searching) for|find|name|there(?:['’]s| is)) )?(?:the|a|an|this|that|one) (?P<noun>[\w-]+(?: [\w-]+){0,2}?) (?P<joins>that|which|who|whose|known|famous|named|built|made|located|based|painted|run|owned|led|founded|opened) (?P<said>[^?]+?)"
    r"\s*[,.;:–-]+\s*(?:and )?(?:(?:what(?:['’]?s| is) |can you tell me |tell me )?(?:its|his|her|their|the) (?:name|title)|(?:how|what)(?: (?:is|are|was))? (?:it|he|she|they|that)(?: (?:is|are|was))? (?:called|named)|(?:who|which|what)(?: one)? (?:is|was) (?:it|he|she|that|this))(?: again| please| pls)?\W*$"
)
# "And saturdays?"
_WEEKDAY = any_case(
    r"^(\W*(?:(?:and|or|what about|how about|also|ok)\b\W*)*)(?:the )?((?:mon|tues|wednes|thurs|fri|satur|sun)day)s?(\W*)$"
)
# "I need two things: ...", "Do you know which ...?"
_QUESTION_COUNT = any_case(
    r"^\W*(?:(?:i|we) (?:need|have|want)|i['’]d like|tell me|give me|just)?(?: to know)? ?(?:two|three|2|3|a few|a couple of|some|these|the following) (?:quick |short |small )?(?:things|questions|facts|details)\b[^:.?!]{0,24}[:.!]\s+"
)
_DO_YOU_KNOW = any_case(
    r"^\W*(?:do you (?:happen to )?know|(?:do you have )?any idea|can anyone tell me|may i ask|i (?:wonder|was wondering)|(?:i|we)(?:['’]d| would) (?:like|love) to know|(?:i|we) (?:want|need) to know)\s+(?=(?:in |on |at |by |from )?(?:who|what|which|when|where|how|whose|whom)\b)"
)
_SALUTATION = any_case(r",?\s*\bdear (?:sirs?(?: or madam)?|madam|all|team|colleagues?)\b\s*,?")
_WHOEVER = any_case(r"\bwho(?:m)?ever\b")


@dataclass(frozen=True)
class Request:
    text: str  # the last message as sent
    asked: str  # the message without instructions on the form
    form: Form = "plain"
    keys: tuple[str, ...] = ()  # keys of the JSON that the message describes
    bare: bool = True  # whether it is a question alone, without a text to answer from or to write
    writes: bool = False  # whether it wants a text written and brings none


def read(text: str, before: list[str]) -> Request:
    """`before` holds the other messages, including the system message."""
    text = text.strip()
    said = _A_LIST.sub("List ", text)
    brings = brings_text(text, before)
    # A long text is not searched for its form.
    instruction = None if brings else instruction_of(without_sentence(said) or said)
    if brings or not text or (instruction is not None and not wants_json(text)):
        return Request(text, text, bare=False, writes=instruction == WRITE and not brings)
    form, asked, keys = _form(_SALUTATION.sub(" ", said).strip())
    asked = _LEADING.sub("", asked).strip() or text
    sentences = [one for one in _SPLIT.split(asked) if re.search(r"\w", one)]
    return Request(text, asked, form, keys, len(sentences) <= _MAX_SENTENCES)


def brings_text(text: str, before: list[str]) -> bool:
    """Whether a message, or one before it, holds a text to work on."""
    return any(_TEXT_LABEL.search(one) for one in (text, *before)) or len(text) > _MAX_LENGTH


def _form(text: str) -> tuple[Form, str, tuple[str, ...]]:
    if wants_json(text):
        return "json", *json_request(text)
    form: Form = "other" if _OTHER.search(text) else "plain"
    sentence = without_sentence(text)
    if sentence is not None:
        form = "sentence"
    if _YES_NO.search(text):
        form = "yes or no"
    asked = text if sentence is None else sentence
    for pattern in (_YES_NO, _BRIEF):
        asked = pattern.sub(" ", asked)
    kept = [one for one in _SPLIT.split(asked) if not _only_form(one)]
    asked = re.sub(r"\s+([,.?!;:])", r"\1", re.sub(r"\s+", " ", " ".join(kept))).strip(" ,:;-")
    asked = re.sub(r"([?!])[.,]+", r"\1", asked)
    asked = _DO_YOU_KNOW.sub("", _QUESTION_COUNT.sub("", asked)) or asked
    asked = _WHOEVER.sub(
        "the person who", _COSTS_NOTHING.sub("is free", _as_question(_WEEKDAY.sub(r"\1on \2\3", asked)))
    )
    return form, asked if form == "plain" else _TELL_ME.sub("", asked), ()


def _as_question(text: str) -> str:
    """Rewrites a description with a request for its name, or a statement with a request for confirmation, as one question: "I heard
    that it costs 9 euros. Is that so?", "Am I right that it costs 9 euros?" """
    if described := _ASKS_NAME.match(text):
        noun, joins, said = described.group("noun", "joins", "said")
        joined = {"whose": "’s", "that": "", "which": "", "who": ""}.get(joins.lower(), f" is {joins}")
        return f"Which {noun}{joined} {said}?"
    if led := _ASKS_CONFIRMATION.match(text):
        return f"Is it true that {text[led.end() :].strip(' .,;!?')}?"
    if (led := _PLEASE_CONFIRM.match(text)) and "?" not in text.rstrip(" ?"):
        return f"Is it true that {text[led.end() :].strip(' .,;!?')}?"
    stated = _CONFIRMATION_TAG.sub("", text)
    if stated == text or not re.search(r"\w", stated) or "?" in stated:
        return without_tag(text, _HEARD) or text
    return (
        without_tag(f"{stated}, right?", _HEARD)
        or f"Is it true that {_HEARD.sub('', stated).strip(' .,;!')}?"
    )


def wants_json(text: str) -> bool:
    return (bool(_JSON.search(text)) and not _ABOUT_JSON.search(text)) or describes_object(text)


def _only_form(sentence: str) -> bool:
    """Whether a sentence is only an instruction on the form: "Answer with the name only." """
    if not re.search(r"\w", sentence):
        return True
    return (
        "?" not in sentence
        and len(sentence.split()) <= 14
        and _ORDERS.search(sentence) is not None
        and _OF_FORM.search(sentence) is not None
    )
