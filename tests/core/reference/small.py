"""Small inputs, many of each: odd meshes, solids, turns, skeletons and skins, which show much in little time.

Cases are as in `bodies`.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np
from scipy import sparse

from core.errors import RigError
from core.fitting.wheels import wheels_under
from core.geometry import rotation
from core.geometry.apart import bodies_in, find_bodies
from core.geometry.balls import loose_balls
from core.geometry.clothing import is_worn
from core.geometry.coarsen import coarsen
from core.geometry.distance import DistanceField, closest_on_triangles, distance_field
from core.geometry.gaps import bridge_gaps, find_gaps
from core.geometry.grid import Grid, grid_around
from core.geometry.laplacian import cotangent_laplacian, lumped_mass
from core.geometry.mesh import Mesh, check_mesh, face_components, face_normals, is_used, vertex_components, weld
from core.geometry.normals import vertex_normals
from core.geometry.orientation import orient_faces
from core.geometry.ray import middle_along_ray, solid_stretches
from core.geometry.rims import close_holes, part_extents, rim_directions, rim_edges
from core.geometry.scatter import scatter_surface
from core.geometry.seams import find_cracks, join_parts, loose_bonds, seam_conductance, seam_edges
from core.geometry.segments import segment_distances
from core.geometry.solid import solidify_pieces
from core.geometry.symmetry import find_mirror_plane, has_unlike_limbs, likeness, symmetric_field
from core.geometry.voxels import sample_surface, thin_samples, vote_inside
from core.geometry.waves import geodesic_distances
from core.geometry.winding import exact_angles, hilbert_order, winding_numbers
from core.motion.authoring.library import author, gait
from core.motion.authoring.pace import AS_IT_SHIPS, GroundSpeed
from core.motion.authoring.style import style_of
from core.motion.clip_file import load_motion, motion_names
from core.motion.contacts import ContactOptions, detect_contacts
from core.motion.edit import mirrored, trimmed, without_drift
from core.motion.floor import floor_height, floor_lean
from core.motion.hold import fade
from core.motion.made import fitting_names, made_motion
from core.motion.retarget import retarget_told
from core.motion.shape_body import ShapeBody
from core.motion.treadmill import belt_velocity
from core.pipeline import bind
from core.posing.stance import posed_rig, rest_matrices
from core.quality.joint_check import check_joints
from core.quality.range_of_motion import range_of_motion
from core.quality.weight_check import check_weights
from core.skeleton.bone_map import find_roles, load_bone_map, map_names, named_roles
from core.skeleton.carried import attached, carriers
from core.skeleton.control_rig import heel_of, plan_controls, share_along
from core.skeleton.engine import engines, load_engine
from core.skeleton.engine_rig import engine_rig
from core.skeleton.from_rig import template_from_rig
from core.skeleton.preset import load_template, preset_names
from core.skeleton.reduce import reduce_template
from core.skeleton.rig import Rig
from core.skeleton.root import with_root
from core.skeleton.structure import roles_by_structure
from core.skeleton.template import rig_from_joints
from core.skeleton.twist import turned_twists, twist_groups, with_twists, without_twists
from core.skeleton.words import doubts, roles_by_words
from core.skinning.bind import BindOptions
from core.skinning.copying import copied_weights
from core.skinning.weights import Kept, limit_influences, merge_weights
from tests import shapes
from tests.characters import damage
from tests.core.geometry.soups import ball, cube, join
from tests.core.reference.bodies import renamed
from tests.core.skinning.solids import bones, joined, tube
from tests.keeping.results import Shaken


def odd_meshes(rng: np.random.Generator) -> list[Mesh]:
    """Closed, open, cracked, torn, doubled, flipped and strewn surfaces, each about 1 large."""
    round_one, block = shapes.ball(segments=12).mesh, shapes.box(divisions=3).mesh
    beside = Mesh(block.vertices * 0.3 + [0.52, 0.05, 0.1], block.faces)
    lower, upper = cube((-0.3, -0.2, -0.5), (0.3, 0.2, 0.0)), cube((-0.3, -0.2, 0.004), (0.3, 0.2, 0.5))
    cracked = join(Mesh(lower.vertices, lower.faces[lower.vertices[lower.faces][..., 2].min(1) < 0]),
                   Mesh(upper.vertices, upper.faces[upper.vertices[upper.faces][..., 2].max(1) > 0.1]))
    dress = shapes.cylinder(0.35, 0.8, segments=14).mesh
    legs = [shapes.capsule(0.1, 0.7, (x, 0.02, 0), segments=10).mesh for x in (-0.16, 0.16)]
    skirt = Mesh(dress.vertices, dress.faces[np.abs(dress.vertices[dress.faces][..., 2]).min(1) < 0.39])
    whole = [round_one, block, shapes.torus(segments=14).mesh, shapes.bent_capsule(segments=12).mesh,
             shapes.dumbbell(segments=12).mesh, join(round_one, beside), cracked, join(*legs, skirt),
             join(ball((0, 0, 0.3), 0.2, 2), ball((0.4, 0.1, -0.3), 0.1, 2), cube((-0.3, -0.1, -0.5), (0.2, 0.1, 0)))]
    torn = [damage(round_one, rng, kind) for kind in ("holes", "flip", "duplicate", "split", "scatter", "intersect")]
    soup = Mesh(rng.normal(size=(60, 3)) * 0.2, rng.integers(0, 60, (50, 3)))
    return [*whole, *torn, soup]


def small_meshes(shaken: Shaken) -> None:
    """What is found on the surfaces of odd meshes, and the solids made of them on a coarse grid."""
    rng = np.random.default_rng(11)
    for mesh in odd_meshes(rng):
        mesh = weld(Mesh(shaken(mesh.vertices), mesh.faces)).mesh
        on_surface(mesh)
        with contextlib.suppress(RigError):
            in_solid(orient_faces(mesh, find_cracks(mesh, vertex_components(mesh))), rng.uniform(-0.5, 0.5, (80, 3)))
    apart = [Mesh(ball().vertices * size + at, ball().faces) for size, at in (
        (0.3, (0, 0, 0.3)), (0.1, (0, 0, 0.8)), (0.3, (1.5, 0, 0.3)), (0.02, (0.4, 0, 0.3)), (0.05, (1.5, 0.1, 0.9)))]
    floor = cube((-3, -3, -0.05), (3, 3, 0))
    find_bodies([*apart, floor])
    bodies_in(join(*apart, floor))


def on_surface(mesh: Mesh) -> None:
    """Parts, rims, cracks, lids, normals, operators and fewer triangles of a welded mesh."""
    for fault in (mesh, Mesh(mesh.vertices * [1, 1, 3e-5], mesh.faces), Mesh(mesh.vertices * 2e30, mesh.faces)):
        with contextlib.suppress(RigError):
            check_mesh(fault)
    part = vertex_components(mesh)
    face_components(mesh.faces)
    edges, face = rim_edges(mesh)
    rim_directions(mesh, edges, face)
    for widest in (0.05, 0.12, 2.0):
        close_holes(mesh, widest=widest)
    part_extents(mesh, part)
    for tolerance, gap in ((0.003, 0.012), (0.02, 0.05)):
        seams = seam_edges(mesh, part, tolerance=tolerance, gap=gap)
        seam_conductance(mesh, seams)
        join_parts(part, seams)
    loose_bonds(mesh, np.flatnonzero(part == part.max())[:9], reach=0.3)
    face_normals(mesh), vertex_normals(mesh), is_used(mesh), loose_balls(mesh, part), lumped_mass(mesh)
    for least in (None, 1e-3):
        cotangent_laplacian(mesh, least=least)
    coarsen(mesh, max(len(mesh.vertices) // 3, 8))
    scatter_surface(mesh, count=60)


def in_solid(mesh: Mesh, points: np.ndarray) -> None:
    """The solid and the distance field of a mesh, what is asked of them at some points, and its winding numbers."""
    grid = grid_around(mesh.vertices[is_used(mesh)], 1 / 22)
    at, faces = thin_samples(grid, *sample_surface(mesh, 0.5 * grid.spacing))
    is_worn(mesh, grid)
    vote_inside(mesh, grid)
    solid, gaps = solidify_pieces(mesh, grid, at)
    bridge_gaps(solid, gaps, is_thin=False)
    bridge_gaps(solid, find_gaps(solid & (np.arange(solid.shape[2]) % 9 > 1)))
    field = distance_field(mesh, grid, solid, at, faces)
    field.sample(points), field.gradient(points)
    read_field(field, points)
    winding_numbers(mesh, points)
    hilbert_order(points, bits=6)
    exact_angles(*(mesh.triangles[:40, k].T for k in range(3)))
    few = mesh.triangles[:80]
    closest_on_triangles(points[:len(few)], few)
    segment_distances(points, few[:20, 0], few[:20, 1])
    inside = np.argwhere(solid)
    for limit in (np.inf, 0.4):
        geodesic_distances(solid.shape, inside, grid.spacing, np.arange(0, len(inside), len(inside) // 3 + 1), limit)


def read_field(field: DistanceField, points: np.ndarray) -> None:
    """Rays through a solid, and its mirror image."""
    for start, way in zip(points[:12], points[12:24], strict=True):
        solid_stretches(field, start, way)
        middle_along_ray(field, start, way, points[0])
    plane = find_mirror_plane(field)
    likeness(field.solid, plane)
    has_unlike_limbs(field, plane)
    for is_union in (False, True):
        symmetric_field(field, plane, is_union=is_union)


def small_solids(shaken: Shaken) -> None:
    """Solids of boxes drawn at random, joined over the gaps between them."""
    rng = np.random.default_rng(12)
    for _ in range(12):
        solid = np.zeros((30, 20, 34), bool)
        for low in (rng.integers(2, 15, (4, 3)) * [1.3, 0.8, 1.6]).astype(int):
            solid[tuple(slice(a, a + b) for a, b in zip(low, rng.integers(2, 9, 3), strict=True))] = 1
        solid = solid | solid[::-1] if rng.integers(2) else solid
        gaps = find_gaps(solid)
        bridge_gaps(solid, gaps), bridge_gaps(solid, gaps, is_thin=False)
        gaps.placed(Grid(shaken(np.zeros((2, 3)))[0], 0.1, solid.shape))


def small_turns(shaken: Shaken) -> None:
    """Rotations drawn at random, among them none at all and half turns."""
    rng = np.random.default_rng(13)
    q = rotation.normalized(np.concatenate([rng.normal(size=(60, 4)), np.eye(4), -np.eye(4), [[1, 1e-9, 0, 0]]]))
    p, v = np.roll(q, 7, axis=0), shaken(rng.normal(size=(len(q), 3)))
    rotation.multiply(q, p), rotation.rotate(q, v), rotation.angle(q), rotation.conjugate(q)
    rotation.from_vector(v), rotation.from_vector(v * 1e-9), rotation.to_vector(q), rotation.cross(v, v[::-1])
    rotation.from_matrix(rotation.to_matrix(q)), rotation.between(v, v[::-1]), rotation.between(v, -v)
    rotation.between(v, v), rotation.from_axis_angle(v, np.linspace(-7, 7, len(v)))
    for share in (0.0, 0.3, 1.0):
        rotation.slerp(q, p, share), rotation.slerp(q, -q, share)
    rotation.swing_twist(q, np.array([0.0, 0, 1]))
    rotation.limited(q, 0.5), rotation.limited(q, 3.0), rotation.continuous(q)


def preset_rigs(shaken: Shaken) -> list[Rig]:
    """Every preset as its template stands."""
    templates = [load_template(name) for name in preset_names()]
    return [rig_from_joints(one, shaken(1.7 * one.positions)) for one in templates]


def small_skeletons(shaken: Shaken) -> None:
    """Every preset with twist bones, controls, engines' skeletons, and names of other programs or none."""
    for rig in preset_rigs(shaken):
        roles = find_roles(rig)
        carriers(rig, roles), attached(rig, roles), with_root(rig, 0.0), doubts(rig, roles)
        plan_controls(rig, roles, {})
        for count in (1, 3):
            twisted = with_twists(rig, count)
            groups = twist_groups(twisted)
            turned_twists(twisted, groups, np.tile(rotation.from_vector(np.array([0.4, 0.5, 0.6])),
                                                   (3, len(twisted.names), 1)))
            without_twists(twisted, groups)
        for pose in ("T", "A"):
            with contextlib.suppress(RigError):
                posed_rig(rig, rest_matrices(rig, roles, pose))
        for name in engines():
            with contextlib.suppress(RigError):
                engine_rig(twisted, roles, load_engine(name), 0.0)
        bare = renamed(rig)
        roles_by_structure(bare), roles_by_structure(rig), find_roles(bare)
        reduce_template(template_from_rig(bare, "own"))
        check_joints(rig, replace(rig, heads=rig.heads + 0.05 * np.sin(3.0 * np.arange(len(rig.names)))[:, None]))
        range_of_motion(rig)
        for ground in (AS_IT_SHIPS, *(GroundSpeed("metres", speed) for speed in (0.5, 1.4, 2.5))):
            with contextlib.suppress(RigError):
                made_motion("walk", rig, ground=ground)
        fitting_names(ShapeBody(rig, (0.0, 0.0, 1.0)))
    named_by_others(rig_from_joints(load_template("biped"), load_template("biped").positions))


