"""A mesh brought to another rest pose by its own weights, and exactly back."""

from __future__ import annotations

import numpy as np


def blend(weights, matrices: np.ndarray) -> np.ndarray:
    """(V, 3, 4) what linear blend skinning does to each vertex.

    weights : (V, B) sparse or dense, rows sum to 1; a row without weights stays where it is
    matrices : (B, 4, 4) rigid motions of the bones
    """
    out = np.asarray(weights @ matrices[:, :3, :].reshape(len(matrices), 12)).reshape(-1, 3, 4)
    bare = 1.0 - np.asarray(weights.sum(1), float).ravel()
    return out + bare[:, None, None] * np.eye(3, 4)


def inverse(blended: np.ndarray) -> np.ndarray:
    """(V, 3, 4) what takes each vertex back: the inverse of its own blended matrix, so nothing is lost but rounding.

    A vertex whose matrix is singular, between bones turned by half a turn from each other, has no way back; its
    matrix comes out as zeros. Rest poses do not turn bones that far.
    """
    turn = blended[:, :, :3]
    sound = np.abs(np.linalg.det(turn)) > 1e-6
    out = np.zeros_like(blended)
    out[sound, :, :3] = np.linalg.inv(turn[sound])
    out[:, :, 3] = -np.einsum("vij,vj->vi", out[:, :, :3], blended[:, :, 3])
    return out


def in_space(blended: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """(V, 3, 4) the same motions seen in another space.  matrix : (4, 4) that space -> the one they are given in"""
    full = np.tile(np.eye(4), (len(blended), 1, 1))
    full[:, :3] = blended
    return (np.linalg.inv(matrix) @ full @ matrix)[:, :3]


def moved(points: np.ndarray, blended: np.ndarray) -> np.ndarray:
    """(V, 3) points where their matrices take them."""
    return np.einsum("vij,vj->vi", blended[:, :, :3], points) + blended[:, :, 3]
