"""Normalises a question to the words of the facts: capitals, abbreviations, partial names and typos are replaced by the
taught form if only one reading fits. Synonyms are guesses, which must pass the gate like any other question."""

import re
from collections import Counter, defaultdict
from functools import cached_property
from itertools import pairwise
from string import ascii_lowercase

from lorekeep.answering.amounts import amounts, amounts_at, plain_number
from lorekeep.answering.knowledge import Knowledge
from lorekeep.routing.abbreviations.compare import abbreviations
from lorekeep.routing.abbreviations.known import KNOWN
from lorekeep.routing.relation import is_of_meaning, relation_lines
from lorekeep.routing.synonyms.groups import everyday_words, lemma, members, with_taught_synonyms
from lorekeep.routing.words import STOP, STRONG, TITLES, Word, stem, words

_MIN_SHOUTED, _MAX_INITIALS = 3, 4
# Maximum facts whose answers are indexed by word, and maximum length of such an answer.
_MAX_INDEXED_ANSWERS, _MAX_ANSWER_LENGTH = 20_000, 400
# Maximum length of an answer whose amounts a question may write in another way.
_MAX_SHORT_ANSWER = 120
MEANINGS = 48
# Maximum facts scanned per word: for the name that it is part of, and for its use as a common word.
_MAX_NAMED, _MAX_USE = 200, 50
# Maximum letters of the root that the forms of a word share.
_MAX_ROOT_LENGTH = 6
# Minimum letters of a word that may be mistyped, and of its typo.
_MIN_MISTYPED, _MIN_WRITTEN = 5, 4
# Minimum letters of a typo of a common word that is not taught; maximum unknown words of a question with typos.
_MIN_COMMON, _MAX_UNKNOWN = 6, 2
_CONTRACTION = re.compile(r"\b(what|who|where|when|how)['’]?s\b", re.IGNORECASE)
_CLAIMED = re.compile(r"\b(Is it true that )([A-Z][a-z]+)\b")
_PHRASE = re.compile(r"[\w' -]+")


