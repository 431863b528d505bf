"""Rotations as quaternions w x y z, any number at once: arrays (..., 4), vectors (..., 3), matrices (..., 3, 3)."""

from __future__ import annotations

import numpy as np

TINY = 1e-12
FEW = 400  # numbers; below, one call of einsum costs less than a dozen of the arithmetic that is quickest for many


def _product_table(signs: str) -> np.ndarray:
    """(4, 4, 4) result, left, right: the Hamilton product's signs, row by row of the left factor."""
    table = np.zeros((4, 4, 4))
    rows = (0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)
    for left, row in enumerate(rows):
        for right, result in enumerate(row):
            table[result, left, right] = 1.0 if signs[4 * left + right] == "+" else -1.0
    return table


HAMILTON = _product_table("+++++-+-+--++" + "+--")
CROSS = HAMILTON[1:, 1:, 1:].copy()
# A turned vector is q v q*: linear in v, quadratic in q.
TURNED = np.einsum("iab,acv,bd->ivcd", HAMILTON, HAMILTON, np.diag([1.0, -1, -1, -1]))[1:, 1:]


def identity(*shape: int) -> np.ndarray:
    """(*shape, 4) quaternions that turn nothing."""
    turns = np.zeros((*shape, 4))
    turns[..., 0] = 1.0
    return turns


def normalized(q) -> np.ndarray:
    """Quaternions (or vectors) brought to unit length; those without length stay as they are."""
    q = np.asarray(q, float)
    length = np.sqrt(np.einsum("...i,...i->...", q, q))[..., None]
    return q / np.where(length < 1e-150, 1.0, length)


def conjugate(q) -> np.ndarray:
    """The opposite turns of unit quaternions."""
    return np.asarray(q, float) * [1.0, -1.0, -1.0, -1.0]


def multiply(a, b) -> np.ndarray:
    """Hamilton product: first b, then a."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.size + b.size < FEW:
        return np.einsum("ijk,...j,...k->...i", HAMILTON, a, b)
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def cross(a, b) -> np.ndarray:
    """The cross product of (..., 3) vectors; numpy's own is slow on few of them."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.size + b.size < FEW:
        return np.einsum("ijk,...j,...k->...i", CROSS, a, b)
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def rotate(q, vectors) -> np.ndarray:
    """Vectors (..., 3) turned by unit quaternions (..., 4)."""
    q, vectors = np.asarray(q, float), np.asarray(vectors, float)
    if q.size + vectors.size < FEW:
        matrices = np.einsum("ivcd,...c,...d->...iv", TURNED, q, q)
        return np.einsum("...iv,...v->...i", matrices, vectors)
    axis = q[..., 1:]
    across = 2.0 * cross(axis, vectors)
    return vectors + q[..., :1] * across + cross(axis, across)


def from_axis_angle(axis, angle) -> np.ndarray:
    """Turns about unit axes (..., 3) by angles (...)."""
    half = np.asarray(angle, float)[..., None] / 2
    vector = np.sin(half) * np.asarray(axis, float)
    return np.concatenate([np.broadcast_to(np.cos(half), (*vector.shape[:-1], 1)), vector], axis=-1)


def from_vector(vector) -> np.ndarray:
    """Turns from rotation vectors: their direction is the axis, their length the angle."""
    vector = np.asarray(vector, float)
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    # sin(x/2)/x has the value 1/2 at 0
    ratio = np.where(angle > 1e-8, np.sin(angle / 2) / np.where(angle > 1e-8, angle, 1.0), 0.5)
    return np.concatenate([np.cos(angle / 2), ratio * vector], axis=-1)


def to_vector(q) -> np.ndarray:
    """Rotation vectors (..., 3) of unit quaternions, at most pi long."""
    q = np.asarray(q, float)
    q = np.where(q[..., :1] < 0, -q, q)
    sin = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sin, q[..., :1])
    return q[..., 1:] * np.where(sin > 1e-8, angle / np.where(sin > 1e-8, sin, 1.0), 2.0)


