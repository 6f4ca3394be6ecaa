"""Finds the name that a memory as a whole is about, such as the organisation whose handbook was taught. People
leave it out where they mean it: "Who is the CFO?", "How much does the Pro plan cost?"."""

from collections import Counter, defaultdict
from collections.abc import Sequence

# Facts about the name alone, how many times as many as about any other, and the share of all facts that name it.
_ALONE, _TIMES, _SHARE = 4, 2, 0.25
# Words of one name stand together in so many of its facts.
_TOGETHER = 0.7


def home_of(names: Sequence[dict[str, int]]) -> frozenset[str]:
    """The words of that name; none where several subjects share the memory. `names` holds those of each fact."""
    count: Counter[str] = Counter()
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    named = [fact.keys() for fact in names if fact]
    for fact in named:
        for word in fact:
            count[word] += 1
            beside[word].update(fact - {word})
    alone: Counter[frozenset[str]] = Counter()
    for fact in named:
        whole = {
            frozenset([word, *(other for other, n in beside[word].items() if n >= _TOGETHER * count[word])])
            for word in fact
        }
        # A fact with two names is about neither alone.
        if len(whole) == 1 or all(fact <= group for group in whole):
            alone[min(whole, key=lambda group: (len(group), sorted(group)))] += 1
    ranked = alone.most_common(2)
    if not ranked or ranked[0][1] < _ALONE or (len(ranked) > 1 and ranked[0][1] < _TIMES * ranked[1][1]):
        return frozenset()
    home, facts = ranked[0]
    total = min(count[word] for word in home)
    # It stands beside other subjects, too: "the Fennlark Pro plan", "When did Haldrick acquire Norrflow?"
    return home if facts < total and total >= _SHARE * len(named) else frozenset()
