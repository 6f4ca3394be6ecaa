"""Downloads from a hub that runs beside the test: complete, interrupted, corrupt and hostile. Each download
runs in its own process, as under the server."""

import json
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from lorekeep.folders import check
from lorekeep.hub.download import read_mark
from lorekeep.hub.testing_child import NAME, TOKEN, Child, copy, nothing_is_left, refused
from lorekeep.hub.testing_hub import behave, requests
from lorekeep.testing import SOME_FAMILIES, Bench, piece_tokenizer, present, save_model


def big(root: Path, megabytes: int) -> None:
    """Writes larger weights: tiny ones arrive before a test can interrupt them."""
    from safetensors.torch import load_file, save_file

    file = root / NAME / "model.safetensors"
    save_file({**load_file(file), "more": torch.rand(megabytes << 18)}, file, metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("family", "options"),
    [
        *((family, {}) for family in SOME_FAMILIES),
        ("llama", {"dtype": torch.bfloat16}),
        ("qwen2", {"dtype": torch.float16}),
        ("gemma", {"tokenizer": piece_tokenizer()}),
        ("mistral", {"shards": "60KB"}),
    ],
)
def test_models_of_every_family_are_downloaded_and_run(bring, root, models, family, options, tmp_path):
    shards = options.pop("shards", None)
    made = save_model(tmp_path / "made", family, **options)
    if shards:
        from transformers import AutoModelForCausalLM

        whole = AutoModelForCausalLM.from_pretrained(made)
        (made / "model.safetensors").unlink()
        whole.save_pretrained(made, max_shard_size=shards)
        assert len(list(made.glob("*.safetensors"))) > 2
    copy(made, root / "org/other")
    child = bring("org/other")
    assert child.end() == {"type": "finished", "model_type": "transformer"}, child.said
    arrived = models / "org/other"
    for file in arrived.iterdir():
        assert file.name == "lorekeep.json" or file.read_bytes() == (made / file.name).read_bytes()
    check(str(arrived), "generate")
    assert Bench(arrived).one(prompt="Hello", max_tokens=3)["type"] == "end"


def test_an_embedding_model_is_downloaded_with_its_modules(bring, root, models):
    from lorekeep import default_embedder

    source = default_embedder.folder()
    if source is None:
        pytest.skip("the default embedder is not installed")
    copy_tree(source, root / "org/embedder")
    for kind in (None, "embed"):
        assert bring("org/embedder", kind=kind).end() == {"type": "finished", "model_type": "embedding"}
    assert (models / "org/embedder/modules.json").is_file()
    assert (models / "org/embedder/1_Pooling/config.json").is_file()
    as_generator = bring("org/embedder", kind="generate")
    assert as_generator.end()["type"] == "finished", "it is there already"
    (models / "org/embedder").rename(models / "aside")
    assert 'model_type "embedding"' in bring("org/embedder", kind="generate").end()["reason"]


def copy_tree(source: Path, target: Path) -> None:
    for file in source.rglob("*"):
        if file.is_file():
            place = target / file.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())


def test_only_needed_files_are_fetched_at_one_commit_with_progress(bring, root, models, hub):
    behave(root, NAME, commit="d" * 40)
    for name in ("modeling_evil.py", "pytorch_model.bin", "README.md", "original/model.safetensors"):
        (root / NAME / name).parent.mkdir(exist_ok=True)
        (root / NAME / name).write_bytes(b"not wanted")
    child = bring()
    assert child.end()["type"] == "finished"
    asked = [request["path"] for request in requests(root) if "/resolve/" in request["path"]]
    assert asked and all(f"/resolve/{'d' * 40}/" in path for path in asked)
    assert not any(word in path for path in asked for word in ("evil", "bin", "README", "original"))
    mark = read_mark(models / NAME)
    assert mark["commit"] == "d" * 40 and mark["public"] is True
    total = sum(
        (models / NAME / file).stat().st_size for file in mark["files"]
    )  # what was told is what is there
    assert child.said[-2] == {"type": "progress", "done": total, "total": total}
    assert not (models / ".downloads" / "org--tiny").exists()


