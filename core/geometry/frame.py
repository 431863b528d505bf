"""The unit frame: where every constant of the papers lives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from .mesh import Mesh, box, used_vertices


@dataclass(frozen=True, eq=False)
class Frame:
    """Similarity between object space and the unit frame: unit = rotation @ (object - origin) / scale.

    origin : (3,) object-space point that becomes the unit origin (centre of the ground)
    scale : length of the longest side in object units
    rotation : (3, 3) proper rotation, object axes to character axes (Z up, facing -Y)
    """

    origin: np.ndarray
    scale: float
    rotation: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "origin", frozen(self.origin, np.float64, (3,), "origin"))
        object.__setattr__(self, "rotation", frozen(self.rotation, np.float64, (3, 3), "rotation"))

    def to_unit(self, points) -> np.ndarray:
        """(N, 3) object-space points in the unit frame."""
        return (np.asarray(points, float) - self.origin) @ self.rotation.T / self.scale

    def to_object(self, points) -> np.ndarray:
        """(N, 3) unit-frame points in object space."""
        return np.asarray(points, float) @ self.rotation * self.scale + self.origin

    def turn_to_object(self, directions) -> np.ndarray:
        """(N, 3) unit-frame directions in object space."""
        return np.asarray(directions, float) @ self.rotation


def unit_frame(mesh: Mesh, rotation: np.ndarray | None = None) -> Frame:
    """The frame in which the faces' longest side is 1, the ground z = 0, x and y centred. [BP07] section 3.1."""
    rotation = np.eye(3) if rotation is None else np.asarray(rotation, float)
    low, high = box(used_vertices(mesh) @ rotation.T)
    ground = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    return Frame(rotation.T @ ground, float((high - low).max()), rotation)
