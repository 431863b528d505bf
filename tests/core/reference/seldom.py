"""What bodies, motions and small inputs of the other cases do not reach: fingers, eyes, wings, bases, skeletons of
others, meshes bound on stand-ins, pictures with bones.

Cases are as in `bodies`.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from unittest import mock

import numpy as np

from core.detail.grow import DetailOptions
from core.errors import RigError
from core.fitting.check import check_character
from core.fitting.density import DensityOptions
from core.fitting.fit import FitOptions, Fitter
from core.fitting.from_shape import shape_template, template_in
from core.fitting.missing import with_pinned
from core.geometry import rotation
from core.geometry.apart import bodies_across, bodies_in, find_bodies
from core.geometry.mesh import Mesh
from core.geometry.ray import skin_along_ray
from core.motion.authoring.library import author
from core.motion.authoring.pace import AS_IT_SHIPS, GroundSpeed
from core.motion.authoring.style import style_of
from core.motion.choose import with_the_arm_there
from core.motion.clip_file import load_motion, motion_data
from core.motion.edit import trimmed
from core.motion.made import made_motion
from core.motion.retarget import retarget_told
from core.motion.source import read_motion
from core.picture.png import encode_png
from core.picture.scene import render_character
from core.picture.surface import join_surfaces, smooth_surface
from core.pipeline import auto_rig, bind, fit, prepare
from core.posing.reshape import blend, in_space, inverse
from core.posing.stance import palms_of, posed_rig, rest_matrices
from core.quality.hanging import hang_together
from core.quality.range_of_motion import range_of_motion
from core.quality.weight_check import check_weights
from core.seeing.stance import UPRIGHT
from core.skeleton.body_plan import completed
from core.skeleton.bone_map import find_roles
from core.skeleton.carried import attached, carriers
from core.skeleton.chain import with_joints
from core.skeleton.control_rig import plan_controls
from core.skeleton.from_rig import template_from_rig
from core.skeleton.preset import load_template, template_data
from core.skeleton.rig import Rig
from core.skeleton.structure import roles_by_structure
from core.skeleton.template import rig_from_joints
from core.skeleton.twist import twist_groups, with_twists, without_twists
from core.skeleton.words import doubts, roles_by_words
from core.skinning import heat
from core.skinning.bind import BindOptions, bind_shape
from core.skinning.copying import mirror_plane_of, symmetrised_weights
from core.skinning.handles import skin_handles
from core.skinning.papers import bones_alone, geodesic_paper
from tests import characters, shapes
from tests.core.hanging.test_wings import WING, one_surface, winged
from tests.core.motion.bodies import reordered
from tests.core.motion.creatures import plain
from tests.core.motion.test_source import shown
from tests.core.picture.test_scene import RIG as PICTURED
from tests.core.picture.test_scene import ball, view_of
from tests.core.reference.bodies import of, rigged
from tests.core.reference.small import preset_rigs
from tests.core.skeleton.test_engine import person as engine_person
from tests.core.skeleton.test_from_rig import with_bones
from tests.core.skinning.solids import bones, joined, tube
from tests.core.skinning.test_layers import elbow, sleeve
from tests.keeping.results import Shaken

SWAY = rotation.to_matrix(rotation.from_vector(np.array([0.2, 0.4, 0.1])))
STAND_IN = {"MOST_VERTICES": 400, "_COARSE_SHARE": 1.0, "_LEAST_COARSE": 0, "_MOST_COARSE": 300,
            "_COARSE_VERTICES": 300}  # of a mesh too heavy to be solved as it is


def fingers(shaken: Shaken) -> None:
    """A hand of five fingers and a thumb, bound in both ways, posed, and moved as another's fingers move."""
    mesh = of(characters.person(digits=5, vertices=2000), shaken)
    shape = prepare(mesh)
    rig = fit(mesh, load_template("biped"), shape=shape, detail=DetailOptions("hands"))
    skin = bind(mesh, rig, "heat", shape=shape)
    bind(mesh, rig, "geodesic", shape=shape, options=BindOptions(resolution=72))
    roles = find_roles(rig)
    rest = rest_matrices(rig, roles, "T", palms=palms_of(rig, roles))
    posed_rig(rig, rest)
    check_weights(mesh, rig, skin.matrix).numbers()
    with_joints(load_template("biped"), rig)
    for turned in (in_space(blend(skin.matrix, rest), np.diag([2.0, 2.0, 2.0, 1.0])), blend(skin.matrix, rest)):
        inverse(turned)
    clip, _ = retarget_told(trimmed(load_motion("wave"), 0, 8), rig)
    turns = np.array(clip.rotations)
    bent = [b for b, name in enumerate(rig.names) if name.split("_")[0] in ("index", "thumb", "pinky")]
    turns[:, bent] = turns[:, [rig.names.index("forearm.L")]]
    retarget_told(clip.changed(rotations=turns), replace(rig, heads=1.1 * rig.heads, tails=1.1 * rig.tails))


