"""The engine's command line. `serve`, `download` and `work` are started by the server, speak JSON lines over
standard input and output, and end with the server. `tune`, `export`, `import` and `evaluate` run once and
return an exit status."""

import argparse
import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

# Tunes garbage collection: facts are many small long-lived objects, and scanning them repeatedly takes a tenth of a short job's time.
_GC_THRESHOLD = 100_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="lorekeep", description="Lorekeep's engine.")
    commands = parser.add_subparsers(dest="command", required=True)
    _serve_options(commands.add_parser("serve", help="serve models over standard input and output"))
    commands.add_parser("download", help="download a model; standard input is one line of JSON")
    tune = commands.add_parser("tune", help="tune a base on the facts of a job's folder")
    tune.add_argument("folder", help="holds job.json and the facts; all output is written there too")
    tune.add_argument("--worker", action="store_true", help="only train waves of a job that runs already")
    tune.add_argument("--threads", type=int, default=1, help="CPU threads of this process (default: 1)")
    tune.add_argument("--tied", action="store_true", help="end when standard input closes")
    commands.add_parser("work", help="wait for jobs, given as lines of JSON on standard input")
    _export_options(commands)
    bring = commands.add_parser("import", help="import an exported model and verify every file")
    bring.add_argument("exported")
    bring.add_argument(
        "target",
        nargs="?",
        help="target folder (without it the files stay in place, and the result is printed as JSON)",
    )
    bring.add_argument(
        "--base",
        required=True,
        action="append",
        help="a folder of its base; of several folders the matching one is used",
    )
    evaluate = commands.add_parser("evaluate", help="ask the base and the tuned model a set of questions")
    evaluate.add_argument("model", help="a tuned model's folder")
    evaluate.add_argument("set", help="JSON lines of input and output")
    evaluate.add_argument("--prompt", help="also ask the base with this before every question")
    options = parser.parse_args()
    if options.command in _ONE_OFF_COMMANDS:
        os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
        sys.exit(_ONE_OFF_COMMANDS[options.command](options))
    # Standard output is reserved for the protocol; whatever a library prints goes to the log.
    lines_out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Ctrl-C in a terminal goes to the whole group; the server ends the engine by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if options.command == "download":
        _download(lines_out)
    elif options.command == "work":
        os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
        _work(lines_out)
    else:
        # No requests to any hub, no progress bars in the log.
        os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
        _serve(options, lines_out)
    # Does not wait for threads that are still loading.
    sys.stderr.flush()
    os._exit(0)


def _export_options(commands) -> None:
    export = commands.add_parser(
        "export", help="export a tuned model as one folder that another installation imports"
    )
    export.add_argument("model")
    export.add_argument("target")
    export.add_argument(
        "--format",
        choices=["folder", "peft", "vllm", "gguf"],
        default="folder",
        help="folder: for another installation; else adapters, one for each expert: peft (activated LoRA), vllm (LoRA), gguf (llama.cpp)",
    )
    export.add_argument("--base", help="for adapters: the folder of its base")
    export.add_argument("--base-name", help="for adapters: the name of the base where they are loaded")
    export.add_argument("--with-base", action="store_true", help="for gguf: the base as GGUF as well")


