"""Bodies, clothes, skeletons and motions drawn at random, several of each kind, rigged as artists might choose to.

Cases are as in `bodies`, and draw the same each time. They are there for what nobody has thought of.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.detail.grow import LEVELS, DetailOptions
from core.errors import RigError
from core.fitting.check import check_character
from core.fitting.fit import FitOptions
from core.fitting.from_shape import template_in
from core.geometry import rotation
from core.geometry.mesh import Mesh
from core.motion.clip import MotionClip
from core.motion.clip_file import load_motion
from core.motion.made import made_motion
from core.motion.retarget import RetargetOptions, Transfer, retarget_told
from core.motion.source import read_motion
from core.pipeline import bind, fit, prepare
from core.posing.stance import posed_rig, rest_matrices
from core.quality.weight_check import check_weights
from core.skeleton.bone_map import find_roles
from core.skeleton.carried import attached, carriers
from core.skeleton.control_rig import plan_controls
from core.skeleton.from_rig import template_from_rig
from core.skeleton.rig import Rig
from core.skeleton.structure import roles_by_structure
from core.skeleton.words import doubts
from core.skinning.bind import BindOptions
from tests import characters
from tests.characters import toys
from tests.characters.based import BASES, on_base
from tests.characters.dressed import THINGS, dressed
from tests.characters.loose import loose
from tests.characters.melted import holding, robed
from tests.characters.people import random_options
from tests.characters.poses import ARM, bend, walking, waving
from tests.core.motion.measures import measure
from tests.core.motion.test_source import shown
from tests.core.reference.bodies import of
from tests.core.reference.motions import somebody
from tests.core.reference.small import preset_rigs
from tests.keeping.results import Shaken


def as_chosen(mesh: Mesh, rng: np.random.Generator, preset: str = "", *, moves: bool = False) -> None:
    """Damage and turn a mesh or not, and rig it with choices drawn at random; as a user's mesh it may be refused."""
    if rng.random() < 0.3:
        mesh = characters.damage(mesh, rng, [str(rng.choice(sorted(characters.DAMAGES)))])
    turn = rotation.to_matrix(rotation.normalized(rng.normal(size=4))) if rng.random() < 0.3 else np.eye(3)
    mesh = Mesh(mesh.vertices @ turn.T * 10 ** rng.uniform(-2, 2) + rng.normal(size=3), mesh.faces, mesh.name,
                mesh.part_of_vertex)
    detail = DetailOptions(str(rng.choice(LEVELS)), twists=int(rng.integers(4)), root=bool(rng.integers(2)))
    options = FitOptions(reading=int(rng.integers(5) == 0), mirror_pins=bool(rng.integers(2)))
    binding = BindOptions(influences=int(rng.integers(1, 6)), rigid_parts=bool(rng.integers(2)),
                          alpha=rng.uniform(0, 1), layers=bool(rng.integers(2)), resolution=int(rng.integers(40, 72)))
    method = str(rng.choice(["auto", "heat", "geodesic"]))
    drawn = rng.random(), rng.normal(size=3), rng.integers(1000)
    with contextlib.suppress(RigError):
        shape = prepare(mesh)
        template = template_in(shape, preset or check_character(shape).preset)
        rig = fit(mesh, template, shape=shape, detail=detail, options=options)
        if drawn[0] < 0.4:  # one joint is dragged
            name = sorted(rig.joints)[drawn[2] % len(rig.joints)]
            away = 0.04 * np.ptp(mesh.vertices, axis=0).max() * drawn[1]
            rig = fit(mesh, template, {name: rig.joints[name] + away}, shape=shape, detail=detail, options=options)
        weights = bind(mesh, rig, method, shape=shape, options=binding)
        check_weights(mesh, rig, weights.matrix).numbers()
        if moves:
            made_motion("walk", rig)


def _case(number: int, what: str, make: Callable[[np.random.Generator, Shaken], list[tuple[Mesh, str]]], *,
          moves: bool = False) -> Callable[[Shaken], None]:
    def case(shaken: Shaken) -> None:
        rng = np.random.default_rng(number)
        for mesh, preset in make(rng, shaken):
            as_chosen(mesh, rng, preset, moves=moves)
    case.__name__, case.__doc__ = f"drawn_{what}", f"{what.replace('_', ' ').capitalize()}, drawn with seed {number}."
    return case


def _people(rng: np.random.Generator, shaken: Shaken) -> list[tuple[Mesh, str]]:
    poses = (None, walking, waving, lambda joints: bend(joints, [f"{name}.R" for name in ARM], 70))
    return [(of(characters.person(rng, vertices=int(rng.integers(600, 1500)), asymmetry=float(rng.choice([0.0, 4.0])),
                                  digits=rng.choice([None, 3, 5]), layers=bool(rng.integers(2)),
                                  pose=poses[rng.integers(len(poses))]), shaken), str(rng.choice(["", "biped"])))
            for _ in range(4)]


