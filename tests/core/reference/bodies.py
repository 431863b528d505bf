"""Very different characters, taken through the core's doors: checked, fitted, bound, judged, readied for engines.

Each case gets a function that is put around every place it starts from, (N, 3) points: what came, or moved by next to
nothing. Cases use nothing that another test keeps.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.detail.grow import DetailOptions
from core.errors import RigError
from core.fitting.check import check_character, unlike_preset
from core.fitting.density import DensityOptions
from core.fitting.fit import FitOptions, Fitter
from core.fitting.from_shape import template_in
from core.fitting.limb_edits import LimbEdit, edited
from core.geometry.mesh import Mesh
from core.motion.made import made_motion
from core.pipeline import bind, fit, prepare
from core.posing.stance import palms_of, posed_rig, rest_matrices
from core.quality.joint_check import check_joints
from core.quality.sheet import weight_sheet
from core.quality.weight_check import check_weights
from core.skeleton.bone_map import find_roles
from core.skeleton.control_rig import plan_controls
from core.skeleton.engine import load_engine
from core.skeleton.engine_rig import dealt_weights, engine_rig
from core.skeleton.from_rig import template_from_rig
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skinning.bind import BindOptions
from core.skinning.copying import copied_weights
from core.skinning.weights import Kept
from tests import characters
from tests.characters.dressed import THINGS, dressed
from tests.characters.loose import LooseOptions, loose
from tests.characters.melted import holding, ridden
from tests.characters.poses import striding, walking
from tests.keeping.results import Shaken


def of(character, shaken: Shaken) -> Mesh:
    """A character's mesh, perhaps moved a little."""
    mesh = character.mesh
    return Mesh(shaken(mesh.vertices), mesh.faces, mesh.name, mesh.part_of_vertex)


def rigged(mesh: Mesh, preset: str = "", *, detail: str = "body", method: str = "auto",
           options: BindOptions = BindOptions(), **more):
    """(shape, rig, weights) of a mesh; without a preset of the likeliest one."""
    shape = prepare(mesh)
    template = template_in(shape, preset or check_character(shape).preset)
    rig = fit(mesh, template, shape=shape, detail=DetailOptions(detail), **more)
    return shape, rig, bind(mesh, rig, method, shape=shape, options=options)


def person_with_hands(shaken: Shaken) -> None:
    """From its mesh to engines' skeletons and controls."""
    mesh = of(characters.person(np.random.default_rng(5), vertices=1800, digits=5, hair="none", skirt="none"), shaken)
    check_character(mesh)
    shape, rig, _ = rigged(mesh, "biped", detail="full")
    plan_controls(rig, find_roles(rig), {})
    rig = fit(mesh, load_template("biped"), shape=shape, detail=DetailOptions("hands"))
    weights = bind(mesh, rig, shape=shape)
    roles = find_roles(rig)
    for pose in ("T", "A"):
        posed_rig(rig, rest_matrices(rig, roles, pose, palms=palms_of(rig, roles)))
    for name in ("unreal", "vrm", "roblox"):
        plan = engine_rig(rig, roles, load_engine(name), 0.0)
        dealt_weights(weights.matrix, mesh.vertices, rig, plan, 4)
    check_joints(rig, replace(rig, heads=rig.heads + 0.03 * np.sin(np.arange(len(rig.names)))[:, None]))


def judged(shaken: Shaken) -> None:
    """Weights with one stray part in twenty, drawn; half of them bound again."""
    mesh = of(characters.person(vertices=1200, arm_angle=70), shaken)
    _, rig, weights = rigged(mesh, "biped")
    stray = np.arange(len(mesh.vertices)) % 20 == 7
    worse = weights.matrix.toarray()
    worse[stray] = np.roll(worse[stray], 3, axis=1)
    check = check_weights(mesh, rig, worse)
    weight_sheet(mesh, check, rig, worse, poses=1, height=64)
    locked = np.arange(len(rig.names)) % 7 == 2
    bind(mesh, rig, kept=Kept(type(weights.matrix)(worse), locked, np.where(stray, 0.5, 1.0)))
    fine = of(characters.person(vertices=500, arm_angle=70), shaken)
    copied_weights(mesh, weights.matrix, fine)


def dressed_person(shaken: Shaken) -> None:
    """With a cape, a sword, a braid and a pack; again bound through voxels."""
    mesh = of(dressed(*THINGS, vertices=1200), shaken)
    shape, rig, _ = rigged(mesh, "biped", detail="full", options=BindOptions(influences=3))
    bind(mesh, rig, "geodesic", shape=shape, options=BindOptions(resolution=64))


def skirted(shaken: Shaken) -> None:
    """On a horse; in a gown with long hair, each an object of its own; and with a shield, a belt and a pouch."""
    rigged(of(ridden(vertices=2500), shaken))
    lady = characters.person(np.random.default_rng(8), vertices=1800, skirt="ankle", hair="long", layers=True)
    mesh = of(lady, shaken)
    rigged(mesh, detail="full")
    mesh = of(dressed("shield", "belt", "pouch", vertices=1200), shaken)
    rigged(mesh, "biped", detail="full")


