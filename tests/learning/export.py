"""Write a trained network as the core reads it: batch norms folded into the convolutions, float16, no pickle.

    python -m tests.learning.export NET.pt presets/landmarks/network.npz
    python -m tests.learning.export ONE.npz OTHER.npz MEAN.npz [SHARE]

The second writes the mean of two networks, one of which was learned on from the other: often better than either. SHARE
is how much the second counts, a half if it is not given.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

from core.seeing.landmarks import LANDMARKS, OUTPUTS
from core.seeing.network import FORMAT, VERSION

from .network import LandmarkNet


def fold(net: LandmarkNet) -> dict[str, np.ndarray]:
    """{layer: array} as `core.seeing.network` names them: weights (inputs, outputs), inputs by place, then channel."""
    state = {name: x.detach().double() for name, x in net.state_dict().items()}
    out: dict[str, torch.Tensor] = {}

    def conv(name: str, weight: torch.Tensor, bias: torch.Tensor) -> None:
        out[f"{name}.weight"] = weight.permute(2, 3, 1, 0).reshape(-1, weight.shape[0])
        out[f"{name}.bias"] = bias

    for v in range(3):
        conv(f"first.{v}", state[f"first.{v}.weight"], state[f"first.{v}.bias"])
        out[f"last.{v}.weight"] = state[f"last.{v}.weight"][:, :, 0, 0].T
        out[f"last.{v}.bias"] = state[f"last.{v}.bias"]
    for part, count in (("down", 4), ("up", 3)):
        for i in range(count):
            for k in (0, 1):
                at, norm = f"{part}.{i}.{3 * k}", f"{part}.{i}.{3 * k + 1}"
                gain = state[f"{norm}.weight"] / torch.sqrt(state[f"{norm}.running_var"] + 1e-5)
                conv(f"{part}.{i}.{k}", state[f"{at}.weight"] * gain[:, None, None, None],
                     state[f"{norm}.bias"] - state[f"{norm}.running_mean"] * gain)
    for part, count in (("exchange", 3), ("again", 2)):
        for i in range(count):
            for k in range(6):
                out[f"{part}.{i}.{k}.weight"] = state[f"{part}.{i}.mix.{k}.weight"].T
                out[f"{part}.{i}.{k}.bias"] = state[f"{part}.{i}.mix.{k}.bias"]
    out["kind.weight"], out["kind.bias"] = state["kind.weight"].T, state["kind.bias"]
    return {name: x.numpy().astype(np.float16) for name, x in out.items()}


def read_trained(path: Path) -> LandmarkNet:
    """The running mean of the weights of a checkpoint."""
    net = LandmarkNet(len(OUTPUTS), len(LANDMARKS))
    net.load_state_dict(torch.load(path, weights_only=False)["mean"])
    return net.eval()


def write_network(net: LandmarkNet, path: Path) -> None:
    """The file that `read_network` reads."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, format=FORMAT, version=VERSION, **fold(net))


def write_mean(one: Path, other: Path, path: Path, share: float = 0.5) -> None:
    """The mean of the weights of two such files, of which the second counts by a share."""
    first, second = np.load(one), np.load(other)
    mean = {name: first[name] if first[name].dtype.kind != "f" else
            ((1 - share) * first[name].astype(float) + share * second[name]).astype(first[name].dtype)
            for name in first.files}
    np.savez_compressed(path, **mean)


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:]]
    if len(given) > 2:
        write_mean(*given[:3], *(float(share.name) for share in given[3:]))
    else:
        write_network(read_trained(given[0]), given[1])
