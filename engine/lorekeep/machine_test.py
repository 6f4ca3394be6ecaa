"""Memory of the machine, with limits of control groups of both versions."""

import os
from pathlib import Path

import pytest

from lorekeep import machine
from lorekeep.errors import EngineError

WHOLE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def limited(folder: Path, monkeypatch, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(machine, "_GROUPS", folder)


def test_without_a_limit_the_whole_machine_counts(tmp_path, monkeypatch):
    limited(tmp_path, monkeypatch, {"memory.max": "max", "memory.current": "1", "memory.stat": ""})
    assert machine.memory() == WHOLE and 0 < machine.free_memory() <= WHOLE


@pytest.mark.skipif(not Path("/proc/self/cgroup").is_file(), reason="no control groups on this system")
def test_a_control_group_limit_counts_and_file_cache_is_free(tmp_path, monkeypatch):
    files = {
        "memory.max": "500000",
        "memory.current": "400000",
        "memory.stat": "anon 1\ninactive_file 150000",
    }
    older = {
        "memory/memory.limit_in_bytes": "500000",
        "memory/memory.usage_in_bytes": "400000",
        "memory/memory.stat": "total_inactive_file 150000",
    }
    limited(tmp_path, monkeypatch, {**files, **older})
    assert machine.memory() == 500_000 and machine.free_memory() == 250_000


def test_a_refusal_names_both_numbers():
    machine.refuse_larger("a", 1)
    with pytest.raises(
        EngineError, match=rf"tuning on it needs {1 << 62} bytes .* this machine has \d+"
    ) as refused:
        machine.refuse_larger("tuning on it", 1 << 62)
    assert refused.value.facts["needed"] == 1 << 62 and refused.value.facts["there"] <= WHOLE
