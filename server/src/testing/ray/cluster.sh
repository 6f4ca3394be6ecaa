#!/usr/bin/env bash
# A Ray cluster for tests whose nodes are namespaces of this machine: each has its own network, processes, host name, /tmp/ray and /dev/shm,
# like a machine. It is isolated from the machine's own interfaces in both directions. GPUs are only numbers. Needs root.
#   cluster.sh up [NODES]       a head without GPUs (node 0) and NODES-1 workers
#   cluster.sh down             removes everything
#   cluster.sh silence N        cable out, then SIGKILL to all of node N: its connections just fall silent
#   cluster.sh kill N           SIGKILL to all of node N: its connections are reset
#   cluster.sh start N          starts node N again
#   cluster.sh cut N, plug N    unplugs the cable of node N, plugs it in again
#   cluster.sh freeze N, thaw N stops and continues all processes of node N
#   cluster.sh in COMMAND...    runs COMMAND where the server would be
# RAY_TEST_FOLDER is its folder, RAY_TEST_VENV the environment with Ray, RAY_TEST_NAME begins the names of namespaces, RAY_TEST_NICE is the
# niceness of nodes, RAY_TEST_CORES the share of a core that each worker node has at most (0.7; otherwise all cores); RAY_* go to the nodes.
set -euo pipefail
folder=${RAY_TEST_FOLDER:?} venv=${RAY_TEST_VENV:?} name=${RAY_TEST_NAME:-lkr}
net=10.77.0 cpus=${RAY_TEST_CPUS:-2} gpus=${RAY_TEST_GPUS:-2}
# Python caches the compiled modules of Ray: otherwise each process of a node compiles all its imports.
export RAY_USAGE_STATS_ENABLED=0 PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1
# A silent node is noticed after some 10 seconds instead of minutes.
export RAY_health_check_initial_delay_ms=2000 RAY_health_check_period_ms=1000 RAY_health_check_timeout_ms=2000
export RAY_health_check_failure_threshold=8 RAY_grpc_client_keepalive_time_ms=10000 RAY_grpc_client_keepalive_timeout_ms=5000

address() { echo "$net.$((10 + $1))"; }

wire() {
  ip netns add "$name-n$1"
  ip link add "$name$1" netns "$name-sw" type veth peer name eth0 netns "$name-n$1"
  ip -n "$name-sw" link set "$name$1" master br0 up
  ip -n "$name-n$1" addr add "$(address "$1")/24" dev eth0
  ip -n "$name-n$1" link set eth0 up
  ip -n "$name-n$1" link set lo up
}

# Puts this process and its children into a control group of node $1 with RAY_TEST_CORES of processor time.
limit() {
  local microseconds group root=/sys/fs/cgroup
  microseconds=$(awk "BEGIN {print int(100000 * $RAY_TEST_CORES)}")
  if [ -d $root/cpu ]; then
    group=$root/cpu/$name-n$1
    mkdir -p "$group"
    echo 100000 >"$group/cpu.cfs_period_us"
    echo "$microseconds" >"$group/cpu.cfs_quota_us"
  else
    group=$root/$name-n$1
    echo +cpu >$root/cgroup.subtree_control
    mkdir -p "$group"
    echo "$microseconds 100000" >"$group/cpu.max"
  fi
  echo "$BASHPID" >"$group/cgroup.procs"
}

start() {
  local n=$1 dir=$folder/n$1 role
  mkdir -p "$dir/ray" "$dir/home"
  if [ "$n" = 0 ]; then
    role="--head --port=6379 --dashboard-host=$(address 0) --dashboard-port=8265 --num-cpus=1 --num-gpus=0"
  else
    role="--address=$(address 0):6379 --num-cpus=$cpus --num-gpus=$gpus"
  fi
  # The child of unshare is process 1 of the node: when it ends, all end.
  (
    if [ -n "${RAY_TEST_CORES:-}" ] && [ "$n" != 0 ]; then limit "$n"; fi
    exec setsid ip netns exec "$name-n$n" unshare --mount --uts --ipc --pid --fork --kill-child --mount-proc bash -c "
      hostname node-$n; mount --bind '$dir/ray' /tmp/ray; mount -t tmpfs -o size=256m tmpfs /dev/shm
      export HOME='$dir/home'; cd '$dir'
      while :; do
        nice -n ${RAY_TEST_NICE:-5} '$venv/bin/ray' start $role --node-ip-address=$(address "$n") --object-store-memory=80000000 --disable-usage-stats --block
        sleep 1 # a head that is slow to start, or one that has given this node up
      done"
  ) >"$dir/log" 2>&1 </dev/null &
  echo $! >"$dir/pid"
}

# All processes of a node, by their ids here.
inside() {
  local space
  space=$(readlink "/proc/$(first "$1")/ns/pid") || return 0
  for process in /proc/[0-9]*; do
    if [ "$(readlink "$process/ns/pid" 2>/dev/null)" = "$space" ]; then basename "$process"; fi
  done
}

# Process 1 of a node, by its id here.
first() {
  local at
  at=$(cat "$folder/n$1/pid")
  while [ "$(readlink "/proc/$at/ns/pid" 2>/dev/null)" = "$(readlink /proc/self/ns/pid)" ]; do
    at=$(cut -d' ' -f1 "/proc/$at/task/$at/children")
    [ -n "$at" ] || return 1
  done
  echo "$at"
}

end() {
  local at
  # A node that Ray declared dead has ended by itself.
  if [ -f "$folder/n$1/pid" ] && at=$(first "$1"); then kill -9 "$at" 2>/dev/null || true; fi
  rm -f "$folder/n$1/pid"
}

case ${1:-} in
  up)
    mkdir -p "$folder" /tmp/ray
    ip netns add "$name-sw"
    ip -n "$name-sw" link set lo up
    ip -n "$name-sw" link add br0 type bridge
    ip -n "$name-sw" addr add "$net.1/24" dev br0
    ip -n "$name-sw" link set br0 up
    for n in $(seq 0 $((${2:-3} - 1))); do wire "$n"; start "$n"; done
    ;;
  down)
    for dir in "$folder"/n*; do [ -d "$dir" ] && end "${dir##*/n}"; done
    for space in $(ip netns list | awk '{print $1}' | grep "^$name-" || true); do ip netns del "$space"; done
    # Killed processes leave their groups a moment later.
    for group in /sys/fs/cgroup/cpu/"$name"-n* /sys/fs/cgroup/"$name"-n*; do
      for _ in 1 2 3 4 5 6 7 8 9 10; do
        if [ ! -d "$group" ] || rmdir "$group" 2>/dev/null; then break; fi
        sleep 0.2
      done
    done
    ;;
  silence) ip -n "$name-sw" link set "$name$2" down; end "$2" ;;
  kill) end "$2" ;;
  start)
    ip -n "$name-sw" link set "$name$2" up
    rm -rf "$folder/n$2/ray"
    start "$2"
    ;;
  cut) ip -n "$name-sw" link set "$name$2" down ;;
  plug) ip -n "$name-sw" link set "$name$2" up ;;
  freeze) inside "$2" | xargs -r kill -STOP ;;
  thaw) inside "$2" | xargs -r kill -CONT ;;
  in) shift; exec ip netns exec "$name-sw" "$@" ;;
  *) sed -n 2,13p "$0"; exit 2 ;;
esac
