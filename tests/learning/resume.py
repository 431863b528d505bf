"""A network that ships, taken up again for learning: what was folded into its convolutions is unfolded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn

from core.seeing.landmarks import LANDMARKS, OUTPUTS

from .network import LandmarkNet


def unfold(path: Path, views: torch.Tensor) -> LandmarkNet:
    """The network of a file, whose batch norms have the statistics of some bodies and change nothing.

    path : as `export.write_network` writes it;  views : (N, 3, MAPS, CELLS, CELLS) of some dozens of bodies
    """
    with np.load(path) as file:
        numbers = {n: torch.from_numpy(file[n].astype(np.float32)) for n in file.files if file[n].ndim}
    net = LandmarkNet(len(OUTPUTS), len(LANDMARKS))
    state = net.state_dict()

    def kernel(name: str, like: torch.Tensor) -> torch.Tensor:
        wide, high = like.shape[2:]
        return numbers[f"{name}.weight"].reshape(wide, high, like.shape[1], like.shape[0]).permute(3, 2, 0, 1)

    for v in range(3):
        for part in ("first", "last"):
            at = f"{part}.{v}"
            state[f"{at}.weight"], state[f"{at}.bias"] = kernel(at, state[f"{at}.weight"]), numbers[f"{at}.bias"]
    for part, count in (("down", 4), ("up", 3)):
        for i in range(count):
            for k in (0, 1):
                at, norm = f"{part}.{i}.{3 * k}.weight", f"{part}.{i}.{3 * k + 1}"
                state[at], state[f"{norm}.bias"] = kernel(f"{part}.{i}.{k}", state[at]), numbers[f"{part}.{i}.{k}.bias"]
    for part, count in (("exchange", 3), ("again", 2)):
        for i in range(count):
            for k in range(6):
                at, name = f"{part}.{i}.mix.{k}", f"{part}.{i}.{k}"
                state[f"{at}.weight"], state[f"{at}.bias"] = numbers[f"{name}.weight"].T, numbers[f"{name}.bias"]
    state["kind.weight"], state["kind.bias"] = numbers["kind.weight"].T, numbers["kind.bias"]
    net.load_state_dict(state)
    return _settled(net, views)


def _settled(net: LandmarkNet, views: torch.Tensor) -> LandmarkNet:
    """The network with the mean and variance that reach each batch norm as its own, its gain and bias taken back."""

    def settle(norm: nn.BatchNorm2d, given: tuple[torch.Tensor]) -> None:
        mean, variance = given[0].mean((0, 2, 3)), given[0].var((0, 2, 3), unbiased=False)
        norm.weight.data = torch.sqrt(variance + norm.eps) / np.sqrt(1 + norm.eps)
        norm.bias.data += mean / np.sqrt(1 + norm.eps)
        norm.running_mean, norm.running_var = mean, variance

    hooks = [m.register_forward_pre_hook(settle) for m in net.modules() if isinstance(m, nn.BatchNorm2d)]
    net.eval()
    with torch.no_grad():
        net(views)
    for hook in hooks:
        hook.remove()
    return net
