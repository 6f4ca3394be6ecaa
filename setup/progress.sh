# Sourced by the set-up scripts: runs a long command in the background, reports how far it is, and ends it when a signal comes.
# shellcheck shell=sh

job=

# A background job of a script ignores SIGINT, so the signal is passed on as SIGTERM. `wait` returns at once when a signal comes; the message is
# printed before the job has ended, which may take seconds.
stop() {
  trap '' INT TERM
  if [ -n "$job" ] && kill "$job" 2>/dev/null; then
    echo "Stopping ..." >&2
    wait "$job" 2>/dev/null || true
  fi
  exit "$1"
}
trap 'stop 130' INT
trap 'stop 143' TERM

# A terminal shows one line that is rewritten; a log gets a line every five seconds. Progress goes to standard error where the caller says so.
report() {
  if [ -t 1 ]; then printf '\r\033[K%s' "$1"
  elif [ "$1" != "${reported:-}" ] && [ $((ticks % 5)) -eq 0 ]; then echo "$1"; reported=$1
  fi
}

# watch LOG STATUS COMMAND ...: STATUS is a function that prints the progress in one line.
watch() {
  log=$1 status=$2 ticks=0
  shift 2
  "$@" >>"$log" 2>&1 &
  job=$!
  while kill -0 "$job" 2>/dev/null; do
    sleep 1 &
    wait $! || true
    ticks=$((ticks + 1))
    if kill -0 "$job" 2>/dev/null; then report "$($status)"; fi
  done
  if [ -t 1 ] && [ $ticks -gt 0 ]; then printf '\r\033[K'; fi
  ended=0
  wait "$job" || ended=$?
  job=
  return $ended
}

megabytes() { du -sk "$1" 2>/dev/null | awk '{ printf "%d", $1 / 1024 }'; }

# A zombie (state Z) counts as ended. A process of another user takes no signal, but is there.
is_running() { { kill -0 "$1" 2>/dev/null || [ -d "/proc/$1" ] || ps -p "$1" >/dev/null 2>&1; } && ! grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null; }

# One set-up of a kind at a time: a second one waits for the first. The lock is a link to its process, so that a lock left by a kill is taken over.
take_lock() {
  lock_path=$1 waited=0
  trap 'let_go "$lock_path"' EXIT
  hold "$lock_path"
}
release_lock() { let_go "$lock_path"; trap - EXIT; }

# hold LINK: makes the link to this process. That of a dead one is removed by the holder of LINK.over alone, after another look: else a process that
# saw the dead owner too would remove the link of the one that has taken over.
hold() {
  until ln -s "$$" "$1" 2>/dev/null; do
    set -- "$1" "$(readlink "$1" 2>/dev/null || true)"
    if [ -z "$2" ]; then
      is_writable "$(dirname "$1")" || exit 1
      continue
    fi
    if is_running "$2"; then
      waited=$((waited + 1))
      [ $waited -ne 10 ] || echo "Waiting for the set-up that process $2 is running ..." >&2
      sleep 0.3
    else
      hold "$1.over"
      if is_link_to "$2" "$1"; then rm -f "$1"; fi
      let_go "$1.over"
    fi
  done
}
is_writable() {
  [ -w "$1" ] && return
  echo "This user ($(id -un 2>/dev/null || id -u)) may not write $1. Let the owner of the checkout run ./lorekeep setup, or change the owner." >&2
  return 1
}
let_go() { if is_link_to "$$" "$1"; then rm -f "$1"; fi; }
is_link_to() { [ "$(readlink "$2" 2>/dev/null)" = "$1" ]; }
