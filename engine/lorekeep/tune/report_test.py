"""report.md: every figure, what failed by name, and what the gate lets through."""

from lorekeep.tune.report import table


def test_it_names_what_failed_and_says_what_the_gate_lets_through():
    shares = {"strict": 0.1, "balanced": 0.4, "generous": 0.7}
    job = {
        "exact": {"asked": 2, "right": 1.0, "failed": []},
        "reworded by rule": {"asked": 2, "right": 0.5, "failed": ["please say:\nwho | what"]},
        "gate": {
            "unknown_relation": {"asked": 40, "passed": shares},
            "near_miss": {"asked": 3, "passed": {}},
        },
    }
    failed = [{"row": 7, "input": "Who?"}]
    said = table({"recall": {"facts": 2, "recalled": 1, "failed": failed}, "job": job})
    assert "| exact | 2 | 1.0 right |" in said and "of exact:" not in said
    assert "Not so, of reworded by rule:\n\n- please say: who \\| what\n" in said
    assert "| the gate lets through | asked | strict | balanced | generous |" in said
    assert "| questions about a known name that no fact answers | 40 | 0.1 | 0.4 | 0.7 |" in said
    assert "| near misses of facts without names | 3 | too few to tell |" in said
    assert "| 7 | Who? |" in said
