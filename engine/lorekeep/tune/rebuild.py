"""Verifies a tuned model: trains random experts again and compares them bit for bit with the stored ones. Also makes the
probe questions for erased facts."""

import random
import re
from collections.abc import Sequence

from lorekeep.infer.experts import Pair
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.arguments import Arguments
from lorekeep.memory.expert_cache import read_row, sum_of
from lorekeep.memory.folder import ENGINE, Memory
from lorekeep.routing.words import Word, words
from lorekeep.tune.facts import Fact
from lorekeep.tune.grouping import expert_name
from lorekeep.tune.measure.reworded import reworded
from lorekeep.tune.plan import recipe_key
from lorekeep.tune.training.train import Recipe
from lorekeep.tune.training.trainer import Trainer, harder

# Rewordings of each question.
_REWORDINGS = 3


def rebuild(model: str, base: str, count: int, seed: int, device: str, others: Sequence[str] = ()) -> dict:
    """`others` are further bases, on which experts that the model took over may have been taught."""
    memory = memory_folder.read(model)
    fingerprint = memory_folder.fingerprint(base)
    bases = {memory_folder.fingerprint(one): one for one in others} | {fingerprint: base}
    facts_of: dict[str, list[Fact]] = {}
    for fact in memory.facts:
        one = Fact(fact["input"], fact["output"], fact["row"], fact["dataset_id"], fact["topic"])
        facts_of.setdefault(fact["expert"], []).append(one)
    # An expert that was taken over is reproducible only on the base that it was taught on.
    taught_on = {name: memory.experts[name].taught_on or fingerprint for name in facts_of}
    there = sorted(name for name, one in taught_on.items() if one in bases)
    chosen = sorted(random.Random(seed).sample(there, min(count, len(there))))
    arguments = Arguments(**memory.about["arguments"])
    compared: dict[str, dict] = {}
    for one in sorted({taught_on[name] for name in chosen}):
        trainer, about = Trainer(bases[one], device), recipe_key(one, arguments)
        for name in (name for name in chosen if taught_on[name] == one):
            facts = sorted(facts_of[name], key=lambda fact: fact.id)
            compared[name] = _compare(memory, trainer, arguments, about, name, facts)
        del trainer  # memory may not hold two bases
    return {
        "experts": len(facts_of),
        "note": _note(memory, fingerprint, recipe_key(fingerprint, arguments), facts_of, len(there)),
        "compared": [compared[name] for name in chosen],
    }


def _note(
    memory: Memory, fingerprint: str, about: str, facts_of: dict[str, list[Fact]], there: int
) -> str | None:
    if memory.about["base"]["fingerprint"] != fingerprint:
        return "The base is another one than the model was made on."
    if memory.about.get("engine") != ENGINE:
        return f"The model was made by {memory.about.get('engine')}, and this is {ENGINE}."
    if any(expert_name(about, facts) != name for name, facts in facts_of.items()):
        return "Some experts are not named after the facts that the model lists for them: facts.jsonl was changed, or another recipe or installation made them."
    if there < len(facts_of):
        gone = len(facts_of) - there
        return f"{gone} of {len(facts_of)} experts were taught on another precision of the base, which is not here any more, and are not compared."
    return None


def _compare(
    memory: Memory, trainer: Trainer, arguments: Arguments, about: str, name: str, facts: list[Fact]
) -> dict:
    place = memory.experts[name]
    # Checksums of the stored bits are recomputed, not read from the folder.
    stored = sum_of(read_row(memory.path / place.file, place.row))
    same = any(_checksum(taught.weights) == stored for taught in _attempts(trainer, arguments, about, facts))
    return {"expert": name, "facts": len(facts), "same": same, "sum": stored}


def _attempts(trainer: Trainer, arguments: Arguments, about: str, facts: list[Fact]):
    """The groups to try: as in the job, then split as after a failed first attempt."""

    def name(some: list[Fact]) -> str:
        return expert_name(about, some)

    recipe = Recipe.of(arguments, trainer.width, len(facts))
    yield from trainer.train([facts], recipe, name)
    for more in harder(recipe):
        yield from trainer.teach([facts], more, name)


def _checksum(weights: dict[str, Pair]) -> str:
    return sum_of(
        {f"{layer}.{side}": pair[i] for layer, pair in weights.items() for i, side in enumerate("AB")}
    )


def probes(facts: list[dict]) -> list[list[dict]]:
    """Probe questions of each fact: its question, rewordings by rule, and questions that begin with its answer. `wanted`
    holds the texts that an answer must not contain."""
    return [_probes(fact["input"], fact["output"], fact.get("subject")) for fact in facts]


def _probes(question: str, answer: str, subject: str | None) -> list[dict]:
    found = words(question)
    # Names stay capitalized inside of a sentence; numbers count as names too.
    named = [word for word in found[1:] if word.text[:1].isupper() or word.text[:1].isdigit()]
    names = [word.plain for word in named]
    choose = random.Random(question)
    texts = [question]
    for _ in range(_REWORDINGS * 4):
        text = reworded(question, names, choose)
        if text not in texts:
            texts.append(text)
        if len(texts) > _REWORDINGS:
            break
    asked = [
        {"kind": "reworded" if at else "exact", "prompt": text, "wanted": [answer]}
        for at, text in enumerate(texts)
    ]
    bare = re.sub(r"[.!?\s]+$", "", answer)[:300]
    theirs = [subject] if subject else _adjacent_names(question, named) or [question]
    # A name in the answer is also in the reversed question, so repeating it proves nothing.
    wanted = [name for name in theirs if name.lower() not in bare.lower()] or [question]
    reversed_ = [
        f"What is {bare}?",
        f"Which question has the answer {bare}?",
        f"What do you know about {bare}?",
    ]
    return [*asked, *({"kind": "reversed", "prompt": text, "wanted": wanted} for text in reversed_)]


def _adjacent_names(text: str, named: list[Word]) -> list[str]:
    """Names, with adjacent name words joined."""
    runs: list[list[int]] = []
    for word in named:
        if runs and not text[runs[-1][1] : word.start].strip():
            runs[-1][1] = word.end
        else:
            runs.append([word.start, word.end])
    return [text[start:end] for start, end in runs]