def angle(q) -> np.ndarray:
    """How far unit quaternions turn, 0 to pi."""
    q = np.asarray(q, float)
    return 2.0 * np.arctan2(np.linalg.norm(q[..., 1:], axis=-1), np.abs(q[..., 0]))


def to_matrix(q) -> np.ndarray:
    """(..., 3, 3) rotation matrices of unit quaternions."""
    return np.stack([rotate(q, axis) for axis in np.eye(3)], axis=-1)


def from_matrix(matrices) -> np.ndarray:
    """Unit quaternions of rotation matrices (..., 3, 3), w not negative."""
    m = np.asarray(matrices, float)
    trace = np.einsum("...ii->...", m)
    squares = np.stack([1 + trace, *(1 - trace + 2 * m[..., i, i] for i in range(3))], axis=-1)  # 4 q_i^2
    skew = [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]]
    sym = {(i, j): m[..., i, j] + m[..., j, i] for i, j in ((0, 1), (0, 2), (1, 2))}
    products = np.stack([  # row i: 4 q_i (w, x, y, z); the row with the largest q_i divides safely
        np.stack([squares[..., 0], *skew], -1),
        np.stack([skew[0], squares[..., 1], sym[0, 1], sym[0, 2]], -1),
        np.stack([skew[1], sym[0, 1], squares[..., 2], sym[1, 2]], -1),
        np.stack([skew[2], sym[0, 2], sym[1, 2], squares[..., 3]], -1)], axis=-2)
    best = squares.argmax(-1)[..., None, None]
    q = normalized(np.take_along_axis(products, best, axis=-2)[..., 0, :])
    return np.where(q[..., :1] < 0, -q, q)


def between(start, end) -> np.ndarray:
    """The shortest turns taking directions (..., 3) to others; for opposite ones, about any axis across.

    A direction without length turns nothing.
    """
    start, end = np.broadcast_arrays(normalized(start), normalized(end))
    dot = np.einsum("...i,...i->...", start, end)[..., None]
    q = np.concatenate([1.0 + dot, cross(start, end)], axis=-1)
    is_opposite = dot < -1.0 + 1e-9
    if is_opposite.any():
        across = cross(start, np.eye(3)[np.abs(start).argmin(-1)])
        q = np.where(is_opposite, np.concatenate([np.zeros_like(dot), normalized(across)], axis=-1), q)
    return normalized(q)  # without a direction dot and cross are 0, and q is 1, 0, 0, 0


def slerp(a, b, fraction) -> np.ndarray:
    """From a to b along the shorter way; fraction (...) 0 gives a, 1 gives b."""
    step = to_vector(multiply(b, conjugate(a)))
    return multiply(from_vector(step * np.asarray(fraction, float)[..., None]), a)


def swing_twist(q, axis) -> tuple[np.ndarray, np.ndarray]:
    """Split turns into swing and twist, q = swing * twist, twist about a unit axis (..., 3)."""
    q, axis = np.asarray(q, float), np.asarray(axis, float)
    along = np.einsum("...i,...i->...", q[..., 1:], np.broadcast_to(axis, q[..., 1:].shape))[..., None]
    twist = np.concatenate([q[..., :1], along * axis], axis=-1)
    undecided = np.linalg.norm(twist, axis=-1, keepdims=True) < TINY  # half a turn about an axis across
    twist = np.where(undecided, identity(), normalized(twist))
    return multiply(q, conjugate(twist)), twist


def limited(q, most) -> np.ndarray:
    """Turns cut down to at most an angle (...); smaller ones keep their bits."""
    q = np.asarray(q, float)
    most = np.broadcast_to(np.asarray(most, float), q.shape[:-1])
    large = angle(q) > most
    if not large.any():
        return q
    vector = to_vector(q[large])
    out = q.copy()
    out[large] = from_vector(vector * (most[large] / angle(q[large]))[..., None])
    return out


def continuous(q) -> np.ndarray:
    """The same turns (T, ...), each quaternion on the side of the one before: what keyframes need."""
    q = np.array(q, float)
    if len(q) > 1:
        flips = np.einsum("t...i,t...i->t...", q[1:], q[:-1]) < 0
        q[1:][np.cumsum(flips, axis=0) % 2 == 1] *= -1.0
    return q
