"""Writes a safetensors file tensor by tensor, without holding more than one. Each begins at a multiple of 64 bytes,
which kernels read fastest."""

import json
from pathlib import Path

import torch

_ALIGNMENT = 64
_TYPES = {
    torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32",
    torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL",
}  # fmt: skip
# Header bytes for the name, type and offset of a tensor and of the padding after it.
_HEADER_ENTRY = 400
# Chunk size of the check for finite values.
_CHECK_CHUNK = 1 << 20


def refuse_nan(name: str, tensor: torch.Tensor) -> None:
    """Raises if a weight is not finite, since it would corrupt every answer."""
    parts = tensor.flatten().split(_CHECK_CHUNK) if tensor.is_floating_point() else ()
    if not all(torch.isfinite(part).all() for part in parts):
        raise ValueError(f"{name} holds NaN or infinity")


class TensorFile:
    def __init__(self, path: Path, tensors: int):
        self.header: dict[str, dict] = {"__metadata__": {"format": "pt"}}
        self.size = 0
        self.room = -(-tensors * _HEADER_ENTRY // _ALIGNMENT) * _ALIGNMENT + _ALIGNMENT - 8
        self.file = open(path, "wb")  # noqa: SIM115 (closed by __exit__)
        self.file.seek(8 + self.room)

    def __enter__(self) -> "TensorFile":
        return self

    def __exit__(self, failed: type | None, *_) -> None:
        with self.file:
            if failed is not None:
                return
            said = json.dumps(self.header, separators=(",", ":")).encode()
            if len(said) > self.room:
                raise ValueError("the header of a file of tensors is larger than its room")
            self.file.seek(0)
            self.file.write(self.room.to_bytes(8, "little") + said.ljust(self.room))

    def add(self, name: str, tensor: torch.Tensor) -> None:
        refuse_nan(name, tensor)
        raw = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
        self._written(name, _TYPES[tensor.dtype], list(tensor.shape), raw)
        if fill := -self.size % _ALIGNMENT:
            self._written(f"fill.{self.size}", "U8", [fill], torch.zeros(fill, dtype=torch.uint8))

    def _written(self, name: str, kind: str, shape: list[int], raw: torch.Tensor) -> None:
        raw.numpy().tofile(self.file)
        offsets = [self.size, self.size + raw.numel()]
        self.header[name] = {"dtype": kind, "shape": shape, "data_offsets": offsets}
        self.size += raw.numel()
