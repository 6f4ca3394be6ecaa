"""Answers over two facts that are read: one answers what a question describes, and the other what it asks about that: "What does the
partner for farms drink?" Each second fact is read beside the question with the first one's answer behind it."""

from lorekeep.answering.decision import Decision
from lorekeep.answering.judge import Judge
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.networks.cross_encoder import with_lead_answer
from lorekeep.answering.reading import standalone
from lorekeep.answering.rerank.reranker import RankedFact, Reranker, likeness_of
from lorekeep.answering.word_match import KINDS, roots
from lorekeep.routing.abbreviations.compare import abbreviations_differ

# Facts that may lead on, and facts that one leads to.
_LEADING, _LED = 6, 6
# The logit of the second fact alone, from which a question about a name asks for it.
_ASKS_FOR = -2.0
# The logits of the second fact behind the first one, and of that one alone, from which they are two facts whatever the question says.
_SURELY_LED, _LEADS = 5.0, -5.0
# Names of a question, and facts about them and answered by them that may lead on.
_NAMES, _OF_NAMES = 2, 4
# The logit that the second fact needs, the share of the first fact's logit that counts, and what both together need: a fact that has
# nothing to do with a question leads nowhere.
_ANSWERS, _OF_FIRST, _BOTH = 2.0, 0.2, 2.0


def two_hop_answer(question: str, judge: Judge, reranker: Reranker) -> RankedFact | None:
    near = reranker.nearest(question, 2 * _LEADING, judge, for_all=False)
    alone = sorted(reranker.read(question, near, judge), reverse=True)
    # "Who taught Ben?" is not answered by Ben.
    named = set(judge.knowledge.facts_by_answer(question))
    of_names = _of_names(question, judge, reranker)
    leading = dict.fromkeys([*alone[:_LEADING], *reranker.read(question, of_names, judge)])
    ways: list[tuple[float, int, str, list[int]]] = []
    for logit, lead in leading:
        # "The call sign of Ada's ship": the fact that says who commands the ship leads to the ship.
        answer = judge.knowledge.subject(lead) if lead in named else judge.router.entries[lead].output
        led = [fact for fact in _led(question, lead, judge, reranker) if fact not in named]
        ways.append((logit, lead, with_lead_answer(question, answer), led))
    reranker.read_ahead([(behind, fact) for *_, behind, led in ways for fact in led], judge)
    best: tuple[float, float, int, int] | None = None
    for logit, lead, behind, led in ways:
        for further, fact in reranker.read(behind, led, judge):
            surely = further >= _SURELY_LED and logit >= _LEADS
            if lead in of_names and not surely and not _is_hop(question, fact, judge, reranker):
                continue
            entry = judge.router.entries[fact]
            if abbreviations_differ(question, entry.input, entry.output):
                continue  # "Who is the CTO?" does not lead to the CEO
            scored = further + _OF_FIRST * logit, further, lead, fact
            if (best is None or scored > best) and not reranker.lacks_name(question, [lead, fact]):
                best = scored
    if best is None or best[0] < _BOTH or best[1] < max(_ANSWERS, max(alone, default=(0.0, 0))[0]):
        return None
    _, further, lead, fact = best
    return RankedFact(fact, likeness_of(further), lead)


def _of_names(question: str, judge: Judge, reranker: Reranker) -> list[int]:
    """Facts about the names of a question that lead to others, and facts that these names answer."""
    knowledge = judge.knowledge
    names = [name for name in knowledge.subjects(question) if name != knowledge.home][:_NAMES]
    about = [fact for name in names for fact in knowledge.about(name)]
    leading = [
        fact for fact in about if len(knowledge.subjects_in_answer(judge.router.entries[fact].output)) == 1
    ]
    facts = [
        *reranker.most_similar(question, leading, _OF_NAMES),
        *knowledge.facts_by_answer(question)[:_OF_NAMES],
    ]
    return [fact for fact in dict.fromkeys(facts) if judge.usable(fact)]


def _is_hop(question: str, fact: int, judge: Judge, reranker: Reranker) -> bool:
    """Whether a question asks for what the second fact tells, and has a word beside its names that this fact does not have: "the call
    sign of Ada's ship". One without such a word asks the same of something else."""
    if any(logit < _ASKS_FOR for logit, _ in reranker.read(question, [fact], judge)):
        return False
    entry, knowledge = judge.router.entries[fact], judge.knowledge
    names = roots(" ".join(knowledge.subjects(question)))
    return bool(roots(question) - names - roots(f"{entry.input} {entry.output}") - KINDS)


def _led(question: str, lead: int, judge: Judge, reranker: Reranker) -> list[int]:
    """Facts about what a fact answers, and about the same as that fact; the nearest to the question."""
    knowledge, entry, router = judge.knowledge, judge.router.entries[lead], judge.router
    own = knowledge.subject(lead)
    names = [*knowledge.subjects_in_answer(entry.output), *([own] if own and own != knowledge.home else [])]
    led = {fact for name in names for fact in knowledge.about(name)}
    usable = [fact for fact in sorted(led - {lead}) if judge.usable(fact) and fact not in router.languages]
    return reranker.most_similar(question, usable, _LED)


def repeats_relation(best: Decision, asked: str, knowledge: Knowledge) -> bool:
    """Whether a search over two facts ends with the answer of one that was asked for the same: "on which street", "how many plots"."""
    last = knowledge.entries[best.facts[-1]] if best.way == "hops" else None
    return last is not None and best.text == last.output and standalone.same_kind(asked, last.input)
