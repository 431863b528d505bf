"""What happens to meshes in production, on purpose."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from core.geometry.mesh import Mesh

from .character import merge


def damage(mesh: Mesh, rng: np.random.Generator, kinds) -> Mesh:
    """Apply the damages named in `kinds` (a name or several of DAMAGES), in the order given, to a copy."""
    for kind in (kinds,) if isinstance(kinds, str) else kinds:
        if kind not in DAMAGES:
            raise ValueError(f"no damage is called {kind!r}; there are {sorted(DAMAGES)}")
        mesh = DAMAGES[kind](mesh, rng)
    return mesh


def _with(mesh: Mesh, faces=None, vertices=None, parts=None) -> Mesh:
    return Mesh(mesh.vertices if vertices is None else vertices, mesh.faces if faces is None else faces, mesh.name,
                mesh.part_of_vertex if parts is None else parts)


def duplicate_faces(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """A tenth of the faces exist twice, half of those with their back to the front."""
    again = mesh.faces[rng.random(len(mesh.faces)) < 0.1].copy()
    again[::2] = again[::2, ::-1]
    return _with(mesh, np.concatenate([mesh.faces, again]))


def flip_faces(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """A third of the faces look inwards."""
    flipped = rng.random(len(mesh.faces)) < 1 / 3
    return _with(mesh, np.where(flipped[:, None], mesh.faces[:, ::-1], mesh.faces))


def punch_holes(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """Eight holes, each within 2 % of the size around a random face."""
    middle = mesh.triangles.mean(1)
    reach = 0.02 * np.ptp(mesh.vertices, axis=0).max()
    centres = middle[rng.choice(len(middle), 8)]
    return _with(mesh, mesh.faces[cKDTree(centres).query(middle)[0] > reach])


def pepper(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """Three faces in a hundred are missing, anywhere."""
    return _with(mesh, mesh.faces[rng.random(len(mesh.faces)) > 0.03])


def split(mesh: Mesh, rng: np.random.Generator, pieces: int = 12) -> Mesh:
    """Patches around `pieces` random vertices come apart along their borders: each keeps vertices of its own."""
    seeds = mesh.vertices[rng.choice(len(mesh.vertices), pieces)]
    patch = cKDTree(seeds).query(mesh.triangles.mean(1))[1]
    key = patch[:, None].astype(np.int64) * len(mesh.vertices) + mesh.faces
    used, faces = np.unique(key, return_inverse=True)
    old = used % len(mesh.vertices)
    return _with(mesh, faces.reshape(-1, 3), mesh.vertices[old], mesh.part_of_vertex[old])


def shatter(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """More than a hundred patches, cut apart."""
    return split(mesh, rng, 160)


def scatter(mesh: Mesh, rng: np.random.Generator, far: float = 0.005) -> Mesh:
    """Every connected part moves by up to half a per cent of the size along each axis: parts gape and overlap."""
    count = len(mesh.vertices)
    edges = mesh.faces[:, [0, 1, 1, 2]].reshape(-1, 2)
    group = sparse.csgraph.connected_components(sparse.coo_matrix((np.ones(len(edges)), edges.T), (count, count)))[1]
    offset = rng.uniform(-far, far, (group.max() + 1, 3)) * np.ptp(mesh.vertices, axis=0).max()
    return _with(mesh, vertices=mesh.vertices + offset[group])


def loosen(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """As `scatter`, by up to two thousandths: less than half a finger's width."""
    return scatter(mesh, rng, 0.002)


def intersect(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """A smaller, turned copy of a patch of the mesh sticks through it, as straps and pockets do."""
    size = np.ptp(mesh.vertices, axis=0).max()
    seed = mesh.vertices[rng.integers(len(mesh.vertices))]
    near = np.linalg.norm(mesh.triangles.mean(1) - seed, axis=1) < 0.08 * size
    used, faces = np.unique(mesh.faces[near], return_inverse=True)
    turned = Rotation.from_rotvec(rng.normal(size=3) * 0.4).apply(mesh.vertices[used] - seed) * 0.9 + seed
    both = merge([mesh, Mesh(turned, faces.reshape(-1, 3), mesh.name)], mesh.name)
    return _with(both, parts=np.concatenate([mesh.part_of_vertex, mesh.part_of_vertex[used]]))


def crumple(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """Every vertex moves by up to two thousandths of the size, so that thin places and folds run through themselves."""
    return _with(mesh, vertices=mesh.vertices + rng.uniform(-0.002, 0.002, (len(mesh.vertices), 3))
                 * np.ptp(mesh.vertices, axis=0).max())


def move(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """Another unit and another place: scaled by 0.01 to 100 and moved by up to ten sizes."""
    scale = 10.0 ** rng.uniform(-2, 2)
    size = np.ptp(mesh.vertices, axis=0).max()
    return _with(mesh, vertices=(mesh.vertices + rng.uniform(-10, 10, 3) * size) * scale)


def strew(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """Loose vertices far away, and faces without area."""
    loose = rng.normal(size=(20, 3)) * 10 * np.ptp(mesh.vertices, axis=0).max()
    corner = rng.integers(0, len(mesh.vertices), (20, 2))
    thin = np.concatenate([corner, corner[:, 1:]], axis=1)
    return _with(mesh, np.concatenate([mesh.faces, thin]), np.concatenate([mesh.vertices, loose]),
                 np.concatenate([mesh.part_of_vertex, np.zeros(20, np.int32)]))


def shuffle(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """Vertices and faces in another order."""
    order = rng.permutation(len(mesh.vertices))
    new = np.empty_like(order)
    new[order] = np.arange(len(order))
    return _with(mesh, new[mesh.faces][rng.permutation(len(mesh.faces))], mesh.vertices[order],
                 mesh.part_of_vertex[order])


DAMAGES = {"duplicate": duplicate_faces, "flip": flip_faces, "holes": punch_holes, "pepper": pepper, "split": split,
           "shatter": shatter, "scatter": scatter, "loosen": loosen, "intersect": intersect, "crumple": crumple,
           "move": move, "strew": strew, "shuffle": shuffle}
