"""Follow-ups about the topic of a conversation: the facts about it are scored as if the follow-up named their subject. A follow-up that is
only another name repeats the last question for that name."""

from collections.abc import Iterator, Sequence

from lorekeep.answering.claims.closed_questions import is_closed
from lorekeep.answering.conversation.follow_up import EARLIER, FollowUps, Turn
from lorekeep.answering.decision import Decision
from lorekeep.answering.judge import Judge
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.reading import standalone
from lorekeep.answering.rerank.reranker import RankedFact, Reranker, likeness_of
from lorekeep.answering.word_match import roots
from lorekeep.routing.question_kind import answer_kind, is_of_kind
from lorekeep.routing.words import STRONG

# Maximum numbers of topics of a conversation, of facts read about one topic, and of words of a follow-up.
_MAX_TOPICS, _MAX_ABOUT, _MAX_WORDS = 3, 12, 16
# Minimum logit of a fact that answers, and its margin over all others: two subjects may have facts of the same relation.
_MIN_LOGIT, _MARGIN = 3.0, 2.5
# Minimum likeness of a question about one subject to a taught question.
_MIN_LIKENESS = 0.9


def topic_fact(asked: str, earlier: Sequence[Turn], judge: Judge, reranker: Reranker) -> RankedFact | None:
    """The fact about the topic of a conversation that clearly answers a follow-up."""
    earlier = earlier[-EARLIER:]
    users = [turn.text for turn in earlier if turn.role == "user"]
    if not users or len(asked.split()) > _MAX_WORDS:
        return None
    told = _told(earlier, judge.knowledge)
    # Topics of the last question precede those of earlier questions.
    for meant in _meant(asked, users, earlier, judge.knowledge):
        if (
            len(meant) == 1
            and (alike := judge.router_match(meant[0][1]))
            and alike.passed
            and alike.likeness >= _MIN_LIKENESS
        ):
            return RankedFact(alike.fact, likeness_of(_MIN_LOGIT))
        logits: dict[int, float] = {}
        for name, text in meant:
            about = judge.knowledge.about(name)
            facts = [fact for fact in about if judge.usable(fact) and fact not in told]
            for logit, fact in reranker.read(text, reranker.most_similar(text, facts, _MAX_ABOUT), judge):
                logits[fact] = max(logit, logits.get(fact, logit))
        ranked = sorted(logits, key=lambda fact: (-logits[fact], fact))
        if not ranked or logits[ranked[0]] < _MIN_LOGIT or reranker.lacks_name(asked, ranked[:1]):
            continue
        if len(ranked) == 1 or logits[ranked[0]] >= logits[ranked[1]] + _MARGIN:
            return RankedFact(ranked[0], likeness_of(logits[ranked[0]]))
        return None
    return None


def other_than_told(
    best: Decision, asked: str, earlier: Sequence[Turn], judge: Judge, reranker: Reranker
) -> tuple[RankedFact, str] | None:
    """Another fact, with the question it answers, where a search answered a follow-up with the last answer again: "Her birthplace?"
    after the year of birth."""
    told = next((turn.text for turn in reversed(earlier) if turn.role == "assistant"), None)
    if best.way != "follow-up" or best.outcome != "recite":
        return None
    (fact,) = best.facts
    entry = judge.knowledge.entries[fact]
    for name in judge.knowledge.subjects(entry.input) if entry.output == told else ():
        for meant in [*standalone.with_name_in(asked, name), *standalone.complete_fragment(asked, name)[:1]]:
            found = reranker.find(meant, judge)
            if found is not None and found.fact != fact:
                return found, meant
    return None


def repeats_last_answer(
    best: Decision, asked: str, earlier: Sequence[Turn], judge: Judge, reranker: Reranker
) -> bool:
    """Whether a follow-up that asks something else is answered with the last fact again: "since when?" after the owner."""
    before = next((turn.text for turn in reversed(earlier) if turn.role == "user"), None)
    if best.outcome != "recite" or best.way == "exact" or before is None or is_closed(asked):
        return False
    (fact,) = best.facts
    answer, new = judge.knowledge.entries[fact].output, roots(asked) - roots(before)
    if fact not in _told(earlier, judge.knowledge) or not new or new & roots(answer):
        return False
    # A fact about a name has one value; a passage of a handbook may have several.
    if (
        STRONG in judge.knowledge.names[fact].values()
        and judge.knowledge.subject(fact) != judge.knowledge.home
    ):
        return asks_more(asked, fact, judge, reranker, _MIN_LOGIT)
    return is_of_kind(answer, answer_kind(asked)) is False


def asks_more(asked: str, fact: int, judge: Judge, reranker: Reranker, least: float) -> bool:
    """Whether a follow-up asks something else of the subject than the fact that was just told, whose logit is then below `least`:
    "how many cabins?" after the year."""
    subject = judge.knowledge.subject(fact)
    read = reranker.read(f"{subject} {standalone.without_lead(asked)}", [fact] if subject else [], judge)
    return any(logit < least for logit, _ in read)


def _meant(
    asked: str, users: list[str], earlier: Sequence[Turn], knowledge: Knowledge
) -> Iterator[list[tuple[str, str]]]:
    """Subjects that a follow-up may be about, each with the question about it; subjects of the last question first."""
    names, follow_ups = knowledge.subjects(asked), FollowUps(knowledge)
    if not names:
        for topics in _topics(users, earlier, knowledge):
            yield [(name, text) for name in topics for text in _of_name(asked, users[-1], name)]
    elif follow_ups.only_names(asked) and (meant := follow_ups.of_another(names[0], users)) is not None:
        yield [(names[0], meant)]


def _of_name(asked: str, last: str, name: str) -> list[str]:
    """Questions about a name that a follow-up may ask. A bare question word takes the rest of the last question: "and where?" """
    said = standalone.without_lead(asked)
    rest = standalone.without_wh(last) if name.lower() in last.lower() else ""
    alone = standalone.STARTS_WH.match(said) and not standalone.without_wh(said)
    return [f"{said} {rest}"] if alone and rest else [f"{name} {said}"]


def _topics(users: list[str], earlier: Sequence[Turn], knowledge: Knowledge) -> tuple[list[str], list[str]]:
    """Subjects of the last question and its answer, and those of the questions before."""
    last = [knowledge.subject(fact) for fact in _told(earlier, knowledge)]
    last += [name for text in (users[-1], earlier[-1].text) for name in knowledge.subjects(text)]
    before = [name for text in reversed(users[:-1]) for name in knowledge.subjects(text) if name not in last]
    return _distinct_topics(last), _distinct_topics(before)


def _distinct_topics(names: list[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))[:_MAX_TOPICS]


def _told(earlier: Sequence[Turn], knowledge: Knowledge) -> list[int]:
    """The only fact with the last answer, or none."""
    answer = next((turn.text for turn in reversed(earlier) if turn.role == "assistant"), "")
    found = knowledge.answering.get(answer.strip(), [])
    return found if len(found) == 1 else []
