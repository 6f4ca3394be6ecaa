"""python -m lorekeep serve: the engine, talking over its standard input and output. Started by the server."""

import argparse
import os
import signal
import sys


def main() -> None:
    parser = argparse.ArgumentParser(prog="lorekeep", description="Lorekeep's engine.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="serve models over standard input and output")
    serve.add_argument(
        "--memory", type=int, help="bytes for models and their caches (default: 60%% of what is free)"
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
    serve.add_argument("--dtype", choices=["auto", "float32", "bfloat16", "float16"], default="auto")
    options = parser.parse_args()
    # The pipe is the protocol's alone: whatever a library prints goes to the log.
    lines_out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Ctrl-C in a terminal goes to the whole group; the server ends the engine by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # No question to any hub, no bars on the log.
    os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
    _serve(options, lines_out)
    # Threads may still be loading; nothing they do is worth waiting for.
    sys.stderr.flush()
    os._exit(0)


def _serve(options: argparse.Namespace, lines_out) -> None:
    import logging

    import torch
    import transformers

    from lorekeep.models import Settings
    from lorekeep.serve import Engine

    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(options.threads)
    device = options.device if options.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    memory = options.memory or _free(device) * 6 // 10
    cache = options.cache or memory // 8
    settings = Settings(memory, cache, options.batch, options.queue, device, options.dtype)
    try:
        Engine(settings, sys.stdin.buffer, lines_out).run()
    except BrokenPipeError:
        pass  # the server is gone


def _free(device: str) -> int:
    import torch

    if device != "cpu":
        return torch.cuda.mem_get_info()[0]
    try:
        with open("/proc/meminfo") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


if __name__ == "__main__":
    main()