class TaughtWords:
    def __init__(self, knowledge: Knowledge):
        self.knowledge, self.vocabulary = knowledge, knowledge.router.named.vocabulary
        self.words: Counter[str] = Counter()  # number of questions with each word
        # Phrases of the taught questions by their initials: "dpo" of "data protection officer".
        self.initials: dict[str, set[str]] = defaultdict(set)
        # The facts whose questions have each word, without its ending.
        self.postings: dict[str, list[int]] = defaultdict(list)
        # The facts whose answers have each word, for questions that use the words of an answer.
        self.answers: dict[str, list[int]] = defaultdict(list)
        # Facts that say what a code means; more than MEANINGS are not compared with a question.
        self.meanings: list[int] = []
        # How the answers write each amount.
        self.written: dict[tuple[str, float], str] = {}
        self.groups = _GROUPS_OF
        # Built eagerly: lazy work of the first question would reveal its existence to the next account by timing.
        self._index()
        everyday_words()
        self.names = frozenset(map(root, knowledge.router.named.postings))
        for made in ("bases", "stems", "by_length"):
            getattr(self, made)

    def read(self, text: str) -> str:
        """The question in taught words; the text itself if nothing has to be changed."""
        said = [word for word in words(text) if len(word.text) > 1]
        if len(said) >= _MIN_SHOUTED and text == text.upper() and text != text.lower():
            text = text.lower()
        text = _CLAIMED.sub(self._uncapitalised, _CONTRACTION.sub(r"\1 is", text))
        return self._mistyped(
            self._begun_names(self._whole_names(self._owned(self._spelled_out(self._amounts(text)))))
        )

    def _uncapitalised(self, claimed: re.Match[str]) -> str:
        """The first word of a statement, in lower case if it is a common word: within a question its capital would mark a name."""
        plain = claimed[2].lower()
        known = self.vocabulary.knows(plain) or plain in self.words
        name = plain in self.knowledge.router.named.postings or not known
        return claimed[0] if name else f"{claimed[1]}{plain}"

    def synonyms(self, text: str) -> str | None:
        """The question with words unknown to all facts replaced by synonyms that facts have."""
        return with_taught_synonyms(text, self.bases)

    def forms(self, noun: str) -> list[str]:
        """A noun in taught words, and a known synonym of it."""
        said = self.read(noun)
        other = self.synonyms(said)
        return [said] if other is None else [said, other]

    def alike(self, word: str) -> frozenset[str]:
        """Synonyms of a word, all without their endings, that taught questions have."""
        groups = _GROUPS_OF.get(word, frozenset())
        return frozenset(one for group in groups for one in _IN_GROUP[group] if one in self.postings)

    def _has(self, phrase: str) -> bool:
        """Whether taught questions contain all words of a phrase, in any inflection."""
        return all(stem(part) in self.stems for part in phrase.split() if part not in STOP | {"number"})

    @cached_property
    def bases(self) -> frozenset[str]:
        return frozenset(map(lemma, self.words))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(map(stem, self.words))

    def _index(self) -> None:
        """Indexes the taught questions in one pass, since this takes a good part of the load time of a large memory."""
        for fact, entry in enumerate(self.knowledge.entries):
            said = words(entry.input)
            plain = [word.plain for word in said]
            for one in {root(word) for word in plain if word not in STOP}:
                self.postings[one].append(fact)
            if fact < _MAX_INDEXED_ANSWERS and len(entry.output) <= _MAX_SHORT_ANSWER:
                for amount, place in amounts_at(entry.output):
                    if amount.unit:
                        self.written.setdefault(
                            (amount.unit, round(amount.value, 6)), entry.output[place].strip()
                        )
            if fact < _MAX_INDEXED_ANSWERS and len(entry.output) <= _MAX_ANSWER_LENGTH:
                for one in {root(word.plain) for word in words(entry.output) if word.plain not in STOP}:
                    self.answers[one].append(fact)
            if len(self.meanings) <= MEANINGS and self.knowledge.names[fact] and is_of_meaning(entry.input):
                self.meanings.append(fact)
            self.words.update(set(plain))
            self._add_initials(entry.input, said)

    def _add_initials(self, text: str, said: list[Word]) -> None:
        in_names = [word.plain.isalpha() and word.plain not in STOP for word in said]
        for at in range(len(said) - 1):
            for end in range(at + 2, min(at + _MAX_INITIALS, len(said)) + 1):
                if not (in_names[at] and in_names[end - 1]):
                    break
                phrase = text[said[at].start : said[end - 1].end]
                if _PHRASE.fullmatch(phrase):
                    letters = "".join(word.plain[0] for word in said[at:end])
                    self.initials[letters].add(phrase.lower())

    def _spelled_out(self, text: str) -> str:
        for code in sorted(abbreviations(text)):
            if code in self.words or re.search(rf"\d\s*{re.escape(code)}\b", text, re.IGNORECASE):
                continue  # a unit is no abbreviation: "8 TB"
            phrases = self.initials.get(code, set())
            known = KNOWN.get(code, "")
            phrase = known if known in phrases else next(iter(phrases)) if len(phrases) == 1 else ""
            if not phrase and known and self._has(known):
                phrase = known
            if phrase:
                # The letters of "HP-3076" belong to a code.
                text = re.sub(rf"\b{re.escape(code)}\b(?![-_/]?\d)", phrase, text, flags=re.IGNORECASE)
        low = text.lower()
        for code, spelled in KNOWN.items():
            if spelled and spelled in low and code in self.words and not self._has(spelled):
                text = re.sub(rf"\b{re.escape(spelled)}\b", code.upper(), text, flags=re.IGNORECASE)
        return text

    def _amounts(self, text: str) -> str:
        """Amounts as the facts write them: "445 watts" is their "445 W"."""
        for amount, place in reversed(amounts_at(text)):
            taught = self.written.get((amount.unit, round(amount.value, 6)))
            # The number is kept: a night is no 24 hours, and two years are not written as 24 months.
            if not taught or amount.unit == "hour" or taught.lower() == text[place].strip().lower():
                continue
            if plain_number(amount.text) == plain_number(amounts(taught)[0].text):
                text = f"{text[: place.start].rstrip()} {taught}{text[place.stop :]}".strip()
        return text

    def _owned(self, text: str) -> str:
        """Names with an "s" but without its apostrophe: "oswins" means St. Oswin's."""
        postings = self.knowledge.router.named.postings
        for word in reversed(words(text)):
            name = word.plain.removesuffix("s")
            if name == word.plain or name not in postings or word.plain in postings:
                continue
            behind = words(text[word.end :])[:1]
            # "tanners wharf" is Tanner's Wharf, although tanners are people.
            goes_on = behind and all(
                behind[0].plain in self.knowledge.names[fact] for fact in postings[name][:_MAX_NAMED]
            )
            if goes_on or not self.vocabulary.knows(word.plain):
                text = text[: word.end - 1] + "'s" + text[word.end :]
        return text

    def _whole_names(self, text: str) -> str:
        """Partial names: "Tarnbeck" means Tarnbeck Instruments if no other name has the word."""
        named, said = self.knowledge.router.named, words(text)
        present = {word.plain for word in said}
        for at, word in reversed(list(enumerate(said))):
            facts = named.postings.get(word.plain, [])
            if not facts or word.plain in self.vocabulary.known or not word.plain.isalpha():
                continue
            if word.text.islower() and self._is_used_alone(word.plain):
                continue
            # A fact that names two subjects has the words of both.
            shortest = min(facts[:_MAX_NAMED], key=lambda fact: len(self.knowledge.names[fact]))
            whole = self.knowledge.names[shortest]
            if len(whole) < 2 or whole.get(word.plain) != STRONG or whole.keys() <= present:
                continue
            beside = [*said[max(0, at - 1) : at], *said[at + 1 : at + 2]]
            if any(
                other.text[0].isupper() and other.start > 0 and other.plain not in TITLES for other in beside
            ):
                continue
            if not all(whole.keys() <= self.knowledge.names[fact].keys() for fact in facts[:_MAX_NAMED]):
                continue
            name = self.knowledge.subject(shortest)
            if whole.keys() <= {other.plain for other in words(name)}:
                text = text[: word.start] + name + _possessive(word) + text[word.end :]
                present |= whole.keys()
        return text

    def _begun_names(self, text: str) -> str:
        """Names without their last words: "Dry Fork" means Dry Fork Raceway if no other name begins with both words."""
        postings, names = self.knowledge.router.named.postings, self.knowledge.names
        said = words(text)
        for one, other in reversed(list(pairwise(said))):
            capitals = one.text[0].isupper() and other.text[0].isupper()
            if not capitals or not {one.plain, other.plain} <= postings.keys():
                continue
            facts = [fact for fact in postings[one.plain][:_MAX_NAMED] if other.plain in names[fact]]
            if not facts:
                continue
            shortest = min(facts, key=lambda fact: len(names[fact]))
            whole = names[shortest]
            if len(whole) < 3 or whole.keys() <= {word.plain for word in said}:
                continue
            if any(not whole.keys() <= names[fact].keys() for fact in facts):
                continue
            name = self.knowledge.subject(shortest)
            if [word.plain for word in words(name)[:2]] == [one.plain, other.plain]:
                text = text[: one.start] + name + _possessive(other) + text[other.end :]
        return text

    def _is_used_alone(self, word: str) -> bool:
        """Whether facts use a word of a name as a common word: "allergy shots" beside the Allergy Clinic."""
        knowledge = self.knowledge
        using = [*self.postings.get(root(word), ())[:_MAX_USE], *self.answers.get(root(word), ())[:_MAX_USE]]
        return any(
            said.plain == word and said.text.islower()
            for fact in using
            if word not in knowledge.names[fact]
            for said in words(f"{knowledge.entries[fact].input} {knowledge.entries[fact].output}")
        )

    def _mistyped(self, text: str) -> str:
        alone, named = self._unknown(text), self.knowledge.router.named
        for word in reversed(words(text)):
            plain = word.plain
            if len(plain) < _MIN_WRITTEN or not plain.isalpha() or plain in self.words:
                continue
            if self.vocabulary.knows(plain) or root(plain) in self.answers:
                continue
            if word.start > 0 and word.text[0].isupper():
                name = None if plain in named.postings else named.corrected_name(plain)
                if name is not None:
                    text = text[: word.start] + name.capitalize() + text[word.end :]
                continue
            meant = [one for one in self.by_length.get(len(plain), []) if one_letter(one, plain)]
            meant = meant or (self._common(plain) if plain in alone else [])
            if len(meant) == 1:
                text = text[: word.start] + meant[0] + text[word.end :]
        return text

    def _unknown(self, text: str) -> set[str]:
        """The words of a text that are neither common nor taught; none if there are more than a few, as in another language."""
        named = self.knowledge.router.named.postings
        said = {
            word.plain
            for word in words(text)
            if word.plain.isalpha() and word.plain not in self.words and word.plain not in named
        }
        unknown = {
            word for word in said if not self.vocabulary.knows(word) and root(word) not in self.answers
        }
        return unknown if len(unknown) <= _MAX_UNKNOWN else set()

    def _common(self, wrote: str) -> list[str]:
        """Common words that a typo may mean: a letter missing, doubled or swapped. A replaced letter may make another name, and a word
        without its last letter is more often a rare one: "rumour", "trivia"."""
        if len(wrote) < _MIN_COMMON:
            return []
        cuts = [(wrote[:at], wrote[at:]) for at in range(1, len(wrote))]
        more = {begin + letter + end for begin, end in cuts for letter in ascii_lowercase}
        less = {begin + end[1:] for begin, end in cuts if end and end[0] == begin[-1]}
        swapped = {begin + end[1] + end[0] + end[2:] for begin, end in cuts if len(end) > 1}
        made = sorted((more | less | swapped) - {wrote})
        # By the rules for endings "tener" would be a form of "ten", and "broly" one of "bro".
        found = [one for one in made if self.vocabulary.knows(one) and len(one) >= _MIN_COMMON]
        known = [one for one in found if one in self.vocabulary.known]
        return known if len(known) == 1 else found

    @cached_property
    def by_length(self) -> dict[int, list[str]]:
        """Common words of the taught questions by length, as candidates for typos."""
        found: dict[int, list[str]] = defaultdict(list)
        for word in sorted(self.words):
            if (
                len(word) >= _MIN_MISTYPED
                and word.isalpha()
                and word not in self.knowledge.router.named.postings
            ):
                for length in (len(word) - 1, len(word), len(word) + 1):
                    found[length].append(word)
        return found


