"""Motions, feet, hands, bases and pictures drawn at random: what `drawn` does not reach.

Cases are as in `bodies`, and draw the same each time.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.detail.grow import DetailOptions
from core.errors import RigError
from core.fitting.check import check_character
from core.fitting.from_shape import template_in
from core.geometry import rotation
from core.geometry.mesh import Mesh
from core.geometry.rotation import to_matrix
from core.motion.authoring.pace import GroundSpeed
from core.motion.bvh_file import load_bvh
from core.motion.clip import MotionClip, in_place
from core.motion.clip_file import load_motion
from core.motion.contacts import ContactOptions
from core.motion.edit import mirrored, resampled, trimmed
from core.motion.hold import HoldOptions
from core.motion.made import fitting_names, made_motion
from core.motion.retarget import RetargetOptions, Transfer, retarget_told
from core.motion.shape_body import ShapeBody
from core.motion.sole import Skin
from core.picture.camera import fit_views, view_axes
from core.picture.scene import render_character
from core.picture.surface import smooth_surface
from core.pipeline import bind, fit, prepare
from core.skeleton.rig import Rig
from tests import characters
from tests.characters.based import BASES, LOW, low_body, on_base, on_mound
from tests.characters.people import random_options
from tests.core.motion.hands import clapping, hand_before, on_all_fours
from tests.core.motion.measures import measure
from tests.core.reference.bodies import of
from tests.core.reference.motions import moved, on, somebody
from tests.keeping.results import Shaken
from tests.motion_files import CONVENTIONS, repeated, write_bvh

SHIPPED = ("walk", "run", "jump", "dance", "sit", "wave", "sneak", "turn_left", "turn_right", "stand_up", "idle")


def _body(rng: np.random.Generator, shaken: Shaken, seed: int) -> tuple[Rig, Skin]:
    """Somebody of proportions and a size as drawn, perhaps without toes, shoulders or neck."""
    some = random_options(rng)
    rig, skin = somebody(shaken, seed, head=some.head, arm=some.arm, leg=some.leg, belly=some.belly, limb=some.limb)
    gone, size = [("toe",), ("shoulder",), ("neck",), ()][rng.integers(4)], 10 ** rng.uniform(-2, 2)
    rig, skin = _without(rig, skin, gone) if gone else (rig, skin)
    return _sized(rig, size), Skin(size * skin.vertices, skin.weights)


def _sized(rig: Rig, size: float) -> Rig:
    return replace(rig, heads=size * rig.heads, tails=size * rig.tails,
                   joints={name: size * np.asarray(place) for name, place in rig.joints.items()})


def _without(rig: Rig, skin: Skin, parts: tuple[str, ...]) -> tuple[Rig, Skin]:
    """A body without some bones: what they moved follows the bones above."""
    kept = [b for b, name in enumerate(rig.names) if name.split(".")[0] not in parts]
    weights = skin.weights.tolil()
    for b in reversed(range(len(rig.names))):
        if b not in kept:
            weights[:, int(rig.parents[b])] = weights[:, int(rig.parents[b])] + weights[:, b]
    return rig.only([rig.names[b] for b in kept]), Skin(skin.vertices, weights.tocsr()[:, kept])


def _clip(rng: np.random.Generator, shaken: Shaken) -> MotionClip:
    """What ships, cut, mirrored, on the spot, again and again, at another rate, or without contacts of its own."""
    clip = moved(load_motion(str(rng.choice(SHIPPED))), shaken)
    change = rng.integers(7)
    if change == 0:
        first = int(rng.integers(len(clip.root) // 2))
        clip = trimmed(clip, first, first + int(rng.integers(2, 30)))
    if change == 1:
        clip = mirrored(clip)
    if change == 2:
        clip = in_place(clip).changed(contacts=None, feet=())
    if change == 3:
        clip = repeated(clip, int(rng.integers(2, 4))) if clip.loop else clip
    if change == 4:
        clip = resampled(clip, float(rng.uniform(12, 90)))
    if change == 5:  # it skates, and steps up
        time = np.arange(len(clip.root))[:, None] / clip.rate
        clip = clip.changed(root=clip.root + time * rng.normal(size=3) * [0.1, 0.1, 0.02], contacts=None, feet=(),
                            loop=False)
    if change == 6:  # a floor that leans
        lean = rotation.from_axis_angle(np.array([0.6, 0.8, 0.0]), np.deg2rad(rng.uniform(0, 4)))
        turns = np.array(clip.rotations)
        turns[:, 0] = rotation.multiply(lean, turns[:, 0])
        clip = clip.changed(rotations=turns, root=clip.root @ to_matrix(lean).T, contacts=None, feet=(), loop=False)
    size = 10 ** rng.uniform(-2, 2)
    return clip.changed(rig=_sized(clip.rig, size), root=size * clip.root, stride=size * clip.stride)


def _feet(rng: np.random.Generator, shaken: Shaken) -> None:
    for k in range(7):
        rig, skin = _body(rng, shaken, 60 + k)
        clip = _clip(rng, shaken)
        options = RetargetOptions(
            skin=skin if rng.random() < 0.6 else None, no_drift=bool(rng.integers(2)),
            travel=[True, False, None][rng.integers(3)], hold=bool(rng.random() < 0.9),
            ground=0.05 * rng.normal() * np.ptp(rig.heads[:, 2]) if rng.random() < 0.2 else None,
            holding=HoldOptions(blend=rng.uniform(0.05, 0.3), follow=rng.uniform(0.05, 0.3), give=rng.uniform(0.1, 0.5),
                                stretch=rng.uniform(0.97, 1.0)),
            contacts=ContactOptions(height=rng.uniform(0.02, 0.12)))
        transfer = Transfer(clip.rig, rig, options)
        out, said = retarget_told(clip, rig, options, transfer=transfer)
        measure(out, clip, transfer)
        said.warnings()


def _hands(rng: np.random.Generator, shaken: Shaken) -> None:
    for k in range(6):
        rig, skin = _body(rng, shaken, 80 + k)
        clip = (clapping, on_all_fours, lambda: hand_before(rng.uniform(0.0, 0.2)),
                lambda: load_motion("sit"))[rng.integers(4)]()
        time = np.arange(len(clip.root))[:, None, None] / clip.rate
        swings = rng.uniform(0, 0.25) * rng.normal(size=(1, len(clip.rig.names), 3))
        waves = np.sin(rng.uniform(0, 4) * time)
        turns = rotation.multiply(np.array(clip.rotations), rotation.from_vector(swings * waves))
        clip = clip.changed(rotations=turns, root=shaken(clip.root), contacts=None, feet=(), loop=False,
                            rate=clip.rate * float(rng.choice([0.5, 1.0, 2.0])))
        retarget_told(clip, rig, RetargetOptions(skin=skin if rng.random() < 0.8 else None))


def drawn_files(shaken: Shaken) -> None:
    """Motion files of every convention, of motions as drawn."""
    rng = np.random.default_rng(230)
    rig = on(characters.person(np.random.default_rng(12), vertices=300), "biped", shaken)
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(CONVENTIONS):
            clip = resampled(trimmed(_clip(rng, shaken), 0, 24), 30.0)
            path = write_bvh(Path(folder) / "motion.bvh", clip, CONVENTIONS[name])
            retarget_told(load_bvh(path, rest_frame=int(rng.integers(4)) if rng.random() < 0.2 else None), rig)


def drawn_gaits(shaken: Shaken) -> None:
    """Creatures as drawn, moved in every way they can, at speeds as drawn."""
    rng = np.random.default_rng(240)
    made = (lambda: characters.many_legged(rng, pairs=int(rng.integers(2, 5)), vertices=900),
            lambda: characters.beast(rng, legs=int(rng.integers(1, 3)), vertices=900),
            lambda: characters.snake(rng, vertices=700),
            lambda: characters.fish(rng, vertices=700), lambda: characters.whale(rng, vertices=700),
            lambda: characters.octopus(rng, vertices=900))
    for make in made:
        mesh = of(make(), shaken)
        shape = prepare(mesh)
        rig = fit(mesh, template_in(shape, "shape"), shape=shape)
        for name in fitting_names(ShapeBody(rig)):
            made_motion(name, rig, rate=float(rng.choice([24.0, 30.0, 60.0])))
            with contextlib.suppress(RigError):  # nobody goes at any speed
                made_motion(name, rig, ground=GroundSpeed("metres", rng.uniform(0.05, 2.5)),
                            metres=rng.uniform(0.5, 2.0))


def _bases(rng: np.random.Generator, shaken: Shaken) -> None:
    for k in range(6):
        some = random_options(rng)
        if k == 4:
            grown = low_body(str(rng.choice(sorted(LOW))), vertices=1500)
        elif k == 5:
            grown = on_mound(str(rng.choice(["cat", "horse", "dog"])), wide=rng.uniform(0.6, 2), vertices=2000)
        else:
            grown = on_base(str(rng.choice(sorted(BASES))), fused=bool(rng.integers(2)), vertices=1800, head=some.head,
                            leg=some.leg, arm_angle=some.arm_angle, stance=some.stance, skirt=some.skirt)
        mesh = of(grown, shaken)
        size = np.array([1.0, 1.0, rng.uniform(0.8, 1.2)])
        shape = prepare(Mesh(mesh.vertices * size, mesh.faces, mesh.name, mesh.part_of_vertex))
        check_character(shape)


def _fingers(rng: np.random.Generator, shaken: Shaken) -> None:
    for _ in range(3):
        some = random_options(rng)
        grown = characters.person(vertices=900, digits=int(rng.integers(2, 6)), splay=rng.uniform(2, 14), arm=some.arm,
                                  limb=some.limb, arm_angle=some.arm_angle, elbow=some.elbow,
                                  asymmetry=float(rng.choice([0.0, 3.0])))
        mesh, count = of(grown, shaken), [None, None, 5][rng.integers(3)]
        shape = prepare(mesh)
        rig = fit(mesh, template_in(shape, "biped"), shape=shape, detail=DetailOptions("full", fingers=count))
        bind(mesh, rig, shape=shape)


def drawn_pictures(shaken: Shaken) -> None:
    """Bodies and crumpled sheets from all sides, small, with bones and without."""
    rng = np.random.default_rng(270)
    grown = characters.person(np.random.default_rng(3), vertices=500)
    rig = on(grown, "biped", shaken)
    for k in range(10):
        mesh = of(grown, shaken)
        if k % 3 == 2:  # slivers, seen edge-on
            mesh = Mesh(mesh.vertices * 10 ** rng.uniform(-3, 0, 3), mesh.faces, mesh.name)
        colours = rng.uniform(0, 1, [(3,), (len(mesh.vertices), 3), (len(mesh.faces), 3)][k % 3])
        surface = smooth_surface(mesh, colours)
        bones = replace(rig, confidence={n: float(rng.random()) for n in rig.joints}) if k % 3 < 2 else None
        view = fit_views([surface.seen_points], [view_axes(rng.uniform(-4, 4), rng.uniform(-1.5, 1.5))],
                         height=int(rng.integers(40, 140)), margin=rng.uniform(0, 0.2))[0]
        render_character(surface, bones, view)


def _case(number: int, what: str, run: Callable[[np.random.Generator, Shaken], None]) -> Callable[[Shaken], None]:
    def case(shaken: Shaken) -> None:
        run(np.random.default_rng(number), shaken)
    case.__name__, case.__doc__ = f"drawn_{what}", f"{what.replace('_', ' ').capitalize()}, drawn with seed {number}."
    return case


CASES = {case.__name__: case for case in (
    *(_case(200 + k, f"feet_{k}", _feet) for k in range(3)), *(_case(210 + k, f"hands_{k}", _hands) for k in range(2)),
    *(_case(220 + k, f"bases_{k}", _bases) for k in range(2)),
    *(_case(260 + k, f"fingers_{k}", _fingers) for k in range(2)),
    drawn_files, drawn_gaits, drawn_pictures)}
