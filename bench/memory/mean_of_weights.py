"""The mean of two fits of a network that reads facts: less confident on the worlds of either fit, and better on unseen worlds.
`--scale` and `--shift` adjust the logits of the head, so that the thresholds of the engine keep their meaning.

    python bench/memory/mean_of_weights.py OLD NEW OUT --share 0.7 --scale 0.85 --shift 0.5"""

import argparse
from pathlib import Path

from safetensors.torch import load_file, save_file

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="of the new weights")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--shift", type=float, default=0.0)
    said = parser.parse_args()
    old, new = load_file(said.old), load_file(said.new)
    mean = {name: (1 - said.share) * old[name].float() + said.share * new[name].float() for name in new}
    mean["head.3.weight"] *= said.scale
    mean["head.3.bias"] = mean["head.3.bias"] * said.scale + said.shift
    save_file({name: weight.half().contiguous() for name, weight in mean.items()}, said.out)
