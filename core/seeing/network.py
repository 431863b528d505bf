"""The landmark network: three views in, one heat map a joint and view out. Learned by `tests/learning`.

Three views pass through one U-net, whose first and last layers are each view's own. Between levels each view is told
what the other two see along the axis they share: the mean and the largest value over the axis they do not share.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..errors import BadTemplate
from .blas import one_thread, product
from .landmarks import OUTPUTS
from .views import CELLS, IMAGE_AXES

FORMAT, VERSION = "geppetto landmark network", 1
PRESETS = Path(__file__).resolve().parents[2] / "presets" / "landmarks"
_SOME = 3  # images at a time, the three views of a body: what they need stays in the processor's cache
KEPT = 4  # answers; a body that may stand otherwise is looked at upright, as it may stand, and again to fit it


class LandmarkNetwork:
    """The network with its numbers: float16 arrays by layer name, as `tests/learning` writes them."""

    def __init__(self, numbers: dict[str, np.ndarray]):
        self._at = {name: np.asarray(x, np.float32) for name, x in numbers.items()}
        self.outputs = self._at["last.0.weight"].shape[1] // 4
        self._parts: dict[str, tuple[np.ndarray, dict[tuple[int, int], np.ndarray]]] = {}
        self._known: OrderedDict[bytes, tuple[np.ndarray, np.ndarray]] = OrderedDict()

    def __call__(self, views: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Evidence for every joint of every kind.

        views : (N, 3, MAPS, CELLS, CELLS) float32, from `draw_views`
        Returns logits (N, 3, joints, CELLS, CELLS), rows and columns as the views', and (N, kinds) logits of the kind.
        Neither can be written to: what was answered last is kept, for the same views are often asked about again.
        """
        key = blake2b(views.tobytes(), digest_size=16).digest()
        if key not in self._known:
            with one_thread():
                self._known[key] = self._answer(views)
            for array in self._known[key]:
                array.flags.writeable = False
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]

    def _answer(self, views: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        count = len(views)
        x = _relu(np.concatenate([self._conv(_unshuffle(views[:, v]), f"first.{v}") for v in range(3)]))
        kept = []
        for level in range(4):
            if level:
                x = np.maximum(x[:, ::2], x[:, 1::2])
                x = np.maximum(x[:, :, ::2], x[:, :, 1::2])
            x = self._block(x, f"down.{level}")
            if level:
                x = self._exchange(x, f"exchange.{level - 1}", count)
            kept.append(x)
        kind = x.reshape(3, count, -1, x.shape[-1]).mean(2).transpose(1, 0, 2).reshape(count, -1)
        kind = product(kind, self._at["kind.weight"]) + self._at["kind.bias"]
        for level in range(3):
            x = _relu(self._conv(_relu(self._conv_up(x, kept[2 - level], f"up.{level}.0")), f"up.{level}.1"))
            if level < 2:
                x = self._exchange(x, f"again.{level}", count)
        x = x.reshape(3, count, *x.shape[1:])
        heat = np.empty((count, 3, self.outputs, CELLS, CELLS), np.float32)
        for v in range(3):
            last = product(x[v].reshape(-1, x.shape[-1]), self._at[f"last.{v}.weight"])
            last += self._at[f"last.{v}.bias"]
            _shuffle(last.reshape(*x.shape[1:-1], -1), heat[:, v])
        return heat, kind

    def _block(self, x: np.ndarray, name: str) -> np.ndarray:
        return _relu(self._conv(_relu(self._conv(x, f"{name}.0")), f"{name}.1"))

    def _conv(self, x: np.ndarray, name: str) -> np.ndarray:
        """3 x 3 convolution of (N, S, S, C) images, edges padded with zeros."""
        out = _products(_padded(x), x.shape[1], 3, self._at[f"{name}.weight"])
        out += self._at[f"{name}.bias"]
        return out

    def _conv_up(self, low: np.ndarray, x: np.ndarray, name: str) -> np.ndarray:
        """3 x 3 convolution of (N, S, S, C) images beside those of half the size, each of whose pixels counts as four.

        Of the small ones the nine pixels around one are four different ones: their weights are added beforehand.
        """
        fine, coarse = self._parted(name, low.shape[-1])
        out = _products(_padded(x), x.shape[1], 3, fine)
        around = _padded(low)
        for (row, column), weight in coarse.items():
            out[:, row::2, column::2] += _products(around[:, row:, column:], low.shape[1], 2, weight)
        out += self._at[f"{name}.bias"]
        return out

    def _parted(self, name: str, count: int) -> tuple[np.ndarray, dict[tuple[int, int], np.ndarray]]:
        """The weights of `_conv_up` for the images, and by row and column in a small one's pixel for the small ones.

        count : channels of the small ones, which come first
        """
        if name not in self._parts:
            weight = self._at[f"{name}.weight"]
            weight = weight.reshape(3, 3, -1, weight.shape[1])
            low, fine = weight[:, :, :count], np.ascontiguousarray(weight[:, :, count:])
            coarse = {}
            for row, column in np.ndindex(2, 2):
                some = np.add.reduceat(low, (0, 1 + row), 0)
                some = np.add.reduceat(some, (0, 1 + column), 1)
                coarse[row, column] = some.reshape(4 * count, -1)
            self._parts[name] = fine.reshape(-1, weight.shape[-1]), coarse
        return self._parts[name]

    def _exchange(self, x: np.ndarray, name: str, count: int) -> np.ndarray:
        x = x.reshape(3, count, *x.shape[1:])
        out, k = x.copy(), 0
        for v in range(3):
            for w in range(3):
                if v == w:
                    continue
                shared = next(a for a in IMAGE_AXES[v] if a in IMAGE_AXES[w])
                over = 2 if IMAGE_AXES[w][0] == shared else 1
                profile = np.concatenate([x[w].mean(over), x[w].max(over)], -1)
                told = product(profile.reshape(-1, profile.shape[-1]), self._at[f"{name}.{k}.weight"])
                told = (told + self._at[f"{name}.{k}.bias"]).reshape(*profile.shape[:2], -1)
                out[v] += told[:, :, None] if IMAGE_AXES[v][0] == shared else told[:, None]
                k += 1
        return out.reshape(3 * count, *x.shape[2:])


def read_network(path: str | Path) -> LandmarkNetwork:
    """The network of a file. Raises BadTemplate if it is not one of this version."""
    try:
        with np.load(path, allow_pickle=False) as file:
            numbers = {name: file[name] for name in file.files}
        if (str(numbers.pop("format")), int(numbers.pop("version"))) != (FORMAT, VERSION):
            raise ValueError("another format or version")
        network = LandmarkNetwork(numbers)
        if network.outputs != len(OUTPUTS):
            raise ValueError("it knows other joints")
        return network
    except (OSError, EOFError, KeyError, ValueError, BadZipFile, zlib.error) as error:
        raise BadTemplate(f"The landmark network '{path}' is not sound: {error!r}. Install the extension "
                          "again.") from error


@lru_cache(maxsize=1)
def load_network() -> LandmarkNetwork:
    """The network that ships, read once."""
    return read_network(PRESETS / "network.npz")


def _relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0, out=x)


