"""Answers over two facts that are read: one answers what a question describes, and the other what it asks about that: "What does the
partner for farms drink?" Each second fact is read beside the question with the first one's answer behind it."""

from lorekeep.answering.judge import Judge
from lorekeep.answering.rerank.cross_encoder import followed
from lorekeep.answering.rerank.reranker import Found, Reranker, likeness_of

# Facts that may lead on, and facts that one leads to.
_LEADING, _LED = 6, 6
# The logit that the second fact needs, and the share of the first fact's logit that counts.
_ANSWERS, _OF_FIRST = 2.0, 0.2


def through(question: str, judge: Judge, reranker: Reranker) -> Found | None:
    near = reranker.nearest(question, 2 * _LEADING, judge, for_all=False)
    alone = sorted(reranker.read(question, near, judge), reverse=True)
    # "Who taught Ben?" is not answered by Ben.
    named = set(judge.knowledge.answered_with(question))
    best: tuple[float, float, int, int] | None = None
    for logit, lead in alone[:_LEADING]:
        answer = judge.router.entries[lead].output
        led = [fact for fact in _led(question, lead, judge, reranker) if fact not in named]
        for further, fact in reranker.read(followed(question, answer), led, judge):
            scored = further + _OF_FIRST * logit, further, lead, fact
            if (best is None or scored > best) and not reranker.lacks(question, [lead, fact]):
                best = scored
    if best is None or best[1] < max(_ANSWERS, alone[0][0]):
        return None
    _, further, lead, fact = best
    return Found(fact, likeness_of(further), lead)


def _led(question: str, lead: int, judge: Judge, reranker: Reranker) -> list[int]:
    """Facts about what a fact answers, and about the same as that fact; the nearest to the question."""
    knowledge, entry, router = judge.knowledge, judge.router.entries[lead], judge.router
    own = knowledge.subject(lead)
    names = [*knowledge.led_to(entry.output), *([own] if own and own != knowledge.home else [])]
    led = {fact for name in names for fact in knowledge.about(name)}
    usable = [fact for fact in sorted(led - {lead}) if judge.usable(fact) and fact not in router.languages]
    return reranker.liked(question, usable, _LED)
