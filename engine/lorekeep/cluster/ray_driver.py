"""The driver of a run on a Ray cluster: `python -m lorekeep.cluster.ray_driver FOLDER --attempt N --nodes N --slots N --resource GPU`.
The driver occupies no slot. It requests a placement group, starts a coordinator and one worker per slot, replaces lost workers, and
writes the outcome of the run into its last heartbeat. In the engine only the drivers import ray."""

import argparse
import contextlib
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray  # pyright: ignore[reportMissingImports]
from ray.exceptions import RayActorError, RayError  # pyright: ignore[reportMissingImports]
from ray.util.placement_group import (  # pyright: ignore[reportMissingImports]
    placement_group,
    remove_placement_group,
)
from ray.util.scheduling_strategies import (  # pyright: ignore[reportMissingImports]
    PlacementGroupSchedulingStrategy,
)

from lorekeep.cluster.members import Coordinator, Notes, Worker
from lorekeep.cluster.process import LEFT
from lorekeep.tune.events import Events
from lorekeep.tune.fence import BEAT, Fence, Heartbeat, Superseded
from lorekeep.tune.waves import WaveQueue

# CPUs that Ray counts for a slot and for the coordinator.
SLOT_CPU, COORDINATOR_CPU = 0.5, 1
# Seconds to wait for slots before the job's page reports the wait.
PATIENCE = 5
# Maximum lost workers per slot, and maximum attempts of the measurement, before the run is given up.
LOSSES, MEASURINGS = 4, 3
# Timeout in seconds for a worker to return when there is no further wave.
SETTLING = 30
# Timeout in seconds for processes to exit.
LEAVING = 3 * BEAT


class Lost(Exception):
    """This attempt cannot continue; the next one resumes from the finished waves."""


@dataclass
class Order:
    folder: Path
    attempt: int
    nodes: int
    slots: int  # per node
    resource: str

    @property
    def id(self) -> str:
        """Name of the placement group, which tells the server to which job occupied slots belong (nodes.ts)."""
        return f"lk-{self.folder.name[:24]}-{self.attempt}"

    def of_slot(self, count: float = 1) -> dict[str, float]:
        return {self.resource: count}


@dataclass
class Member:
    role: str
    actor: Any
    busy: bool = False


