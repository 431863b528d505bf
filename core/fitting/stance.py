"""How a character stands: which way is up, which way it faces, about which vertical plane it is mirrored.

Every coordinate axis is tried as the vertical, up and down; about each the best mirror planes are looked for at any
angle; and in each plane the body may face either way. What the plane does not mirror, a shield or a spear in one hand,
says nothing of how the body stands and is left out. The hypothesis for which most speaks wins (see `stance_score`),
but the given one, Z up and facing -Y, keeps a lead: what cannot be decided stays as the artist has it. A body that does
not stand flat is also tried on its soles (see `resting`): it may be tilted by any angle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from ..geometry.mesh import Mesh, check_mesh
from ..geometry.scatter import SurfaceScatter, scatter_surface
from .mirror_search import Mirror, MirrorSearch
from .resting import resting_turns, stands_flat
from .stance_score import EVEN, REASONS, WEIGHTS, describe, turn_round

AXES = {f"{sign}{name}": s * np.eye(3)[i] for i, name in enumerate("XYZ") for sign, s in (("", 1.0), ("-", -1.0))}

# Log-odds in favour of the way the mesh is given: what speaks no clearer than this leaves it so.
_LEAD = 1.5


# The same for being tilted: untilted it must look more like standing by this much.
_RESTS = -1.5


@dataclass(frozen=True, eq=False)
class Stance:
    """Which way a character stands.

    rotation : (3, 3) object axes to character axes (Z up, facing -Y), for `prepare_steps`
    confidence : probability the scores give this up and front, 0 to 1;  reason : what speaks for it, for the artist
    """

    rotation: np.ndarray
    confidence: float = 1.0
    reason: str = "as set"

    def __post_init__(self):
        object.__setattr__(self, "rotation", frozen(self.rotation, np.float64, (3, 3), "rotation"))

    @property
    def up_vector(self) -> np.ndarray:
        """(3,) up, object axes."""
        return self.rotation[2].copy()

    @property
    def front_vector(self) -> np.ndarray:
        """(3,) where the character looks, object axes."""
        return -self.rotation[1]

    @property
    def up(self) -> str:
        """Up in words: "Z", "-Y" or, if along no axis, its components."""
        return axis_name(self.rotation[2])

    @property
    def front(self) -> str:
        """Front in words."""
        return axis_name(-self.rotation[1])

    @property
    def is_given(self) -> bool:
        """Z up, facing -Y: nothing is turned."""
        return bool(np.allclose(self.rotation, np.eye(3), atol=1e-9))


UPRIGHT = Stance(np.eye(3))


def axis_name(direction: np.ndarray) -> str:
    """"-Y" for a direction along an axis, else "(0.71, -0.71, 0.00)"."""
    for name, axis in AXES.items():
        if direction @ axis > 1 - 1e-9:
            return name
    return f"({', '.join(f'{x:.2f}' for x in direction + 0.0)})"


def stance_facing(up: str, front: str) -> Stance:
    """The stance with these axes, as the artist sets it: `stance_facing("Y", "Z")`. Raises ValueError."""
    for name in (up, front):
        if name not in AXES:
            raise ValueError(f"an axis is one of {', '.join(AXES)}, not {name!r}")
    if abs(AXES[up] @ AXES[front]) > 0.5:
        raise ValueError(f"up {up!r} and front {front!r} lie on one axis")
    return Stance(_rotation(AXES[up], AXES[front]))


def detect_stance(mesh: Mesh, *, up: str = "auto", front: str = "auto") -> Stance:
    """How a mesh stands. Some 25 ms, and the same answer however the mesh is turned, moved or scaled.

    up, front : "auto" or an axis ("Z", "-Y", ...) the artist has set.  Raises BadMesh, ValueError.
    """
    if up != "auto" and front != "auto":
        return stance_facing(up, front)
    for name in (up, front):
        if name != "auto" and name not in AXES:
            raise ValueError(f"an axis is \"auto\" or one of {', '.join(AXES)}, not {name!r}")
    check_mesh(mesh)
    body = scatter_surface(mesh)
    rotations, numbers = hypotheses(body)
    allowed = np.ones(len(rotations), bool)
    if up != "auto":
        allowed &= rotations[:, 2] @ AXES[up] > 1 - 1e-9
    if front != "auto":
        allowed &= -rotations[:, 1] @ AXES[front] > 1 - 1e-9
    rotations, numbers = rotations[allowed], numbers[allowed]
    score = numbers @ WEIGHTS + _LEAD * np.clip((np.trace(rotations, axis1=1, axis2=2) - 1) / 2, 0, 1)
    if up == "auto" and front == "auto" and not stands_flat(body, rotations[score.argmax(), 2]):
        for turn, axis in resting_turns(body):
            turned, seen = hypotheses(body.turned(turn, np.zeros(3)))
            standing = turned[:, 2] @ axis > 0.99
            turned, seen = turned[standing], seen[standing]
            rotations, numbers = np.concatenate([rotations, turned @ turn]), np.concatenate([numbers, seen])
            upright = np.clip((np.trace(turned, axis1=1, axis2=2) - 1) / 2, 0, 1)
            score = np.concatenate([score, seen @ WEIGHTS + _LEAD * upright + _RESTS])
    best = int(score.argmax())
    odds = np.exp(score - score[best])
    return Stance(rotations[best], float(1 / odds.sum()), _reason((numbers[best] - numbers.mean(0)) * WEIGHTS))


def hypotheses(body: SurfaceScatter) -> tuple[np.ndarray, np.ndarray]:
    """All the ways a body might stand: rotations (K, 3, 3), and the numbers (K, N) that speak for each.

    The planes along the axes are always among them; others only if the body is not much less mirrored about them.
    """
    search = MirrorSearch(body.points, body.normals)
    found = [(axis, mirror) for axis in range(3) for mirror in search.mirrors(axis)]
    worst = min(m.error for _, m in found) + 0.02
    rotations, numbers = [], []
    for axis, mirror in found:
        given = axis == 2 and abs(mirror.normal[0]) > 1 - 1e-9
        if mirror.error > worst and not given:
            continue
        even = _even_part(body, search, mirror)
        for sign in (1.0, -1.0):
            up = sign * np.eye(3)[axis]
            rotation = _rotation(up, np.cross(up, mirror.normal))
            seen = describe(even.turned(rotation, np.zeros(3)), mirror.error)
            rotations += [rotation, rotation * [[-1], [-1], [1]]]
            numbers += [seen, turn_round(seen)]
    return np.array(rotations), np.array(numbers)


def _even_part(body: SurfaceScatter, search: MirrorSearch, mirror: Mirror) -> SurfaceScatter:
    """What a plane mirrors, its longest side 1 and the origin on the plane.

    A plane that mirrors less than half a body leaves all of it.
    """
    points, details = search.kept(mirror, body.points), search.kept(mirror, body.details)
    if points.mean() <= 0.5 or not details.any():
        points, details = np.ones(len(points), bool), np.ones(len(details), bool)
    scale = np.ptp(body.points[points], axis=0).max()
    shift = mirror.offset * mirror.normal
    return SurfaceScatter((body.points[points] - shift) / scale, body.normals[points],
                          (body.details[details] - shift) / scale)


def _rotation(up: np.ndarray, front: np.ndarray) -> np.ndarray:
    left = np.cross(-front, up)
    return np.stack([left, -front, up]) + 0.0


def _reason(strength: np.ndarray) -> str:
    """The strongest sign of up and the strongest of front, in an artist's words; (N,) weighted signs above average."""
    told = []
    for signs in (np.arange(len(EVEN)), np.arange(len(EVEN), len(strength))):
        named = [i for i in signs if REASONS[i] and strength[i] > 0]
        if named:
            told.append(REASONS[max(named, key=lambda i: strength[i])])
    return " and ".join(told) if told else "nothing speaks for another way"