def with_more(shaken: Shaken) -> None:
    """Eyes, a base of its own, two pairs of wings, and a tail."""
    body = characters.person(vertices=1800)
    head = np.array(body.joints["head_top"]) - body.joints["head"]
    at = np.array(body.joints["head"]) + 0.45 * head
    eyes = [Mesh(at + np.linalg.norm(head) * np.array([side, -0.62, 0.0]) + 0.02 * shapes.ball(
        1.0, segments=12).mesh.vertices, shapes.ball(1.0, segments=12).mesh.faces) for side in (0.28, -0.28)]
    mesh = joined(body.mesh, *eyes)
    rigged(Mesh(shaken(mesh.vertices), mesh.faces), "biped", detail="full")
    mesh = one_surface().mesh
    rigged(Mesh(shaken(mesh.vertices), mesh.faces), "biped", detail="hands")
    mesh = of(characters.person(tail=0.6, vertices=2000), shaken)
    fit(mesh, load_template("biped_tail"), detail=DetailOptions("hands", fingers=0))
    mesh = of(characters.many_armed(pairs=1, tentacle=0.3, vertices=2000), shaken)
    more = DetailOptions("full", fingers=0)
    rig = fit(mesh, load_template("biped"), detail=more)
    pins = {name: np.array(rig.joints[name]) + [0.02, 0.0, 0.03] for chain in rig.chains for name in chain.joints[1::2]
            if name.startswith("limb")}
    fit(mesh, load_template("biped"), pins, detail=more)
    mesh = winged((WING, 1, 0.4), (WING, -1, 0.4), joined=True)[0]
    rigged(Mesh(shaken(mesh.vertices), mesh.faces), "biped", detail="hands")
    for base, without in (("stone beside the feet", ()), ("rock", ("base",))):
        mesh = of(characters.on_base(base, vertices=3000), shaken)
        shape = prepare(mesh, stance=UPRIGHT)
        rig = fit(mesh, load_template("biped"), shape=shape, detail=DetailOptions("hands", fingers=0, without=without))
        bind(mesh, rig, shape=shape)
        check_character(shape)


def skeletons_of_others(shaken: Shaken) -> None:
    """Fitted by the names of ours or of nobody's, with pins on both sides; bones that hang where they should not."""
    mesh = of(characters.person(vertices=1500, arm_angle=35, hair="none"), shaken)
    joints = characters.person(head=1.5, leg=0.8, vertices=500).joints
    biped = load_template("biped")
    rig = rig_from_joints(biped, np.array([joints[n] for n in biped.names]))
    called = tuple(name[:-2] + {"L": "_Left", "R": "_Right"}[name[-1]] if name[-2] == "." else name
                   for name in rig.names)
    for names in (called, tuple(f"bone{k:02}" for k in range(len(rig.names)))):
        template = template_from_rig(replace(rig, names=names, joints={}), "foreign")
        template_data(template)
        own = auto_rig(mesh, template)[0]
    fitter = Fitter(prepare(mesh), biped)
    free = fitter.rig()
    fitter.rig({name: shaken(np.array([free.joints[name]]) + [0.0, 0.02, 0.03])[0]
                for name in ("hand.L", "hand.R", "hips", "shin.L")})
    root = [0, *(np.where(own.parents < 0, 0, own.parents + 1))]
    legs = [k + 1 for k, name in enumerate(own.names) if k % 5 == 2]
    parents = np.array(root)
    parents[legs] = 0
    parents[0] = -1
    loose = Rig(("root", *own.names), parents, np.concatenate([[[0, 0, 0]], own.heads]),
                np.concatenate([[[0, 1, 0]], own.tails]))
    hang_together(loose, np.arange(len(parents)) > 0)
    for first, second in (("leg_upper", "leg_lower"), ("leg_1", "leg_2"), ("thigh", "leg"), ("leg", "shin")):
        counted = {"thigh": first, "shin": second, "upper_arm": "arm_1", "forearm": "arm_2"}
        names = [".".join([counted.get(name.split(".")[0], name.split(".")[0]), *name.split(".")[1:]])
                 for name in rig.names]
        roles_by_words(replace(rig, names=tuple(names), joints={}))
    busy, who = engine_person(hands=True)
    template_from_rig(with_bones(busy, ("IK_hand.L", None, [0.4, 0, 0.7], [0.4, 0, 0.9], True)), "busy")
    for turned in (busy, replace(busy, heads=busy.heads @ SWAY.T, tails=busy.tails @ SWAY.T)):
        posed_rig(turned, rest_matrices(turned, who, "T", palms=palms_of(turned, who)))
    dog = load_template("quadruped")
    animal = rig_from_joints(dog, dog.positions)
    fit(of(characters.quadruped(vertices=1500), shaken),
        template_from_rig(replace(animal, names=tuple(f"b{k}" for k in range(len(animal.names))), joints={}), "dog"))