def test_every_broken_connection_is_resumed(bring, root, models):
    big(root, 2)
    behave(root, NAME, cut=300_000)
    assert bring().end()["type"] == "finished"
    weights = (root / NAME / "model.safetensors").read_bytes()
    assert (models / NAME / "model.safetensors").read_bytes() == weights
    asked = [
        int(request["range"].removeprefix("bytes=").removesuffix("-"))
        for request in requests(root)
        if request["cdn"] and request["range"]
    ]
    assert len(asked) >= 6 and asked == sorted(set(asked))


def test_without_range_support_the_file_is_read_from_the_start(bring, root, models):
    big(root, 2)
    behave(root, NAME, pause=0.02, ranges=False)
    child = bring()
    arrived(models, 500_000)
    child.process.kill()
    behave(root, NAME, ranges=False)
    assert bring().end()["type"] == "finished"
    check(str(models / NAME), "generate")


def arrived(models: Path, size: int) -> int:
    part = models / ".downloads/org--tiny/files/model.safetensors.part"
    for _ in range(3000):
        if part.is_file() and part.stat().st_size >= size:
            return part.stat().st_size
        time.sleep(0.01)
    raise AssertionError("nothing arrived")


def test_a_killed_download_resumes_at_its_commit(bring, root, models):
    big(root, 4)
    behave(root, NAME, commit="1" * 40, pause=0.02)
    child = bring()
    had = arrived(models, 1_000_000)
    child.process.send_signal(signal.SIGKILL)
    child.process.wait()
    assert not (models / NAME).exists(), "nothing half is visible"
    behave(root, NAME, commit="2" * 40)
    count = len(requests(root))
    assert bring().end()["type"] == "finished"
    assert read_mark(models / NAME)["commit"] == "1" * 40
    later = [request for request in requests(root)[count:] if request["cdn"]]
    assert len(later) == 1 and int(later[0]["range"].removeprefix("bytes=").removesuffix("-")) >= had


def test_a_download_ends_with_its_server_and_another_takes_over(bring, root, models):
    big(root, 4)
    behave(root, NAME, pause=0.05)
    first = bring()
    arrived(models, 500_000)
    second = bring()  # waits for its turn
    first.process.stdin.close()
    assert first.process.wait(10) == 0
    behave(root, NAME)
    assert second.end()["type"] == "finished"


def test_a_deleted_commit_is_replaced_by_the_newest(bring, root, models):
    big(root, 4)
    behave(root, NAME, commit="1" * 40, pause=0.02)
    child = bring()
    arrived(models, 1_000_000)
    child.process.kill()
    child.process.wait()
    big(root, 3)
    behave(root, NAME, commit="2" * 40, gone=["1" * 40])
    assert bring().end()["type"] == "finished"
    assert read_mark(models / NAME)["commit"] == "2" * 40
    check(str(models / NAME), "generate")


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_wrong_content_is_fetched_once_more_then_reported(bring, root, models, file):
    behave(root, NAME, wrong={file: 1})
    assert bring().end()["type"] == "finished"
    assert (models / NAME / file).read_bytes() == (root / NAME / file).read_bytes()


def test_a_permanently_wrong_content_is_reported_and_right_files_are_kept(bring, root, models):
    behave(root, NAME, wrong={"model.safetensors": 2}, commit="1" * 40)
    reason = refused(bring(), models)
    assert "model.safetensors arrived twice with another content" in reason and "sha256:" in reason
    behave(root, NAME, commit="2" * 40)
    count = len(requests(root))
    assert bring().end()["type"] == "finished"
    again = [request["path"].rsplit("/", 1)[-1] for request in requests(root)[count:]]
    assert "tokenizer.json" not in again and "model.safetensors" in again
    assert read_mark(models / NAME)["commit"] == "2" * 40


