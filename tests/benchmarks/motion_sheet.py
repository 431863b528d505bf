"""Motions as strips of pictures: `python tests/benchmarks/motion_sheet.py OUT.png MOTION... [--on CHARACTER] [--view
DEGREES]`.

Each motion is done by a generated character, skinned by the core's own weights, or by one of a folder with truth.json
and weights.npz, as its artist rigged it, at evenly spaced frames.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.geometry.mesh import Mesh
from core.motion.authoring.library import author, gait
from core.motion.authoring.pace import speed_of
from core.motion.authoring.style import style_of
from core.motion.clip import MotionClip
from core.motion.clip_file import load_motion
from core.motion.retarget import RetargetOptions, retarget
from core.motion.skin import deform, posed
from core.motion.sole import Skin
from core.picture.camera import fit_views, view_axes
from core.picture.png import encode_png
from core.picture.scene import render_character
from core.picture.sheet import join_panels
from core.picture.surface import corner_colors, smooth_surface
from core.pipeline import bind
from core.skeleton.preset import load_template
from core.skeleton.template import rig_from_joints
from tests.benchmarks.bench_motion import from_folder
from tests.characters import bird, centaur, person, quadruped, sample

GROWN = {"sample": sample, "person": person, "bird": bird, "centaur": centaur,
         **{kind: (lambda kind=kind: quadruped(species=kind)) for kind in ("dog", "horse", "cat", "cow", "rabbit")}}


def character(name: str, preset: str):
    """A generated character, the preset's bones on its true joints, and its weights."""
    grown = GROWN[name]()
    template = load_template(preset)
    joints = [grown.joints.get(n, None) for n in template.names]
    missing = [n for n, j in zip(template.names, joints, strict=True) if j is None]
    if missing:
        raise SystemExit(f"{name} has no joints {missing}")
    rig = rig_from_joints(template, np.array(joints))
    return grown, rig, bind(grown.mesh, rig, "auto").matrix


def painted(name: str, preset: str):
    """(mesh, colours, rig, weights) of a generated character or of one in a folder."""
    if name in GROWN:
        grown, rig, weights = character(name, preset)
        return grown.mesh, np.concatenate(grown.colors) ** 2.2, rig, weights
    (_, _, rig, skin), = from_folder(Path(name))
    faces = np.load(Path(name) / "weights.npz")["faces"]
    return Mesh(skin.vertices, faces), np.full((len(skin.vertices), 3), 0.55), rig, skin.weights


def strip(mesh, paint, rig, weights, clip: MotionClip, count: int, azimuth: float, height: int, *, bare: bool = False
          ) -> np.ndarray:
    """One row of `count` moments.  bare : without the bones"""
    moved = retarget(clip, rig, RetargetOptions(travel=False, skin=Skin(mesh.vertices, weights)))
    frames = (np.arange(count) * len(clip.root) / count).astype(int)
    colors = corner_colors(mesh, paint)
    axes = [view_axes(np.deg2rad(azimuth), np.deg2rad(6))] * count
    surfaces, rigs = [], []
    for frame in frames:
        shape = type(mesh)(deform(mesh.vertices, weights, moved, frame), mesh.faces)
        plain = smooth_surface(shape)
        surfaces.append(type(plain)(plain.vertices, plain.faces, plain.normals, colors))
        rigs.append(posed(moved, frame))
    floor = float(mesh.vertices[:, 2].min())
    ground = np.array([[x, y, floor] for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    everything = [np.concatenate([s.vertices, ground]) for s in surfaces]
    views = fit_views(everything, axes, height=height, most_width=2400)
    lines = []
    for surface, bones, view in zip(surfaces, rigs, views, strict=True):
        picture = render_character(surface, None if bare else bones, view)
        row = int(np.clip(view.project(np.array([[0.0, 0.0, floor]]))[0, 1], 0, len(picture) - 1))
        picture[row, :, :] = picture[row, :, :] // 2
        lines.append(picture)
    return join_panels(lines)


def main() -> None:
    """Draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("motions", nargs="+")
    parser.add_argument("--on", default="sample", help=f"{', '.join(sorted(GROWN))}, or a folder")
    parser.add_argument("--preset", default="biped")
    parser.add_argument("--view", type=float, default=-70.0)
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--height", type=int, default=300)
    parser.add_argument("--bare", action="store_true", help="draw no bones")
    parser.add_argument("--fresh", action="store_true", help="author the motions anew instead of reading the presets")
    parser.add_argument("--style", default="", help="energy=..., width=..., mood=..., with commas between")
    parser.add_argument("--speed", nargs="+", default=[], help="the walk or run at each of these: natural, 3legs")
    choice = parser.parse_args()
    mesh, paint, rig, weights = painted(choice.on, choice.preset)
    rows = []
    for name, speed in product(choice.motions, choice.speed or [""]):
        if speed:
            clip = gait(name, speed_of(speed), 0.9, 30.0, style_of(choice.style))
        else:
            clip = author(name, style_of(choice.style)) if choice.fresh or choice.style else load_motion(name)
        rows.append(strip(mesh, paint, rig, weights, clip, choice.frames, choice.view, choice.height,
                          bare=choice.bare))
    width = max(r.shape[1] for r in rows)
    rows = [np.pad(r, ((0, 4), (0, width - r.shape[1]), (0, 0)), constant_values=255) for r in rows]
    choice.out.write_bytes(encode_png(np.concatenate(rows)))


if __name__ == "__main__":
    main()
