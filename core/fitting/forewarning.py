"""What is likely to go wrong with a character, said before it does, in an artist's words."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..arrays import boxes
from ..geometry.apart import bodies_in
from ..geometry.frame import Frame
from ..geometry.mesh import Mesh, vertex_components
from ..seeing.limb_census import LimbCensus

# Share of a person's height at which the elbows of hanging arms are, and how far to the side such arms reach at most.
ELBOW, HANGING = 0.6, 0.28

SEVERAL = "there seem to be two or more characters in the mesh: separate them, then rig each"
TOUCHING = ("there seem to be two characters that touch: move them apart, then rig each. If they are one object, first "
            "select one of them in Edit Mode, and press P")
# Two parts of a mesh are two bodies if their upper and their lower ends, such shares of their heights, lie side by side
# by more than such a share of the smaller one's height. One of them has the head: it reaches so high, a share of all.
END, ASIDE, HEAD = 0.15, 0.2, 0.8
HALF = 0.5  # of the height of the whole, or of the tallest on a slope, a character has at least
# Of its height a body is so thick, a sword or a banner beside it is not; so much of the height stand parts apart.
SLENDER, APART = 0.08, 1e-3
LINES = 36  # directions of the straight lines that may part two bodies seen from above
BODY = 0.15  # of the whole surface each has at least: a spider's loose legs are tall, and no bodies


def forewarn(census: LimbCensus, kind: str) -> list[str]:
    """Warnings about a person's pose and about limbs that hide or touch."""
    if kind != "biped":
        return []
    legs = [] if census.leg_pairs else ["the legs touch, or a skirt hides them: check hips and knees"]
    return legs + _arm_warnings(census)


def _arm_warnings(c: LimbCensus) -> list[str]:
    low, high = sorted(c.reach)
    if not c.arms:
        return ["no two arms stand out: one or both are missing, or touch something all the way down"]
    if low < 0.62 * high:
        side = "left" if c.reach[0] < c.reach[1] else "right"
        return [f"the {side} arm is missing, or posed unlike the other: check the joints of both"]
    if high < HANGING and (c.touch or (c.armpit and c.armpit < 0.56)):
        where = "below the elbow" if 0.0 < c.touch < ELBOW else "above the elbow"
        return [f"the arms touch the body {where}: move them away from it, or their weights bleed into the trunk"]
    return []


def forewarn_mesh(welded: Mesh, frame: Frame, metres: float = 1.0) -> list[str]:
    """Warnings about the mesh itself: its place and size, and whether there are several bodies in it.

    welded : the mesh, welded, in the unit frame `frame`;  metres : in one of its units, as far as its scene tells: a
    size that is right in units or in metres is right
    """
    out = []
    if several_bodies(welded):
        out.append(SEVERAL)
    elif touching_bodies(welded):
        out.append(TOUCHING)
    if np.linalg.norm(frame.origin) > 100 * frame.scale:
        out.append("it stands far from the origin, which costs precision: move it nearer")
    if frame.scale * max(1.0, metres) < 0.01:
        out.append(f"it is tiny ({frame.scale:.3g} units): enlarge it before animating")
    if frame.scale * min(1.0, metres) > 100:
        out.append(f"it is huge ({frame.scale:.3g} units): shrink it before animating")
    return out


def several_bodies(mesh: Mesh, tall: float = 0.0) -> bool:
    """Whether two bodies in the mesh are each as tall as a character, stand side by side, and nothing joins them.

    tall : how high the whole scene is, if there is more in it than this mesh.  Where there is not, and each body stands
    on a ground of its own, as on a slope or on steps, a character is as tall as the tallest of them.
    Bare arms below a shirt, and locks of long hair, are parts of one body. A body may consist of small parts alone.
    """
    part = vertex_components(mesh)
    whole = float(np.ptp(mesh.vertices[:, 2]))
    lone = whole >= (1 - APART) * tall
    if not part.max():
        return False
    low, high = boxes(mesh.vertices, part, int(part.max()) + 1)
    if not _side_by_side(low, high, float((high - low)[:, 2].max()) if lone else tall):
        return False
    body = bodies_in(mesh)
    low, high = boxes(mesh.vertices, body, int(body.max()) + 1)
    size = high - low
    if lone:
        tall = max(whole, tall) if _hang_over(mesh, body) else float(size[:, 2].max())
    thick = size[:, :2].min(1) > SLENDER * size[:, 2]
    return int(((size[:, 2] > HALF * tall) & thick).sum()) > 1


