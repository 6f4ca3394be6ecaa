"""Writes report.md, the measurements of a model for human readers."""

from lorekeep.routing.router import BUDGETS

_GATE = {
    "unknown_relation": "questions about a known name that no fact answers",
    "near_miss": "near misses of facts without names",
}

BY_RULE = (
    'Facts that were not learnt are wrong in the shares of right answers. "Reworded by rule" changes each question by fixed rules; in'
    " English it predicts, to about .1, the share that is right of questions that other people word much alike; of questions that keep hardly"
    " a word, fewer are right."
)


def table(report: dict) -> str:
    recall = report["recall"]
    lines = [
        "# What this model knows",
        "",
        f"{recall['recalled']} of {recall['facts']} facts were recited word for word, each by free greedy generation as it is served.",
        "",
        *_move(report),
        "| made from the facts | asked | share |",
        "|---|---|---|",
    ]
    for name, figures in report["job"].items():
        if name == "gate":
            continue
        said = next((f"{value} {key}" for key, value in figures.items() if key != "asked"), "")
        lines.append(f"| {name} | {figures['asked']} | {said} |")
    if report["job"].get("reworded by rule"):
        lines += ["", BY_RULE]
    lines += _gate(report["job"].get("gate", {}))
    for name, figures in report["job"].items():
        if figures.get("failed"):
            lines += ["", f"Not so, of {name}:", "", *(f"- {_line(prompt)}" for prompt in figures["failed"])]
    sets = {name: figures for name, figures in report.items() if name not in ("job", "recall", "move")}
    if sets:
        lines += ["", "| set | asked | who | exact | contained |", "|---|---|---|---|---|"]
        for name, figures in sets.items():
            for who, found in figures.items():
                if isinstance(found, dict):
                    lines.append(
                        f"| {name} | {figures['asked']} | {who} | {found['exact']} | {found['contained']} |"
                    )
    if recall["failed"]:
        lines += ["", "Not recited, and never said by this model:", "", "| row | question |", "|---|---|"]
        for fact in recall["failed"]:
            lines.append(f"| {fact['row']} | {_line(fact['input'])} |")
    return "\n".join(lines) + "\n"


def _move(report: dict) -> list[str]:
    """Counts of a move from another base."""
    if (move := report.get("move")) is None:
        return []
    return [
        f"Of the facts that a model on another base knew, {move['facts_taken_over']} were taken over after they were recited on this one,"
        f" and {move['facts_taught_again']} were taught again.",
        "",
    ]


def _gate(measured: dict) -> list[str]:
    """Shares that each budget passes, if the model's own facts yield enough questions to measure them."""
    rows = [
        f"| {said} | {measured[kind]['asked']} | "
        + " | ".join(str(measured[kind]["passed"].get(budget, "too few to tell")) for budget in BUDGETS)
        + " |"
        for kind, said in _GATE.items()
        if measured.get(kind, {}).get("asked")
    ]
    if not rows:
        return []
    return [
        "",
        f"| the gate lets through | asked | {' | '.join(BUDGETS)} |",
        "|---|---|" + "---|" * len(BUDGETS),
        *rows,
    ]


def _line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
