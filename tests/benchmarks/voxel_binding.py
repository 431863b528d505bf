"""The tables behind figures 9, 10, 13 and 14 of the geodesic voxel binding paper, on any meshes.

    python tests/benchmarks/voxel_binding.py [FOLDER ...] [--preset biped] [--resolution 256]

A folder is one with mesh.obj (triangles, Z up, facing -Y), or holds such folders; without one, the project's own people
are bound. Weights are compared by L1 = mean over vertices of the summed difference (0 same, 2 nothing in common).
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.geometry.mesh import Mesh
from core.geometry.voxels import vote_inside
from core.geometry.winding import winding_numbers
from core.pipeline import fit, prepare
from core.skeleton.preset import load_template
from core.skinning.geodesic import cell_distances, handle_seeds, vertex_distances
from core.skinning.handles import skin_handles
from core.skinning.voxel_tree import tree_grid, voxel_tree
from tests.benchmarks.bench import read_obj
from tests.characters import damage, person


def bind_voxels(mesh: Mesh, handles, *, resolution: int, levels: int = 3, penalty: float = 4.0,
                use_winding: bool = True):
    """(weights (V, K), cells, seconds) of one binding of a unit-frame mesh."""
    start = time.perf_counter()
    tree = voxel_tree(mesh, handle_seeds(handles, 0.5 / resolution)[0], resolution=resolution, levels=levels,
                      use_winding=use_winding)
    ways = cell_distances(tree, handles, penalty=penalty, reach=2.5)
    weights = vertex_distances(tree, ways, mesh.vertices).weights(0.3)
    return weights, len(tree.centres), time.perf_counter() - start


def winding_share(mesh: Mesh, resolution: int) -> tuple[int, int, float]:
    """Voxels with a single vote, how many of them winding numbers put inside, and the seconds that took."""
    grid = tree_grid(mesh.vertices[np.unique(mesh.faces)], resolution, 3)
    doubtful = np.argwhere(vote_inside(mesh, grid) == 1)
    start = time.perf_counter()
    inside = winding_numbers(mesh, grid.centres(doubtful)) > 0.5 if len(doubtful) else np.zeros(0, bool)
    return len(doubtful), int(inside.sum()), time.perf_counter() - start


def shattered(mesh: Mesh) -> Mesh:
    """A unit-frame mesh with holes, in pieces that gape, its own vertices first and where they were."""
    numbered = Mesh(mesh.vertices, mesh.faces, mesh.name, np.arange(len(mesh.vertices)))
    broken = damage(numbered, np.random.default_rng(0), ("holes", "pepper", "shatter", "loosen"))
    own = len(mesh.vertices)
    return Mesh(np.concatenate([mesh.vertices, broken.vertices]), broken.faces + own, mesh.name)


def measure(mesh: Mesh, preset: str, resolution: int) -> None:
    """All rows of one character."""
    shape = prepare(mesh)
    handles = skin_handles(shape, fit(mesh, load_template(preset), shape=shape))
    body = shape.mesh
    best, cells, seconds = bind_voxels(body, handles, resolution=resolution)
    difference = lambda weights: float(np.abs(weights - best).sum(1).mean())  # noqa: E731 - used in every row below
    print(f"\n{mesh.name}: {len(mesh.vertices):,} vertices, {len(handles.bones)} bones; "
          f"reference {resolution}, sparse, penalty 4")
    print(f"{'figure':8} {'setting':26} {'cells':>10} {'seconds':>8} {'L1 to reference':>16}")
    row = lambda figure, setting, n, s, d: print(  # noqa: E731 - one table, one line
        f"{figure:8} {setting:26} {n:10,} {s:8.2f} {d:16.3f}", flush=True)
    row("9", "sparse", cells, seconds, 0.0)
    uniform, cells, seconds = bind_voxels(body, handles, resolution=resolution, levels=0)
    row("9", "uniform", cells, seconds, difference(uniform))
    doubtful, inside, seconds = winding_share(body, resolution)
    print(f"{'10':8} single votes {doubtful:,}, inside by winding number {inside:,}, {seconds:.2f} s")
    for title, broken in (("", body), (", broken", shattered(body))):
        for use in (True, False):
            weights, cells, seconds = bind_voxels(broken, handles, resolution=resolution, use_winding=use)
            row("10", f"winding {'on' if use else 'off'}{title}", cells, seconds, difference(weights[:len(best)]))
    for other in (32, 64, 128, 192, 384):
        weights, cells, seconds = bind_voxels(body, handles, resolution=other)
        row("13", f"resolution {other}", cells, seconds, difference(weights))
    for penalty in (1.0, 2.0, 8.0, 20.0):
        weights, cells, seconds = bind_voxels(body, handles, resolution=resolution, penalty=penalty)
        row("14", f"penalty {penalty:.0f}", cells, seconds, difference(weights))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--preset", default="biped")
    parser.add_argument("--resolution", type=int, default=256)
    options = parser.parse_args()
    files = sorted(f for folder in options.folders for f in folder.rglob("mesh.obj"))
    for mesh in [read_obj(f) for f in files] or [person(vertices=30_000).mesh]:
        measure(mesh, options.preset, options.resolution)


if __name__ == "__main__":
    main()
