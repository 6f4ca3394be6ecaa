"""llama.cpp on the same weights: quantized by its own routines, and asked in this process."""

import ctypes
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gguf
import numpy as np
from lorekeep.memory.gguf_base import write_base
from transformers import AutoTokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "memory"))
from peers.packages import bring

LOCK = Path(__file__).resolve().parents[1] / "llama-cpp" / "requirements.lock"
# The head loses most precision: llama.cpp keeps it in 6 bits if the rest has 4.
HEAD = {"Q8_0": "Q8_0", "Q4_K": "Q6_K"}


def package():
    bring(lock=LOCK)
    import xllamacpp

    return xllamacpp


def write(folder: Path, kind: str) -> Path:
    """The model as GGUF of the kind `BF16`, `Q8_0` or `Q4_K`, beside its weights."""
    whole = folder / "BF16.gguf"
    if not whole.exists():
        write_base(folder, whole, folder.name)
    target = folder / f"{kind}.gguf"
    return target if target.exists() else quantize(whole, target, kind)


def quantize(whole: Path, target: Path, kind: str) -> Path:
    ggml = ctypes.CDLL(package().xllamacpp.__file__)
    ggml.ggml_quantize_chunk.restype = ctypes.c_size_t
    ggml.ggml_quantize_chunk.argtypes = [
        *(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64),
        ctypes.c_void_p,
    ]
    reader = gguf.GGUFReader(whole)
    tied = all(tensor.name != "output.weight" for tensor in reader.tensors)
    heads = {"output.weight"} | ({"token_embd.weight"} if tied else set())
    writer = gguf.GGUFWriter(target, reader.get_field("general.architecture").contents())
    for key, field in reader.fields.items():
        if not key.startswith("GGUF.") and key != "general.architecture":
            of_list = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), field.types[0], of_list)
    for tensor in reader.tensors:
        columns, *rows = (int(size) for size in tensor.shape)
        if not rows:
            writer.add_tensor(tensor.name, tensor.data)
            continue
        name = HEAD[kind] if tensor.name in heads else kind
        # Rows whose length is no multiple of a K-quant block are kept in blocks of 32, as llama.cpp does.
        to = gguf.GGMLQuantizationType[name if columns % 256 == 0 else "Q8_0"]
        block, size = gguf.GGML_QUANT_SIZES[to]
        numbers = np.ascontiguousarray(gguf.dequantize(tensor.data, tensor.tensor_type))
        made = np.empty((rows[0], columns // block * size), np.uint8)
        ggml.ggml_quantize_chunk(to, numbers.ctypes.data, made.ctypes.data, 0, rows[0], columns, None)
        writer.add_tensor(tensor.name, made, raw_dtype=to)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target


class LlamaCpp:
    def __init__(self, model: str, kind: str, streams: int, context: int):
        self.tokenizer = AutoTokenizer.from_pretrained(model)
        llama = package()
        settings = llama.CommonParams()
        settings.model.path = str(Path(model) / f"{kind}.gguf")
        settings.n_parallel, settings.n_ctx, settings.n_gpu_layers = streams, context, 0
        settings.kv_unified = True
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
        self.server = llama.Server(settings)

    def run(self, prompts: list[str], tokens: int) -> None:
        asked = [
            {
                "prompt": self.tokenizer(prompt)["input_ids"],
                "max_tokens": tokens,
                "ignore_eos": True,
                "temperature": 0,
                "cache_prompt": False,
            }
            for prompt in prompts
        ]
        with ThreadPoolExecutor(len(asked)) as threads:
            for said in threads.map(self.server.handle_completions, asked):
                if said["usage"]["completion_tokens"] != tokens:
                    raise RuntimeError(f"llama.cpp said {said}")