def animals(shaken: Shaken) -> None:
    """A dog in mid-stride, a bird and a centaur."""
    mesh = of(characters.quadruped(vertices=1500, pose=striding), shaken)
    check_character(mesh)
    shape, rig, _ = rigged(mesh, "quadruped", detail="full")
    unlike_preset(check_character(shape), load_template("biped"))
    plan_controls(rig, find_roles(rig), {})
    rigged(of(characters.bird(vertices=1500), shaken), "bird")
    rigged(of(characters.centaur(vertices=1500), shaken))


def many_limbs(shaken: Shaken) -> None:
    """A spider, which gains and loses a leg, and a dragon."""
    mesh = of(characters.many_legged(vertices=2000), shaken)
    shape = prepare(mesh)
    template = template_in(shape, check_character(shape).preset)
    tip = tuple(template.positions[template.index("leg_2_tip.L")])
    less = edited(template, shape, [LimbEdit(False, tip)])
    edited(less, shape, [LimbEdit(True, tip)])
    rig = Fitter(shape, template).rig()
    bind(mesh, rig, shape=shape)
    made_motion("walk", rig)
    rig = rigged(of(characters.beast(vertices=2000), shaken), detail="full")[1]
    made_motion("fly", rig)


def armed(shaken: Shaken) -> None:
    """Someone with a sword that is one surface with the hand."""
    rigged(of(holding((0, -0.1, 0.55), arm_angle=30.0, vertices=2500), shaken), "biped", detail="hands")


def odd_shapes(shaken: Shaken) -> None:
    """What is no person: an octopus, a cart, a fish."""
    for made in (characters.octopus(vertices=1200), characters.wheeled(), characters.fish(vertices=1000)):
        mesh = of(made, shaken)
        shape = prepare(mesh)
        rig = Fitter(shape, template_in(shape, check_character(shape).preset)).rig()
    made_motion("swim", rig)


def broken(shaken: Shaken) -> None:
    """People with holes, in pieces, flipped, of loose parts, and one lying on its side."""
    for kinds, number in ((("holes", "intersect"), 1), (("split", "scatter", "flip"), 2), (("duplicate", "strew"), 3)):
        grown = characters.person(np.random.default_rng(number), vertices=1200)
        mesh = characters.damage(grown.mesh, np.random.default_rng(number), kinds)
        rigged(Mesh(shaken(mesh.vertices), mesh.faces), "biped")
    check_character(of(loose(options=LooseOptions("floating")), shaken))
    rigged(of(loose(options=LooseOptions("plates")), shaken), "biped")
    lying = characters.person(np.random.default_rng(3), vertices=1200).moved(
        np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]), (1, 2, 3))
    rigged(of(lying, shaken), "biped")


def half_bodies(shaken: Shaken) -> None:
    """A bust, one without an arm, two people side by side, a toy."""
    for made in (characters.maimed(above=0.6, vertices=1500), characters.maimed(arms="R", vertices=1500)):
        rigged(of(made, shaken), "biped")
    one = of(characters.person(vertices=800), shaken)
    two = Mesh(np.concatenate([one.vertices, one.vertices + [0.9, 0.1, 0.0]]),
               np.concatenate([one.faces, one.faces + len(one.vertices)]))
    check_character(two)
    check_character(of(characters.toy(np.random.default_rng(2), vertices=1200), shaken))


def searched(shaken: Shaken) -> None:
    """Bodies read by the search: the paper's skeleton, a pose, pins, another reading."""
    walker = of(characters.person(np.random.default_rng(6), vertices=1500, pose=walking), shaken)
    shape = prepare(walker)
    fit(walker, load_template("biped_paper"), shape=shape,
        options=FitOptions(density=DensityOptions(clusters=True, hands=True, feet=True)))
    rig = fit(walker, load_template("biped"), shape=shape)
    pin = {"forearm.L": shaken(rig.heads[[rig.names.index("forearm.L")]] + [0.02, 0.0, 0.02])[0]}
    fit(walker, load_template("biped"), pin, shape=shape, options=FitOptions(reading=1))
    template_from_rig(renamed(rig), "own")
    bind(walker, rig, "heat_paper", shape=shape)
    flat = Mesh(walker.vertices * [1, 0, 1], walker.faces)
    try:
        prepare(flat)
    except RigError as error:
        told(str(error))


def told(text: str) -> str:
    """What somebody is told."""
    return text


def renamed(rig: Rig) -> Rig:
    """The same bones by names that say nothing."""
    return replace(rig, names=tuple(f"bone_{i}" for i in range(len(rig.names))), joints={})


CASES = {case.__name__: case for case in (person_with_hands, judged, dressed_person, skirted, animals, many_limbs,
                                          armed, odd_shapes, broken, half_bodies, searched)}
