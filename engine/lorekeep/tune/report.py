"""report.md: what was measured, to be read by people."""


def table(report: dict) -> str:
    recall = report["recall"]
    lines = [
        "# What this model knows",
        "",
        f"{recall['recalled']} of {recall['facts']} facts were recited word for word, each by free greedy generation as it is served.",
        "",
        "| made from the facts | asked | share |",
        "|---|---|---|",
    ]
    for name, figures in report["job"].items():
        if name == "gate":
            continue
        said = next((f"{value} {key}" for key, value in figures.items() if key != "asked"), "")
        lines.append(f"| {name} | {figures['asked']} | {said} |")
    sets = {name: figures for name, figures in report.items() if name not in ("job", "recall")}
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
            question = " ".join(fact["input"].split()).replace("|", "\\|")
            lines.append(f"| {fact['row']} | {question} |")
    return "\n".join(lines) + "\n"
