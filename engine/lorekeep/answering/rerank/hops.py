"""Two-hop answers: the first fact resolves a description in the question, the second answers what is asked about it: "What does the
partner for farms drink?" Each second fact is scored against the question followed by the answer of the first."""

from lorekeep.answering.decision import Decision
from lorekeep.answering.judge import Judge
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.networks.cross_encoder import with_lead_answer
from lorekeep.answering.reading import standalone
from lorekeep.answering.rerank.reranker import RankedFact, Reranker, likeness_of
from lorekeep.answering.word_match import KINDS, WordMatch, roots
from lorekeep.routing.abbreviations.compare import abbreviations_differ

# Maximum numbers of first facts, and of second facts for each first one.
_MAX_LEADING, _MAX_LED = 6, 6
# Minimum logit of the second fact alone, if the first one is about a name of the question.
_MIN_ALONE_LOGIT = -2.0
# Logits of the second fact behind the first, and of the first alone, from which the two need no further check of a hop.
_SURE_LED_LOGIT, _SURE_LEAD_LOGIT = 5.0, -5.0
# Maximum numbers of names of a question, and of first facts about these names and with them as answers.
_MAX_NAMES, _MAX_OF_NAMES = 2, 4
# Minimum logit of the second fact, weight of the first fact's logit in the score, and minimum score: a first fact unrelated to the question
# leads nowhere.
_MIN_LED_LOGIT, _LEAD_WEIGHT, _MIN_SCORE = 2.0, 0.2, 2.0


# Minimum number of words of a question that both facts of a hop lack and another fact has.
_MIN_LACKED = 1


def two_hop_answer(
    question: str, judge: Judge, reranker: Reranker, for_kind: bool = False
) -> RankedFact | None:
    """The second fact, and the first one that leads to it. `for_kind`: only where the second alone tells the kind of thing that the
    question names."""
    near = reranker.nearest(question, 2 * _MAX_LEADING, judge, for_all=False)
    alone = sorted(reranker.read(question, near, judge), reverse=True)
    # "Who taught Ben?" is not answered by Ben.
    named = set(judge.knowledge.facts_by_answer(question))
    of_names = _of_names(question, judge, reranker)
    leading = dict.fromkeys([*alone[:_MAX_LEADING], *reranker.read(question, of_names, judge)])
    ways: list[tuple[float, int, str, list[int]]] = []
    for logit, lead in leading:
        # "The call sign of Ada's ship": the fact about the commander of the ship leads to the ship.
        answer = judge.knowledge.subject(lead) if lead in named else judge.router.entries[lead].output
        led = [fact for fact in _led(question, lead, judge, reranker) if fact not in named]
        ways.append((logit, lead, with_lead_answer(question, answer), led))
    reranker.read_ahead([(behind, fact) for *_, behind, led in ways for fact in led], judge)
    best: tuple[float, float, int, int] | None = None
    for logit, lead, behind, led in ways:
        for further, fact in reranker.read(behind, led, judge):
            surely = further >= _SURE_LED_LOGIT and logit >= _SURE_LEAD_LOGIT
            if (
                lead in of_names
                and not surely
                and not (logit >= _MIN_LED_LOGIT and _gives_kind(question, lead, fact, judge))
                and not _is_hop(question, fact, judge, reranker)
            ):
                continue
            entry = judge.router.entries[fact]
            if abbreviations_differ(question, entry.input, entry.output):
                continue  # "Who is the CTO?" does not lead to the CEO
            if _is_of_another(question, lead, fact, judge):
                continue  # "The extension of the sales team" does not lead over the managing director
            scored = further + _LEAD_WEIGHT * logit, further, lead, fact
            if (best is None or scored > best) and not reranker.lacks_name(
                question, [lead, fact], common=True
            ):
                best = scored
    if best is None or best[0] < _MIN_SCORE or best[1] < _MIN_LED_LOGIT:
        return None
    _, further, lead, fact = best
    if (for_kind or further < max(alone, default=(0.0, 0))[0]) and not _gives_kind(
        question, lead, fact, judge
    ):
        return None
    return RankedFact(fact, likeness_of(further), lead)


def _of_names(question: str, judge: Judge, reranker: Reranker) -> list[int]:
    """Facts about the names of a question whose answers name another subject, and facts with these names as answers."""
    knowledge = judge.knowledge
    names = [name for name in knowledge.subjects(question) if name != knowledge.home][:_MAX_NAMES]
    about = [fact for name in names for fact in knowledge.about(name)]
    leading = [
        fact for fact in about if len(knowledge.subjects_in_answer(judge.router.entries[fact].output)) == 1
    ]
    facts = [
        *reranker.most_similar(question, leading, _MAX_OF_NAMES),
        *knowledge.facts_by_answer(question)[:_MAX_OF_NAMES],
    ]
    return [fact for fact in dict.fromkeys(facts) if judge.usable(fact)]


def _is_hop(question: str, fact: int, judge: Judge, reranker: Reranker) -> bool:
    """Whether a question asks for the second fact, and has a word besides its names that this fact lacks: "the call sign of Ada's
    ship". A question without such a word asks the same of another subject."""
    if any(logit < _MIN_ALONE_LOGIT for logit, _ in reranker.read(question, [fact], judge)):
        return False
    entry, knowledge = judge.router.entries[fact], judge.knowledge
    names = roots(" ".join(knowledge.subjects(question)))
    return bool(roots(question) - names - roots(f"{entry.input} {entry.output}") - KINDS)


def _gives_kind(question: str, lead: int, fact: int, judge: Judge) -> bool:
    """Whether the second fact alone tells the kind of thing that a question names: "In which town is the ship moored?" """
    first, second = (judge.router.entries[one].input for one in (lead, fact))
    return standalone.same_kind(question, second) and not standalone.same_kind(question, first)


def _is_of_another(question: str, lead: int, fact: int, judge: Judge) -> bool:
    """Whether another fact asks about something that a question names, and that both facts of a hop lack."""
    match, entries = WordMatch(judge), judge.router.entries
    own = roots(" ".join(f"{entries[one].input} {entries[one].output}" for one in (lead, fact)))
    lacks = {word for word in match.telling(question, "") if not match.holds(own, word)} - KINDS
    if len(lacks) < _MIN_LACKED:
        return False
    postings = judge.taught_words.postings
    return any(set(postings.get(word, ())) for word in lacks) and bool(
        set.intersection(*(set(postings.get(word, ())) for word in lacks)) - {lead, fact}
    )


def _led(question: str, lead: int, judge: Judge, reranker: Reranker) -> list[int]:
    """Facts about the answer of the first fact, and about its subject; the nearest to the question."""
    knowledge, entry, router = judge.knowledge, judge.router.entries[lead], judge.router
    own = knowledge.subject(lead)
    names = [*knowledge.subjects_in_answer(entry.output), *([own] if own and own != knowledge.home else [])]
    led = {fact for name in names for fact in knowledge.about(name)}
    usable = [fact for fact in sorted(led - {lead}) if judge.usable(fact) and fact not in router.languages]
    return reranker.most_similar(question, usable, _MAX_LED)


def repeats_relation(best: Decision, asked: str, knowledge: Knowledge) -> bool:
    """Whether the second fact of a two-hop search has the relation that the question asks for: "on which street", "how many plots"."""
    last = knowledge.entries[best.facts[-1]] if best.way == "hops" else None
    return last is not None and best.text == last.output and standalone.same_kind(asked, last.input)
