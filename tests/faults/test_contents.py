"""Files that hold nonsense: cut off, bits flipped, too little, too much, numbers at the ends of their range."""

from __future__ import annotations

import os

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from tests.characters import person
from tests.shapes import box

from .runs import QUICK, digest, entries, left_behind, run, write_obj, write_ply

BROKEN = int(os.environ.get("BROKEN", "15"))  # files of each kind
KINDS = ("blend", "glb", "fbx", "usdc")


@pytest.mark.parametrize("kind", KINDS)
def test_broken_files_are_named_and_the_whole_one_is_rigged(kind, kinds, tmp_path):
    """A third of them cut off somewhere, the others with some of their bits flipped."""
    rng = np.random.default_rng(len(kind) + BROKEN)
    source = next(kinds.glob(f"*.{kind}")) if kind != "usdc" else next(kinds.glob("*.usd*"))
    whole = source.read_bytes()
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(BROKEN // 3):
        (folder / f"cut{number}{source.suffix}").write_bytes(whole[: int(rng.integers(0, len(whole)))])
    for number in range(BROKEN - BROKEN // 3):
        bits = np.unpackbits(np.frombuffer(whole, np.uint8))
        spots = rng.integers(len(bits) // (4 if number % 2 else 1), size=2 ** (1 + number % 10))
        bits[spots] ^= 1
        (folder / f"flipped{number}{source.suffix}").write_bytes(np.packbits(bits).tobytes())
    (folder / f"whole{source.suffix}").write_bytes(whole)
    inputs = digest(folder)
    done = run(folder, "--out", tmp_path / "out", *QUICK, "--timeout", "120", "--memory", "6")
    found = {e["file"].rsplit("/", 1)[-1].split(".")[0]: e for e in entries(tmp_path / "out")}
    assert done.returncode in {0, 1} and len(found) == BROKEN + 1, done.stdout + done.stderr
    assert found["whole"]["status"] == "rigged", found["whole"]
    assert digest(folder) == inputs and left_behind(tmp_path / "out") == []


def body() -> Mesh:
    """A person of few vertices."""
    return person(vertices=700).mesh


def few(count: int) -> Mesh:
    """The corners of a triangle, as far as they go."""
    return Mesh(np.eye(3)[:count], [[0, 1, 2]] if count == 3 else np.empty((0, 3)))


def scaled(factor: float) -> Mesh:
    with np.errstate(under="ignore"):
        return Mesh(body().vertices * factor, body().faces)


def of_many_parts(count: int) -> Mesh:
    """Small boxes all over a body."""
    skin = person(vertices=max(count, 3000)).mesh.vertices
    places = skin[np.random.default_rng(0).choice(len(skin), count)]
    one = box((0.03, 0.03, 0.03), divisions=1).mesh
    vertices = (places[:, None] + one.vertices).reshape(-1, 3)
    return Mesh(vertices, (one.faces + len(one.vertices) * np.arange(count)[:, None, None]).reshape(-1, 3))


def with_wild_vertices() -> Mesh:
    """Some of its corners far out in space."""
    vertices = body().vertices.copy()
    vertices[::97] *= 1e15
    return Mesh(vertices, body().faces)


MESHES = {**{f"{n} vertices": (lambda n=n: few(n)) for n in range(4)},
          "size 1e30": lambda: scaled(1e30), "size 1e-30": lambda: scaled(1e-30), "denormals": lambda: scaled(1e-42),
          "wild vertices": with_wild_vertices, "10 000 parts": lambda: of_many_parts(10_000),
          "flat": lambda: Mesh(body().vertices * [1, 0, 1], body().faces)}
RIGGED = {"10 000 parts"}


@pytest.mark.parametrize("which", MESHES)
def test_extreme_meshes_are_rigged_or_refused_with_words(which, tmp_path):
    write_obj(tmp_path / "in.obj", MESHES[which]())
    done = run(tmp_path / "in.obj", "--out", tmp_path / "out", *QUICK)
    entry, = entries(tmp_path / "out")
    assert done.returncode == (0 if entry["status"] == "rigged" else 1), done.stdout + done.stderr
    assert entry["status"] == "rigged" or which not in RIGGED, entry


@pytest.mark.parametrize("millions", [1, 10])
def test_millions_of_triangles_are_rigged_or_the_memory_is_named(millions, tmp_path):
    mesh = person(vertices=30_000).mesh
    while len(mesh.faces) < millions * 1e6:
        mesh = finer(mesh)
    write_ply(tmp_path / "large.ply", mesh)
    done = run(tmp_path / "large.ply", "--out", tmp_path / "out", *QUICK, "--memory", "16", "--timeout", "3000",
               patience=3600)
    entry, = entries(tmp_path / "out")
    assert entry["status"] == "rigged" or entry["kind"] in {"OutOfMemory", "MemoryError", "Crash"}, entry
    assert done.returncode == (0 if entry["status"] == "rigged" else 1)


def finer(mesh: Mesh) -> Mesh:
    """Every triangle cut in four."""
    sides = np.sort(mesh.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    unique, number = np.unique(sides, axis=0, return_inverse=True)
    ab, bc, ca = (number.reshape(-1, 3) + len(mesh.vertices)).T
    a, b, c = mesh.faces.T
    faces = np.stack([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca], 1).reshape(-1, 3)
    return Mesh(np.concatenate([mesh.vertices, mesh.vertices[unique].mean(1)]), faces)
