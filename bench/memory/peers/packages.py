"""The peers' own packages, from bench/memory/requirements.lock: installed when first wanted into .setup/peers, apart from the product's
environment, and kept until the lock file or the interpreter changes."""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]
LOCK = _ROOT / "bench" / "memory" / "requirements.lock"


def bring(kept: Path = _ROOT / ".setup" / "peers", lock: Path = LOCK) -> None:
    """Installs the packages if needed and makes them importable."""
    wanted = sha256(lock.read_bytes() + sys.version.encode() + sys.platform.encode()).hexdigest()[:16]
    folder = kept / wanted
    if not folder.is_dir():
        _install(folder, lock)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _install(folder: Path, lock: Path) -> None:
    """Builds in a neighbouring folder, then renames it: an interrupted or concurrent set-up does no harm."""
    print(f"bringing the packages of {lock.relative_to(_ROOT)} (once)", file=sys.stderr)
    beside = folder.with_name(f"{folder.name}.{os.getpid()}")
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet"]
    done = subprocess.run(
        [*pip, "--no-deps", "--target", str(beside), "-r", str(lock)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        shutil.rmtree(beside, ignore_errors=True)
        raise RuntimeError(
            f"pip could not install {lock}: {done.stderr.strip()[-1500:]}\nIs the package index reachable?"
        )
    try:
        beside.rename(folder)
    except OSError:  # a concurrent set-up was first
        shutil.rmtree(beside, ignore_errors=True)
        if not folder.is_dir():
            raise
