"""Relation that a question asks for: the question without its names, and the similarity of two relations. The
matrix of relation.safetensors transforms their vectors, so that paraphrases come close and different
relations in similar words do not. bench/memory/fit_relation.py fits it."""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from lorekeep.routing.abbreviations.known import spelled_out
from lorekeep.routing.embedders.unit import unit
from lorekeep.routing.words import without_names, words

FILE = Path(__file__).parent / "relation.safetensors"
# Adjustment of the similarity if both ask "who", or one asks "who" and the other "where"
# (docs/experiments/2026-11-21-memory-tuning-shipped-base.md).
ALIKE = 0.1
_MATRIX_D_D = load_file(FILE)["matrix"].astype(np.float32)


def relation_text(text: str, named) -> str:
    """The question without its names and with abbreviations spelled out; its vector is stored under this text."""
    return spelled_out(" ".join(without_names(text, named).split()))


# Synonyms of actions: the words of a line mean the same, and a word may be in several lines. Two questions for a
# person, a time or a reason without a common line ask for different things, however similar their vectors are.
_RELATIONS: dict[str, set[int]] = {}
for _line, _said in enumerate(
    """
founded founds founder founders founding cofounder cofounded co-founder establish established establishing started begun created launched incorporated inception set_up origin origins beginnings began starting brought_into_being brought_to_life
designed design designs designer designers designing drew drafted created devised architect styled planned came_up_with
develop developed develops developer developers developing programmed programmer coded built created made wrote engineered came_up_with
invent invented invents inventor inventors inventing discover discovered discovers discoverer devised created came_up_with
sold sells sell selling seller sellers vendor vendors disposed
bought buys buy buyer buyers purchased purchaser acquire acquired acquires acquirer acquisition took_over taken_over
owns own owned owner owners owning ownership proprietor proprietors proprietress landlord landlady belong belongs belonged possesses bought buys buy buyer buyers purchased purchaser acquire acquired acquires acquirer acquisition took_over taken_over
leads lead led leader leading head heads headed heading runs run running manages managed manager managers managing managerial boss bosses chief chair chairs chairman chairwoman chairperson president ceo director directors directs directed oversees supervisor supervises principal rector mayor governs governor captain helm commands looks_after look_after looked_after in_charge responsible heads_up
manufactures manufactured manufacturer manufacturers makes made make maker makers produces produced producer builds built builder constructed constructs constructor assembled makers launched launches started began begun
writes wrote written write author authors authored penned pens writer writers drafted
paints painted painter painters
illustrate illustrates illustrated illustrator illustrators drew drawn
publish publishes published publisher publishers publishing publication printed
translate translates translated translator translators translation
compose composes composed composer composers wrote_the_music score
photographed photographs photographer photographers
funds funded funder finances financed financier finance pays paid pay payer payers paying sponsors sponsored sponsor sponsorship invested invests investor investors backed backer backers bankrolled bankrolls
insure insures insured insurer insurers insurance insurances
audits audited auditor auditors auditing
repairs repaired repairer fixes fixed mends mended maintains maintained maintenance services serviced
cleans cleaned cleaner cleaners cleaning
teach teaches taught teaching teacher teachers trains trained trainer instructor instructors instructs
married marries spouse husband wife wed
hired hires recruited recruits recruiter
fired fires dismissed sacked
signed signs signatory signatories
rents rented tenant tenants leases leased lessee
won wins winner winners victor
advises advised adviser advisor advisers advisors consults
photocopied copied
demolished destroyed destroys tore_down torn_down
killed murdered assassinated
stole stolen robbed thief
inherited inherits heir
donated donates donor gave_away
nominated nominates
appointed appoints elected elects chose
edited edits editor
narrated narrates narrator voiced voices
reviewed reviews reviewer criticised criticized
sued sues
decorated decorates decorator
restored restored renovated renovates renovation
inspected inspects inspector
certified certifies certifier
supplied supplies supplier suppliers delivered delivers
opened opens inaugurated
closed closes shut shuts
renamed renames
guards guarded guard keeps kept keep keeping keeper keepers
keeps kept keep keeping keeper keepers looks_after look_after looked_after takes_care_of taken_care_of cares_for custodian caretaker manages managed manager runs run
feeds fed
visited visits
coached coaches coach
""".strip().splitlines()
):
    for _word in _said.split():
        _RELATIONS.setdefault(_word.replace("_", " "), set()).add(_line)