def named_by_others(rig: Rig) -> None:
    """A person whose bones have the names of each map, and those in which words stand."""
    role_of = {bone: role for role, bone in find_roles(rig).items()}
    for name in map_names():
        known = load_bone_map(name).bones
        names = [known.get(role_of.get(bone, ""), (f"b{bone}",))[0] for bone in range(len(rig.names))]
        if len(set(names)) == len(names):
            other = replace(rig, names=tuple(names), joints={})
            find_roles(other), named_roles(other), roles_by_words(other), template_from_rig(other, name)
    for turn in (lambda n: n.upper(), lambda n: f"rig:{n[-1]}_{n[:-2]}_jnt", lambda n: "".join(n.split("_"))):
        names = [turn(n) for n in rig.names]
        if len(set(names)) == len(names):
            roles_by_words(replace(rig, names=tuple(names), joints={}))


def small_skins(shaken: Shaken) -> None:
    """Tubes with a few bones bound in every way, merged, copied and judged."""
    rng = np.random.default_rng(14)
    bar, arm = tube(0.1, 1.0, 10, 15), tube(0.06, 0.8, 8, 11, axis=2)
    crossed = joined(bar, Mesh(arm.vertices + [0.5, 0.0, 0.05], arm.faces))
    patch = joined(crossed, tube(0.115, 0.3, 12, 5), Mesh(cube().vertices * 0.08 + [0.2, -0.04, 0.12], cube().faces))
    line = bones(((0, 0, 0), (0.35, 0, 0)), ((0.35, 0, 0), (0.7, 0, 0)), ((0.7, 0, 0), (1, 0, 0)),
                 ((0.5, 0, 0.1), (0.5, 0, 0.45)), ((0.5, 0, 0.45), (0.5, 0, 0.85)), parents=[-1, 0, 1, 1, 3])
    for mesh in (bar, crossed, patch):
        mesh = Mesh(shaken(mesh.vertices), mesh.faces)
        for method in ("heat", "geodesic", "heat_paper"):
            skin = bind(mesh, line, method, options=BindOptions(resolution=40, influences=3))
        locked = np.arange(5) == 2
        bind(mesh, line, "heat", kept=Kept(skin.matrix, locked, rng.uniform(0, 1, len(mesh.vertices))))
        check_weights(mesh, line, skin.matrix)
        copied_weights(mesh, skin.matrix, bar)
    drawn = [rng.dirichlet(np.full(6, 0.4), 40) for _ in range(2)]
    for most in (1, 3, 4):
        limit_influences(drawn[0], most, least=0.02)
        merge_weights(sparse.csr_matrix(drawn[0]), sparse.csr_matrix(drawn[1]), locked=np.arange(6) == most, most=most)
    for starts in ([0.0], [0.0, 0.5], [0.0, 0.2, 0.7]):
        share_along(drawn[0][:, 0], np.linspace(-0.2, 1.2, 40), starts)
    for count in (0, 30):
        heel_of(np.array([[0.1, 0, 0.1], [0.13, -0.2, 0.02]]), rng.uniform(-0.1, 0.1, (count, 3)))


