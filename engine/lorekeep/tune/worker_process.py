"""python -m lorekeep work: a process that has imported everything and reads one order per line from standard input, so that a short job
does not wait for imports. It exits with its server: when the pipe closes, or when no message arrives for some seconds.

    {"tune": FOLDER}    -> {"ended": status, "reason": sentence or null, "peak": bytes}; what it prints goes to FOLDER/worker.log
    {"plan": FOLDER}    -> {"plan": {...}} or {"failed": sentence}
    {"rebuild": {...}}  -> {"rebuilt": {...}} or {"failed": sentence}; the model, its base, how many experts, the seed, the device
    {"probes": [...]}   -> {"probes": [[...], ...]} or {"failed": sentence}; questions that ask for facts
    {"alike": {...}}    -> {"alike": [[...], ...]} or {"failed": sentence}; a model, or null, and facts that may contradict it or each other
    {"fit": {...}}      -> {"fit": {...}} or {"failed": sentence}; a tuned model, and a base that it may be moved to
    {"alive": true}     -> the same, at once, even during a computation"""

import contextlib
import json
import os
import queue
import resource
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

from lorekeep.memory import compatibility
from lorekeep.tune import dry_run, job, rebuild
from lorekeep.tune.base_cache import BaseCache
from lorekeep.tune.contradictions.finder import ContradictionFinder

# Watchdog: without a message for this many seconds the server is gone or hangs, and another may have taken over
# the job.
SILENCE = 10.0
LOG = "worker.log"
_base_cache, _finder = BaseCache(), ContradictionFinder()


def main(lines_in, lines_out) -> None:
    orders: queue.SimpleQueue = queue.SimpleQueue()
    attention = [time.monotonic()]
    speaking = threading.Lock()

    def listen() -> None:
        try:
            for line in lines_in:
                attention[0] = time.monotonic()
                said = json.loads(line)
                if "alive" in said:
                    tell({"alive": True})
                else:
                    orders.put(said)
        finally:
            leave()

    def watch() -> None:
        while time.monotonic() - attention[0] < SILENCE:
            time.sleep(0.5)
        sys.stderr.write("The server sent nothing for too long; this worker exits.\n")
        leave()

    def tell(message: dict) -> None:
        with speaking:
            lines_out.write(json.dumps(message).encode() + b"\n")
            lines_out.flush()

    try:
        tell({"ready": os.getpid()})
        for work in (listen, watch):
            threading.Thread(target=work, daemon=True).start()
        while True:
            order = orders.get()
            tell(_answer(order))
    except SystemExit:  # terminated: waves are given back, without waiting for reading threads
        os._exit(143)


def _answer(order: dict) -> dict:
    if "tune" in order:
        return tune(Path(order["tune"]))
    if "plan" in order:
        return plan(Path(order["plan"]))
    try:
        if "rebuild" in order:
            return {"rebuilt": rebuild.rebuild(**order["rebuild"])}
        if "fit" in order:
            return {"fit": compatibility.fit(**order["fit"])}
        if "alike" in order:
            return {"alike": _finder.find(**order["alike"], parts=_base_cache.router_parts())}
        return {"probes": rebuild.probes(order["probes"])}
    except Exception as error:  # noqa: BLE001 (the server reports it to the user)
        return {"failed": str(error)}


def tune(folder: Path) -> dict:
    before = os.dup(2)
    _reset_peak()
    try:
        log = os.open(folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 2)
        os.close(log)
        status, reason = job.attempt(folder, _base_cache)
    except Exception as error:  # noqa: BLE001 (a bug; the log has the traceback)
        traceback.print_exc()
        status, reason = 70, f"{type(error).__name__}: {error}"
    finally:
        os.dup2(before, 2)
        os.close(before)
    return {
        "ended": status,
        "reason": reason,
        "peak": _peak(),
    }


def _reset_peak() -> None:
    """Resets the peak memory counter, since one process runs many jobs."""
    with contextlib.suppress(OSError):  # on systems without it the peak covers the whole life of the process
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def plan(folder: Path) -> dict:
    try:
        return {"plan": dry_run.dry_run(folder)}
    except Exception as error:  # noqa: BLE001 (the server reports it to the user)
        return {"failed": str(error)}


def leave() -> None:
    """Ends the process like a SIGTERM; if it does not exit, it is killed."""
    threading.Timer(2.0, lambda: os._exit(75)).start()
    os.kill(os.getpid(), signal.SIGTERM)
