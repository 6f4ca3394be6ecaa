"""Resolves a person that a question describes: "What extension has the orchestra manager?" Several facts give extensions, each of a person
whom the question does not name; another fact names the orchestra manager."""

from collections import defaultdict

from lorekeep.answering.judge import Judge
from lorekeep.answering.networks.cross_encoder import with_lead_answer
from lorekeep.answering.rerank.reranker import RankedFact, Reranker, likeness_of
from lorekeep.answering.word_match import COMMON, KINDS, roots
from lorekeep.routing.words import STRONG

# Minimum number of words of a description (or all) in the fact that identifies the person, and minimum logit of the fact that answers.
_MIN_SHARED_WORDS, _MIN_LOGIT = 2, 0.0
# Maximum number of facts read about the described person.
_MAX_READ = 12


def resolve_description(
    question: str, found: RankedFact, judge: Judge, reranker: Reranker
) -> RankedFact | None:
    """The fact about the described person; `found` where the question describes nobody; None where it describes another person about
    whom no fact answers it."""
    knowledge, entries = judge.knowledge, judge.router.entries
    subject, asked = knowledge.subject(found.fact), roots(question)
    if found.through is not None or not _is_name(found.fact, judge) or roots(subject) & asked:
        return found
    if knowledge.subjects(question) or knowledge.facts_by_answer(question):
        return found  # it names a person
    described = asked - roots(entries[found.fact].input) - KINDS
    lead, shared = _lead(described, found.fact, judge)
    if lead is None or len(shared) < min(_MIN_SHARED_WORDS, len(described)):
        return found
    names = [
        *knowledge.subjects_in_answer(entries[lead].output),
        *([knowledge.subject(lead)] if _is_name(lead, judge) else []),
    ]
    if not names or subject in names:
        return found
    about = {fact for name in names for fact in knowledge.about(name)} - {lead}
    facts = reranker.most_similar(question, [fact for fact in sorted(about) if judge.usable(fact)], _MAX_READ)
    read = reranker.read(with_lead_answer(question, entries[lead].output), facts, judge)
    logit, fact = max(read, default=(_MIN_LOGIT - 1, lead))
    return RankedFact(fact, likeness_of(logit), lead) if logit >= _MIN_LOGIT else None


def _is_name(fact: int, judge: Judge) -> bool:
    knowledge = judge.knowledge
    name = knowledge.subject(fact)
    return bool(name) and name != knowledge.home and STRONG in knowledge.names[fact].values()


def _lead(described: set[str], found: int, judge: Judge) -> tuple[int | None, set[str]]:
    """The fact that shares the rarest words with a description, and these words."""
    taught = judge.taught_words
    score, shared = defaultdict[int, float](float), defaultdict[int, set[str]](set)
    for word in described:
        facts = {*taught.postings.get(word, ()), *taught.answers.get(word, ())}
        for fact in facts if len(facts) <= COMMON else ():
            if judge.usable(fact) and fact != found:
                score[fact] += 1 / len(facts)
                shared[fact].add(word)
    best = max(score, key=lambda fact: (score[fact], -fact), default=None)
    return best, shared[best] if best is not None else set()
