"""The stance network: how much a folded body looks as if it stood Z up, facing -Y. Learned by `tests/learning/stance`.

It looks at the body from the side, from the front and from above. Each view passes through convolutions of its own;
what they find is laid side by side and weighed. Turned round or put on its head the body is the same three views with
rows, columns or near and far exchanged, so each mirror plane is drawn once for its four ways to stand.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..errors import BadTemplate
from .blas import one_thread, product
from .proposals import Proposals

FORMAT, VERSION = "geppetto stance network", 1
KINDS = ("biped", "quadruped")
# Maps of a view, in order: outline, how near from the low and from the high side, occupied cells.
MAPS = 4
LAYERS = 3
PRESETS = Path(__file__).resolve().parents[2] / "presets" / "landmarks"


def draw_ways(halves: np.ndarray) -> list[np.ndarray]:
    """Views from the side (rows z, columns y), from the front (z, x) and from above (y, x) of M planes' four ways.

    halves : (M, CELLS / 2, CELLS, CELLS) bool.  Returns (M, 4, rows, columns, MAPS) float32 each.  O(M CELLS^3).
    """
    solid = halves.view(np.uint8)
    side, front, above = (_draw(solid, axis).swapaxes(1, 2) for axis in range(3))
    swap = [0, 2, 1, 3]
    round_side, round_front, round_above = side[:, :, ::-1], front[..., swap], above[:, ::-1]
    return [np.stack([side, round_side, round_side[:, ::-1], side[:, ::-1]], 1),
            np.stack([front, round_front, round_front[:, ::-1], front[:, ::-1]], 1),
            np.stack([above, round_above, round_above[..., swap], above[..., swap]], 1)]


def _draw(solid: np.ndarray, axis: int) -> np.ndarray:
    """(M, A, B, MAPS) float32 maps along one axis, A and B the other two in order."""
    count = solid.shape[axis + 1]
    shape = [1] * 4
    shape[axis + 1] = count
    ramp = np.arange(1, count + 1, dtype=np.uint8).reshape(shape)
    high, low = (solid * ramp).max(axis + 1), (solid * np.flip(ramp)).max(axis + 1)
    filled = solid.sum(axis + 1, dtype=np.uint8)
    return np.stack([high > 0, low / np.float32(count), high / np.float32(count), filled / np.float32(8)],
                    -1).astype(np.float32)


def features(fine: np.ndarray, unlike: np.ndarray) -> np.ndarray:
    """(M, 4, BLOCKS^2 + 2) `Proposals.fine` and `unlike` as the network weighs them for the four ways, -2 to 2."""
    fine = np.clip(fine, -2, 2).astype(np.float32)
    ways = np.stack([fine, fine[:, :, ::-1], fine[:, ::-1, ::-1], fine[:, ::-1]], 1).reshape(len(fine), 4, -1)
    unlike = np.clip(np.asarray(unlike, np.float32) * np.array([30, 2], np.float32), 0, 2)
    return np.concatenate([ways, np.repeat(unlike[:, None], 4, axis=1)], 2)


class StanceNetwork:
    """The network with its numbers: float16 arrays by layer name, as `tests/learning/stance` writes them."""

    def __init__(self, numbers: dict[str, np.ndarray]):
        self._at = {name: np.asarray(x, np.float32) for name, x in numbers.items()}
        if self._at["told.weight"].shape[1] != 1 + len(KINDS):
            raise ValueError("it tells other things")
        self.temperature, self.given_up, self.given_front, self.tilted = self._at["calibration"].tolist()

    def __call__(self, proposals: Proposals) -> tuple[np.ndarray, np.ndarray]:
        """(M, 4) log-odds for every way to stand, and (M, 4, kinds) for the kinds of body, were it standing so."""
        given = features(proposals.fine, proposals.unlike)
        with one_thread():
            found = [self._look(view.reshape(-1, *view.shape[2:]), v)
                     for v, view in enumerate(draw_ways(proposals.halves))]
            hidden = self._layer(np.concatenate([*found, given.reshape(-1, given.shape[2])], 1), "weigh")
            told = product(hidden, self._at["told.weight"]) + self._at["told.bias"]
        told = told.reshape(-1, 4, told.shape[1])
        return told[..., 0] / self.temperature, told[..., 1:]

    def _look(self, x: np.ndarray, view: int) -> np.ndarray:
        """(N, rows, columns, MAPS) -> (N, features)."""
        n, rows, columns, maps = x.shape
        x = x.reshape(n, rows // 2, 2, columns // 2, 2, maps).transpose(0, 1, 3, 2, 4, 5)
        x = x.reshape(n, rows // 2, columns // 2, 4 * maps)
        for layer in range(LAYERS):
            if layer:
                n, rows, columns, c = x.shape
                x = x.reshape(n, rows // 2, 2, columns // 2, 2, c).max((2, 4))
            x = self._layer(_around(x), f"look.{view}.{layer}")
        return x.reshape(n, -1)

    def _layer(self, x: np.ndarray, name: str) -> np.ndarray:
        out = product(x.reshape(-1, x.shape[-1]), self._at[f"{name}.weight"])
        out += self._at[f"{name}.bias"]
        return np.maximum(out, 0, out=out).reshape(*x.shape[:-1], -1)


def _around(x: np.ndarray) -> np.ndarray:
    """(N, R, C, K) -> (N, R, C, 9 K): every pixel with those around it, zeros beyond the edge."""
    n, rows, columns, k = x.shape
    padded = np.zeros((n, rows + 2, columns + 2, k), np.float32)
    padded[:, 1:-1, 1:-1] = x
    image, row, pixel, number = padded.strides
    around = as_strided(padded, (n, rows, columns, 3, 3 * k), (image, row, pixel, row, number))
    return around.reshape(n, rows, columns, 9 * k)


def read_stance_network(path: str | Path) -> StanceNetwork:
    """The network of a file. Raises BadTemplate if it is not one of this version."""
    try:
        with np.load(path, allow_pickle=False) as file:
            numbers = {name: file[name] for name in file.files}
        if (str(numbers.pop("format")), int(numbers.pop("version"))) != (FORMAT, VERSION):
            raise ValueError("another format or version")
        return StanceNetwork(numbers)
    except (OSError, EOFError, KeyError, ValueError) as error:
        raise BadTemplate(
            f"The stance network '{path}' is not sound: {error!r}. Install the extension again.") from error


@lru_cache(maxsize=1)
def load_stance_network() -> StanceNetwork:
    """The network that ships, read once."""
    return read_stance_network(PRESETS / "stance.npz")
