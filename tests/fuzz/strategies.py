"""What may come through the core's doors: meshes sane and insane, templates, pins, options, skeletons, motions."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import strategies as st

from core.fitting.density import DensityOptions
from core.fitting.fit import FitOptions
from core.geometry.mesh import Mesh
from core.motion.clip import MotionClip
from core.skeleton.preset import load_template, preset_names
from core.skeleton.rig import Rig
from core.skeleton.template import Bone, SkeletonTemplate
from core.skinning.bind import BindOptions
from tests.characters import DAMAGES, bird, blob, centaur, damage, gowned, person, quadruped
from tests.shapes import zoo

seeds = st.integers(0, 2**32 - 1)
EXTREMES = (1e-300, 1e-38, 1e-30, 1e-20, 1e-6, 1.0, 1e3, 1e6, 1e20, 1e30, 1e38, 1e300)


@cache
def bodies() -> tuple[Mesh, ...]:
    """Bodies of few vertices, one of each sort, and the analytic shapes, those of many vertices without."""
    rng = np.random.default_rng(7)
    grown = [person(rng, vertices=300), person(rng, vertices=900), quadruped(rng, vertices=400),
             blob(rng, vertices=200), bird(rng, vertices=400), centaur(rng, vertices=600), gowned(vertices=500)]
    return tuple(c.mesh for c in grown) + tuple(s.mesh for s in zoo() if len(s.mesh.vertices) < 1500)


def _soup(rng: np.random.Generator) -> Mesh:
    """Triangles between random points: no inside, no order."""
    points = rng.normal(size=(int(rng.integers(0, 60)), 3))
    count = int(rng.integers(0, 120)) if len(points) else 0
    return Mesh(points, rng.integers(0, max(len(points), 1), (count, 3)))


def _sheet(rng: np.random.Generator) -> Mesh:
    """A height field: open, without thickness."""
    n = int(rng.integers(2, 12))
    x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.concatenate([np.stack([corner, corner + n, corner + 1], 1),
                            np.stack([corner + 1, corner + n, corner + n + 1], 1)])
    return Mesh(np.stack([x, y, rng.choice([0.0, 0.2]) * np.sin(3 * x) * y], -1).reshape(-1, 3), faces)


def _body(rng: np.random.Generator) -> Mesh:
    return bodies()[rng.integers(len(bodies()))]


def _moved(mesh: Mesh, vertices: np.ndarray) -> Mesh:
    return Mesh(vertices, mesh.faces, mesh.name, mesh.part_of_vertex)


def _scaled(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    factor = np.full(3, rng.choice(EXTREMES))
    if rng.random() < 0.3:
        factor[rng.integers(3)] *= rng.choice([0.0, 1e-6, 1e-2, 10.0, -1.0])
    with np.errstate(over="ignore", under="ignore"):
        return _moved(mesh, mesh.vertices * factor)


def _far(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    return _moved(mesh, mesh.vertices + rng.normal(size=3) * rng.choice([1.0, 1e3, 1e6, 1e12, 1e30]))


def _not_numbers(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    vertices = mesh.vertices.copy()
    if len(vertices):
        some = rng.integers(len(vertices), size=int(rng.integers(1, 4)))
        vertices[some] = rng.choice([np.nan, np.inf, -np.inf, 1e308])
    return _moved(mesh, vertices)


def _shaken(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    size = np.ptp(mesh.vertices, axis=0).max() if len(mesh.vertices) else 1.0
    if not np.isfinite(size):
        return mesh
    with np.errstate(over="ignore", invalid="ignore"):
        shake = rng.normal(size=mesh.vertices.shape) * size * rng.choice([1e-7, 1e-3, 0.05])
        return _moved(mesh, mesh.vertices + shake)


def _fewer_faces(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    keep = rng.random(len(mesh.faces)) < rng.choice([0.02, 0.3, 0.9])
    return Mesh(mesh.vertices, mesh.faces[keep], mesh.name, mesh.part_of_vertex)


def _wrong_corners(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    faces = mesh.faces.copy()
    if len(faces):
        rows = rng.integers(len(faces), size=1 + len(faces) // 20)
        faces[rows, rng.integers(3, size=len(rows))] = rng.integers(len(mesh.vertices), size=len(rows))
    return Mesh(mesh.vertices, faces, mesh.name, mesh.part_of_vertex)


def _coarse(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """Coordinates rounded so that faces collapse."""
    size = np.ptp(mesh.vertices, axis=0).max() if len(mesh.vertices) else 0.0
    step = size * rng.choice([0.01, 0.1, 0.5])
    return _moved(mesh, np.round(mesh.vertices / step) * step) if 1e-200 < step < 1e200 else mesh


def _damaged(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    if len(mesh.faces) < 20 or not np.isfinite(mesh.vertices).all():
        return mesh
    sane = 1e-9 < np.ptp(mesh.vertices, axis=0).max() < 1e9
    return damage(mesh, rng, str(rng.choice(sorted(DAMAGES)))) if sane else mesh


CHANGES = (_scaled, _far, _not_numbers, _shaken, _fewer_faces, _wrong_corners, _coarse, _damaged)
USUAL = (_damaged, _shaken, _fewer_faces, _wrong_corners, _coarse)


def rarely(*few, usually: tuple):
    """One of `few` in 1 of 250 cases each, else one of `usually`; hypothesis itself likes ends too much."""
    def chosen(seed: int):
        place = np.random.default_rng(seed).integers(250)
        return few[place] if place < len(few) else usually[place % len(usually)]
    return seeds.map(chosen)


def fineness():
    """Voxels along the longest side of a solid: seldom the 128 that people get."""
    return rarely(128, 64, usually=(32, 40))


@st.composite
def meshes(draw) -> Mesh:
    """A body, a sheet or a soup, with up to three things done to it."""
    rng = np.random.default_rng(draw(seeds))
    mesh = draw(st.sampled_from([_body, _body, _body, _body, _sheet, _soup]))(rng)
    for change in draw(st.lists(st.sampled_from(CHANGES + USUAL), max_size=3)):
        mesh = change(mesh, rng)
    return mesh


@st.composite
def templates(draw) -> SkeletonTemplate:
    """A preset, or a tree of up to nine joints that nobody would draw."""
    if draw(st.booleans()):
        return load_template(draw(st.sampled_from(preset_names())))
    rng = np.random.default_rng(draw(seeds))
    count = draw(st.integers(2, 9))
    parents = np.array([-1] + [int(rng.integers(i)) for i in range(1, count)])
    positions = rng.normal(size=(count, 3)) * rng.choice([1e-3, 1.0, 1e4])
    names = tuple(f"joint{i}" for i in range(count))
    bones = tuple(Bone(f"bone{i}", names[parents[i]], names[i], deform=bool(rng.random() < 0.9))
                  for i in range(1, count))
    return SkeletonTemplate("fuzz", names, parents, positions, np.full(count, -1), rng.random(count) < 0.3,
                            rng.random(count) < 0.3, bones)


@st.composite
def hints(draw, template: SkeletonTemplate, mesh: Mesh) -> dict[str, np.ndarray]:
    """Up to three pins: on the body, far off, or no place at all."""
    rng = np.random.default_rng(draw(seeds))
    chosen = draw(st.lists(st.sampled_from((*template.names, "no such joint")), max_size=3, unique=True))
    scale = draw(st.sampled_from([0.0, 0.1, 1.0, 1e6, np.nan]))
    start = mesh.vertices[rng.integers(len(mesh.vertices))] if len(mesh.vertices) else np.zeros(3)
    return {joint: start + rng.normal(size=3) * scale for joint in chosen}


@st.composite
def fit_options(draw) -> FitOptions:
    """Every choice of a fit, at its ends too."""
    return FitOptions(spheres=draw(rarely(1000, usually=(1, 2, 10, 60, 300))), fat=draw(st.sampled_from([1, 5, 50])),
                      mirror=draw(st.sampled_from([0.0, 0.9, np.inf])), mirror_pins=draw(st.booleans()),
                      paper_ends=draw(st.booleans()), density=draw(st.sampled_from([DensityOptions()])),
                      reading=draw(st.integers(0, 4)))


@st.composite
def bind_options(draw) -> BindOptions:
    """Every choice of a bind, at its ends too; voxels mostly coarse, for more cases in the time."""
    return BindOptions(influences=draw(st.integers(1, 8)), least=draw(st.sampled_from([0.0, 0.01, 0.3, 0.9])),
                       rigid_parts=draw(st.booleans()), resolution=draw(rarely("auto", 96, usually=(32, 33, 40))),
                       penalty=draw(st.sampled_from([1.0, 4.0, 100.0])), alpha=draw(st.sampled_from([0.0, 0.3, 1.0])))


@st.composite
def rigs(draw, around: Mesh | None = None) -> Rig:
    """Bones strewn about a mesh, some without length, some far off, some on top of each other."""
    rng = np.random.default_rng(draw(seeds))
    count = draw(st.integers(1, 12))
    spread = draw(st.sampled_from([0.0, 1e-9, 0.3, 3.0, 1e9]))
    middle = np.zeros(3)
    if around is not None and len(around.vertices) and np.isfinite(around.vertices).all():
        with np.errstate(over="ignore"):
            middle = np.nan_to_num(around.vertices.mean(0))
    heads = middle + rng.normal(size=(count, 3)) * spread
    tails = heads + rng.normal(size=(count, 3)) * rng.choice([0.0, 1e-12, 0.2, 1e6], size=(count, 1))
    parents = np.array([-1] + [int(rng.integers(-1, i)) for i in range(1, count)])
    return Rig(tuple(f"bone{i}" for i in range(count)), parents, heads, tails, deform=rng.random(count) < 0.9)


@st.composite
def clips(draw, rig: Rig) -> MotionClip:
    """Some frames of random turns."""
    rng = np.random.default_rng(draw(seeds))
    frames = draw(st.integers(1, 20))
    size = draw(st.sampled_from([0.0, 1e-6, 0.3, 10.0]))
    rotations = rng.normal(size=(frames, len(rig.names), 4)) * size + [1.0, 0.0, 0.0, 0.0]
    return MotionClip(rig, rotations, rng.normal(size=(frames, 3)) * draw(st.sampled_from([0.0, 1.0, 1e6])),
                      rate=draw(st.sampled_from([1e-3, 1.0, 24.0, 1e4])), loop=draw(st.booleans()))