@contextmanager
def _importing() -> Iterator[None]:
    """Excludes imported modules from garbage collection: scanning their half a million objects takes a sixth of the start, and time in
    every later collection."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def _serve_options(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--memory", type=int, help="bytes for models and their caches (default: 60%% of what is free)"
    )
    serve.add_argument(
        "--share",
        type=int,
        default=1,
        help="processes of this machine that share its free memory; those of several GPUs share them in turn (default: 1)",
    )
    serve.add_argument(
        "--cache", type=int, help="bytes for the cache of one model (default: an eighth of --memory)"
    )
    serve.add_argument("--batch", type=int, default=32, help="sequences computed together")
    serve.add_argument("--queue", type=int, default=512, help="requests that may wait")
    serve.add_argument(
        "--threads",
        type=int,
        default=1,
        help="CPU threads (default: 1; with more, a row's bits may depend on its batch)",
    )
    serve.add_argument("--device", default="auto", help="auto, cpu or cuda")
    serve.add_argument(
        "--embedder", help="folder of an embedding model besides the default one, for models tuned with it"
    )
    serve.add_argument("--dtype", choices=["auto", "float32", "bfloat16", "float16"], default="auto")


def _serve(options: argparse.Namespace, lines_out) -> None:
    import logging

    from lorekeep.parent_watch import while_awaited

    with while_awaited(sys.stdin.buffer), _importing():
        import torch
        import transformers

        from lorekeep.models import Settings
        from lorekeep.serve import Engine

    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(options.threads)
    device = options.device if options.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        logging.error(
            "torch finds no GPU on this machine: set LOREKEEP_ENGINE_DEVICE to cpu or auto, or check the driver"
        )
        sys.exit(1)
    sharing = options.share if device == "cpu" else -(-options.share // torch.cuda.device_count())
    memory = options.memory or _free_memory(device) * 6 // 10 // sharing
    cache = options.cache or memory // 8
    settings = Settings(
        memory, cache, options.batch, options.queue, device, options.dtype, embedder=options.embedder
    )
    with contextlib.suppress(BrokenPipeError):  # the server has ended
        Engine(settings, sys.stdin.buffer, lines_out).run()


def _download(lines_out) -> None:
    import json
    from pathlib import Path

    from lorekeep.hub.download import Download, DownloadRequest
    from lorekeep.parent_watch import when_closed

    said = json.loads(sys.stdin.buffer.readline())
    ask = DownloadRequest(**{**said, "models": Path(said["models"])})

    when_closed(sys.stdin.buffer, lambda: os._exit(0))

    def tell(message: dict) -> None:
        lines_out.write(json.dumps(message).encode() + b"\n")
        lines_out.flush()

    with contextlib.suppress(BrokenPipeError):  # the server has ended
        Download(ask, tell).run()


def _work(lines_out) -> None:
    from lorekeep.parent_watch import while_awaited

    with while_awaited(sys.stdin.buffer), _importing():
        import torch
        import transformers

        from lorekeep.tune import worker_process

    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    gc.set_threshold(_GC_THRESHOLD)
    # Being told to stop, it gives its wave back and stops its workers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with contextlib.suppress(BrokenPipeError):  # the server has ended
        worker_process.main(sys.stdin.buffer, lines_out)


def _tune(options: argparse.Namespace) -> int:
    from lorekeep.parent_watch import when_closed, while_awaited

    # A worker that is not needed is told by its pipe, before it has imported anything.
    with while_awaited(sys.stdin.buffer) if options.tied else nullcontext(), _importing():
        import torch
        import transformers

        from lorekeep.tune import job, worker, worker_process

    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(options.threads)
    gc.set_threshold(_GC_THRESHOLD)
    # Being told to stop, it gives its wave back and stops its workers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.tied:
        if options.worker and sys.stdin.buffer.readline() != worker.BEGIN:
            return 0  # there is no work, or the parent has exited
        when_closed(sys.stdin.buffer, worker_process.leave)  # the parent has exited
    return (worker.run_helper if options.worker else job.run)(Path(options.folder))


def _export(options: argparse.Namespace) -> int:
    model, target = Path(options.model), Path(options.target)

    def write() -> None:
        with _importing():
            from lorekeep.memory import export, folder

        if options.format == "folder":
            export.export(model, target)
            return
        base = Path(options.base or folder.about(model)["base"]["path"])
        if options.format == "vllm":
            from lorekeep.memory.export_vllm import export_vllm

            export_vllm(model, target, options.base_name)
        elif options.format == "gguf":
            from lorekeep.memory.export_gguf import export_gguf

            export_gguf(model, target, base, options.base_name, options.with_base)
        else:
            from transformers import AutoTokenizer

            tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
            export.export_peft(model, target, tokenizer)

    return _exit_status(write)


def _import(options: argparse.Namespace) -> int:
    with _importing():
        from lorekeep.memory import export

    if options.target is None:
        return _accept(options)
    return _exit_status(
        lambda: export.import_model(Path(options.exported), Path(options.target), options.base[0])
    )


def _accept(options: argparse.Namespace) -> int:
    """Accepts an imported model that the server has unpacked in place; prints one line of JSON."""
    import json

    from lorekeep.errors import EngineError
    from lorekeep.memory import compatibility, folder
    from lorekeep.memory.validate_import import validate_import

    try:
        said: dict = {"base": validate_import(Path(options.exported), options.base)}
        if said["base"] is None:
            base = folder.about(options.exported)["base"]
            said |= {"named": str(base.get("name", base["path"])), "precision": base.get("precision")}
            said["alike"] = compatibility.compatible_bases(Path(options.exported), options.base)
    except EngineError as error:
        said = {"refused": error.facts["reason"].replace(f"{options.exported}/", "")}
    print(json.dumps(said))
    return 0


def _evaluate(options: argparse.Namespace) -> int:
    import json

    with _importing():
        import torch

        from lorekeep.memory import embedder, folder
        from lorekeep.routing.embedders.parts import router_parts
        from lorekeep.tune.measure import evaluate
        from lorekeep.tune.training import trainer

    torch.set_num_threads(1)

    def measure() -> None:
        memory = folder.read(options.model)
        embed, _ = router_parts(embedder.place(memory, None), memory.likeness)
        bench = trainer.Trainer(memory.about["base"]["path"])
        found = evaluate.evaluate(evaluate.Asker(memory, bench, embed), Path(options.set), options.prompt)
        print(json.dumps(found, indent=1, ensure_ascii=False))

    return _exit_status(measure)


def _exit_status(do) -> int:
    """Runs a command. Errors are sentences on standard error. Exit status 3 is a refusal, whose last line is the reason."""
    from lorekeep.errors import EngineError

    try:
        do()
    except EngineError as error:
        print(error, file=sys.stderr)
        print(error.facts.get("reason", error), file=sys.stderr)
        return 3
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


_ONE_OFF_COMMANDS = {"tune": _tune, "export": _export, "import": _import, "evaluate": _evaluate}


def _free_memory(device: str) -> int:
    import torch

    if device != "cpu":
        return torch.cuda.mem_get_info()[0]
    from lorekeep import machine

    return machine.free_memory()


if __name__ == "__main__":
    main()
