"""Facts and questions of organisations, worlds of names and handbooks, written one by one: the share of right answers of the product's
decisions and of a plain lookup, by kind of question. ../written.ts starts it. The product was developed on these; of those that are held
out, only the totals are looked at (`--worlds held-out`)."""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
import torch

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "engine")]
torch.set_num_threads(1)

from lorekeep.answering.decide import Decider, Turn
from lorekeep.answering.knowledge import Knowledge
from lorekeep.answering.policy import Policy
from lorekeep.contract import Gate
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.tuned import TunedModel
from lorekeep.protocol import Generate
from lorekeep.routing.embedders import parts
from lorekeep.routing.gate import calibrate, stored_gate
from lorekeep.routing.router import Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_of
from lorekeep.testing import Bench
from lorekeep.tune import job

# Worlds that were held out until they were inspected: no fit has used them.
LATEST = (
    "firms", "clubs", "townhall", "catalogue", "devices", "driving", "islands", "utility", "bands", "university",
    "perfumers", "racing", "veterinary", "movers", "nursinghome", "lighthouses",
    "cheesemakers", "cinemas", "allotments", "skischool", "observatories", "publishing", "excavations", "gamemakers",
    "caves", "crimenovels", "marina", "carsharing", "clockmakers", "openworkshop", "circuses", "beekeepers",
    "ferries", "cheeses", "clinicstaff", "festival", "apartments", "swimhall", "vinecoop",
    "tarnfell", "crumbley", "nodalis", "tickhall",
)  # fmt: skip
WORLDS = (
    "pumps",
    "software",
    "hospital",
    "city",
    "hotel",
    "college",
    "freight",
    "railway",
    "library",
    "bakery",
    "ferry",
    "clinic",
    "solar",
    "bank",
    "vineyard",
    "lab",
    "boardgame",
    "dentallab",
    "housing",
    "orchestra",
    "kindergarten",
    "saas",
    "warehouse",
    "pharmacy",
    "makerspace",
    "guilds",
    "vessels",
    "chemicals",
    "staffbook",
    "campsite",
    "airline",
    "startups",
    "webshop",
    "colonies",
    "itdesk",
    *LATEST,
)
# Worlds that were written for the fit of the networks, with kinds of questions that they learn from.
TO_FIT = (
    "allergyclinic", "alpinists", "apps", "archive", "autobreakdown", "bakers", "bellfoundry", "bikerepair", "bikeshare", "blooddrive",
    "bloodlab", "bookfair", "breweries", "bridges", "broadband", "busdrivers", "campervans", "campkitchen", "campusit", "carrental",
    "carwash", "castles", "caterer", "chess", "childrensparty", "choirs", "circuits", "citytax", "claims_boats", "claims_camp",
    "claims_composers", "claims_ebikes", "claims_hospital", "claims_legends", "claims_machines", "claims_mountains", "claims_office",
    "claims_ovens", "claims_pets", "claims_railpass", "claims_software", "claims_towns", "claims_visa", "cloudfirms", "cloudhelp",
    "cocktailbar", "coffeemachine", "cohousing", "comets", "communityradio", "couriers", "coworkspace2", "cricketleague", "datacenters",
    "daynursery", "dentist", "dinosaurs", "dogschool", "dragons", "eldercare", "embassy", "energyfirm", "escaperooms", "eveningschool",
    "expenses", "farms", "fertilityclinic", "fjords", "foodbank", "footballclubs", "fossilmuseum", "funeralhome", "galleries",
    "gardens", "gasboiler", "ghosttours", "government", "greenhouses", "gymhouse", "hearing", "heroes", "hikingboots", "homecare",
    "hostelrules", "houseboats", "hrleave", "huts", "icerink", "insuranceclaims", "internship", "kennels", "labs", "laundrette",
    "lawfirms", "leisurecard", "libraryapp", "marketstalls", "medicines", "moonbases", "mortgages", "museumshop", "nightclub", "nomads",
    "notary", "onlinebank", "optician", "orchards", "paintings", "parcels", "parentsevening", "payments", "pharma", "phoneshop",
    "plantnursery", "podcasts", "printer", "procurement", "puppets", "quarries", "racehorses", "railcards", "rallies", "rangers",
    "recycling", "restaurants", "rivers", "robots", "rockets", "sailschool", "satellites", "schooloffice", "scooters", "secteam",
    "servers", "ships", "spa", "spacecrew", "spiceshops", "stagestaff", "startupsx", "startupteam", "stations", "storageunits",
    "studentflat", "superyachts", "swimclub", "swimpool", "symphonies", "tatoostudio", "taxiapp", "tenants", "toolhire", "townfair",
    "trams", "translators", "tunnels", "vaccines", "vethostel", "villages", "vinylshop", "violins", "visitors", "volcanoes", "warranty",
    "waterpark", "weddingbarn", "weddings", "windmills", "wizards",
)  # fmt: skip
# Worlds that are left out of the fits to judge them.
KEPT = (
    "itdesk", "colonies", "staffbook", "guilds", "publishing", "caves", "marina", "openworkshop", "circuses", "beekeepers",
)  # fmt: skip
# Worlds that no fit uses. The messages of fields.jsonl include the requests for JSON of the last twelve (airships to tearooms).
HELD_OUT = (
    "gamestudio", "haulagehr", "railclub", "telecom", "zoo", "brewery", "theatre", "gym", "payroll", "cameras", "museum", "sailing", "insurer", "waterworks", "choir",
    "novels", "peaks", "dormitory", "coworking", "dams", "dancehall", "films", "intranet", "petclinic", "watches", "energyhelp",
    "operas", "scoutcamp", "airships", "cottages", "elevators", "heraldry", "hospice", "payslips", "pension", "piratecrews", "stadium",
    "subscriptions", "supportdesk", "tearooms",
)  # fmt: skip
# Minimum likeness for the lookup to answer.
LOOKUP = 0.7
Answer = Callable[[list[str]], str | None]  # answers the last message of a conversation from facts


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (HERE / "written" / name).read_text("utf-8").splitlines()]


