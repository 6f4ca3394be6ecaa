"""The facts for the fields of a schema, by the words of each field: about one subject, about the one of several that each field means, or
about the topic of a message that names none."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lorekeep.answering.judge import FactAnswer, Judge
from lorekeep.answering.networks.cross_encoder import key_text
from lorekeep.answering.objects.fields import subject_fields
from lorekeep.answering.reading import standalone
from lorekeep.answering.rerank.objects.filling import VALUE, Filling, Wanted, read_fields
from lorekeep.answering.rerank.reranker import Reranker, likeness_of
from lorekeep.answering.schemas.fields import Field
from lorekeep.answering.word_match import roots
from lorekeep.infer.schemas.document import Path

Answers = dict[Path, FactAnswer]
# Minimum logit of a fact that a search found for a field.
_MIN_SEARCHED = 0.0
# Maximum number of fields that are read for all subjects together, where it is open whose they are.
_MAX_READ = 48


@dataclass(frozen=True)
class Lookup:
    reranker: Reranker
    new_judge: Callable[[], Judge]  # a judge answers a limited number of questions

    def about(self, name: str, fields: Sequence[Field]) -> Answers:
        """The facts about a subject that fields have."""
        judge = self.new_judge()
        filling = Filling(self.reranker, judge)
        asked = {field.path: (field.asked_of(name),) for field in fields}
        read = read_fields(name, list(dict.fromkeys(asked.values())), filling)
        found = {path: read[words] for path, words in asked.items() if words in read}
        used = {fact for step in found.values() for fact in step.facts}
        missing = [field for field in fields if field.path not in found]
        paths = [tuple(str(part) for part in field.path if isinstance(part, str)) for field in missing]
        searched = subject_fields(name, paths, judge, [field.description for field in missing])
        for field, step in zip(missing, searched, strict=True):
            if step is not None and not used & set(step.facts) and self._may_be(name, field, step, judge):
                found[field.path] = step
        return found

    def _may_be(self, name: str, field: Field, step: FactAnswer, judge: Judge) -> bool:
        """Whether the fact that a search found has the value of a field. The subject of another fact has it never."""
        read = self.reranker.read(f"{name} {field.asked_of(name)}", list(step.facts), judge)
        return not step.turned and all(logit >= _MIN_SEARCHED for logit, _ in read)

    def of_each_group(self, names: Sequence[str], fields: Sequence[Field]) -> Answers:
        """The facts of fields of several subjects. The fields of one object have one subject: the one that the key of the object names, or
        else the one that has most of them."""
        groups: dict[Path, list[Field]] = defaultdict(list)
        for field in fields:
            groups[field.path[:-1]].append(field)
        found: Answers = {}
        free = list(names)
        for path, own in sorted(groups.items(), key=lambda one: _named_by(one[0], names) is None):
            name = _named_by(path, names)
            tried = [name] if name else (free or names)[: max(1, _MAX_READ // len(own))]
            read = {one: self.about(one, own) for one in tried}
            if not path:
                found |= _of_one_only(list(read.values()))
                continue
            best = max(
                read, key=lambda one: (len(read[one]), sum(step.likeness for step in read[one].values()))
            )
            found |= read[best]
            free = [one for one in free if one != best]
        return found

    def on_topic(self, asked: str, fields: Sequence[Field]) -> Answers:
        """The facts of fields for a message that names no subject: "Who runs the trust?" """
        judge, topic = self.new_judge(), standalone.without_wh(asked)
        texts = {field.words: key_text(topic, field.words) for field in fields}
        filling = Filling(self.reranker, judge)
        values, _ = filling.values(
            Wanted(texts, {words: words for words in texts}, topic, (), None, strict=True)
        )
        said = roots(topic)
        about = {words: fact for words, fact in values.items() if said & roots(filling.text(fact))}
        return {
            field.path: FactAnswer(
                (about[field.words],), filling.output(about[field.words]), likeness_of(VALUE)
            )
            for field in fields
            if field.words in about
        }


def _named_by(path: Path, names: Sequence[str]) -> str | None:
    """The only name that the key of an object means: "winch" for the Halvorsen winch."""
    said = {word for part in path for word in roots(str(part))}
    named = [name for name in names if said & roots(name)]
    return named[0] if len(named) == 1 else None


def _of_one_only(read: list[Answers]) -> Answers:
    """The fields that only one of the subjects has."""
    having = defaultdict(list)
    for answers in read:
        for path, step in answers.items():
            having[path].append(step)
    return {path: steps[0] for path, steps in having.items() if len(steps) == 1}
