"""Generalised winding numbers: how often a triangle soup, closed or not, goes round a point.

Triangles and query points are each sorted along a Hilbert curve and cut into blocks of 1, 4, 16, ... neighbours. Pairs
(query block, triangle block) are then opened from the top: far pairs use the expansion of the triangles' solid angle
about their centroid, near ones are split until single triangles meet single points and are computed exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .mesh import Mesh

FANOUT = 4
QUERY_LEVELS = 4  # the largest query block has FANOUT ** (QUERY_LEVELS - 1) points
QUERY_CHUNK = 2**14  # points whose pairs are in memory at once, some 60 MB
PAIR_CHUNK = 2**16  # (point, triangle) pairs evaluated at once: the temporaries stay in the processor's cache
BLOCK_REACH = 1.4  # a block of triangles is far beyond this many radii: mean |error| about 0.001 on characters
TRIANGLE_REACH = 1.5  # the same for one triangle
NEAREST, FARTHEST = 1e-6, 1e3  # over the mesh's size; single precision is used for distances between the two
ROWS, COLUMNS = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 1, 2, 1, 2, 2])  # xx xy xz yy yz zz


@dataclass(frozen=True, eq=False)
class Blocks:
    """One level of B triangle blocks and the expansion of their solid angle.

    centre : (3, B) area-weighted;  radius : (B,) of a ball about the centre that holds the triangles
    coefficients : (19, B) single precision, of x, y, z, xx, xy, xz, yy, yz, zz, xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz,
        yzz, zzz, where (x, y, z) = R / |R|^2 and R leads from the point to the centre; the sum over |R| is the angle
    """

    centre: np.ndarray
    radius: np.ndarray
    coefficients: np.ndarray


def winding_numbers(mesh: Mesh, points) -> np.ndarray:
    """(N,) winding number of the mesh at each of the (N, 3) points: 1 inside, 0 outside, between the two near holes.

    Outward faces count positive. Always finite; a triangle does not count for a point exactly in its plane. Points and
    mesh share a frame of any size. Mean error about 0.001, rarely above 0.01; triangles close to a point are exact.
    About O((N + F) log F), memory bounded.  Raises ValueError for points that are not (N, 3) finite numbers.

    References: Jacobson et al., Robust inside-outside segmentation using generalized winding numbers, 2013;
    Barill et al., Fast winding numbers for soups and clouds, 2018 (the expansion to third order).
    """
    points = np.asarray(points, float)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise ValueError(f"points must be finite numbers of shape (n, 3), not {points.shape}")
    result = np.zeros(len(points))
    if len(mesh.faces) == 0 or len(points) == 0:
        return result
    corners = np.ascontiguousarray(mesh.vertices[mesh.faces.T].transpose(0, 2, 1))
    low, high = corners.min((0, 2)), corners.max((0, 2))
    size = float((high - low).max())
    if size == 0:
        return result
    centre = low / 2 + high / 2  # not (low + high) / 2: the sum may overflow
    corners = (corners - centre[:, None]) / size
    points = np.clip((points - centre) / size, -FARTHEST, FARTHEST)
    area = np.cross(corners[1] - corners[0], corners[2] - corners[0], axis=0) / 2
    order = np.flatnonzero((area != 0).any(0))
    if len(order) == 0:
        return result
    order = order[hilbert_order(corners[:, :, order].mean(0).T)]
    corners = corners.take(order, 2)
    levels = triangle_blocks(corners, area.take(order, 1))
    order = hilbert_order(points)
    for start in range(0, len(order), QUERY_CHUNK):
        chunk = order[start:start + QUERY_CHUNK]
        result[chunk] = _solid_angles(corners, levels, points[chunk]) / (4 * np.pi)
    return result


def hilbert_order(points: np.ndarray, *, bits: int = 10) -> np.ndarray:
    """(N,) order of (N, 3) points along a Hilbert curve: neighbours in the order are neighbours in space.

    bits : at most 10; the curve's box has 2**bits cells along each side, and points of one cell keep their order.
        The box ends one size away from the middle 98 % of the points, so that strays do not coarsen it.
    References: Skilling, Programming the Hilbert curve, 2004.
    """
    inner_low, inner_high = np.quantile(points, [0.01, 0.99], axis=0)
    around = (inner_high - inner_low).max() or np.inf
    low, high = np.maximum(points.min(0), inner_low - around), np.minimum(points.max(0), inner_high + around)
    size = max(float((high - low).max()), np.finfo(float).tiny)
    x = ((np.clip(points, low, high) - low) / size * (2**bits - 1)).T.astype(np.int16)
    for bit in range(bits - 1, 0, -1):
        lower = np.int16((1 << bit) - 1)
        for axis in range(3):
            flip = -(x[axis] >> bit & 1)  # all bits set where the curve is inverted, none where axes are exchanged
            swap = (x[0] ^ x[axis]) & lower & ~flip
            x[0] ^= (flip & lower) | swap
            x[axis] ^= swap
    x[1] ^= x[0]
    x[2] ^= x[1]
    turn = np.zeros_like(x[0])
    for bit in range(bits - 1, 0, -1):
        turn ^= -(x[2] >> bit & 1) & np.int16((1 << bit) - 1)
    x ^= turn
    key = np.zeros(len(points), np.int32)
    for bit in range(bits - 1, -1, -1):
        for axis in range(3):
            key <<= 1
            key |= x[axis] >> bit & 1
    return np.argsort(key, kind="stable")


def triangle_blocks(corners: np.ndarray, area: np.ndarray) -> list[Blocks]:
    """Blocks of 1, 4, 16, ... consecutive triangles, up to one block of all.

    corners : (3 corners, 3, F) in curve order;  area : (3, F) area vectors, none zero
    """
    centre = corners.mean(0)
    away = corners - centre
    radius = np.sqrt((away**2).sum(1).max(0))
    low, high = corners.min(0), corners.max(0)
    weight = np.sqrt((area**2).sum(0))
    first, weighted = area, weight * centre
    second = first[:, None] * centre
    third = first[:, None] * (centre[ROWS] * centre[COLUMNS] + (away[:, ROWS] * away[:, COLUMNS]).sum(0) / 12)
    levels = []
    while True:
        m = second - first[:, None] * centre
        mixed = (second[:, ROWS] * centre[COLUMNS] + second[:, COLUMNS] * centre[ROWS]
                 - first[:, None] * (centre[ROWS] * centre[COLUMNS]))
        levels.append(Blocks(centre, radius, _coefficients(first, m, third - mixed)))
        if len(radius) == 1:
            return levels
        child_centre, child_radius = centre, radius
        weight, weighted, first, second, third = (
            _combine(a, np.add, 0) for a in (weight, weighted, first, second, third))
        low, high = _combine(low, np.minimum, np.inf), _combine(high, np.maximum, -np.inf)
        centre = weighted / weight
        parent = np.arange(len(child_radius)) // FANOUT
        by_children = np.sqrt(((child_centre - centre[:, parent]) ** 2).sum(0)) + child_radius
        by_box = np.sqrt((np.maximum(high - centre, centre - low) ** 2).sum(0))
        radius = np.minimum(_combine(by_children, np.maximum, 0), by_box)


def _coefficients(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> np.ndarray:
    """Coefficients of Blocks from the moments of the area vectors a about the centre, d being the offset from it.

    first : (3, B) sum of a;  second : (3, 3, B) of a_i d_j;  third : (3, 6, B) of a_i d_j d_k, jk as in ROWS, COLUMNS.
    The angle is a . R / |R|^3 at R + d: minus the gradient of 1 / |R|. Its Taylor series holds derivatives of 1 / |R|,
    which is harmonic: symmetrise the moments, take their traces off, and the highest power of R is all that is left.
    """
    xx, yy, zz = second[0, 0], second[1, 1], second[2, 2]
    mean = (xx + yy + zz) / 3
    quadratic = [xx - mean, second[0, 1] + second[1, 0], second[0, 2] + second[2, 0],
                 yy - mean, second[1, 2] + second[2, 1], zz - mean]
    x, y, z = third
    cubic = [x[0], 2 * x[1] + y[0], 2 * x[2] + z[0], x[3] + 2 * y[1], 2 * (x[4] + y[2] + z[1]), x[5] + 2 * z[2],
             y[3], 2 * y[4] + z[3], y[5] + 2 * z[4], z[5]]
    # a cubic's Laplacian is 10 times the linear form to be taken off, times |R|^2
    tx = (3 * cubic[0] + cubic[3] + cubic[5]) / 5
    ty = (3 * cubic[6] + cubic[1] + cubic[8]) / 5
    tz = (3 * cubic[9] + cubic[2] + cubic[7]) / 5
    for index, trace in ((0, tx), (3, tx), (5, tx), (1, ty), (6, ty), (8, ty), (2, tz), (7, tz), (9, tz)):
        cubic[index] = cubic[index] - trace
    return np.concatenate([first, -3 * np.stack(quadratic), 7.5 * np.stack(cubic)]).astype(np.float32)


def _combine(values: np.ndarray, combine: np.ufunc, neutral: float) -> np.ndarray:
    """Reduce each FANOUT consecutive entries of the last axis to one."""
    short = -values.shape[-1] % FANOUT
    if short:
        values = np.concatenate([values, np.full((*values.shape[:-1], short), neutral)], -1)
    result = values[..., ::FANOUT]
    for i in range(1, FANOUT):
        result = combine(result, values[..., i::FANOUT])
    return result


def _solid_angles(corners: np.ndarray, levels: list[Blocks], points: np.ndarray) -> np.ndarray:
    """(n,) summed solid angles, for points in curve order."""
    whole = FANOUT ** (QUERY_LEVELS - 1)
    padded = np.concatenate([points, np.repeat(points[-1:], -len(points) % whole, 0)])
    angles = np.zeros(len(padded))
    everything = np.arange(len(padded) // whole)
    waiting = {(QUERY_LEVELS - 1, len(levels) - 1): [(everything, np.zeros_like(everything))]}
    for q in range(QUERY_LEVELS - 1, -1, -1):
        members = padded.reshape(-1, FANOUT**q, 3)
        middle = members.mean(1)
        members = members - middle[:, None]
        spread = np.sqrt((members**2).sum(2).max(1))
        middle, members = middle.T.copy(), members.transpose(2, 1, 0).astype(np.float32)
        for t in range(len(levels) - 1, -1, -1):
            if (q, t) not in waiting:
                continue
            query, block = (np.concatenate(side) for side in zip(*waiting.pop((q, t)), strict=True))
            level = levels[t]
            apart = level.centre.take(block, 1)
            apart -= middle.take(query, 1)
            radius, width = level.radius.take(block), spread.take(query)
            reach = width + (BLOCK_REACH if t else TRIANGLE_REACH) * radius + NEAREST
            is_far = apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2 > reach * reach
            far, near = np.flatnonzero(is_far), np.flatnonzero(~is_far)
            _add_far(angles, members, level, query.take(far), block.take(far), apart.take(far, 1))
            query, block = query.take(near), block.take(near)
            # the larger side of a pair is opened, so that both shrink towards the distance between them
            opens_query = (width > radius).take(near) if t else np.ones(len(near), bool)
            if q == 0:
                opens_query[:] = False
            if opens_query.any():
                waiting.setdefault((q - 1, t), []).append(
                    (_children(query[opens_query]), np.repeat(block[opens_query], FANOUT)))
            query, block = query[~opens_query], block[~opens_query]
            if t == 0:
                _add_exact(angles, corners, padded, query, block)
            elif len(block):
                child = _children(block)
                exists = child < len(levels[t - 1].radius)
                waiting.setdefault((q, t - 1), []).append((np.repeat(query, FANOUT)[exists], child[exists]))
    return angles[:len(points)]


def _children(blocks: np.ndarray) -> np.ndarray:
    return (blocks[:, None] * FANOUT + np.arange(FANOUT)).ravel()


def _add_far(angles, members, level, query, block, apart):
    """Add the expansion of each block's solid angle to every point of the query block paired with it.

    members : (3, size, Q) points relative to the middle of their query block;  apart : (3, P) block's centre, likewise.
    Relative positions are as small as the pair is close, so single precision does.
    """
    size, count = members.shape[1:]
    step = max(PAIR_CHUNK // size, 1)
    total = np.zeros((size, count))
    for start in range(0, len(query), step):
        g, b = query[start:start + step], block[start:start + step]
        x, y, z = apart[:, None, start:start + step].astype(np.float32) - members.take(g, 2)
        a = level.coefficients.take(b, 1)
        square = x * x
        square += y * y
        square += z * z
        inverse = 1 / square
        x *= inverse
        y *= inverse
        z *= inverse
        angle = x * (a[0] + x * (a[3] + a[9] * x + a[10] * y + a[11] * z) + y * (a[4] + a[12] * y + a[13] * z)
                     + z * (a[5] + a[14] * z))
        angle += y * (a[1] + y * (a[6] + a[15] * y + a[16] * z) + z * (a[7] + a[17] * z))
        angle += z * (a[2] + z * (a[8] + a[18] * z))
        angle *= np.sqrt(inverse)
        for row, values in zip(total, angle, strict=True):
            row += np.bincount(g, values, count)
    angles += total.T.ravel()


def _add_exact(angles, corners, points, query, triangle):
    """Add the solid angle of each triangle to the point paired with it."""
    for start in range(0, len(query), PAIR_CHUNK):
        g, f = query[start:start + PAIR_CHUNK], triangle[start:start + PAIR_CHUNK]
        angles += np.bincount(g, exact_angles(*(corners.take(f, 2) - points[g].T)), len(angles))


def exact_angles(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """(P,) signed solid angle of triangles seen from the origin; corners (3, P). Zero seen from their own plane.

    References: van Oosterom, Strackee, The solid angle of a plane triangle, 1983.
    """
    la, lb, lc = (np.sqrt((v * v).sum(0)) for v in (a, b, c))
    volume = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])
              + a[2] * (b[0] * c[1] - b[1] * c[0]))
    across = la * lb * lc + (a * b).sum(0) * lc + (b * c).sum(0) * la + (c * a).sum(0) * lb
    return np.where(volume == 0, 0.0, 2 * np.arctan2(volume, across))