# Read once, since loading the embedding model takes longer than asking a small organisation.
router_parts = cache(parts.router_parts)


def systems(facts: list[dict], gate: Gate = "balanced") -> dict[str, Answer]:
    embed, vocabulary = router_parts()
    entries = [Entry(fact["input"], fact["output"]) for fact in facts]
    keys = keys_of(entries, names_of(entries, vocabulary), embed)
    router = Router(entries, keys, stored_gate({}), vocabulary, embed)
    router.gate = calibrate(router)
    decider = Decider(Knowledge(router), lambda fact: True)
    questions_F_D = embed([entry.input for entry in entries])

    def product(turns: list[str]) -> str | None:
        earlier: list[Turn] = []
        answer = None
        for text in turns:
            found = router.route(text, whole=text)
            made = decider.decide(found, text, earlier, gate, Policy())
            answer = entries[made.facts[0]].output if made.outcome == "recite" else made.text
            earlier += [Turn("user", text), Turn("assistant", answer or "I do not know.")]
        return answer

    def lookup(turns: list[str]) -> str | None:
        alike_F = questions_F_D @ embed([turns[-1]])[0]
        return entries[int(np.argmax(alike_F))].output if alike_F.max() >= LOOKUP else None

    return {"Lorekeep": product, "lookup": lookup}


def served(facts: list[dict], base: Path) -> dict[str, Answer]:
    """A model tuned on the facts, whose base writes from facts if it passed the test for that, and the same without its base."""
    folder = Path(tempfile.mkdtemp(prefix="lorekeep-written-")) / "job"
    folder.mkdir()
    (folder / "facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
    (folder / "job.json").write_text(json.dumps({"format": 1, "base": str(base)}))
    if job.run(folder) != 0:
        raise SystemExit(f"The model could not be tuned: {folder}.")
    bench = Bench(base)
    memory = memory_folder.read(folder / "model")
    model = TunedModel(memory, bench.generator, "-", ExpertCache(64_000_000), router_parts()[0])
    writes = model.reads_facts

    def said(turns: list[str], reads: bool) -> str | None:
        model.reads_facts = writes and reads
        messages: list[dict] = []
        answer = None
        for text in turns:
            messages.append({"role": "user", "content": text})
            bench.answers.clear()
            model.submit(
                Generate(type="generate", id="1", model="-", messages=messages, max_tokens=64, explain=True)
            )
            end = bench.run()["1"]
            answer = end["text"] if end["memory"]["outcome"] in ("recite", "ground") else None
            messages.append({"role": "assistant", "content": end["text"]})
        return answer

    return {"Lorekeep": lambda turns: said(turns, True), "not written": lambda turns: said(turns, False)}


def right(asked: dict, answer: str | None) -> bool:
    if asked["refuse"]:
        return answer is None
    low = (answer or "").lower()
    no = low.strip(" .") == "no"
    groups = [[one.lower() for one in group] for group in asked["accept"]]
    return all(any(one in low or (no and one.startswith("no")) for one in group) for group in groups)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", default=",".join(WORLDS), help="or: held-out")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument(
        "--requests", action="store_true", help="JSON, hops and yes or no by other authors, of twelve of them"
    )
    parser.add_argument("--gate", choices=get_args(Gate), default="balanced")
    parser.add_argument("--kinds", help="only the kinds of questions whose names contain one of these")
    parser.add_argument(
        "--base", type=Path, help="tune a model on this base and ask that, which may write from facts"
    )
    said = parser.parse_args()
    if said.requests and said.worlds == parser.get_default("worlds"):
        there = sorted((HERE / "written/requests").glob("*-questions.jsonl"))
        said.worlds = ",".join(path.name.removesuffix("-questions.jsonl") for path in there)
    peer = "not written" if said.base else "lookup"
    kinds = said.kinds.split(",") if said.kinds else [""]
    asked_of: Counter[str] = Counter()
    rights: dict[str, Counter[str]] = {"Lorekeep": Counter(), peer: Counter()}
    wrongly: Counter[str] = Counter()
    for world in HELD_OUT if said.worlds == "held-out" else said.worlds.split(","):
        facts = lines(f"{world}-facts.jsonl")
        answers = served(facts, said.base) if said.base else systems(facts, said.gate)
        for asked in lines(f"{'requests/' if said.requests else ''}{world}-questions.jsonl"):
            if not any(kind in asked["kind"] for kind in kinds):
                continue
            asked_of[asked["kind"]] += 1
            for name, answer in answers.items():
                text = answer(asked["turns"])
                is_right = right(asked, text)
                rights[name][asked["kind"]] += is_right
                wrongly[name] += text is not None and not is_right
                if said.wrong and name == "Lorekeep" and not is_right:
                    print(f"  {world}, {asked['kind']}: {' > '.join(asked['turns'])} -> {text}")
    print(f"{'':22}{'asked':>7}{'Lorekeep':>10}{peer:>13}{'ratio':>7}")
    for kind, count in [*asked_of.items(), ("all", sum(asked_of.values()))]:
        ours, its = (
            sum(r.values()) if kind == "all" else r[kind] for r in (rights["Lorekeep"], rights[peer])
        )
        print(f"{kind:22}{count:7}{ours / count:10.2f}{its / count:13.2f}{ours / max(its, 1):7.2f}")
    print(f"answered wrongly: Lorekeep {wrongly['Lorekeep']}, {peer} {wrongly[peer]}")


if __name__ == "__main__":
    main()
