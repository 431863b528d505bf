"""People whose limbs hardly show: figures of blocks in one surface, and round bodies with stubs.

The landmark network sees their joints badly, and still in the right places: of those that are known by their outline
here all main joints are within a tenth of the height.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from ..geometry.distance import DistanceField
from ..geometry.mesh import Mesh
from ..geometry.pieces import label_pieces

# So much of a surface of blocks looks along an axis, up to ALONG, a cosine: what is marched through voxels is rough.
WALLS, ALONG = 0.85, 0.9
# Of a figure of blocks the head is so much narrower than arms and trunk together, and so are the legs; it begins at
# such a share of the height, and the legs end at one. A wall bends within a step: so few rows of voxels.
NARROWER, HEAD, LEGS, STEPS = 0.9, (0.6, 0.9), (0.2, 0.55), 2
# The trunk between them is so high at least, a share of the height, and so deep at most, a share of its breadth with
# the arms: that of a cross is lower, towers are deeper.
TRUNK, DEEP = 0.22, 0.75
# A stub is thinner than such a share of the thickest place, and holds such a share of the flesh. So far from the other
# side's image it lies at most, unit frame.
THIN, LEAST, IMAGE = 0.6, 2e-3, 0.05
# A foot begins so near the ground, unit frame. An arm lies at such a share of the height, and its end so far out, a
# share of the way to the side.
GROUND, ARM, OUT = 0.04, (0.2, 0.85), 0.9


def is_block_person(mesh: Mesh, solid: np.ndarray) -> bool:
    """Whether a body is a person of blocks in one surface, without gaps: walls along the axes, and from the front a
    head, broad shoulders and narrower legs.

    mesh : Z up, facing -Y;  solid : (nx, ny, nz) bool, the same body in any grid of cubes
    """
    return _has_outline(solid) and _walls(mesh) > WALLS


def _walls(mesh: Mesh) -> float:
    """The share of a surface that looks along an axis."""
    a, b, c = (mesh.vertices[corner] for corner in mesh.faces.T)
    across = np.cross(b - a, c - a)
    area = np.sqrt((across * across).sum(1))
    return float(area[np.abs(across).max(1) > ALONG * area].sum() / max(area.sum(), 1e-300))


def _has_outline(solid: np.ndarray) -> bool:
    """Whether a solid (nx, ny, nz) shows from the front a head, shoulders and legs, each of straight sides."""
    width, depth = (solid.any(axis).sum(0) for axis in (1, 0))
    width, depth = width[width > 0], depth[width > 0]
    tall = len(width)
    steps = np.flatnonzero(np.abs(width[STEPS:] - width[:-STEPS]) > (1 - NARROWER) * width.max()) / tall
    neck = steps[(steps > HEAD[0]) & (steps < HEAD[1])]
    hips = steps[(steps > LEGS[0]) & (steps < LEGS[1])]
    if not (len(neck) and len(hips)):
        return False
    height = np.arange(tall) / tall
    head = width[height > neck.max() + 2 * STEPS / tall]
    legs = width[(height < hips.min() - STEPS / tall) & (height > 2 * STEPS / tall)]
    trunk = (height > hips.max() + STEPS / tall) & (height < neck.min())
    if not (len(head) and len(legs)) or trunk.mean() < TRUNK:
        return False
    broad = np.median(width[trunk])
    return bool(max(np.median(head), np.median(legs)) < NARROWER * broad and np.median(depth[trunk]) < DEEP * broad)


def has_stubs(body: DistanceField) -> bool:
    """Whether a body stands on one pair of feet and has a pair of arms, mirror images all four, that stand out of
    something round and much thicker.

    body : in the unit frame, Z up, facing -Y
    """
    solid, grid = body.solid, body.grid
    thick = -THIN * float(body.values.min())
    core = body.values < -thick
    out = solid & (ndimage.distance_transform_edt(~core) * grid.spacing > thick + grid.spacing)
    label, count = label_pieces(out, corners=False)
    size = np.bincount(label.ravel(), minlength=count + 1)[1:]
    numbers = np.flatnonzero(size > LEAST * solid.sum()) + 1
    if len(numbers) < 4:
        return False
    middle = grid.centres(np.array(ndimage.center_of_mass(out, label, numbers)))
    spans = ndimage.find_objects(label)
    span = np.array([[(side.start, side.stop) for side in spans[n - 1]] for n in numbers])
    low, high = (grid.origin + grid.spacing * span[:, :, end] for end in (0, 1))
    whole = grid.origin + grid.spacing * np.array(_ends(solid))
    plane = whole[:, 0].mean()
    image = middle * [-1, 1, 1] + [2 * plane, 0, 0]
    apart = np.sqrt(((middle[:, None] - image) ** 2).sum(2))
    paired = (apart.min(1) < IMAGE) & (apart.argmin(1) != np.arange(len(numbers)))
    stands = low[:, 2] < whole[0, 2] + GROUND
    far = np.maximum(high[:, 0] - plane, plane - low[:, 0]) > OUT * np.ptp(whole[:, 0]) / 2
    share = (middle[:, 2] - whole[0, 2]) / np.ptp(whole[:, 2])
    arms = paired & ~stands & far & (share > ARM[0]) & (share < ARM[1])
    return int(stands.sum()) == 2 and bool(paired[stands].all()) and int(arms.sum()) == 2


def _ends(solid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first voxel of a solid along each axis, and the first behind it."""
    rows = [np.flatnonzero(solid.any(tuple(k for k in range(3) if k != axis))) for axis in range(3)]
    return np.array([row[0] for row in rows]), np.array([row[-1] + 1 for row in rows])
