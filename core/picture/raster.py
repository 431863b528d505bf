"""A z-buffer for triangles, in arrays: every stage treats all triangles, rows and pixels at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOST_PIXELS = 250_000  # candidate pixels held at a time, which stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Fragments:
    """The visible surface, one entry for each covered pixel.

    pixel : (N,) row * width + column, increasing;  triangle : (N,) which triangle is seen there
    depth : (N,) larger is nearer;  corners : (3, 3, F) x, y and z of each triangle's corners
    """

    pixel: np.ndarray
    triangle: np.ndarray
    depth: np.ndarray
    corners: np.ndarray

    def barycentric(self, triangle: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """(N, 3) weights of the corners of N triangles at points, kept inside the triangle against rounding."""
        u, v = self.corners[:2].take(triangle, 2)
        area = (u[1] - u[0]) * (v[2] - v[0]) - (v[1] - v[0]) * (u[2] - u[0])
        at_b = ((x - u[0]) * (v[2] - v[0]) - (y - v[0]) * (u[2] - u[0])) / area
        at_c = ((u[1] - u[0]) * (y - v[0]) - (v[1] - v[0]) * (x - u[0])) / area
        weights = [np.clip(w, 0, 1) for w in (1 - at_b - at_c, at_b, at_c)]  # whole rows: short axes are slow
        total = weights[0] + weights[1] + weights[2]
        return np.stack([(w / total).astype(np.float32) for w in weights], 1)


def rasterize(points: np.ndarray, faces: np.ndarray, width: int, height: int) -> Fragments:
    """What of a triangle soup is seen, looking down the third axis.

    points : (V, 3) x to the right and y down in pixels (pixel centres at halves), z towards the viewer
    faces : (F, 3); both sides are seen.  A pixel belongs to a triangle that covers its centre.
    """
    nearest = np.full(width * height, -np.inf, np.float32)
    owner = np.full(width * height, -1, np.int32)
    points, faces = np.asarray(points, float), np.asarray(faces)
    whole = np.isfinite(points).all(1)[faces].all(1)
    # (3 axes, 3 corners, F): long inner loops, and each coordinate in one piece
    corners = np.ascontiguousarray(points.T).take(faces.T, 1)
    drawn = np.flatnonzero(whole & (np.abs(_doubled_area(np.where(whole, corners, 0.0))) > 1e-12))
    # Far to near: of several writes to one pixel the last stays, so most pixels are right after one pass. The nearer
    # chunks come first: they spare the others most of their writes.
    drawn = drawn[np.argsort(corners[2][:, drawn].sum(0), kind="stable")]
    for number, chunk in enumerate([*_chunks(corners[:2].take(drawn, 2), drawn, width, height)][::-1]):
        pixel, depth, span, triangle = _cover(corners.take(chunk, 2), chunk, width, height)
        if number or np.isnan(depth).any():  # else all are nearer than nothing
            pixel, depth, span = _where(depth >= nearest.take(pixel), pixel, depth, span)
        while len(pixel):
            nearest[pixel] = depth
            owner[pixel] = triangle.take(span)
            pixel, depth, span = _where(depth > nearest.take(pixel), pixel, depth, span)
    pixel = np.flatnonzero(owner >= 0)
    return Fragments(pixel, owner[pixel], nearest[pixel], corners)


def _doubled_area(corners) -> np.ndarray:
    """(F,) twice the signed area in the picture plane."""
    x, y, _ = corners
    return (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0])


def _chunks(corners, drawn, width, height):
    """Runs of `drawn` whose bounding boxes together stay below MOST_PIXELS, but at least one triangle each."""
    side = [np.clip(c.max(0), 0, most) - np.clip(c.min(0), 0, most) + 1
            for c, most in zip(corners, (width, height), strict=True)]
    pixels = np.cumsum(side[0] * side[1])
    begin = 0
    while begin < len(drawn):
        done = pixels[begin - 1] if begin else 0.0
        end = max(begin + 1, int(np.searchsorted(pixels, done + MOST_PIXELS)))
        yield drawn[begin:end]
        begin = end


def _cover(corners, names, width, height):
    """Candidate (pixel, depth, span), and (spans,) the names of their triangles: triangles become rows, rows become
    spans, spans become pixels."""
    x, y, z = corners
    first = np.clip(np.ceil(y.min(0) - 0.5), 0, height).astype(np.int64)
    last = np.clip(np.floor(y.max(0) - 0.5), -1, height - 1).astype(np.int64)
    rows = np.maximum(last - first + 1, 0)
    triangle = np.repeat(np.arange(len(rows)), rows)
    row = np.arange(len(triangle)) + (first - np.cumsum(rows) + rows)[triangle]
    area = _doubled_area(corners)
    low, high = np.full(len(row), -np.inf), np.full(len(row), np.inf)
    for i, j in ((0, 1), (1, 2), (2, 0)):  # inside: a x + b y + c >= 0 for every edge
        sign = np.sign(area)
        a, b = -(y[j] - y[i]) * sign, (x[j] - x[i]) * sign
        c = -(a * x[i] + b * y[i])
        flat = a == 0
        slope, offset = -b / np.where(flat, 1, a), -c / np.where(flat, 1, a)
        bound = slope[triangle] * (row + 0.5) + offset[triangle]
        low = np.where((a > 0)[triangle], np.maximum(low, bound), low)
        high = np.where((a < 0)[triangle], np.minimum(high, bound), high)
    begin = np.clip(np.ceil(low - 0.5), 0, width).astype(np.int64)
    end = np.clip(np.floor(high - 0.5), -1, width - 1).astype(np.int64)
    count = np.maximum(end - begin + 1, 0)
    z_x = ((z[1] - z[0]) * (y[2] - y[0]) - (z[2] - z[0]) * (y[1] - y[0])) / area
    z_y = ((z[2] - z[0]) * (x[1] - x[0]) - (z[1] - z[0]) * (x[2] - x[0])) / area
    at_begin = (z[0] + z_x * (0.5 - x[0]) + z_y * (0.5 - y[0]))[triangle] + z_x[triangle] * begin + z_y[triangle] * row
    at_begin, slope = at_begin.astype(np.float32), z_x[triangle].astype(np.float32)

    span, start = np.repeat(np.arange(len(count)), count), np.cumsum(count) - count
    number = np.arange(len(span), dtype=np.int32)
    depth = at_begin.take(span) + slope.take(span) * (number - start.astype(np.int32).take(span)).astype(np.float32)
    # Slivers seen edge-on have huge slopes: their depth may not leave the triangle's own range.
    least, most = (ends[triangle].astype(np.float32) for ends in (z.min(0), z.max(0)))
    at_end = at_begin + slope * (count - 1).astype(np.float32)
    leaves = (np.minimum(at_begin, at_end) < least) | (np.maximum(at_begin, at_end) > most)
    if leaves.any():
        which = np.flatnonzero(leaves.take(span))
        own = span.take(which)
        depth[which] = np.minimum(np.maximum(depth.take(which), least.take(own)), most.take(own))
    return number + (row * width + begin - start).astype(np.int32).take(span), depth, span, names[triangle]


def _where(which, *candidates):
    """Those of the candidates that a mask names."""
    live = np.flatnonzero(which)
    return [one.take(live) for one in candidates]