def _dressed(rng: np.random.Generator, shaken: Shaken) -> list[tuple[Mesh, str]]:
    out = []
    for _ in range(3):
        every = (*THINGS, "shield", "belt", "pouch")
        things = [str(one) for one in rng.choice(every, int(rng.integers(1, 5)), replace=False)]
        some = random_options(rng)
        out.append((of(dressed(*things, vertices=900, head=some.head, limb=some.limb, arm_angle=some.arm_angle,
                               belly=some.belly, skirt=some.skirt), shaken), ""))
    return out


def _toys(rng: np.random.Generator, shaken: Shaken) -> list[tuple[Mesh, str]]:
    held = (rng.uniform(-0.3, 0.1), rng.uniform(-0.3, 0.0), rng.uniform(0.1, 0.6))
    return [(of(characters.toy(options=toys.random_toy(rng), vertices=900), shaken), ""),
            (of(loose(rng), shaken), ""),
            (of(holding(held, radius=rng.uniform(0.015, 0.04), vertices=1500, arm_angle=rng.uniform(0, 60)), shaken),
             "biped"),
            (of(on_base(str(rng.choice(sorted(BASES))), fused=bool(rng.integers(2)), vertices=1800), shaken), ""),
            (of(robed(sleeve=rng.uniform(0.04, 0.09), vertices=1200), shaken), "")]


def _cut(rng: np.random.Generator, shaken: Shaken) -> list[tuple[Mesh, str]]:
    sides = ("LR", "L", "R", "")
    return [(of(characters.maimed(above=float(rng.choice([0.0, 0.0, rng.uniform(0.3, 0.7)])),
                                  arms=sides[rng.integers(4)], legs=sides[rng.integers(4)],
                                  stump=rng.uniform(0.2, 0.9), vertices=1000), shaken), "") for _ in range(3)] + [
            (of(characters.many_armed(pairs=int(rng.integers(3)), tentacle=float(rng.choice([0.0, 0.3])),
                                      vertices=1200), shaken), "")]


def _beasts(rng: np.random.Generator, shaken: Shaken) -> list[tuple[Mesh, str]]:
    made = (lambda: characters.quadruped(rng, vertices=1000),
            lambda: characters.quadruped(rng, species=str(rng.choice(sorted(characters.SPECIES))), vertices=1000),
            lambda: characters.centaur(rng, vertices=1200), lambda: characters.bird(rng, vertices=1000),
            lambda: characters.beast(rng, legs=int(rng.choice([2, 4])), wings=str(rng.choice(["LR", "L", ""])),
                                     necks=int(rng.integers(1, 4)), tails=int(rng.integers(3)), vertices=1500),
            lambda: characters.hydra(rng, vertices=1500), lambda: characters.mermaid(rng, vertices=1000))
    return [(of(made[k](), shaken), "") for k in rng.choice(len(made), 4, replace=False)]


def _crawlers(rng: np.random.Generator, shaken: Shaken) -> list[tuple[Mesh, str]]:
    made = (lambda: characters.many_legged(rng, pairs=int(rng.integers(2, 6)), lost=int(rng.integers(2)),
                                           vertices=1500),
            lambda: characters.snake(rng, bends=float(rng.choice([0.0, 1.5])), vertices=900),
            lambda: characters.fish(rng, vertices=900), lambda: characters.whale(rng, vertices=900),
            lambda: characters.octopus(rng, arms=int(rng.integers(4, 9)), vertices=1200),
            lambda: characters.star(rng, vertices=900), lambda: characters.tree(rng, vertices=900),
            lambda: characters.blob(rng, vertices=900), lambda: characters.ghost(rng, vertices=900))
    return [(of(made[k](), shaken), "") for k in rng.choice(len(made), 5, replace=False)]


def drawn_motions(shaken: Shaken) -> None:
    """What ships, swung about, sped up and slowed down, on people as drawn, with a skin and without."""
    rng = np.random.default_rng(31)
    names = ("walk", "run", "jump", "dance", "sit", "wave", "sneak", "turn_left", "stand_up", "idle")
    for k in range(8):
        some = random_options(rng)
        rig, skin = somebody(shaken, 40 + k, head=some.head, arm=some.arm, leg=some.leg, shoulders=some.shoulders)
        clip = swung(load_motion(names[rng.integers(len(names))]), rng, shaken)
        options = RetargetOptions(skin=skin if k % 2 else None, no_drift=bool(rng.integers(2)))
        transfer = Transfer(clip.rig, rig, options)
        out, told = retarget_told(clip, rig, options, transfer=transfer)
        measure(out, clip, transfer)
        told.warnings()


