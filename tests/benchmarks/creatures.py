"""Creatures: how many are told, how their feet hold, and a picture of them.

    python -m tests.benchmarks.creatures [--count 10] [--picture FILE.png]

Generated bodies of each creature, at random in all their lengths, are looked at; those that are told get their motion,
and the fastest slide of the skin under any standing foot is printed, in leg lengths a second.
The picture shows each with its bones, and three moments of its motion.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from core.fitting.check import check_character
from core.fitting.creature import weigh_creatures
from core.fitting.from_shape import seen_in, template_in
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from core.motion.clip import MotionClip, in_place
from core.motion.made import made_motion
from core.motion.shape_body import ShapeBody
from core.motion.skin import deform, posed
from core.picture.camera import fit_views, view_axes
from core.picture.png import encode_png
from core.picture.scene import render_character
from core.picture.sheet import join_panels
from core.picture.surface import smooth_surface
from core.pipeline import bind, fit, prepare
from core.seeing.stance import UPRIGHT
from tests import characters

GROWN = {"spider": characters.many_legged, "insect": lambda rng=None: characters.many_legged(rng, pairs=3),
         "snake": characters.snake, "fish": characters.fish, "octopus": characters.octopus,
         "hydra": characters.hydra, "dragon": lambda rng=None: characters.beast(rng, legs=2),
         "wyvern": lambda rng=None: characters.beast(rng, legs=1),
         "theropod": lambda rng=None: characters.beast(rng, legs=1, wings="", arms=True),
         "mermaid": characters.mermaid}
SHOWN = {"dragon": "walk", "wyvern": "fly"}
WIDE, GAP = 1620, 12  # pixels of the sheet, between pictures
HEIGHT, AZIMUTH, ELEVATION = 112, np.deg2rad(-55), np.deg2rad(22)


def slide(mesh: Mesh, weights, clip: MotionClip) -> float:
    """The fastest any point of a sole goes while its foot stands, leg lengths a second; 0 without legs."""
    body, worst = ShapeBody(clip.rig), 0.0
    if not clip.feet:
        return worst
    for k, (limb, leg) in enumerate(zip(body.standing, body.legs, strict=True)):
        own = np.asarray(weights[:, list(limb.bones)].sum(1)).ravel() > 0.5
        sole = np.flatnonzero(own & (mesh.vertices[:, 2] < mesh.vertices[own, 2].min() + 0.02 * leg.reach))
        places = np.stack([deform(mesh.vertices[sole], weights[sole], clip, t) for t in range(len(clip.root))])
        steps = np.linalg.norm(np.concatenate([places[1:], places[:1] + clip.stride]) - places, axis=2).max(1)
        stands = clip.contacts[:, k] & np.roll(clip.contacts[:, k], -1)
        worst = max(worst, float(steps[stands].max()) * clip.rate / leg.reach)
    return worst


def measure(name: str, count: int) -> str:
    """A line of the table."""
    told, close, slides = 0, 0, []
    for seed in range(count):
        mesh = GROWN[name](np.random.default_rng(seed)).mesh
        shape = prepare(mesh, stance=UPRIGHT)
        preset = check_character(shape).preset
        told += preset == name
        close += next(iter(weigh_creatures(seen_in(shape)))) == name
        template = template_in(shape, name)
        if template.name == name:
            rig = fit(mesh, template, shape=shape)
            clip = made_motion("walk", rig)
            slides.append(slide(mesh, bind(mesh, rig, shape=shape).matrix, clip))
    worst = f"{max(slides):.3f}" if slides and max(slides) > 0 else "-"
    return f"{name:10}{told:4} of {count} told{close:4} alike{len(slides):4} rigged as one when chosen   slide {worst}"


def row(name: str) -> np.ndarray:
    """A creature at rest with its bones, and three moments of its motion."""
    mesh = GROWN[name]().mesh
    shape: Shape = prepare(mesh, stance=UPRIGHT)
    rig = fit(mesh, template_in(shape, name), shape=shape)
    weights = bind(mesh, rig, shape=shape).matrix
    clip = in_place(made_motion(SHOWN.get(name, "walk"), rig))
    colour = np.full((len(mesh.vertices), 3), 0.5)
    frames = [len(clip.root) * k // 3 for k in range(3)]
    surfaces = [smooth_surface(mesh, colour)]
    surfaces += [smooth_surface(Mesh(deform(mesh.vertices, weights, clip, t), mesh.faces), colour) for t in frames]
    views = fit_views([s.seen_points for s in surfaces], [view_axes(AZIMUTH, ELEVATION)] * 4, height=HEIGHT,
                      most_width=800)
    rigs = [rig, *(posed(clip, t) for t in frames)]
    return join_panels([render_character(s, r, view) for s, r, view in zip(surfaces, rigs, views, strict=True)])


def picture() -> np.ndarray:
    """All creatures, the widest first, as many in a line as there is room for."""
    rows = sorted((row(name) for name in GROWN), key=lambda r: -r.shape[1])
    tall = max(r.shape[0] for r in rows)
    lines: list[list[np.ndarray]] = []
    for each in rows:
        line = next((line for line in lines if sum(r.shape[1] + GAP for r in (*line, each)) <= WIDE), None)
        if line is None:
            lines.append(line := [])
        line.append(each)
    sheet = np.full((len(lines) * (tall + GAP), WIDE, 3), 255, np.uint8)
    for k, line in enumerate(lines):
        left = 0
        for each in line:
            sheet[k * (tall + GAP):k * (tall + GAP) + each.shape[0], left:left + each.shape[1]] = each
            left += each.shape[1] + GAP
    return sheet


def main() -> None:
    """Print the table, and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    if given.picture is not None:
        given.picture.write_bytes(encode_png(picture()))
        return
    for name in GROWN:
        print(measure(name, given.count), flush=True)


if __name__ == "__main__":
    main()
