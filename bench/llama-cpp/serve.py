"""llama.cpp's own server on a free port of the loopback, for tests: prints its address and ends when its input closes. Ends with 75 where
the package cannot be installed."""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a GGUF file")
    parser.add_argument("--alias", default="base")
    parser.add_argument("--context", type=int, default=2048, help="tokens of each of two slots")
    parser.add_argument("--lora", nargs="*", default=[], help="GGUF files of adapters, chosen by a request")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "bench" / "memory"))
    from peers.packages import bring

    try:
        bring(lock=Path(__file__).with_name("requirements.lock"))
        import xllamacpp
    except (RuntimeError, ImportError) as error:
        print(f"llama.cpp is not here: {error}", file=sys.stderr)
        sys.exit(75)
    settings = xllamacpp.CommonParams()
    settings.model.path = options.model
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.model_alias = {options.alias}
    settings.n_parallel, settings.n_ctx, settings.n_gpu_layers = 2, 2 * options.context, 0
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.warmup, settings.lora_init_without_apply = False, True
    settings.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(path, 1.0) for path in options.lora]
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