def small_feet(shaken: Shaken) -> None:
    """Feet that stand, slide, limp and are carried by a belt, over floors that lean, in a few frames or many."""
    rng = np.random.default_rng(15)
    for k in range(36):
        frames, rate = (4, 5, 9, 30, 80)[k % 5], (24.0, 30.0, 60.0)[k % 3]
        phase = (np.arange(frames)[:, None] * (1.2 + 0.1 * k) / rate + [0.0, 0.5]) % 1.0
        swing = np.maximum(phase - 0.6, 0.0) / 0.4
        slide = 0.2 * k * (0.3 - np.minimum(phase, 0.6))
        height = 0.15 * np.sin(np.pi * swing) + 0.003 * k * slide
        places = np.stack([0.1 + 0.0 * phase, slide + swing * 0.12 * k, height], 2)
        places = shaken((places + 0.004 * (k % 4) * rng.normal(size=places.shape)).reshape(-1, 3)).reshape(places.shape)
        contacts = detect_contacts(places, rate, 0.9)
        root = np.stack([0.0 * swing[:, 0], 0.01 * (k % 3) * np.arange(frames), 0.9 + 0.0 * swing[:, 0]], 1)
        for known in (None, contacts):
            belt_velocity(places, known, root, rate, 0.9, ContactOptions(), k % 2 == 0, (0.0, 0.0, 0.0))
        floor_height(places, places + [0, 0, 0.02 * (k % 7) - 0.08], rate, 0.9, (0.0, -0.3, -2.0))
        floor_lean(places, rate, 0.9)
        without_drift(root, np.zeros(3), rate, 0.9, k % 2 == 0)
        fade(places[:, 0], contacts[:, 0], 3)


