"""The README's pictures of how a rig comes about, and the icon: `python tests/benchmarks/readme_pictures.py FOLDER`.

pipeline.png: the sample character; its distance field cut through the middle; the coarse solid that the landmark
network looks at; where it sees the joints; the skeleton; the weights; a pose.  icon.png: 256 pixels square, for the
extensions' platform.
bodies.png: generated bodies of all kinds with the bones fitted to them, from the front and the side.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import ndimage

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.fitting.readings import VIEWS
from core.geometry.mesh import Mesh
from core.geometry.rotation import from_axis_angle
from core.motion.clip import MotionClip
from core.motion.skin import deform
from core.motion.skin import posed as posed_rig
from core.picture.camera import View, fit_views, view_axes
from core.picture.png import encode_png
from core.picture.scene import render_character
from core.picture.sheet import join_panels
from core.picture.surface import Surface, smooth_surface
from core.pipeline import bind, fit, prepare
from core.seeing.evidence import Evidence, look
from core.seeing.views import CELLS, Sight
from core.skeleton.preset import load_template
from tests.characters import bird, blob, centaur, person, quadruped, sample
from tests.shapes import ball

TURN = np.deg2rad(24)
BENDS = {"upper_arm.L": (0, -1.2), "forearm.L": (2, 1.1), "thigh.R": (0, 0.9), "shin.R": (0, -1.1),
         "forearm.R": (2, -0.6), "upper_arm.R": (1, 0.3), "head": (1, 0.25)}


def balls(centres: np.ndarray, radii: np.ndarray, color, segments: int = 8) -> Surface:
    """Little balls at (N, 3) of radius (N,), all of one colour or (N, 3)."""
    unit = ball(1.0, segments=segments).mesh
    count, size = len(centres), len(unit.vertices)
    vertices = (unit.vertices[None] * radii[:, None, None] + centres[:, None]).reshape(-1, 3)
    faces = (unit.faces[None] + size * np.arange(count)[:, None, None]).reshape(-1, 3)
    color = np.repeat(np.broadcast_to(color, (count, 3)), len(unit.faces), axis=0)
    return smooth_surface(Mesh(vertices, faces), color)


def cells_seen(sight: Sight) -> np.ndarray:
    """(N, 3) the outer cells of the coarse solid that the landmark network looks at, in the mesh's frame."""
    outer = sight.solid & ~ndimage.binary_erosion(sight.solid)
    return sight.from_cube((np.argwhere(outer) + 0.5) / CELLS)


def clouds(evidence: Evidence) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the network sees the joints: (N, 3) places in the mesh's frame, (N,) how likely against the likeliest place
    of the same joint, (N,) the joint."""
    seen = VIEWS * evidence.at(evidence.places)
    share = np.exp(np.maximum(seen - seen.max(1, keepdims=True), -80.0))
    joint, place = np.nonzero(share > 0.1)
    return evidence.sight.from_cube(evidence.places[place]), share[joint, place], joint


def field_slice(field, depth: float) -> Surface:
    """The field's inside at y = depth, as small squares from dark blue at the skin to yellow in the middle."""
    grid = field.grid
    step = grid.spacing / 2
    extent = grid.origin + np.array(grid.shape) * grid.spacing
    x, z = np.meshgrid(np.arange(grid.origin[0], extent[0], step), np.arange(0, extent[2], step), indexing="ij")
    points = np.stack([x.ravel(), np.full(x.size, depth), z.ravel()], 1)
    value = -field.sample(points)
    points, value = points[value > 0], value[value > 0]
    share = np.clip(value / np.quantile(value, 0.98), 0, 1)[:, None]
    color = np.where(share < 0.5, (1 - 2 * share) * [0.02, 0.05, 0.30] + 2 * share * [0.05, 0.45, 0.45],
                     (2 - 2 * share) * [0.05, 0.45, 0.45] + (2 * share - 1) * [0.95, 0.75, 0.05])
    corner = np.array([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]]) * step / 2
    vertices = (points[:, None] + corner).reshape(-1, 3)
    faces = (np.array([[0, 1, 2], [0, 2, 3]])[None] + 4 * np.arange(len(points))[:, None, None]).reshape(-1, 3)
    return smooth_surface(Mesh(vertices, faces), np.repeat(color, 2, axis=0))