def small_pictures(shaken: Shaken) -> None:
    """Two balls with bones, one of them doubtful."""
    first, second = ball(), ball(0.3, (0.9, -0.5, 2.0))
    first = Mesh(shaken(first.vertices), first.faces)
    image = np.random.default_rng(17).random((4, 4, 3))
    plain_one = smooth_surface(first, np.linspace(0, 1, 3 * len(first.vertices)).reshape(-1, 3))
    textured = replace(plain_one, textures=(image,), texture_of_face=np.arange(len(first.faces)) % 2 - 1,
                       uvs=np.random.default_rng(18).random((len(first.faces), 3, 2)))
    body = join_surfaces([textured, smooth_surface(second, np.full((len(second.faces), 3), 0.4))])
    rig = replace(PICTURED, heads=PICTURED.heads * [1.8, 1, 1], tails=PICTURED.tails * [1.8, 1, 1.2],
                  confidence={"arm.L": 0.2}, joints=dict(zip(PICTURED.names, PICTURED.heads, strict=True)))
    for azimuth in (0.0, 2.0):
        encode_png(render_character(body, rig, view_of(first, azimuth, 80)))


def small_stand_ins(shaken: Shaken) -> None:
    """Heavy meshes bound on few clusters; the papers' ways; weights made even; shoes of two; a ray through a sheet."""
    mesh = tube(0.1, 1.0, 16, 41)
    mesh = Mesh(shaken(mesh.vertices), mesh.faces)
    line = bones(((0, 0, 0), (0.5, 0, 0)), ((0.5, 0, 0), (1, 0, 0)))
    shape = prepare(mesh, stance=UPRIGHT)
    handles = skin_handles(shape, line)
    geodesic_paper(shape, bones_alone(handles))
    for own in (0, 10_000):
        with mock.patch.multiple(heat, _OWN_HEAT=own, **STAND_IN):
            heat.heat_weights(shape.mesh, shape.field, handles)
    away = np.array([[0.5, 0, 0], [0.5, 0, 0]])
    for far in (100.0, 1e12):
        endless = Rig(("down", "up"), [-1, 0], away, away + np.array([[-far, 0, 0], [far, 0, 0]]))
        skin = bind_shape(shape, endless, "heat", BindOptions()).matrix
    bind_shape(shape, line, "geodesic", BindOptions(influences=2))
    arm = joined(tube(0.1, 1.0, along=31), sleeve((0.105, 0.105, 0.105, 0.2)), sleeve(0.112, along=20, low=0.1))
    bind_shape(prepare(Mesh(shaken(arm.vertices), arm.faces), stance=UPRIGHT), elbow(), "heat")
    normal, offset = mirror_plane_of(endless.tails, np.array([1]), np.array([0]))
    symmetrised_weights(mesh, skin, np.array([1, 0]), normal, 0.5)
    symmetrised_weights(mesh, skin, np.array([1, -1]), normal, offset + 0.1)
    box = lambda low, high: shapes.box(np.subtract(high, low), np.add(low, high) / 2, divisions=1).mesh  # noqa: E731
    trunk = lambda x: box((x - 0.1, -0.1, 0.1), (x + 0.1, 0.1, 1.6))  # noqa: E731
    shoes = lambda *places: joined(*[box((x - 0.04, -0.2, 0), (x + 0.04, 0.1, 0.15)) for x in places])  # noqa: E731
    bodies_across([joined(trunk(0), trunk(3)), shoes(-0.06, 0.06, 2.94, 3.06)])
    bodies_across([joined(trunk(0), trunk(3)), shoes(0.06, 2.96, 3.0)])
    sheet = Mesh(shaken(np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])), [[0, 1, 2], [0, 2, 3]])
    for start in ([0.2, 0.3, 5.0], [0.2, 0.3, -5.0], [1.5, 0.0, 5.0]):
        skin_along_ray(sheet, np.array(start), np.array([0.0, 0.0, -2.0]))