def small_wheels(shaken: Shaken) -> None:
    """Discs more or less round, flat, large and upright, before a block."""
    block = Mesh(shapes.box(divisions=2).mesh.vertices * 0.6 + [0, 0, 0.2], shapes.box(divisions=2).mesh.faces)
    for k in range(12):
        disc = shapes.cylinder(0.03 + 0.015 * (k % 5), 0.015 * (1 + k), segments=10 + k).mesh
        lean = rotation.to_matrix(rotation.from_vector(np.array([0.0, 1.57 - 0.12 * (k % 4), 0.0])))
        disc = Mesh((disc.vertices * [1 + 0.03 * k, 1, 1]) @ lean.T + [0.5, 0.1 * k, 0.04 * (k % 3) - 0.3], disc.faces)
        mesh = join(block, disc, Mesh(disc.vertices * [-1, 1, 1], disc.faces[:, ::-1]))
        wheels_under(Mesh(shaken(mesh.vertices), mesh.faces))


def small_transfers(shaken: Shaken) -> None:
    """A few frames of every motion, moved to rigs of other sizes and proportions that have no skin."""
    rng = np.random.default_rng(16)
    for name in motion_names():
        clip = load_motion(name)
        clip = trimmed(clip, 0, min(len(clip.root) - 1, 12)).changed(name=name)
        rig = clip.rig
        stretch = np.array([[1.0, 1.0, 1.0]]) * rng.uniform(0.7, 1.4, 3)
        rig = replace(rig, heads=shaken(rig.heads * stretch), tails=shaken(rig.tails * stretch))
        retarget_told(clip, rig)
        mirrored(clip)