_PHRASES = tuple(word for word in _RELATIONS if " " in word)
_SOLD_TO = re.compile(
    r"\bwhom? (?:was|were|is|are|did|has|have)\b.*\b(?:sold|sell)\b.*\bto\W*$|\bto whom\b.*\b(?:sold|sell)\b"
)
_AGENT = re.compile(
    r"\b(?:which|what) (?:company|firm|person|people|man|woman|organi[sz]ation|group|team|individual|business)\b|\bby whom\b"
)


def relation_lines() -> dict[str, set[int]]:
    """The lines of synonyms that each action is in."""
    return _RELATIONS


def relations(ask: str) -> tuple[str | None, frozenset[int]]:
    """The kind of thing that a question asks for; for a person, a time or a reason, also the lines of its
    actions."""
    low = ask.lower()
    # Sentences before the question are context.
    low = next(
        (part for part in re.split(r"(?<=[.;!?])\s+", low) if asks_for(part) or _AGENT.search(part)), low
    )
    kind = "who" if _AGENT.search(low) else asks_for(low)
    if kind not in ("who", "when", "why"):
        return kind, frozenset()
    if _SOLD_TO.search(low):
        return kind, frozenset(_RELATIONS["bought"])
    return kind, actions(low)


def actions(text: str) -> frozenset[int]:
    """The synonym lines of the actions in a text."""
    said = [word.plain for word in words(text)]
    joined = " ".join(said)
    found = [_RELATIONS[word] for word in said if word in _RELATIONS]
    found += [_RELATIONS[phrase] for phrase in _PHRASES if phrase in joined]
    return frozenset().union(*found)


def relations_differ(ask: str, taught: str, named: bool) -> bool:
    """Whether two questions name relations that never agree: who sold it is not who designed it. Without a
    name that proves a common subject, only questions for a person are compared."""
    kind, mine = relations(ask)
    its_kind, its = relations(taught)
    if not mine or not its or mine & its or kind != its_kind:
        return False
    return kind == "who" or (named and not _is_trade(mine, its))


_PERSON = re.compile(
    r"\W*(?:(?:and|so|but|please|hi|tell me|do you know|i wonder|by|to|from|with|of|for)\b\W*)*(?:who|whom|whose)\b"
)
_WHO = re.compile(r"\b(?:who|whom|whose)\b")
_NO_PERSON = re.compile(
    r"^\W*when\b|\b(?:which|what) (?:year|date|day|month|week|time|century|decade|hour|colou?r)\b"
    r"|\bhow (?:many|much|long|old|far|tall|often|big|large|high|fast|wide|deep|heavy)\b"
)
# "What is the name of the telescope of it?" asks for the name of a thing, or of an actor.
_NAME_OF = re.compile(
    r"\bnames? of (?:the |its |a |this |that |our |their )?(?:\w+'s )?((?:[a-z-]+ ){0,2}?[a-z-]+)"
    r"(?= (?:of|in|at|on|for|from|that|which|it)\b|\W*$)"
    r"|^\W*what (?:is|was|are) (?:the |its )?((?:[a-z-]+ ){0,2}?[a-z-]+) (?:of it )?(?:called|named)\b"
)
_ACTOR = re.compile(
    r"(?:er|or|ist|ian|ant|ent|man|woman|men|ess|people|person|one|chief|head|boss|nurse|chef|cook|clerk|guide|judge|coach"
    r"|groom|contact|host|ward|spouse|wife|friend|son|champion|pilot|mate|king|queen|pope|star|vet|aide|guard|lead"
    r"|firm|company|club|team|group|agency|bank|business|charity|school|union|office|studio|band|family|couple)s?$"
)


def kinds_differ(ask: str, taught: str) -> bool:
    """Whether one question asks for a person, and the other for a time, a count, a measure, a colour or the
    name of a thing: who visited it is not the year in which it was founded."""
    for one, other in ((ask.lower(), taught.lower()), (taught.lower(), ask.lower())):
        if not _PERSON.match(one) or _NO_PERSON.search(one) or _WHO.search(other) or _AGENT.search(other):
            continue
        if _NO_PERSON.search(other) or _names_a_thing(other, one):
            return True
    return _nouns_differ(ask, taught)