def _padded(x: np.ndarray) -> np.ndarray:
    """(N, S, S, C) images with a border of zeros."""
    n, s, _, c = x.shape
    out = np.zeros((n, s + 2, s + 2, c), np.float32)
    out[:, 1:-1, 1:-1] = x
    return out


def _products(padded: np.ndarray, size: int, wide: int, weight: np.ndarray) -> np.ndarray:
    """(N, S, S, outputs) sums over so many pixels to each side, from each of the first S of images on, times weights.

    padded : (N, at least S + wide - 1 each way, C)
    """
    n, c = len(padded), padded.shape[-1]
    image, row, pixel, number = padded.strides
    around = as_strided(padded, (n, size, size, wide, wide * c), (image, row, pixel, row, number))
    out = np.empty((n, size, size, weight.shape[1]), np.float32)
    some = min(n, _SOME)
    held = np.empty((some, size, size, wide, wide * c), np.float32)
    for start in range(0, n, some):
        images = around[start:start + some]
        held[:len(images)] = images
        product(held[:len(images)].reshape(-1, wide**2 * c), weight,
                out[start:start + some].reshape(-1, weight.shape[1]))
    return out


def _unshuffle(maps: np.ndarray) -> np.ndarray:
    """(N, M, CELLS, CELLS) maps, with each pixel's place -> (N, CELLS / 2, CELLS / 2, 4 (M + 2))."""
    places = ((np.arange(CELLS) + 0.5) * 2 / CELLS - 1).astype(np.float32)
    grid = np.broadcast_to(np.stack(np.meshgrid(places, places, indexing="ij")), (len(maps), 2, CELLS, CELLS))
    x = np.concatenate([maps, grid], 1)
    n, c, s, _ = x.shape
    return x.reshape(n, c, s // 2, 2, s // 2, 2).transpose(0, 2, 4, 1, 3, 5).reshape(n, s // 2, s // 2, 4 * c)


def _shuffle(x: np.ndarray, out: np.ndarray) -> None:
    """(N, S, S, 4 J) into (N, J, 2 S, 2 S)."""
    n, s, _, c = x.shape
    x, out = x.reshape(n, s, s, c // 4, 2, 2), out.reshape(n, c // 4, s, 2, s, 2)
    for row, column in np.ndindex(2, 2):  # at once it takes twice as long
        out[:, :, :, row, :, column] = x[..., row, column].transpose(0, 3, 1, 2)