def bone_hues(count: int) -> np.ndarray:
    """(count, 3) colours that neighbours in a skeleton tell apart by."""
    turn = 2 * np.pi * np.arange(count) * 0.381966
    return np.clip(0.42 + 0.40 * np.stack([np.cos(turn), np.cos(turn - 2.1), np.cos(turn + 2.1)], 1), 0.02, 0.9)


def pose_clip(rig) -> MotionClip:
    """One frame with limbs bent."""
    turns = np.zeros((1, len(rig.names), 4))
    turns[..., 0] = 1
    for name, (axis, angle) in BENDS.items():
        turns[0, rig.names.index(name)] = from_axis_angle(np.eye(3)[axis], angle)
    return MotionClip(rig, turns, np.zeros((1, 3)))


def pictures() -> dict[str, np.ndarray]:
    """{file name: (H, W, 3) picture}."""
    grown = sample()
    mesh, colors = grown.mesh, np.concatenate(grown.colors) ** 2.2
    shape = prepare(mesh)
    evidence = look(shape.mesh, "biped")
    rig = fit(mesh, load_template("biped"), shape=shape)
    weights = bind(mesh, rig, "heat", shape=shape).matrix
    place, scale = shape.frame.to_object, shape.frame.scale
    clip = pose_clip(rig)
    body = smooth_surface(mesh, colors)
    where, share, joint = clouds(evidence)
    cells = cells_seen(evidence.sight)
    cut = field_slice(shape.field, float(np.median(cells[:, 1])))
    bent = Mesh(deform(mesh.vertices, weights, clip, 0), mesh.faces)
    shown = [
        (body, None),
        (Surface(place(cut.vertices), cut.faces, cut.normals, cut.colors), None),
        (balls(place(cells), np.full(len(cells), 0.008 * scale), (0.15, 0.42, 0.55), 6), None),
        (balls(place(where), 0.012 * scale * share, bone_hues(len(evidence.names))[joint], 6), None),
        (body, rig),
        (smooth_surface(mesh, weights @ bone_hues(len(rig.names))), None),
        (replace(body, vertices=bent.vertices, normals=smooth_surface(bent).normals), posed_rig(clip, 0)),
    ]
    axes = [view_axes(TURN if number != 1 else 0.0, np.deg2rad(4)) for number in range(len(shown))]
    views = fit_views([s.vertices for s, _ in shown], axes, height=380, most_width=2400)
    panels = [render_character(surface, bones, view) for (surface, bones), view in zip(shown, views, strict=True)]
    head = mesh.vertices[mesh.vertices[:, 2] > 0.5 * mesh.vertices[:, 2].max()]
    close = View(view_axes(TURN, np.deg2rad(3)), (head.min(0) + head.max(0)) / 2,
                 250 / float(np.ptp(head[:, 2])), 256, 256)
    return {"pipeline.png": join_panels(panels), "icon.png": render_character(body, rig, close)}


def bodies() -> np.ndarray:
    """Two rows of four bodies, each from both sides."""
    rows = (((blob, "biped"), (quadruped, "quadruped"), (centaur, "centaur"), (bird, "bird")),
            ((lambda: quadruped(species="horse"), "horse"), (lambda: quadruped(species="cat"), "quadruped"),
             (lambda: person(hair="long"), "biped"), (lambda: person(arm_angle=75.0), "biped")))
    pictures = []
    for row in rows:
        panels = []
        for make, preset in row:
            mesh = make().mesh
            rig, surface = fit(mesh, load_template(preset)), smooth_surface(mesh)
            points = np.concatenate([surface.seen_points, rig.heads, rig.tails])
            axes = [view_axes(0.0), view_axes(np.pi / 2)]
            panels += [render_character(surface, rig, view)
                       for view in fit_views([points, points], axes, height=260, margin=0.04, most_width=365)]
        pictures.append(join_panels(panels))
    width = max(p.shape[1] for p in pictures)
    return np.concatenate([np.pad(p, ((0, 3), (0, width - p.shape[1]), (0, 0)), constant_values=255) for p in pictures])


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, image in (pictures() | {"bodies.png": bodies()}).items():
        (folder / name).write_bytes(encode_png(image))


if __name__ == "__main__":
    main()