def small_creatures_move(shaken: Shaken) -> None:
    """What is made for bodies of bones alone, as it comes and as fast as asked."""
    for rig in (plain(spine=8, tail=6), *(plain(spine=5, pairs=pairs, tail=2, wings=2) for pairs in (1, 2, 3, 4))):
        rig = replace(rig, heads=shaken(rig.heads))
        for ground in (AS_IT_SHIPS, *(GroundSpeed("metres", speed) for speed in (0.5, 1.4, 3.0))):
            with contextlib.suppress(RigError):
                made_motion("walk", rig, ground=ground)
        with contextlib.suppress(RigError):
            made_motion("slither", rig)
    for name, style in (("turn_left", "energy=1,mood=-1"), ("sit_idle", "mood=1"), ("stand_up", "energy=-1"),
                        ("idle", "energy=1,mood=1"), ("quadruped_idle", "energy=1")):
        author(name, style_of(style))


def numbered_otherwise(shaken: Shaken) -> None:
    """Bones in an order of their own: a foot, a hand or the head is number 0, and children come before parents."""
    biped = load_template("biped")
    whole = rig_from_joints(biped, shaken(1.7 * biped.positions))
    walk = trimmed(load_motion("walk"), 0, 8)
    for first in ("foot.L", "hand.R", "thigh.R", "forearm.L", "head"):
        rig = reordered(whole, first)[0]
        roles = find_roles(rig)
        roles_by_words(rig), roles_by_structure(rig), carriers(rig, roles), attached(rig, roles), doubts(rig, roles)
        plan_controls(rig, roles, {})
        without_twists(with_twists(rig, 2), twist_groups(with_twists(rig, 2)))
        posed_rig(rig, rest_matrices(rig, roles, "T"))
        range_of_motion(rig)
        template_from_rig(rig, "own")
        hang_together(rig, np.arange(len(rig.names)) > 0)
        retarget_told(walk.changed(contacts=None, feet=(), loop=False), rig)
        retarget_told(retarget_told(walk, rig)[0].changed(contacts=None, feet=()), whole)


def drawn_roles(shaken: Shaken) -> None:
    """Skeletons in which bones are longer, shorter, more or loose, as drawn, and of which few are called anything."""
    rng = np.random.default_rng(19)
    for k, rig in enumerate(5 * preset_rigs(shaken)):
        roles = find_roles(rig)
        size = rng.uniform(0.7, 1.4, (len(rig.names), 1))
        tails = rig.heads + size * (rig.tails - rig.heads)
        turn = rotation.to_matrix(rotation.from_vector(np.array([-0.4 * (k % 4), 0.0, 0.0])))
        feet = [b for b, name in enumerate(rig.names) if "foot" in name]
        parents = np.array(rig.parents)
        parents[feet if k % 3 == 1 else []] = 0
        other = Rig(rig.names, parents, rig.heads @ turn.T, tails @ turn.T)
        completed(other, {role: bone for role, bone in roles.items() if rng.random() < 0.75})
        limbs = [b for b, name in enumerate(rig.names) if name[-2:] in (".L", ".R")]
        extra = [(f"more_{b}", rig.names[b], rig.tails[b], rig.tails[b] + 0.3 * (rig.tails[b] - rig.heads[b]), True)
                 for b in rng.choice(limbs, 3, replace=False)]
        more = with_bones(other, *extra)
        again = {role: bone for role, bone in roles.items() if rng.random() < 0.8}
        completed(more, again), doubts(more, again), roles_by_structure(more)