def _possessive(word: Word) -> str:
    return word.text[-2:] if word.text.lower().endswith(("'s", "’s")) else ""


def one_letter(right: str, wrote: str) -> bool:
    """Whether two words differ by one missing, additional, replaced or swapped letter; the first letter must agree."""
    if right[0] != wrote[0]:
        return False
    if right.endswith("ies") and wrote == f"{right[:-3]}ys":
        return True
    i = 0
    while i < min(len(right), len(wrote)) and right[i] == wrote[i]:
        i += 1
    if len(right) == len(wrote):
        return right[i + 1 :] == wrote[i + 1 :] or (
            right[i : i + 2] == wrote[i : i + 2][::-1] and right[i + 2 :] == wrote[i + 2 :]
        )
    longer, shorter = (right, wrote) if len(right) > len(wrote) else (wrote, right)
    return longer[i + 1 :] == shorter[i:]


def root(word: str) -> str:
    """The beginning that the forms of a word share: "tak" of "take" and "taking", "cancel" of "cancellation"."""
    return lemma(word)[:_MAX_ROOT_LENGTH]


def _groups_of() -> dict[str, frozenset[int]]:
    """The groups of synonyms that each single word is in, without its ending."""
    found: dict[str, set[int]] = defaultdict(set)
    for number, group in enumerate(members()):
        for one in group:
            if " " not in one:
                found[root(one)].add(number)
    for word, lines in relation_lines().items():
        if " " not in word:
            found[root(word)] |= {-1 - line for line in lines}
    return {word: frozenset(groups) for word, groups in found.items()}


_GROUPS_OF = _groups_of()
_IN_GROUP: dict[int, set[str]] = defaultdict(set)
for _word, _in in _GROUPS_OF.items():
    for _group in _in:
        _IN_GROUP[_group].add(_word)
