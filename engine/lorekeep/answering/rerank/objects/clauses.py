"""An object by the clauses of a message without keys, each of which asks about a subject that the message names: "JSON about the Zorbax.
He wants to have in there who built it and when." """

import re

from lorekeep.answering.compose import Composed
from lorekeep.answering.judge import Judge
from lorekeep.answering.objects.fields import build_object
from lorekeep.answering.objects.json_request import without_remarks
from lorekeep.answering.objects.other_readings import as_object, keys_of
from lorekeep.answering.reading.request import Request
from lorekeep.answering.rerank.combiner import EACH, Combiner
from lorekeep.answering.word_match import roots
from lorekeep.routing.words import any_case

# Separators of the clauses of a message.
_CLAUSE_BREAK = re.compile(
    r"[,.;:!?()\n]+\s*|\s+[-–—+/&]\s+|\s+(?:and|plus|n|also|as well as|together with|with|containing|including|that has|need|wants?|know|tell me)\s+|\s+(?=(?:who|whom|whose|when|where|what|which|how|by who|by whom|in which|in what|since when)\b)",
    re.IGNORECASE,
)
_WH = any_case(r"\b(?:who|whom|when|where|how|what year|which year)\b")
# Filler words, which ask for nothing.
_FILLER_ROOTS = frozenset(
    roots(
        "stuff info information details data json thing object key field record want need value values website form list array please give send best wishes regards"
    )
)
# Minimum logits of a fact for a clause that shares a word with facts about the subject, for another with a question word, and for the rest.
_MIN_SHARED_LOGIT, _MIN_ASKED_LOGIT, _MIN_OTHER_LOGIT = 2.0, 4.0, 6.0
# Maximum numbers of clauses and facts that are read, and of subjects.
_MAX_CLAUSES, _MAX_READ, _MAX_NAMES = 16, 24, 4


def object_by_clauses(request: Request, combiner: Combiner) -> Composed | None:
    """An object of at least two facts that answer clauses of a message."""
    knowledge, said = combiner.judge.knowledge, without_remarks(request.text)
    names = knowledge.subjects(said)
    if not 1 <= len(names) <= _MAX_NAMES:
        return None
    clauses = _clauses(said, names, combiner.judge)
    if len(names) > 1 and EACH.search(said):
        return _of_each(names, [clause for _, clause in clauses], request, combiner)
    found: list[int] = []
    for name, clause in clauses:
        fact = _answer(name, clause, combiner)
        if fact is not None and fact not in found:
            found.append(fact)
    return as_object("two in one", found, "", request.text, knowledge) if len(found) > 1 else None


def _clauses(said: str, names: list[str], judge: Judge) -> list[tuple[str, str]]:
    """The clauses that ask something, each with its subject. "By whom" continues the clause before it."""
    found: list[tuple[str, str]] = []
    name = names[0]
    for clause in _CLAUSE_BREAK.split(said)[:_MAX_CLAUSES]:
        name = next(iter(judge.knowledge.subjects(clause)), name)
        bare = " ".join(re.sub(re.escape(name), " ", clause, flags=re.IGNORECASE).split())
        if not roots(bare) and _WH.search(bare) and found:
            bare = f"{_WH.sub('', found[-1][1])} {bare}"
        if roots(bare) - _FILLER_ROOTS:
            found.append((name, bare))
    return found


def _of_each(names: list[str], clauses: list[str], request: Request, combiner: Combiner) -> Composed | None:
    """The same clauses asked of each name."""
    knowledge = combiner.judge.knowledge
    made: dict[str, dict[str, str]] = {}
    facts: list[int] = []
    for name in names:
        read = [fact for clause in clauses if (fact := _answer(name, clause, combiner)) is not None]
        own = list(dict.fromkeys(read))
        outputs = [knowledge.entries[fact].output for fact in own]
        made[name] = dict(zip(keys_of(own, knowledge), outputs, strict=True))
        facts += own
    if not all(made.values()):
        return None
    single = all(len(own) == 1 for own in made.values())
    values = {name: next(iter(own.values())) for name, own in made.items()} if single else made
    return Composed("json", tuple(facts), build_object(values), 0.9, request.asked)


def _answer(name: str, clause: str, combiner: Combiner) -> int | None:
    """The fact about a name that answers a clause."""
    judge = combiner.judge
    own = [fact for fact in judge.knowledge.about(name)[:_MAX_READ] if judge.usable(fact)]
    known = {word for fact in own for word in roots(judge.router.entries[fact].input)} - roots(name)
    logit, fact = max(combiner.reranker.read(f"{name} {clause}", own, judge), default=(0.0, -1))
    shares = roots(clause) & (known - _FILLER_ROOTS)
    least = _MIN_SHARED_LOGIT if shares else _MIN_ASKED_LOGIT if _WH.search(clause) else _MIN_OTHER_LOGIT
    return fact if logit >= least else None
