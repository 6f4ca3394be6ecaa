"""Memory of this machine, or of the container that this process runs in."""

import os
from pathlib import Path

from lorekeep.errors import EngineError

# "No limit" is written as a number near 2**63.
_NONE = 1 << 60
_GROUPS = Path("/sys/fs/cgroup")


def memory() -> int:
    """Total memory in bytes of the machine or the container."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *(limit for limit, _ in _limits())])


def free_memory() -> int:
    """Available memory in bytes, counting reclaimable file cache as free."""
    try:
        with open("/proc/meminfo") as file:
            free = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return max(0, min([free, *(limit - used for limit, used in _limits())]))


def refuse_larger(what: str, need: int) -> None:
    """Refuses work that exceeds the machine's memory, before it starts."""
    if need > (there := memory()):
        raise EngineError(
            "out_of_memory",
            f"{what} needs {need} bytes of memory, and this machine has {there}. Take a smaller model, or one in int8 or int4.",
            needed=need,
            there=there,
        )


def _limits() -> list[tuple[int, int]]:
    """(limit, use without file cache) of each control group of this process."""
    try:
        groups = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    except OSError:
        return []
    found = []
    for _, controllers, path in groups:
        if controllers == "":
            root, names = _GROUPS, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            root = _GROUPS / "memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        group = root / path.lstrip("/")
        # Inside of a container the path may be the host's; then the group is mounted at the root.
        places = [place for place in {group, *group.parents, root} if place.is_relative_to(root)]
        found += [limit for place in places if (limit := _limit(place, *names)) is not None]
    return found


def _limit(group: Path, most: str, used: str, files: str) -> tuple[int, int] | None:
    try:
        limit = int((group / most).read_text())
        stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return None if limit >= _NONE else (limit, int((group / used).read_text()) - int(stat.get(files, 0)))
    except (OSError, ValueError):  # "max", or no such group
        return None
