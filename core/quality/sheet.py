"""The weight check as a picture: the character at rest and in its worst poses, the worst places coloured."""

from __future__ import annotations

import numpy as np

from ..geometry.mesh import Mesh
from ..motion.blend import blend_dual_quaternions, blend_linear
from ..picture.camera import fit_views, view_axes
from ..picture.heatmap import heat_colors
from ..picture.scene import render_character
from ..picture.sheet import join_panels
from ..picture.surface import smooth_surface
from .range_of_motion import character_axes
from .skin import read_skin
from .weight_check import WeightCheck

AZIMUTH, ELEVATION = np.deg2rad(-35.0), np.deg2rad(10.0)


def weight_sheet(mesh: Mesh, check: WeightCheck, rig, weights, *, rotation: np.ndarray | None = None, poses: int = 4,
                 height: int = 480, preserve_volume: bool = False) -> np.ndarray:
    """(H, W, 3) uint8: the character from the front and from behind at rest, then in the poses that strain it most.

    mesh, rig, weights, rotation : as they were checked;  preserve_volume : pose by dual quaternions
    """
    skin = read_skin(mesh, rig, weights)
    blend = blend_dual_quaternions if preserve_volume else blend_linear
    colors = heat_colors(_of_welded(check.badness, skin.of_vertex, len(skin.mesh.vertices)))
    axes = character_axes(skin.rig) if rotation is None else rotation
    worst = sorted(check.strains, key=lambda s: -s.severity)[:poses]
    rest = skin.mesh.vertices
    shown = [(rest, AZIMUTH), (rest, AZIMUTH + np.pi), *(
        (blend(rest, skin.weights, s.pose.turns, s.pose.shifts), AZIMUTH) for s in worst)]
    surfaces = [smooth_surface(Mesh(points, skin.mesh.faces), colors) for points, _ in shown]
    cameras = [view_axes(azimuth, ELEVATION, axes) for _, azimuth in shown]
    views = fit_views([s.seen_points for s in surfaces], cameras, height=height, most_width=2400)
    return join_panels([render_character(s, None, view) for s, view in zip(surfaces, views, strict=True)])


def _of_welded(values: np.ndarray, of_vertex: np.ndarray, count: int) -> np.ndarray:
    """(W,) the largest of the values (V,) of the vertices that were welded together."""
    out = np.zeros(count)
    np.maximum.at(out, of_vertex, values)
    return out