@dataclass
class Run:
    """The processes of a run and their state."""

    order: Order
    fence: Fence
    events: Events
    group: Any = None
    workers: list[Member] = field(default_factory=list)
    coordinator: Member | None = None
    peak: int = 0
    starts: Counter = field(default_factory=Counter)
    losses: int = 0

    def __post_init__(self):
        self.notes = Notes(self.fence.file("notes"))

    # ---- phases of a run
    def whole(self) -> dict:
        self.place()
        count = self.order.nodes * self.order.slots
        self.workers = [self.worker(slot) for slot in range(1, count + 1)]
        # A single slot needs no coordinator: its worker reports the waves, and a sweep has none.
        if count > 1:
            self.coordinator = self.start(
                Coordinator, "coordinator", self.order.nodes, num_cpus=COORDINATOR_CPU
            )
            planned = self.get(self.coordinator, "plan")
            if planned["status"] is not None:
                return planned
            if planned["waves"]:
                failed = self.train(planned["waves"])
                if failed is not None:
                    return failed
        return self.measure()

    def place(self) -> None:
        order = self.order
        slots = [{**order.of_slot(order.slots), "CPU": SLOT_CPU * order.slots}] * order.nodes
        if order.resource == "CPU":
            slots = [{"CPU": order.slots}] * order.nodes
        several = order.nodes * order.slots > 1
        self.group = placement_group(
            slots + [{"CPU": COORDINATOR_CPU}] * several, strategy="SPREAD", name=order.id
        )
        if self.group.wait(PATIENCE):
            return
        self.events.note(self.waits_for())
        while not self.group.wait(30):
            pass
        self.events.note("The cluster has the slots.")

    def waits_for(self) -> str:
        order, sizes = self.order, Counter(map(self.slots_of, ray.nodes()))
        there = ", ".join(
            f"{count} with {slots}" for slots, count in sorted(sizes.items(), reverse=True) if slots
        )
        of_each = f"{order.slots} free {'slot' if order.slots == 1 else 'slots'}"
        wanted = f"{of_each} on {'one node' if order.nodes == 1 else f'each of {order.nodes} nodes'}"
        return f"It waits until Ray has {wanted}; nodes of the cluster now: {there or 'none with slots'}."

    def slots_of(self, node: dict) -> int:
        return int(node["Resources"].get(self.order.resource, 0)) if node["Alive"] else 0

    def train(self, waves: int) -> dict | None:
        """Returns the result of the run if it failed."""
        for needless in self.workers[max(1, waves) :]:
            self.leave([needless])
        self.workers = self.workers[: max(1, waves)]
        assert self.coordinator is not None
        following = self.call(self.coordinator, "follow")
        working = {self.call(worker, "work"): worker for worker in self.workers}
        while True:
            done, _ = ray.wait([following, *working], num_returns=1, timeout=10)
            for call in done:
                member = working.pop(call, self.coordinator)
                try:
                    said = self.result(member, call)
                except RayActorError as error:
                    if member is self.coordinator:
                        raise Lost(
                            f"the process that plans and reports was lost on the cluster: {cause(error)}"
                        ) from error
                    another = self.replace(member, error)
                    working[self.call(another, "work")] = another
                    continue
                if said["status"] != 0:
                    return said
                if member is self.coordinator:
                    return self.settle(working)

    def settle(self, working: dict) -> None:
        """Waits until a worker is free: each returns when it finds no further wave, unless it is lost."""
        until = time.monotonic() + SETTLING
        while working and all(worker.busy for worker in self.workers) and time.monotonic() < until:
            done, _ = ray.wait(list(working), num_returns=1, timeout=1)
            for call in done:
                with contextlib.suppress(RayActorError):
                    self.result(working.pop(call), call)

    def measure(self) -> dict:
        for _ in range(MEASURINGS):
            worker = next((one for one in self.workers if not one.busy), None)
            worker = worker or self.replace(self.workers[0], "it did not answer")
            call = self.call(worker, "finish")
            try:
                return self.result(worker, call)
            except RayActorError as error:
                self.replace(worker, error)
        raise Lost(f"the worker that writes the model was lost {MEASURINGS} times")

    def replace(self, lost: Member, error: Exception | str) -> Member:
        sys.stderr.write(f"{lost.role}: {error}\n")
        self.losses += 1
        if self.losses > LOSSES * self.order.nodes * self.order.slots:
            raise Lost(f"its workers were lost {self.losses} times: {cause(error)}")
        waves = WaveQueue(self.order.folder / "waves", 0, self.fence).free(lost.role)
        had = (
            f", with {waves} unfinished {'wave' if waves == 1 else 'waves'} that others take" if waves else ""
        )
        self.note(f"A worker was lost on the cluster ({lost.role}){had}. Another one is started.")
        ray.kill(lost.actor)
        slot = int(lost.role.split("-")[1])
        another = self.worker(slot)
        self.workers[self.workers.index(lost)] = another
        return another

    def note(self, message: str) -> None:
        if self.coordinator is not None and self.coordinator.busy:
            self.notes.add(message)
        else:
            self.events.note(message)

    # ---- processes
    def worker(self, slot: int) -> Member:
        self.starts[slot] += 1
        again = f"-{self.starts[slot]}" if self.starts[slot] > 1 else ""
        resource = self.order.resource
        counted = (
            {"num_gpus": 1}
            if resource == "GPU"
            else {}
            if resource == "CPU"
            else {"resources": {resource: 1}}
        )
        return self.start(
            Worker, f"worker-{slot}{again}", -1, num_cpus=1 if resource == "CPU" else SLOT_CPU, **counted
        )

    def start(self, kind: type, role: str, bundle: int, **resources) -> Member:
        place = PlacementGroupSchedulingStrategy(self.group, placement_group_bundle_index=bundle)
        # A second thread handles `leave` while the first one computes.
        options = {"max_restarts": 0, "max_concurrency": 2, "scheduling_strategy": place, **resources}
        actor = ray.remote(kind).options(**options).remote(str(self.order.folder), self.order.attempt, role)
        return Member(role, actor)

    def call(self, member: Member, method: str):
        member.busy = True
        return getattr(member.actor, method).remote()

    def result(self, member: Member, call) -> dict:
        said = ray.get(call)
        member.busy = False
        self.peak = max(self.peak, said["peak"])
        return said

    def get(self, member: Member, method: str) -> dict:
        try:
            return self.result(member, self.call(member, method))
        except RayActorError as error:
            raise Lost(
                f"the process that plans and reports was lost on the cluster: {cause(error)}"
            ) from error

    def leave(self, members: list[Member]) -> None:
        ray.wait([one.actor.leave.remote() for one in members], num_returns=len(members), timeout=LEAVING)

    def end(self) -> None:
        members = [*self.workers, *([self.coordinator] if self.coordinator else [])]
        if members:
            self.leave(members)
        if self.group is not None:
            remove_placement_group(self.group)


