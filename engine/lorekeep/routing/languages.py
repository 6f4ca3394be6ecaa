"""Normalises questions in other languages than English. A question becomes a `Reading`: its kind, and its content words in a form
without inflection, order and function words. Two questions with equal readings ask the same thing.

The words of each language are in languages.toml; stems come from Snowball (stemmer). For other languages words are compared
unchanged."""

import re
import tomllib
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import snowballstemmer

_FILE = Path(__file__).with_name("languages.toml")
_MAX_CACHED_STEMS = 100_000
_TOKEN = re.compile(r"[^\W_]+")
# Scripts that put no spaces between words: Han, Kana, Thai, Lao, Khmer, Burmese.
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
# German verbs also change at the beginning and inside, which the stemmer ignores.
_GERMAN_MARK = re.compile(
    r"^(zurück|wieder|unter|durch|nach|über|ab|an|auf|aus|bei|ein|her|hin|los|mit|um|vor|weg|zu|)(?:ge(?=.{3,}(?:t|en)$)|zu(?=.{3,}en$))"
)
_GERMAN_ENDING = re.compile(r"(?<=.{4})(?:ig|t|et|igt)$")
# For unknown languages words are compared unchanged.
OTHER = "other"


@dataclass(frozen=True)
class Reading:
    """A normalised question. `core` is without optional words."""

    kind: str | None
    content: frozenset[str]
    core: frozenset[str]


@dataclass
class Language:
    code: str
    spaced: bool
    kinds: list[tuple[tuple[str, ...], str]]  # phrases, longest first
    fallback: dict[str, str]
    verbs: frozenset[str]
    small: frozenset[str]
    measures: frozenset[str]
    optional: list[str]
    concepts: list[tuple[str, str]]
    stemmer: str | None
    stems: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        self._concept_of = {self._bare(word): f"={concept}" for word, concept in self.concepts}
        self._asking = frozenset(word for phrase, _ in self.kinds for word in phrase)
        self._optional = frozenset(self.stem(word) for word in self.optional)

    def is_small(self, word: str) -> bool:
        """Whether a word is a function word."""
        return word in self.small or word in self.verbs or word in self._asking

    def stem(self, word: str) -> str:
        """The word's concept (synonym group), or its stem without diacritics."""
        if word not in self.stems:
            if len(self.stems) > _MAX_CACHED_STEMS:
                self.stems.clear()
            bare = self._bare(word)
            self.stems[word] = self._concept_of.get(bare, bare)
        return self.stems[word]

    def _bare(self, word: str) -> str:
        if self.stemmer is None or any(c.isdigit() for c in word):
            return fold(word)
        stem = _stemmer(self.stemmer).stemWord(_without_ge(word) if self.code == "de" else word)
        return _GERMAN_ENDING.sub("", fold(stem)) if self.code == "de" else fold(stem)

    def read(self, text: str) -> Reading:
        return self._read_words(text) if self.spaced else self._read_characters(text)

    def _read_words(self, text: str) -> Reading:
        tokens = tokens_of(text)
        kind, rest = self._ask(tokens)
        if kind is None:
            kind = next((self.fallback[word] for word in rest if word in self.fallback), None)
        if kind == "how" and not self.measures.isdisjoint(tokens):
            kind = "amount"
        first = next((word for word in tokens if word not in self.small), None)
        if kind is None and first in self.verbs:
            kind = "yes"
        told = [word for word in rest if word not in self.small and word not in self.verbs]
        content = frozenset(self.stem(word) for word in told)
        return Reading(kind, content, content - self._optional or content)

    def _ask(self, tokens: list[str]) -> tuple[str | None, list[str]]:
        """The kind of the question, and the tokens without its question words."""
        for phrase, kind in self.kinds:
            for at in range(len(tokens) - len(phrase) + 1):
                if tuple(tokens[at : at + len(phrase)]) == phrase:
                    return kind, tokens[:at] + tokens[at + len(phrase) :]
        return None, tokens

    def _read_characters(self, text: str) -> Reading:
        text, content = normal(text), set()
        for word, concept in self.concepts:
            if word in text:
                text = text.replace(word, " ")
                content.add(f"={concept}")
        kind = None
        for (phrase,), each in self.kinds:
            if phrase in text:
                kind, text = each, text.replace(phrase, " ")
                break
        for word in sorted(self.small, key=len, reverse=True):
            text = text.replace(word, " ")
        content |= set(_UNSPACED_TOKEN.findall(text))
        for word in self.optional:
            text = text.replace(word, " ")
        core = {one for one in content if one.startswith("=")} | set(_UNSPACED_TOKEN.findall(text))
        return Reading(kind, frozenset(content), frozenset(core) or frozenset(content))


def normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def fold(word: str) -> str:
    """The word without diacritics, as often typed."""
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def tokens_of(text: str) -> list[str]:
    return _TOKEN.findall(normal(text))


def _without_ge(word: str) -> str:
    """Strips participle and infinitive marks of a German verb: "eingereicht", "einzureichen", "gegründet"."""
    return _GERMAN_MARK.sub(r"\1", word)


@cache
def _stemmer(name: str):
    return snowballstemmer.stemmer(name)


@cache
def languages() -> dict[str, Language]:
    read = tomllib.loads(_FILE.read_text("utf-8"))
    return {code: _parse_language(code, said) for code, said in read.items()}


def _parse_language(code: str, said: dict) -> Language:
    spaced = "stemmer" in said

    def listed(words: str | list[str]) -> list[str]:
        return normal(words).split() if isinstance(words, str) else [normal(word) for word in words]

    def phrase(text: str) -> tuple[str, ...]:
        return tuple(tokens_of(text)) if spaced else (normal(text),)

    kinds = [(phrase(text), kind) for kind, texts in said["kinds"].items() for text in texts]
    kinds += [(tuple(fold(word) for word in words), kind) for words, kind in kinds if spaced and code != "ar"]
    kinds.sort(key=lambda one: -sum(map(len, one[0])))
    return Language(
        code,
        spaced,
        kinds,
        {word: kind for kind, words in said.get("fallback", {}).items() for word in listed(words)},
        frozenset(listed(said.get("verbs", ""))),
        frozenset(listed(said["function"])),
        frozenset(listed(said.get("measures", ""))),
        listed(said["optional"]),
        [(word, concept) for concept, words in said["concepts"].items() for word in listed(words)],
        said.get("stemmer"),
    )


def read_as(text: str, code: str) -> Reading:
    if code in languages():
        return languages()[code].read(text)
    content = frozenset(fold(word) for word in _UNSPACED_TOKEN.findall(normal(text)))
    return Reading(None, content, content)
