"""What of a character the mouse points at, while its joints are shown: the middle of a limb, or the skin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.geometry.ray import middle_along_ray, skin_along_ray
from .joints import ShownJoints


def middle_of(what: ShownJoints, context, origin: np.ndarray, direction: np.ndarray, towards: np.ndarray
              ) -> np.ndarray | None:
    """(3,) the middle of the limb that a ray goes through: of several, the one nearest in depth to `towards`.

    All in the world now.  None beside the body.
    """
    field = what.fitter(context).shape.field
    return _met(what, context, (origin, origin + direction, towards),
                lambda start, end, meant: middle_along_ray(field, start, end - start, meant))


def skin_of(what: ShownJoints, context, origin: np.ndarray, direction: np.ndarray) -> np.ndarray | None:
    """(3,) where a ray first meets the mesh, however thin it is there; otherwise as `middle_of`."""
    mesh = what.fitter(context).shape.mesh
    return _met(what, context, (origin, origin + direction),
                lambda start, end: skin_along_ray(mesh, start, end - start))


def _met(what: ShownJoints, context, points, find: Callable[..., np.ndarray | None]) -> np.ndarray | None:
    """What is found for points of the world now, among points of the unit frame."""
    matrix, frame = what.to_world(what.owner_object()), what.fitter(context).shape.frame
    back = np.linalg.inv(matrix)
    found = find(*(frame.to_unit(back[:3, :3] @ p + back[:3, 3]) for p in points))
    return None if found is None else matrix[:3, :3] @ frame.to_object(found) + matrix[:3, 3]