def shown_elsewhere(shaken: Shaken) -> None:
    """Motions as other programs show them: rest poses drawn, tipped feet, feet that hang on nothing, axes untold."""
    rng = np.random.default_rng(20)
    for name in ("walk", "dance", "bird_walk", "quadruped_walk", "horse_gallop"):
        clip = load_motion(name)
        clip = clip.changed(root=shaken(clip.root))
        drawn = rotation.normalized(rng.normal(size=(len(clip.rig.names), 4)))
        tipped = np.tile([1.0, 0.0, 0.0, 0.0], (len(drawn), 1))
        feet = [b for b, bone in enumerate(clip.rig.names) if "foot" in bone]
        tipped[feet] = rotation.from_vector(np.array([0.35, 0.0, 0.1]))
        over = rotation.from_vector(np.array([np.pi / 2, 0.0, 0.0]))
        for rest, turn, known in ((None, over, False), (drawn, over, True), (tipped, (1.0, 0.0, 0.0, 0.0), True)):
            with contextlib.suppress(RigError):
                read_motion(*shown(clip, rest=rest, turn=turn), clip.rate, is_up_known=known)
        rig, turns, heads = shown(clip)
        loose = Rig(tuple(f"IK{b}" if b in feet else bone for b, bone in enumerate(rig.names)),
                    np.where(np.isin(np.arange(len(drawn)), feet), -1, rig.parents), rig.heads,
                    rig.heads + [0.0, 0.0, 0.001])
        with contextlib.suppress(RigError):
            retarget_told(read_motion(loose, turns, heads, clip.rate), clip.rig)


def small_crowds(shaken: Shaken) -> None:
    """Boxes drawn at random, on a floor or on none: whose they are."""
    rng = np.random.default_rng(21)
    for k in range(16):
        sizes, places = rng.uniform(0.02, 0.5, (9, 3)) * [0.6, 0.5, 1.5], rng.uniform(-1.2, 1.2, (9, 3)) * [1, 0.4, 0.4]
        boxes = [Mesh(shaken(box.vertices), box.faces) for box in (
            shapes.box(size, place, divisions=1).mesh for size, place in zip(sizes, places, strict=True))]
        floor = shapes.box((3, 3, 0.02), (0, 0, -1), divisions=1).mesh
        find_bodies([*boxes, floor] if k % 2 else boxes, 2 if k % 3 else 1)
        bodies_in(joined(*boxes))
        bodies_across([joined(*boxes[:4]), joined(*boxes[4:6]), *boxes[6:]])


def lone_limbs(shaken: Shaken) -> None:
    """Who has lost limbs, in parts and pinned again; who waves with the arm that is left."""
    mesh = of(characters.maimed(arms="L", legs="R", stump=0.65, vertices=1800), shaken)
    shape = prepare(mesh)
    part = template_in(shape, "biped")
    check_character(shape)
    Fitter(shape, part).rig()
    arm = with_pinned(part, ["hand.R"])
    rig = Fitter(shape, arm).rig({"hand.R": shape.frame.to_object(np.array([[0.2, 0.0, 0.5]]))[0]})
    with_the_arm_there(load_motion("wave"), rig)
    motion_data(trimmed(load_motion("walk"), 0, 3))


def standing_shapes(shaken: Shaken) -> None:
    """Bodies of no known kind, from their shape alone; and whoever is read by the paper's limb ends."""
    for made in (characters.hydra(vertices=1500), characters.chair(vertices=1200), characters.ghost(vertices=1000),
                 characters.snake(vertices=1000), characters.tree(vertices=1200), characters.star(vertices=1200)):
        mesh = of(made, shaken)
        shape = prepare(mesh)
        check_character(shape)
        Fitter(shape, shape_template(shape, what="shape")).rig()
    somebody = of(characters.person(vertices=1000), shaken)
    fit(somebody, load_template("biped_paper"), options=FitOptions(paper_ends=True, density=DensityOptions()))


CASES = {case.__name__: case for case in (
    fingers, with_more, skeletons_of_others, small_pictures, small_stand_ins, small_creatures_move, numbered_otherwise,
    drawn_roles, shown_elsewhere, small_crowds, lone_limbs, standing_shapes)}