def _hang_over(mesh: Mesh, body: np.ndarray) -> bool:
    """Whether one of the bodies (V,) of a mesh begins above another's middle and, seen from above, reaches over it."""
    angle = np.linspace(0, np.pi, LINES, endpoint=False)
    along = mesh.vertices[:, :2] @ [np.cos(angle), np.sin(angle)]
    points = [np.column_stack([along, mesh.vertices[:, 2]])[body == k] for k in range(int(body.max()) + 1)]
    low, high = (np.array([getattr(p, end)(0) for p in points]) for end in ("min", "max"))
    over = low[:, None, -1] > (low + high)[None, :, -1] / 2
    parted = (low[:, None, :-1] > high[None, :, :-1]).any(2)
    return bool((over & ~(parted | parted.T)).any())


def _side_by_side(low: np.ndarray, high: np.ndarray, tall: float) -> bool:
    """Whether two parts, or all parts left and right of a gap, by their boxes (n, 3), are as tall as characters.

    Cheap and generous: only what passes is looked at more closely.
    """
    large = np.flatnonzero(high[:, 2] - low[:, 2] > HALF * tall)
    for k in range(2):
        if (low[large, k].max(initial=-np.inf) > high[large, k].min(initial=np.inf) + APART * tall).any():
            return True
        order = np.argsort(low[:, k])
        ends = [np.maximum.accumulate(high[order]), np.minimum.accumulate(low[order]),
                np.maximum.accumulate(high[order[::-1]])[::-1], np.minimum.accumulate(low[order[::-1]])[::-1]]
        before, after = ends[0][:-1] - ends[1][:-1], ends[2][1:] - ends[3][1:]
        gap = low[order][1:, k] > ends[0][:-1, k] + APART * tall
        if (gap & (before[:, 2] > HALF * tall) & (after[:, 2] > HALF * tall)).any():
            return True
    return False


def touching_bodies(mesh: Mesh) -> bool:
    """Whether two of the mesh's parts stand on the ground as tall as characters, their heads and their feet side by
    side, however their arms reach into each other."""
    ground, tall = mesh.vertices[:, 2].min(), np.ptp(mesh.vertices[:, 2])
    parts = [mesh.vertices[rows] for rows in _large_parts(mesh) if _share(mesh, rows) > BODY]
    parts = [points for points in parts if points[:, 2].min() < ground + 0.1 * tall]
    ends = []
    for points in parts:
        share = (points[:, 2] - points[:, 2].min()) / np.ptp(points[:, 2])
        ends.append([points[which, :2].max(0) + points[which, :2].min(0) for which in (share > 1 - END, share < END)])
    high = [np.ptp(points[:, 2]) for points in parts]
    return any(min(np.linalg.norm(a - b) for a, b in zip(ends[i], ends[j], strict=True)) / 2
               > ASIDE * min(high[i], high[j]) for i, j in combinations(range(len(parts)), 2)
               if max(parts[k][:, 2].max() for k in (i, j)) > ground + HEAD * tall)


def _share(mesh: Mesh, rows: np.ndarray) -> float:
    """The share of the mesh's surface that a part with the vertices `rows` has."""
    area = np.linalg.norm(np.cross(*(mesh.triangles[:, k] - mesh.triangles[:, 0] for k in (1, 2))), axis=1)
    return float(area[np.isin(mesh.faces[:, 0], rows)].sum() / max(area.sum(), 1e-300))


def _large_parts(mesh: Mesh) -> list[np.ndarray]:
    """[(n,)] the vertices of each part that is as tall as a character and no sheet."""
    part = vertex_components(mesh)
    if not part.max():
        return []
    low, high = boxes(mesh.vertices, part, int(part.max()) + 1)
    size, tall = high - low, float(np.ptp(mesh.vertices[:, 2]))
    large = (size[:, 2] > HALF * tall) & (size[:, :2] > 0.12 * tall).all(1)
    return [np.flatnonzero(part == k) for k in np.flatnonzero(large)]
