"""Eyes that are loose balls: two alike, side by side in the front of the head."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..geometry.balls import Balls, loose_balls
from ..geometry.mesh import Mesh, is_used, vertex_components
from ..geometry.shape import Shape
from ..skeleton.eye import Eye
from ..skeleton.rig import Rig

# Learned on 120 characters by many artists, 29 of which have such balls. Lengths are in heads: from where the head's
# bone begins to where it ends, a tenth of the body at least.
LEAST_HEAD = 0.1  # of the body's longest side
SMALLEST, LARGEST = 0.02, 1.0  # radii
NEAR = 1.5  # from the head's bone to the ball
LEVEL = 0.35  # of the distance between two eyes: how far the way from one to the other may be off left to right
CENTRED = 0.2  # of the distance: how far their middle may lie beside the head's bone
ALIKE = 0.7  # of their mean radius: difference of the two, for cartoons and drawn-out heads have unlike ones
APART = 6.0  # radii between the middles of two eyes: people's 5.2; bolts on ears, joints of shoulders 6.3 and more
WIDE, FOREMOST = 12.0, 0.15  # they may be so wide apart if they lie so far in front
BELOW = 0.5  # of the head's bone: so far before its beginning no eye lies, as hands that are balls do
FRONT = 0.32  # of the depth of the head between them: how far behind its front they begin; eyes 0.30 at most


def find_eyes(shape: Shape, rig: Rig, balls: Balls | None = None) -> Mapping[str, Eye]:
    """{"L": its eye, "R": its eye} if the head of a body has two, else nothing.

    rig : of the body, object space, with the bone `head`;  balls : the shape's, None to look for them
    Of several pairs the one with the largest balls counts: what lies inside an eye is part of it.
    """
    if "head" not in rig.names:
        return {}
    head = rig.names.index("head")
    start, end = shape.frame.to_unit(np.stack([rig.heads[head], rig.tails[head]]))
    balls = balls_of(shape) if balls is None else balls
    length = max(float(np.linalg.norm(end - start)), LEAST_HEAD)
    chosen = _near_head(balls, start, end, length)
    left, right = (x.ravel() for x in np.meshgrid(chosen, chosen, indexing="ij"))
    way, middle = balls.centres[left] - balls.centres[right], (balls.centres[left] + balls.centres[right]) / 2
    radii, apart = (balls.radii[left] + balls.radii[right]) / 2, np.linalg.norm(way, axis=1)
    good = (way[:, 0] > radii) & (np.abs(balls.radii[left] - balls.radii[right]) <= ALIKE * radii)
    good &= (apart < WIDE * radii) & (np.linalg.norm(way[:, 1:], axis=1) <= LEVEL * apart)
    good &= np.abs(middle[:, 0] - (start[0] + end[0]) / 2) <= CENTRED * apart + 0.1 * length
    good &= (middle - start) @ (end - start) > -BELOW * float((end - start) @ (end - start))
    found = np.flatnonzero(good)
    behind = np.array([_behind_front(shape.mesh, middle[k], apart[k], radii[k]) for k in found])
    found = found[(behind <= FOREMOST) | ((behind <= FRONT) & (apart[found] <= APART * radii[found]))]
    if not len(found):
        return {}
    best = found[np.lexsort((left[found], right[found], -np.round(radii[found], 6)))[0]]
    radius = float(radii[best]) * shape.frame.scale
    return {side: Eye(side, shape.frame.to_object(balls.centres[ball][None])[0], radius,
                      shape.frame.turn_to_object(np.array([0.0, -1.0, 0.0])),
                      shape.frame.turn_to_object(np.array([0.0, 0.0, -1.0])))
            for side, ball in (("L", left[best]), ("R", right[best]))}


def balls_of(shape: Shape) -> Balls:
    """The loose balls of a character, unit frame."""
    return loose_balls(shape.mesh, vertex_components(shape.mesh))


def _near_head(balls: Balls, start: np.ndarray, end: np.ndarray, length: float) -> np.ndarray:
    """(N,) balls near the head's bone and of an eye's size."""
    along = end - start
    place = np.clip((balls.centres - start) @ along / max(float(along @ along), 1e-300), 0.0, 1.0)
    away = np.linalg.norm(balls.centres - start - place[:, None] * along, axis=1) - balls.radii
    sized = (balls.radii > SMALLEST * length) & (balls.radii < LARGEST * length)
    return np.flatnonzero(sized & (away < NEAR * length))


def _behind_front(mesh: Mesh, middle: np.ndarray, apart: float, radius: float) -> float:
    """How far behind the front of what lies between two balls they begin, in shares of its depth; inf if there is
    nothing between them."""
    skin = mesh.vertices[is_used(mesh)]
    off = np.abs(skin - middle)
    between = skin[(off[:, 2] < max(radius, 0.25 * apart)) & (off[:, 0] < 0.5 * apart), 1]
    depth = float(np.ptp(between)) if len(between) else 0.0
    return (float(middle[1]) - radius - float(between.min())) / depth if depth > 0 else np.inf
