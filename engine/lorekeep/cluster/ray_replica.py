"""The driver of a replica of the engine on a Ray cluster: `python -m lorekeep.cluster.ray_replica FOLDER --attempt N --nodes 1 --slots 1
--resource GPU`. The driver occupies no slot. It requests one, starts the replica there, and exits with it or when its server is gone."""

import signal
import sys
import time
from collections.abc import Callable

import ray  # pyright: ignore[reportMissingImports]
from ray.exceptions import RayActorError  # pyright: ignore[reportMissingImports]
from ray.util.placement_group import (  # pyright: ignore[reportMissingImports]
    placement_group,
    placement_group_table,
    remove_placement_group,
)
from ray.util.scheduling_strategies import (  # pyright: ignore[reportMissingImports]
    PlacementGroupSchedulingStrategy,
)

from lorekeep.cluster.ray_driver import LEAVING, PATIENCE, SLOT_CPU, Lost, Order, cause, drive
from lorekeep.cluster.replica import Replica
from lorekeep.tune.fence import Fence, Superseded

# Timeout in seconds of the server's heartbeat, which a live server writes every 5 seconds (on-ray.ts).
GONE = 60.0


class ServerWatch:
    """Watches the heartbeat of the server by this process's monotonic clock."""

    def __init__(self, order: Order):
        self.file, self.beat, self.since = order.folder / "server.beat", "", time.monotonic()

    def check(self) -> None:
        try:
            beat = self.file.read_text()
        except OSError:
            beat = self.beat
        if beat != self.beat:
            self.beat, self.since = beat, time.monotonic()
        if time.monotonic() - self.since > GONE:
            raise Superseded("The server of this replica is gone.")


def serve(order: Order, fence: Fence, tell: Callable[[dict], None]) -> None:
    ray.init(address="auto", log_to_driver=False, logging_level="warning")
    # Set after ray.init, which installs its own handler.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    watch = ServerWatch(order)
    bundle = {"CPU": 1.0} if order.resource == "CPU" else {**order.of_slot(), "CPU": SLOT_CPU}
    group = placement_group([bundle], name=order.id)
    try:
        while not group.wait(PATIENCE):
            watch.check()
        actor = (
            ray.remote(Replica)
            .options(**placed(order, group))
            .remote(str(order.folder), order.attempt, "replica")
        )
        call = actor.serve.remote(address_of(group))
        try:
            while not ray.wait([call], timeout=PATIENCE)[0]:
                watch.check()
            tell(ray.get(call))
            ray.wait([actor.leave.remote()], timeout=LEAVING)
        except RayActorError as error:
            raise Lost(f"its worker was lost on the cluster: {cause(error)}") from error
    finally:
        remove_placement_group(group)


def placed(order: Order, group) -> dict:
    own = order.resource
    counted = {"num_gpus": 1} if own == "GPU" else {} if own == "CPU" else {"resources": {own: 1}}
    place = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=0)
    # A second thread handles `leave` while the first one serves.
    return {
        "max_restarts": 0,
        "max_concurrency": 2,
        "scheduling_strategy": place,
        "num_cpus": 1 if own == "CPU" else SLOT_CPU,
        **counted,
    }


def address_of(group) -> str:
    """The address of the node that has the slot, as other nodes reach it."""
    node = placement_group_table(group)["bundles_to_node_id"][0]
    return next(one["NodeManagerAddress"] for one in ray.nodes() if one["NodeID"] == node)


if __name__ == "__main__":
    sys.exit(drive("lorekeep.cluster.ray_replica", serve))