def small_gaits(shaken: Shaken) -> None:
    """Animals' gaits between and beyond those that ship, and motions in a style that no other case has."""
    leg = float(np.linalg.norm(shaken(np.array([[0.0, 0.0, 0.6], [0.0, 0.0, 0.0]]))[0]))
    for name, speed in (("quadruped_walk", 0.7), ("quadruped_trot", 2.6), ("quadruped_gallop", 4.0),
                        ("horse_trot", 4.2), ("horse_gallop", 7.0), ("centaur_trot", 3.9)):
        gait(name, GroundSpeed("metres", speed), leg, 10.0)
    for name, style in (("sit", "energy=1,width=1"), ("wave", "energy=-1,mood=1"), ("sneak", "width=1,mood=-1"),
                        ("run", "energy=-1,width=-1"), ("bird_hop", "energy=1,mood=-1")):
        author(name, style_of(style))


def small_paces(shaken: Shaken) -> None:
    """People's walks and runs at the speeds at which their legs' angles are known, but for the two that ship."""
    leg = float(np.linalg.norm(shaken(np.array([[0.0, 0.0, 0.9], [0.0, 0.0, 0.0]]))[0]))
    for speed in (0.31, 2.05, 2.1, 9.2):  # a stroll, in haste, a jog, a sprint
        gait("walk", GroundSpeed("metres", speed), leg, 12.0)


CASES = {case.__name__: case for case in (small_meshes, small_solids, small_turns, small_skeletons, small_skins,
                                          small_feet, small_wheels, small_transfers, small_gaits, small_paces)}