# Nouns after "which" or "what" by the kind of thing that they ask for.
_NOUN_KINDS = {
    noun: kind
    for kind, nouns in {
        "place": "city town village country region state county street square district continent",
        "firm": "company firm organisation organization business manufacturer supplier brand bank agency",
        "time": "year date day month weekday century decade",
    }.items()
    for noun in nouns.split()
}
_ASKED_NOUN = re.compile(r"\b(?:which|what) (?:other |exact )?([a-z]+)")
_WORD_KINDS = {"who": "person", "whom": "person", "whose": "person", "when": "time", "why": "reason"}
# "Who owns it?" and "Which company owns it?" may have the same answer. "Where" may ask for a firm as well as for a city.
_COMPATIBLE_KINDS = {"person", "firm"}


def _nouns_differ(ask: str, taught: str) -> bool:
    """Whether two questions ask for things of different kinds: the company that somebody works for is not the city."""
    mine, its = _asked_kind(ask.lower()), _asked_kind(taught.lower())
    return bool(mine and its) and mine != its and {mine, its} != _COMPATIBLE_KINDS


def _asked_kind(low: str) -> str | None:
    found = _ASKED_NOUN.search(low)
    if found and found[1] in _NOUN_KINDS:
        return _NOUN_KINDS[found[1]]
    first = next((word.plain for word in words(low) if word.plain in _WORD_KINDS), None)
    return _WORD_KINDS.get(first or "")


def _names_a_thing(text: str, asked: str) -> bool:
    """Whether a question asks for the name of a thing that a "who" question does not mention."""
    found = _NAME_OF.search(text)
    if found is None or not actions(asked) or actions(text):
        return False
    noun = (found[1] or found[2]).split()[-1]
    return not _ACTOR.search(noun) and noun not in asked


_MEANING = re.compile(r"\bmeans?\b|\bmeaning\b|\bstands? for\b", re.IGNORECASE)
_ASKS_FOR_HELP = re.compile(
    r"\bmean\w*\b|\bany idea\b|\bwhat(?:['’]?s| is)(?: it|(?: gone)? wrong| going on| up| happening| that| this)\b"
    r"|\bwhy\b|\bwhat(?: do i do)? now\b|\bhelp\b|\btell(?:s|ing)? (?:me|us|you)\b|\b(?:indicat|signal)\w*\b"
    r"|\bwhat (?:should|must|can|do|does) (?:\w+ ){1,3}do\b",
    re.IGNORECASE,
)
_ONLY_A_CODE = re.compile(r"\W*it\W*")


def is_of_meaning(taught: str) -> bool:
    """Whether a taught question asks what something means."""
    return _MEANING.search(taught) is not None


def asks_meaning(ask: str, taught: str, names: Iterable[str]) -> bool:
    """Whether a question about a code wants to know what it means, if that was taught: "ERR_5031??", "I get ERR_5031, why?" """
    if _ONLY_A_CODE.fullmatch(ask):
        return True
    coded = any(c.isdigit() for word in names for c in word)
    return coded and is_of_meaning(taught) and _ASKS_FOR_HELP.search(ask) is not None


def _is_trade(mine: frozenset[int], its: frozenset[int]) -> bool:
    """Whether two actions are one event, such as selling and buying, so that their times are equal."""
    trade = _RELATIONS["sold"] | _RELATIONS["bought"]
    return bool(mine & trade and its & trade)


_MEASURES = ("many", "much", "long", "old", "far", "tall", "often", "big", "large", "high", "fast")


def asks_for(text: str) -> str | None:
    """The kind of thing that a question asks for (who, when, where, why, how many ...), or None without such a word."""
    said = [word.plain for word in words(text)]
    for word, after in zip(said, [*said[1:], ""][: len(said)], strict=True):
        if word in ("who", "whom", "whose"):
            return "who"
        if word in ("when", "where", "why"):
            return word
        if word == "how":
            return f"how {after}" if after in _MEASURES else "how"
    return None


def project(vectors: np.ndarray, matrix_D_D: np.ndarray = _MATRIX_D_D) -> np.ndarray:
    """Transforms vectors by the matrix. Vectors of other embedding models stay unchanged."""
    if vectors.shape[-1] != len(matrix_D_D):
        return vectors
    return unit(vectors + vectors @ matrix_D_D)
