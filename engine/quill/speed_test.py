"""The speed is measured for each model."""

from pathlib import Path

import torch

from quill.model import Quill, Shape, save_hugging_face
from quill.speed import speeds


def test_the_speed_of_each_model_is_measured(tmp_path: Path):
    folders = []
    for layers in (1, 8):
        torch.manual_seed(0)
        folders.append(tmp_path / str(layers))
        save_hugging_face(
            Quill(Shape(vocab=3200, width=64, layers=layers, inner=64)), folders[-1], torch.float32
        )
    found = speeds(folders, rounds=2, tokens=12, length=16)
    assert list(found) == folders and all(speed > 0 for speed in found.values())
