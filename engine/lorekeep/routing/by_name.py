"""Index of facts with names, searched by name. A question must contain the name words of a fact, and no other
name in it may contradict the fact. The question without its names selects among the facts of one subject."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice

from lorekeep.routing import question_kind
from lorekeep.routing.memory_subject import main_subject_words, organisation_of
from lorekeep.routing.synonyms.groups import everyday_words, lemma
from lorekeep.routing.typos import deletions, is_typo, may_be_typo
from lorekeep.routing.words import STOP, STRONG, TITLES, Vocabulary, words

# Maximum facts of a name word, besides those of rarer words and alone; postings of more common words are skipped.
_MAX_FACTS, _MAX_FIRST_FACTS = 500, 2000
# Maximum facts that are searched for the organisation that they are about.
_MAX_SEARCHED_FACTS = 5_000
# Minimum likeness of the question if the name is partial or has a typo.
_MIN_LIKENESS = 0.5
# Margin of likeness by which a fact of a whole name may be below one of a partial name.
_LIKENESS_MARGIN = 0.4
# Minimum characters of a code.
_MIN_CODE_LENGTH = 4
# Minimum letters of a common word that may stand for the name that it is part of.
_MIN_WORD_LENGTH = 5
# Strength of a word that may be a name in lower case: it contradicts only a doubtful match.
_UNCERTAIN = 1.5


@dataclass
class Hit:
    fact: int
    cover: float  # share of the fact's name words in the question
    slipped: int  # number of them with a typo
    likeness: float = 0.0  # likeness of the relation


@dataclass
class NameIndex:
    """Index of facts by name. `names` holds the name words of each fact with their strength; a fact without
    name words is not indexed."""

    vocabulary: Vocabulary
    names: list[dict[str, int]]
    answers: list[str]
    questions: list[str]
    postings: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    strong: set[str] = field(default_factory=set)
    near: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    home: frozenset[str] = frozenset()
    asked: set[str] = field(default_factory=set)  # words of the facts' questions that name no fact
    # Names of each fact that a question about it must contain.
    required: list[dict[str, int]] = field(default_factory=list)

    def __post_init__(self):
        self.home = main_subject_words(self.names) or self._organisation()
        for fact, named in enumerate(self.names):
            for word, strength in named.items():
                self.postings[word].append(fact)
                if strength == STRONG:
                    self.strong.add(word)
        self.asked = {
            word.plain for question in self.questions for word in words(question)
        } - self.postings.keys()
        self.required = [self._required(named) for named in self.names]
        for word in self.postings:
            if may_be_typo(word):
                for shorter in deletions(word):
                    self.near[shorter].add(word)

    def _organisation(self) -> frozenset[str]:
        """The name words of the organisation that the facts are about."""
        subjects = (
            (" ".join(word.plain for word in words(question) if word.plain in named), question)
            for question, named in zip(self.questions, self.names, strict=True)
            if named
        )
        return frozenset(organisation_of(islice(subjects, _MAX_SEARCHED_FACTS)).split())

    def names_without_home(self, named: dict[str, int]) -> dict[str, int]:
        """The names of a fact without the main subject of the memory, unless there are no others. A single word of the main
        subject belongs to another name: the Heather Line is not the Skarrow Line."""
        if not self.home <= named.keys():
            return named
        return {word: strength for word, strength in named.items() if word not in self.home} or named

    def _required(self, named: dict[str, int]) -> dict[str, int]:
        """The names that distinguish a subject from all others: without the main subject of the memory, and without common
        words that a name always has beside it, such as "Hospital" of the Quenby Hospital."""
        own = self.names_without_home(named)
        # A code identifies its device alone: "LK-204" of the Lokra 9.
        for word in sorted(own, key=lambda word: len(self.postings[word])):
            if is_code(word) and all(named == self.names[fact] for fact in self.postings[word][:_MAX_FACTS]):
                return {word: own[word]}
        strong = {word: strength for word, strength in own.items() if strength == STRONG}
        common = own.keys() - strong.keys()
        if not strong or not common:
            return own
        rarest = min(strong, key=lambda word: len(self.postings[word]))
        same = self.postings[rarest][:_MAX_FACTS]
        if all(
            common <= self.names[fact].keys() for fact in same if strong.keys() <= self.names[fact].keys()
        ):
            return strong
        return own

    def named_in(self, text: str) -> dict[str, float]:
        """Names in a question, recognised by their form, or in any case as known names of facts."""
        names = self.vocabulary.names(text).items()
        # "Dr Quist" is Ada Quist.
        found: dict[str, float] = {
            word: strength for word, strength in names if word not in TITLES or word in self.postings
        }
        for word in words(text):
            if word.plain in found or word.plain in STOP:
                continue
            if word.plain in self.strong:
                found[word.plain] = STRONG
            elif not self.vocabulary.knows(word.plain) and word.plain not in self.asked:
                found[word.plain] = _UNCERTAIN
        return found

    def corrected_name(self, wrote: str) -> str | None:
        """The known name that a word is a typo of, if there is exactly one."""
        if not may_be_typo(wrote):
            return None
        near = {
            one for shorter in deletions(wrote) for one in self.near.get(shorter, ()) if is_typo(one, wrote)
        }
        return near.pop() if len(near) == 1 else None

    def hits(self, text: str) -> tuple[list[Hit], dict[str, float]]:
        named = self.named_in(text)
        said = words(text)
        present = {word.plain for word in said} & self.postings.keys()
        slipped = {}
        for word in named:
            if word in self.postings:
                continue
            if word.endswith("s") and word[:-1] in self.strong:
                slipped[word] = word[:-1]  # a possessive without its apostrophe
            elif (meant := self.corrected_name(word)) is not None:
                slipped[word] = meant
        wanted = present | set(slipped.values())
        facts: set[int] = set()
        by_rarity = sorted((len(self.postings[word]), word) for word in wanted)
        for count, word in by_rarity:
            if (count > _MAX_FACTS and facts) or (count > _MAX_FIRST_FACTS and word != by_rarity[0][1]):
                break
            facts.update(self.postings[word])
        lower = text == text.lower()
        written = wanted if lower else {word.plain for word in said if word.text[0].isupper()}
        found = (
            self._hit(fact, wanted, present, slipped, named, lower)
            for fact in facts
            if not self.only_words(fact, written)
        )
        kept = [hit for hit in found if hit]
        # A rare word in a taught question is no name: "warranty" is a property although few vocabularies have it.
        asked = {
            word
            for word, strength in named.items()
            if strength == _UNCERTAIN
            and any(
                word not in self.names[hit.fact] and _holds(self.questions[hit.fact], word) for hit in kept
            )
        }
        return kept, {word: strength for word, strength in named.items() if word not in asked}

    def only_words(self, fact: int, written: set[str]) -> bool:
        """Whether a fact's name consists of common words that the question does not write as a name: a clock
        in the tower is not Tower's."""
        return not any(
            strength == STRONG or word in written for word, strength in self.required[fact].items()
        )

    def _hit(self, fact, wanted, present, slipped, named, lower) -> Hit | None:
        mine = self.required[fact]
        cover = len(mine.keys() & wanted) / len(mine)
        used = [word for word, meant in slipped.items() if meant in mine]
        bare = len(mine) == 1 or cover < 1
        if bare and used and not lower and not any(named[word] == STRONG for word in used):
            return None  # a common word alone is not a typo of a name
        if cover < 0.5:
            return None
        if cover < 1 and not any(
            (mine[word] == STRONG and not word.isdigit()) or self._tells(word)
            for word in mine
            if word in wanted
        ):
            return None
        for word, strength in named.items():
            if word in mine or word in used or word in self.home or (cover == 1 and strength == _UNCERTAIN):
                continue
            if _holds(self.questions[fact], word):
                continue
            if not any(c.isdigit() for c in word) and _holds(self.answers[fact], word):
                continue
            return None
        return Hit(fact, cover, len(used))

    def _tells(self, word: str) -> bool:
        """Whether a common word identifies its whole name, since no question has it elsewhere: "ambrose" of the Ambrose
        Gallery."""
        same = self.postings[word][:_MAX_FACTS]
        whole = min((self.names[fact].keys() for fact in same), key=len)
        return (
            len(word) >= _MIN_WORD_LENGTH
            and word not in self.asked
            and lemma(word) not in everyday_words()
            and all(whole <= self.names[fact].keys() for fact in same)
        )

    def prefer_counts(self, hits: list[Hit], question: str, much: float) -> None:
        """Prefers facts that count the same noun as a question to facts that count another one: knots are no cars."""
        noun = question_kind.counted_noun(question)
        if noun is None:
            return
        counting = [
            hit
            for hit in hits
            if question_kind.counts_noun(noun, self.questions[hit.fact], self.answers[hit.fact])
        ]
        for hit in hits if counting else ():
            if hit in counting:
                hit.likeness += much
            elif question_kind.counted_noun(self.questions[hit.fact]):
                hit.likeness -= much

    def choose(self, hits: list[Hit]) -> Hit | None:
        """The best hit, or None if a doubtful name fits several subjects."""
        sure = [hit for hit in hits if (hit.cover == 1 and not hit.slipped) or hit.likeness >= _MIN_LIKENESS]
        if not sure:
            return None
        best = max(hit.likeness for hit in sure)
        if best >= _MIN_LIKENESS:
            # A whole name is not meant alone if none of its facts fits the relation: "the crossing to Saint Orrin".
            sure = [hit for hit in sure if hit.likeness > best - _LIKENESS_MARGIN]
        rank = max(hit.cover - 0.5 * (hit.slipped > 0) for hit in sure)
        sure = [hit for hit in sure if hit.cover - 0.5 * (hit.slipped > 0) >= rank - 1e-6]
        own = {hit.fact: frozenset(self.names_without_home(self.names[hit.fact])) for hit in sure}
        max_words = max(map(len, own.values()))
        sure = [hit for hit in sure if len(own[hit.fact]) == max_words]
        if rank < 1 and len({own[hit.fact] for hit in sure}) > 1:
            return None
        return max(sure, key=lambda hit: (hit.likeness, -hit.fact))


def is_code(word: str) -> bool:
    """Whether a word is a name by itself, since it has letters and digits: "lk-204"."""
    return len(word) >= _MIN_CODE_LENGTH and any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def _holds(text: str, word: str) -> bool:
    # Fast path: most texts do not contain the word at all.
    return word in text.lower().replace("’", "'") and any(said.plain == word for said in words(text))