def test_false_sizes_are_reported(bring, root, models):
    for size in (100, 1 << 20):
        behave(root, NAME, sizes={"model.safetensors": size})
        reason = refused(bring(), models)
        assert "another content" in reason or "416" in reason


def test_a_mirror_without_hashes_is_asked_for_each_file(bring, root, models):
    behave(root, NAME, hashes=False)
    assert bring().end()["type"] == "finished"
    files = read_mark(models / NAME)["files"]
    assert files["model.safetensors"].startswith("sha256:") and files["config.json"].startswith("git:")


def test_a_gated_model_names_the_terms_to_accept(bring, root, models, hub):
    behave(root, NAME, gated=TOKEN)
    assert f"accept its terms at {hub.url}/{NAME} and send private_hf_token" in refused(bring(), models)
    assert "the account that the token is of" in refused(bring(token="hf_of_somebody_else"), models)
    assert bring(token=TOKEN).end()["type"] == "finished"


def test_a_private_model_needs_the_token_which_is_sent_to_the_hub_only(bring, root, models):
    behave(root, NAME, token=TOKEN)
    assert "send private_hf_token" in refused(bring(), models)
    assert "does not open it" in refused(bring(token="hf_of_somebody_else"), models)
    nothing_is_left(models)
    assert bring(token=TOKEN, public=False).end()["type"] == "finished"
    told = {(request["cdn"], request["token"]) for request in requests(root)}
    assert (True, None) in told and (False, f"Bearer {TOKEN}") in told
    assert not any(cdn and token for cdn, token in told)
    assert not any(token and "of_this_machine" in token for _, token in told)
    assert not any(TOKEN.encode() in path.read_bytes() for path in models.rglob("*") if path.is_file())
    # The hub must also admit a caller who requests a model that is already downloaded.
    assert "send private_hf_token" in bring().end()["reason"]
    assert read_mark(models / NAME)["public"] is False
    behave(root, NAME)
    assert bring().end() == {"type": "finished", "model_type": "transformer"}
    assert read_mark(models / NAME)["public"] is True


def test_a_refusal_of_the_hub_is_reported_and_leaves_nothing(bring, models, root):
    assert f"has no model {NAME}x" in bring(f"{NAME}x").end()["reason"]
    behave(root, NAME, disabled=True)
    assert "disabled" in refused(bring(), models)
    behave(root, NAME, status=500)
    assert "status 500" in refused(bring(), models)
    nothing_is_left(models)


def test_an_unreachable_hub_is_reported_soon(models):
    reason = refused(Child("http://127.0.0.1:9", models, NAME), models)
    assert "http://127.0.0.1:9 cannot be reached" in reason
    nothing_is_left(models)


def change(root: Path, file: str, **said) -> None:
    path = root / NAME / file
    path.write_text(json.dumps({**json.loads(path.read_text()), **said}))


def test_an_unsupported_architecture_is_refused_by_its_configuration(bring, root, models):
    change(root, "config.json", model_type="gpt2")
    assert "model_type is 'gpt2'" in refused(bring(), models)
    fetched = [request["path"] for request in requests(root) if "/resolve/" in request["path"]]
    assert [path.rsplit("/", 1)[-1] for path in fetched] == ["config.json"]
    change(root, "config.json", model_type="llama", quantization_config={"quant_method": "gptq"})
    assert "quantized by gptq" in refused(bring(), models)
    nothing_is_left(models)


def test_pickles_are_refused_before_large_files_are_fetched(bring, root, models):
    (root / NAME / "model.safetensors").rename(root / NAME / "pytorch_model.bin")
    assert "pickle files ('pytorch_model.bin')" in refused(bring(), models)
    (root / NAME / "pytorch_model.bin").unlink()
    assert "no model.safetensors" in refused(bring(), models)
    (root / NAME / "tokenizer.json").unlink()
    assert "no tokenizer.json" in refused(bring(), models)
    (root / NAME / "config.json").unlink()
    assert "no config.json" in refused(bring(), models)
    assert not any("pytorch" in request["path"] for request in requests(root))
    nothing_is_left(models)