def swung(clip: MotionClip, rng: np.random.Generator, shaken: Shaken) -> MotionClip:
    """A clip in which every bone swings besides, the body sways, and nothing is said of contacts."""
    time = np.arange(len(clip.root))[:, None, None] / clip.rate
    swings = rng.uniform(0, 0.5) * rng.normal(size=(1, len(clip.rig.names), 3)) ** 3 / 3
    waves = np.sin(time * rng.uniform(1, 7, (1, len(clip.rig.names), 1)) + rng.uniform(0, 6))
    turns = rotation.multiply(np.array(clip.rotations), rotation.from_vector(swings * waves))
    sway = shaken(clip.root + 0.05 * rng.normal(size=3) * np.sin(2 * time[:, 0]))
    return clip.changed(rotations=turns, root=sway, contacts=None, feet=(), loop=False,
                        rate=clip.rate * float(rng.choice([0.5, 1.0, 1.7])))


def drawn_rests(shaken: Shaken) -> None:
    """Walks as programs show them whose rest pose bends each bone by as much as drawn."""
    rng = np.random.default_rng(32)
    clip = load_motion("walk")
    clip = clip.changed(root=shaken(clip.root))
    for k in range(24):
        bent = rotation.from_vector(rng.uniform(0, 0.12 * k) * rng.normal(size=(len(clip.rig.names), 3)))
        limbs = [b for b, name in enumerate(clip.rig.names) if any(part in name for part in ("arm", "thigh", "shin"))]
        few = np.tile([1.0, 0.0, 0.0, 0.0], (len(bent), 1))
        chosen = rng.choice(limbs, int(rng.integers(1, 5)), replace=False)
        few[chosen] = bent[chosen]
        turn = rotation.from_vector(np.array([[0.0, 0, 0], [np.pi / 2, 0, 0], [0.0, 0, 0.4]])[k % 3])
        with contextlib.suppress(RigError):
            read = read_motion(*shown(clip, rest=few, turn=turn, lift=0.1 * (k % 2)), clip.rate, is_up_known=k % 5 > 0)
            retarget_told(read, clip.rig)


def drawn_skeletons(shaken: Shaken) -> None:
    """Presets of other sizes and names, with a root near the ground, tails moved, and bones that are missing or move no
    skin: made templates of, and given controls and a T-pose."""
    rng = np.random.default_rng(33)
    for rig in 4 * preset_rigs(shaken):
        heads, tails = np.array(rig.heads), np.array(rig.tails)
        tails += rng.uniform(0, 0.5) * np.ptp(heads, axis=0).max() * rng.normal(size=tails.shape) * 0.05
        gone = {b for b in range(1, len(heads)) if rng.random() < 0.1}
        root = np.array([[0.0, 0.0, heads[:, 2].min() + rng.uniform(-0.05, 0.15) * np.ptp(heads[:, 2])]])
        parents = np.where(np.array(rig.parents) < 0, 0, np.array(rig.parents) + 1)
        for b in gone:
            parents[parents == b + 1] = parents[b]
        kept = [0] + [b + 1 for b in range(len(heads)) if b not in gone]
        number = {b: k for k, b in enumerate(kept)}
        names = ("root", *(str(rng.choice([name, f"DEF-{name}", f"{name}_jnt"])) for name in rig.names))
        every = np.concatenate([[-1], parents])
        deform = np.array([bool(rng.random() < 0.9) for _ in kept])
        size = 10 ** rng.uniform(-2, 2)
        other = Rig(tuple(names[b] for b in kept), [number.get(every[b], -1) for b in kept],
                    size * shaken(np.concatenate([root, heads])[kept]),
                    size * np.concatenate([root + [0, 0.1, 0], tails])[kept], deform=deform)
        for moving in (other, replace(other, deform=np.zeros(len(kept), bool))):
            with contextlib.suppress(RigError):
                template_from_rig(moving, "drawn")
        roles = find_roles(other)
        carriers(other, roles), attached(other, roles), doubts(other, roles), roles_by_structure(other)
        plan_controls(other, roles, {})
        with contextlib.suppress(RigError):
            posed_rig(other, rest_matrices(other, roles, "T"))


CASES = {case.__name__: case for case in (
    _case(100, "people", _people), _case(110, "dressed", _dressed), _case(120, "toys", _toys), _case(131, "cut", _cut),
    *(_case(140 + k, f"beasts_{k}", _beasts, moves=True) for k in range(2)),
    *(_case(150 + k, f"crawlers_{k}", _crawlers, moves=True) for k in range(2)),
    drawn_motions, drawn_rests, drawn_skeletons)}
