"""Layers of the engine: quantization <- infer <- routing <- answering <- memory <- tune <- cluster. A folder imports itself, the
folders below it and the ground modules; hub imports quantization and the ground modules only. quill, the recipe of the shipped base,
is imported by no module of the engine and imports none."""

import ast
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[1]
GROUND = {
    "bulk",
    "contract",
    "default_embedder",
    "disk",
    "download_mark",
    "errors",
    "folders",
    "machine",
    "precision",
    "protocol",
}
# Folders that each folder may import besides itself and the ground; the root's other modules may import everything but the tests' helpers.
BELOW = {
    "quantization": set(),
    "infer": {"quantization"},
    "routing": {"infer"},
    "answering": {"infer", "routing"},
    "memory": {"infer", "routing", "answering"},
    "tune": {"quantization", "infer", "routing", "answering", "memory"},
    "cluster": {"quantization", "infer", "routing", "answering", "memory", "tune"},
    "hub": {"quantization"},
}
MAX_SOURCES = 20


def is_source(file: Path) -> bool:
    """Sources without tests and test helpers."""
    return not file.stem.endswith("_test") and not file.stem.startswith(("testing", "conftest"))


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(ENGINE).with_suffix("").parts).removesuffix(".__init__")


SOURCES = {
    name_of(file): file
    for part in ("lorekeep", "quill")
    for file in (ENGINE / part).rglob("*.py")
    if is_source(file)
}


def imports(file: Path) -> set[str]:
    """The modules that a file imports, at its top or inside a function."""
    package = name_of(file.parent)
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            at = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            module = ".".join([*at, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{module}.{alias.name}"
                found.add(full if full in SOURCES or (ENGINE / full.replace(".", "/")).is_dir() else module)
    return found


def own_imports(file: Path) -> set[str]:
    """The engine's and the recipe's modules that a file imports."""
    return {name for name in imports(file) if name.split(".")[0] in ("lorekeep", "quill")}


IMPORTS = {name: own_imports(file) for name, file in SOURCES.items()}


def folder_of(name: str) -> str | None:
    """The folder of a module of the engine; nothing for the modules of its root."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in BELOW else None


def is_allowed(importer: str, imported: str) -> bool:
    if importer.split(".")[0] != imported.split(".")[0]:
        return False
    if importer.startswith("quill") or imported == "lorekeep":
        return True
    of, to = folder_of(importer), folder_of(imported)
    if to is None:
        below = imported.split(".")[1] in GROUND
        return below if of or importer.split(".")[-1] in GROUND else True
    return (of in (None, to) and importer.split(".")[-1] not in GROUND) or to in BELOW.get(of or "", set())


def names_in(requirements: str) -> set[str]:
    lines = (ENGINE / requirements).read_text("utf-8").splitlines()
    names = {line.partition("==")[0].strip() for line in lines if line and not line.startswith("#")}
    return {name.lower().replace("_", "-") for name in names}


def test_every_package_that_is_imported_is_declared_and_pinned():
    files = [file for part in ("lorekeep", "quill") for file in (ENGINE / part).rglob("*.py")]
    imported = {name.split(".")[0] for file in files for name in imports(file)}
    packages = imported - sys.stdlib_module_names - {"lorekeep", "quill"} - OF_NODES
    assert {"torch", "httpx2"} <= packages
    sources = packages_distributions()
    wanted = {sources[name][0].lower().replace("_", "-") for name in packages}
    declared = names_in("requirements.in")
    assert wanted - declared == set()
    assert declared - names_in("requirements.lock") == set()


# Packages that only the nodes of a cluster have.
OF_NODES = {"ray", "cryptography"}


def test_ray_is_imported_by_its_drivers_alone_and_pinned_in_a_lock_file_of_its_own():
    importers = [
        name for name, file in SOURCES.items() if any(one.split(".")[0] == "ray" for one in imports(file))
    ]
    assert importers == ["lorekeep.cluster.ray_driver", "lorekeep.cluster.ray_replica"]
    cryptographers = [
        name
        for name, file in SOURCES.items()
        if "cryptography" in {one.split(".")[0] for one in imports(file)}
    ]
    assert cryptographers == ["lorekeep.cluster.secured"]
    assert names_in("ray.in") == {"ray[default]", "cryptography"}
    assert names_in("ray.lock") >= OF_NODES
    assert names_in("ray.lock") & names_in("requirements.lock") == set()


def test_each_folder_imports_only_the_folders_below_it():
    wrong = sorted(
        f"{one} imports {other}" for one in IMPORTS for other in IMPORTS[one] if not is_allowed(one, other)
    )
    assert wrong == []


def test_there_are_no_import_cycles():
    graph = {one: {other for other in IMPORTS[one] if other in SOURCES} for one in IMPORTS}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_no_folder_exceeds_the_maximum_number_of_sources():
    folders = Counter(
        file.parent.relative_to(ENGINE).as_posix() for file in SOURCES.values() if "quill" not in file.parts
    )
    assert {folder: count for folder, count in folders.items() if count > MAX_SOURCES} == {}


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("lorekeep.tune.job", "lorekeep.memory.folder", True),
        ("lorekeep.memory.folder", "lorekeep.tune.job", False),
        ("lorekeep.routing.gate", "lorekeep.memory.folder", False),
        ("lorekeep.infer.batch", "lorekeep.infer.cache", True),
        ("lorekeep.infer.batch", "lorekeep.errors", True),
        ("lorekeep.infer.batch", "lorekeep.models", False),
        ("lorekeep.infer.batch", "lorekeep.testing", False),
        ("lorekeep.hub.download", "lorekeep.infer.checksums", False),
        ("lorekeep.tune.job", "lorekeep.hub.client", False),
        ("lorekeep.errors", "lorekeep.infer.batch", False),
        ("lorekeep.serve", "lorekeep.memory.tuned", True),
        ("lorekeep.models", "quill.model", False),
        ("quill.publish", "lorekeep.folders", False),
    ],
)
def test_the_rules_accept_and_reject_examples(importer: str, imported: str, allowed: bool):
    assert is_allowed(importer, imported) == allowed