@pytest.mark.parametrize(
    "shard", ["../../../escaped.safetensors", "/etc/x.safetensors", "a/b.safetensors", ".safetensors", "x.py"]
)
def test_path_traversal_in_file_names_is_refused(bring, root, models, shard, tmp_path):
    (root / NAME / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": shard}}))
    behave(root, NAME, more=[shard, "../config.json", "/etc/passwd", "..", ""])
    assert "model.safetensors.index.json names" in refused(bring(), models)
    assert not list(tmp_path.rglob("escaped*"))
    (root / NAME / "model.safetensors.index.json").unlink()
    assert bring().end()["type"] == "finished"
    assert all(path.is_relative_to(models / NAME) for path in models.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "modules", [[{"type": "x.Pooling", "path": "../1"}], [{"type": "x.Evil", "path": ""}], [1], {}]
)
def test_invalid_modules_are_refused(bring, root, models, modules):
    change(root, "config.json", model_type="bert")
    (root / NAME / "modules.json").write_text(json.dumps(modules))
    behave(root, NAME, more=["../1/config.json"])
    assert "modul" in refused(bring(), models)


def test_broken_files_are_refused_even_with_a_right_hash(bring, root, models):
    (root / NAME / "config.json").write_text("[" * 100_000)
    assert "config.json cannot be read" in refused(bring(), models)
    (root / NAME / "config.json").write_text(json.dumps({"model_type": "llama"}))
    (root / NAME / "model.safetensors").write_bytes(b"cut off")
    assert "copied completely" in refused(bring(), models)
    nothing_is_left(models)


def test_a_listing_of_very_many_files_is_read(bring, root, models):
    behave(root, NAME, more=[f"checkpoints/{n}/model.safetensors" for n in range(50_000)])
    assert bring().end()["type"] == "finished"


def test_a_model_larger_than_the_free_disk_space_is_refused_at_once(bring, root, models):
    behave(root, NAME, sizes={"model.safetensors": 1 << 50})
    reason = refused(bring(), models)
    assert int(present(re.search(r"too little room: (\d+) bytes are to come", reason))[1]) > 1 << 50
    assert not any(request["path"].endswith(".safetensors") for request in requests(root))


def test_a_disk_that_fills_up_during_a_download_is_reported_and_freed(bring, root, models):
    big(root, 4)
    limit = (resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    reason = refused(bring(preexec_fn=lambda: resource.setrlimit(*limit)), models)
    assert "the disk is full" in reason
    nothing_is_left(models)


def test_a_full_file_system_is_reported_and_freed(hub, root, models):
    """A real one of 8 MiB, in a mount namespace of its own, with a file that fills it while the weights arrive."""
    if subprocess.run(_mounted(models, "true"), check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    big(root, 4)
    behave(root, NAME, pause=0.02)
    fill = f"until [ -s {models}/.downloads/org--tiny/files/model.safetensors.part ]; do sleep 0.01; done; head -c 8000000 /dev/zero"
    script = f'{{ {fill}; }} > {models}/filler 2>/dev/null & "$0" -m lorekeep download; wait; find {models} -type f >&2'
    child = Child(hub.url, models, NAME, command=[*_mounted(models, script), sys.executable])
    end = child.until("failed")
    assert "No space left on device" in end["reason"]
    child.process.wait(20)
    assert child.stderr.read().decode().split() == [f"{models}/filler"]


def _mounted(models: Path, script: str) -> list[str]:
    return ["unshare", "-rm", "sh", "-c", f"mount -t tmpfs -o size=8m tmpfs {models} && {{ {script}; }}"]
