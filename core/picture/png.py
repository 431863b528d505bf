"""PNG files, written whole."""

from __future__ import annotations

import struct
import zlib

import numpy as np


def encode_png(image: np.ndarray) -> bytes:
    """The bytes of a PNG file.  image : (H, W, 3) or (H, W, 4) uint8."""
    image = np.ascontiguousarray(image)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] not in (3, 4):
        raise ValueError(f"image must be (h, w, 3 or 4) uint8, not {image.shape} {image.dtype}")
    height, width, channels = image.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)
    rows[:, 1:] = image.reshape(height, -1)
    rows[:, 0] = 1  # filter "Sub": smooth shading packs far better as differences
    rows[:, 1 + channels:] -= image.reshape(height, -1)[:, :-channels]
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join([
        _chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows.tobytes(), 3)), _chunk(b"IEND", b"")])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
