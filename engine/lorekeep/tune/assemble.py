"""Assembles the folder of a tuned model from finished waves and from experts of earlier models. Files are
hard-linked to their origin."""

import json
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from itertools import accumulate, pairwise
from pathlib import Path

from lorekeep.bulk import bulk
from lorekeep.memory import compatibility, embedder
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import join, row_sums
from lorekeep.memory.folder import ENGINE, FORMAT, Memory, Place
from lorekeep.routing import gate
from lorekeep.routing.embedders import likeness
from lorekeep.routing.embedders.likeness import Calibrated
from lorekeep.routing.router import Gate, Router
from lorekeep.routing.stored_keys import Earlier, Entry, keys_of
from lorekeep.tune.plan import Plan
from lorekeep.tune.reuse import keys_are_whole, link, sum_of


@bulk()
def assemble(job, draft: Path) -> tuple[Memory, Router]:
    """The assembled model, and the router of its gate's calibration."""
    (draft / "experts").mkdir(parents=True)
    experts, expert_of, recalled, sums = _experts(job, draft)
    groups = _groups(job, expert_of)
    entries = [Entry(fact.input, fact.output) for fact in job.facts]
    keys = keys_of(entries, job.names, job.embed, _earlier_keys(job))
    arguments = asdict(job.arguments)
    router = Router(entries, keys, Gate(), job.vocabulary, job.embed, arguments)
    found = router.gate = gate.calibrate(router)
    facts = [
        {
            "id": fact.id, "input": fact.input, "output": fact.output, "row": fact.row, "dataset_id": fact.dataset_id,
            "topic": fact.topic, "expert": expert_of[i], "group": groups[expert_of[i]],
            "names": keys.names[i], "ask": keys.asks[i], "recalled": recalled[i], **fact.details,
        }
        for i, fact in enumerate(job.facts)
    ]  # fmt: skip
    about = {
        "format": FORMAT,
        "engine": ENGINE,
        "base": {
            "path": os.path.abspath(job.spec.base),
            "fingerprint": job.fingerprint,
            "family": job.trainer.folder.family,
            "width": job.trainer.width,
            "layer": job.trainer.top.layer,
            "tokenizer": compatibility.tokenizer(job.spec.base),
        },
        "embedder": embedder.description(job.embed),
        "arguments": arguments,
        "learning_rate_effective": job.arguments.effective_rate(job.trainer.width),
        "gate": {"budget": job.spec.gate, **asdict(found)},
        "counts": {"facts": len(facts), "recalled": sum(recalled), "experts": len(experts)},
    }
    _write(draft / "facts.jsonl", "".join(json.dumps(fact, ensure_ascii=False) + "\n" for fact in facts))
    _write(
        draft / "experts.json", json.dumps({name: place.said() for name, place in sorted(experts.items())})
    )
    memory_folder.write_keys(draft / "keys.safetensors", keys)
    if isinstance(router.likeness, Calibrated):
        router.likeness.write(draft / likeness.FILE)
    _write(draft / "memory.json", json.dumps(about, indent=1))
    return Memory(draft, about, facts, experts, keys, found, sums, router.likeness), router


def _groups(job, expert_of: dict[int, str]) -> dict[str, int]:
    """Group of each trained expert; a split group has several experts."""
    fresh = max(job.plan.group_ids.values()) + 1
    groups = {}
    for name in (expert_of[i] for i in sorted(expert_of)):
        if name not in groups:
            groups[name] = job.plan.group_ids.get(name, fresh)
            fresh += groups[name] == fresh
    return groups


def _experts(job, draft: Path) -> tuple[dict[str, Place], dict[int, str], list[bool], dict[str, str]]:
    """Location of each expert, its facts, which of them were recited, and checksums of files that were reused
    completely."""
    experts: dict[str, Place] = {}
    sums: dict[str, str] = {}
    taught_on: dict[str, str | None] = {}
    expert_of: dict[int, str] = {}
    recalled = [False] * len(job.facts)
    for waves in _waves_per_file(job.plan):
        made = [
            (wave, one) for wave in waves for one in json.loads(job.queue.result(wave).read_text())["experts"]
        ]
        for rank in sorted({one["rank"] for _, one in made}):
            names = [one["name"] for _, one in made if one["rank"] == rank]
            of = sorted({wave for wave, one in made if one["rank"] == rank})
            _write_expert_file([job.queue.tensors(wave, rank) for wave in of], names, draft, experts)
        for _, one in made:
            taught_on[one["name"]] = one.get("taught_on")
            for i, right in zip(one["facts"], one["recalled"], strict=True):
                recalled[i], expert_of[i] = right, one["name"]
    wanted = defaultdict(list)
    for name, one in job.plan.reused.items():
        wanted[one.file].append((one.row, name, one.sum))
        taught_on[name] = one.taught_on
        for i, right in zip(job.plan.groups[name], one.recalled, strict=True):
            recalled[i], expert_of[i] = right, name
    for file, rows in sorted(wanted.items()):
        names, known_sums = zip(*[(name, sum_) for _, name, sum_ in sorted(rows)], strict=True)
        laid = _write_expert_file([job.taken / file], list(names), draft, experts, known_sums)
        if (known := sum_of(file)) is not None:
            sums[laid] = known
    experts = {name: replace(place, taught_on=taught_on[name]) for name, place in experts.items()}
    return experts, expert_of, recalled, sums


def _waves_per_file(plan: Plan) -> list[range]:
    """The waves of each file."""
    ends = list(accumulate(plan.files or [1] * len(plan.waves)))
    return [range(begin, end) for begin, end in pairwise([0, *ends])]


def _write_expert_file(
    sources: list[Path],
    names: list[str],
    draft: Path,
    experts: dict[str, Place],
    known: Sequence[str | None] = (None,),
) -> str:
    """Writes these experts into a file of the model and returns its name. `known` holds checksums of its rows from an
    earlier model, if all come from one source."""
    file = "experts/" + sha256(" ".join(names).encode()).hexdigest()[:32] + ".safetensors"
    if len(sources) == 1:
        link(sources[0], draft / file)
    else:
        join(sources, draft / file)
        with open(draft / file, "rb") as written:
            os.fsync(written.fileno())
    sums = known if len(sources) == 1 and None not in known else row_sums(draft / file)
    for row, name in enumerate(names):
        experts[name] = Place(file, row, sums[row])
    return file


def _earlier_keys(job) -> Earlier:
    """Stored keys of earlier models for reuse."""
    kept = Earlier()
    if job.embed is None:
        return kept
    for memory in job.earlier:
        if not keys_are_whole(memory):
            job.events.warning(
                f"The keys of {memory.path} are missing or do not match their checksums. They are computed again."
            )
            continue
        keys, plain = memory.keys, memory.keys.plain_keys
        # Token vectors of other weights are unusable, so everything is recomputed.
        if not embedder.uses_embedder(memory.about, job.embed):
            continue
        if len(plain) and memory.gate.weights == job.embed.likeness.weights:
            plain = plain.in_memory()
            for at, i in enumerate(keys.plain):
                kept.plain[memory.facts[i]["input"], memory.facts[i]["output"]] = plain.of(at)
        if len(keys.ask_vectors):
            asks = zip(memory.facts, keys.asks, strict=True)
            kept.asks |= {fact["input"]: (len(kept.vectors), ask) for fact, ask in asks if ask >= 0}
            kept.vectors.append(keys.ask_vectors)
    return kept


def _write(file: Path, text: str) -> None:
    with open(file, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