def cause(error: Exception | str) -> str:
    """The last line of a Ray error, since the whole error contains tracebacks."""
    lines = str(error).strip().splitlines()
    return lines[-1].strip()[:300] if lines else type(error).__name__


def drive(program: str, work: Callable[[Order, Fence, Callable[[dict], None]], None]) -> int:
    """Runs the work of an attempt and writes the outcome into the last heartbeat. The work reports the outcome as soon as it is known, so
    that nobody waits for its cleanup."""
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--attempt", type=int, required=True)
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--resource", required=True)
    order = Order(**vars(parser.parse_args()))
    fence = Fence(order.folder, order.attempt)
    try:
        beat = Heartbeat(fence, "driver", lambda reason: give_up(fence, reason))
        beat.start()
    except Superseded as error:
        sys.stderr.write(f"{error}\n")
        return LEFT
    # No status, as after a signal: the job itself did not fail.
    ended: dict = {"status": None, "reason": "it was stopped on the cluster", "peak": None}
    is_told = False

    def tell(said: dict) -> None:
        nonlocal is_told
        is_told = True
        beat.end({"ended": said})

    try:
        work(order, fence, tell)
    except Superseded as error:
        give_up(fence, str(error))
    except (Lost, RayError) as error:
        ended["reason"] = str(error)
    except Exception as error:  # noqa: BLE001 (a bug; the log of Ray's job has the traceback)
        traceback.print_exc()
        ended.update(status=70, reason=f"{type(error).__name__}: {error}")
    finally:
        if not is_told:
            tell(ended)
    return 0


def attempt(order: Order, fence: Fence, tell: Callable[[dict], None]) -> None:
    ray.init(address="auto", log_to_driver=False, logging_level="warning")
    # Set after ray.init, which installs its own handler.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    run = Run(order, fence, Events(order.folder / "events.ndjson", fence))
    try:
        said = run.whole()
        tell({**said, "peak": run.peak})
    finally:
        run.end()


def give_up(fence: Fence, reason: str) -> None:
    """Exits the driver after the processes that exit by themselves. Ray kills the rest, and a killed process cannot
    remove its heartbeat."""
    sys.stderr.write(f"{reason}\n")
    until = time.monotonic() + LEAVING
    own = fence.file("driver.beat")
    while time.monotonic() < until and set(fence.folder.glob(f"{fence.attempt:06d}.*.beat")) - {own}:
        time.sleep(0.1)
    own.unlink(missing_ok=True)
    os._exit(LEFT)


if __name__ == "__main__":
    sys.exit(drive("lorekeep.cluster.ray_driver", attempt))
