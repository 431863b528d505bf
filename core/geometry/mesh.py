"""Triangle meshes, the cleaning every stage relies on, and their connected parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import frozen
from ..errors import BadMesh
from .links import linked_parts

_ASKEW = np.array([0.6134, 0.5283, 0.5871])  # of length 1, along no axis and no diagonal
_ACROSS = np.array([-0.7207, 0.6583, 0.2174])  # the same, nearly square to it
_MOST_ALONG = 32
# So many places keep the order of the file, where the corners of a face are mostly close: in memory too, then,
# which saves a quarter of the time at a million. Fewer are in the processor's cache anyway.
_MANY = 100_000
AT_ONCE = 1 << 15  # faces that are measured at once: what they need stays in the processor's cache
FILLED = 0.01  # of the longest side: points so far from their middle in all directions, on average, are no sheet
OF_FACES = ("_is_used", "_components", "_sides")  # what of a mesh does not depend on where its vertices are
SMALLEST, LARGEST = 1e-30, 1e30  # sizes of meshes whose areas and volumes are still numbers


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles over shared vertices, in object space.

    vertices : (V, 3) float64
    faces : (F, 3) int32, indices into vertices; any orientation, any number of parts, holes allowed
    name : the object's name, used in messages
    part_of_vertex : (V,) int32, the scene object each vertex came from; zeros for a single object
    """

    vertices: np.ndarray
    faces: np.ndarray
    name: str = "mesh"
    part_of_vertex: np.ndarray = None

    def __post_init__(self):
        vertices = frozen(self.vertices, np.float64, (None, 3), "vertices")
        faces = frozen(self.faces, np.int32, (None, 3), "faces")
        if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
            raise ValueError(f"faces index vertices 0 to {len(vertices) - 1}, found {faces.min()} to {faces.max()}")
        parts = np.zeros(len(vertices), np.int32) if self.part_of_vertex is None else self.part_of_vertex
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)
        object.__setattr__(self, "part_of_vertex", frozen(parts, np.int32, (len(vertices),), "part_of_vertex"))

    def moved(self, vertices: np.ndarray) -> Mesh:
        """The same faces with the vertices elsewhere (V, 3). What was found out from the faces alone still holds."""
        other = Mesh(vertices, self.faces, self.name, self.part_of_vertex)
        other.__dict__.update({name: self.__dict__[name] for name in OF_FACES if name in self.__dict__})
        return other

    @property
    def triangles(self) -> np.ndarray:
        """(F, 3, 3) corner positions."""
        return self.vertices.take(self.faces, 0)

    @property
    def areas(self) -> np.ndarray:
        """(F,) of each face."""
        out = np.empty(len(self.faces))
        for begin in range(0, len(out), AT_ONCE):
            some = slice(begin, begin + AT_ONCE)
            one, two, three = self.vertices.take(self.faces[some], 0).transpose(1, 2, 0)
            normals = cross(two - one, three - one)
            out[some] = np.sqrt(dot(normals, normals)) / 2
        return out

    @property
    def area(self) -> float:
        """Of all faces together."""
        return float(self.areas.sum())

    @cached_property
    def _is_used(self) -> np.ndarray:
        used = np.zeros(len(self.vertices), bool)
        used[self.faces.ravel()] = True
        used.setflags(write=False)
        return used

    @cached_property
    def _used_vertices(self) -> np.ndarray:
        return self.vertices if self._is_used.all() else frozen(self.vertices[self._is_used], float, (None, 3), "used")

    @cached_property
    def _components(self) -> np.ndarray:
        a, b, c = self.faces.T
        part = linked_parts(len(self.vertices), np.concatenate([a, b]), np.concatenate([b, c]))
        part.setflags(write=False)
        return part

    @cached_property
    def _sides(self) -> tuple[np.ndarray, np.ndarray]:
        key = edge_keys(self.faces)
        order = np.argsort(key, kind="stable").astype(np.int32)
        key = key.take(order)
        is_first = np.concatenate([[True], key[1:] != key[:-1]])[:len(key)]
        for part in (order, is_first):
            part.setflags(write=False)
        return order, is_first

    @cached_property
    def _fault(self) -> str:
        return _find_fault(self)


@dataclass(frozen=True, eq=False)
class WeldedMesh:
    """A mesh whose vertices of equal position are one, and the way back.

    mesh : faces without area (repeated corners) dropped
    welded_of_vertex : (V,) for each original vertex, its welded vertex
    """

    mesh: Mesh
    welded_of_vertex: np.ndarray


def is_used(mesh: Mesh) -> np.ndarray:
    """(V,) bool: a face has the vertex as a corner."""
    return mesh._is_used


def used_vertices(mesh: Mesh) -> np.ndarray:
    """(U, 3) the vertices that are corners of faces."""
    return mesh._used_vertices


def box(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(3,) low and (3,) high corner of the box around points (N, 3)."""
    limits = np.array([(x.min(), x.max()) for x in points.T])  # numpy is slow along short axes
    return limits[:, 0], limits[:, 1]


VANISHING: np.errstate = np.errstate(under="ignore")  # coordinates as small as numbers get may become nothing


def check_mesh(mesh: Mesh) -> None:
    """Raise BadMesh, naming the object and the remedy, if no solid can be made of the mesh."""
    if mesh._fault:
        raise BadMesh(mesh._fault)


def told_of_broken(name: str, count: int) -> str:
    """What is said of an object's vertices whose coordinates are not finite numbers."""
    if count == 1:
        return f"'{name}' has 1 vertex whose coordinates are not finite numbers. Delete it, or export the file again."
    return (f"'{name}' has {count} vertices whose coordinates are not finite numbers. Delete them, or export the file "
            "again.")


@VANISHING
def _find_fault(mesh: Mesh) -> str:
    """Why no solid can be made of the mesh, naming the object and the remedy; nothing if one can."""
    if len(mesh.vertices) == 0:
        return f"'{mesh.name}' has no vertices. Select an object with a mesh."
    if len(mesh.faces) == 0:
        return f"'{mesh.name}' has no faces, only points or edges. Add faces, or select the character's mesh."
    used = used_vertices(mesh)
    if not np.isfinite(used).all():
        broken = int((~np.isfinite(used).all(1)).sum())
        return told_of_broken(mesh.name, broken)
    if np.abs(used).max() > LARGEST:
        return f"'{mesh.name}' reaches beyond {LARGEST:g} units. Scale it to a usual size."
    low, high = box(used)
    size = (high - low).max()
    if size < max(SMALLEST, 1e-9 * np.abs(used).max()):
        return f"All faces of '{mesh.name}' lie in one point. Check its scale."
    thickness, width = _principal_sizes((used - used[0]) / size)
    if width < 1e-4:
        return f"All faces of '{mesh.name}' lie on one line. A character needs a volume."
    if thickness < 1e-4:
        return f"'{mesh.name}' is a flat sheet. A character needs a volume: add a Solidify modifier."
    return ""


def _principal_sizes(points: np.ndarray) -> tuple[float, float]:
    """Extent of the points along their thinnest direction and the next; where they fill a space, the least it can be:
    some points are off the middle by as much as the mean."""
    points = points - points.mean(0)
    square, axes = np.linalg.eigh(points.T @ points / len(points))
    if square[0] > FILLED**2:
        return 2 * FILLED, 2 * FILLED
    thickness, width, _ = np.ptp(points @ axes, axis=0)
    return float(thickness), float(width)


@VANISHING
def weld(mesh: Mesh, *, tolerance: float = 1e-6) -> WeldedMesh:
    """Join vertices closer than `tolerance` times the longest side; drop faces this leaves without area or doubled.

    Positions snap to a lattice first; vertices on two sides of a lattice wall are joined by a neighbour search.
    Parts that touch are joined too: for a solid that is what is wanted. Vertices beyond the box of the faces stay as
    they are. tolerance : at least 1e-6.
    """
    if tolerance < 1e-6:
        raise ValueError(f"the lattice of {1 / tolerance:g} steps along a side is too fine to number")
    is_inner = _in_box_of_faces(mesh)
    of_vertex, first = _same_place(mesh, is_inner, tolerance)
    inner = np.flatnonzero(is_inner[first])
    pairs = inner[close_pairs(mesh.vertices[first[inner]], tolerance * _longest_side(mesh))]
    if len(pairs):
        group = linked_parts(len(first), *pairs.T)
        representative = np.full(int(group.max()) + 1, len(mesh.vertices))
        np.minimum.at(representative, group, first)
        of_vertex, first = group[of_vertex], representative
    faces = of_vertex[mesh.faces]
    a, b, c = faces.T
    faces = _without_doubles(faces[(a != b) & (b != c) & (c != a)])
    return WeldedMesh(Mesh(mesh.vertices[first], faces, mesh.name, mesh.part_of_vertex[first]), of_vertex)


def weld_faces(mesh: Mesh) -> WeldedMesh:
    """`weld`.  Raises BadMesh if no face is left."""
    welded = weld(mesh)
    if len(welded.mesh.faces) == 0:
        raise BadMesh(f"No face of '{mesh.name}' has an area. Check its scale, or select the character's mesh.")
    return welded


def close_pairs(points: np.ndarray, reach: float) -> np.ndarray:
    """(E, 2) pairs of points (N, 3) up to `reach` apart, each once.

    Seen along one askew direction points that close follow each other, and few of those are close along another; where
    many follow so close, a tree looks for them.
    """
    along = points @ _ASKEW
    order = np.argsort(along, kind="stable")
    along, across = along[order], (points @ _ACROSS)[order]
    pairs = [np.zeros((0, 2), np.int64)]
    near = np.arange(len(points))
    for step in range(1, len(points)):
        near = near[:np.searchsorted(near, len(points) - step)]
        near = near[along[near + step] - along[near] <= reach * (1 + 1e-6)]
        if not len(near):
            break
        if step > _MOST_ALONG:
            return cKDTree(points).query_pairs(reach, output_type="ndarray")
        beside = near[np.abs(across[near + step] - across[near]) <= reach * (1 + 1e-6)]
        one, two = order[beside], order[beside + step]
        apart = (points[one] - points[two]).T
        pairs.append(np.stack([one, two], 1)[dot(apart, apart) <= reach**2])
    return np.concatenate(pairs)


def _in_box_of_faces(mesh: Mesh) -> np.ndarray:
    """(V,) bool: finite and, if there are faces, inside the box around them."""
    is_corner = is_used(mesh)
    inner = is_corner & np.isfinite(mesh.vertices).all(1)
    loose = np.flatnonzero(~is_corner)
    if len(loose) == len(inner):
        return np.isfinite(mesh.vertices).all(1)
    if inner.sum() != len(inner) - len(loose):
        return np.zeros(len(inner), bool)
    if len(loose):
        low, high = box(used_vertices(mesh))
        at = mesh.vertices[loose]
        inner[loose] = ((at >= low) & (at <= high)).all(1)  # what is no number lies nowhere
    return inner


def _without_doubles(faces: np.ndarray) -> np.ndarray:
    """The first of all faces with the same three corners, whichever way they look."""
    a, b, c = faces.T.copy()
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    middle = a + b + c - low - high
    # The same corners make the same number, others hardly ever, and sorting numbers is fast.
    key = np.sort((low.astype(np.int64) << 42) + (middle.astype(np.int64) << 21) + high, kind="stable")
    if (key[1:] != key[:-1]).all():
        return faces
    order = np.lexsort((low, middle.astype(np.int64) << 32 | high))
    again = (np.diff(low[order]) == 0) & (np.diff(middle[order]) == 0) & (np.diff(high[order]) == 0)
    keep = np.ones(len(faces), bool)
    keep[order[1:][again]] = False
    return faces[keep]


def _same_place(mesh: Mesh, is_inner: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """(V,) the number of each vertex's place, and (P,) the first vertex of each place.

    Few places are numbered as they lie on the lattice, many in the order of their first vertices.
    """
    inner = np.flatnonzero(is_inner)
    key = -1 - np.arange(len(mesh.vertices))
    if len(inner):
        at = mesh.vertices[inner]
        step = max(tolerance * _longest_side(mesh), SMALLEST * tolerance)
        x, y, z = (np.round((column - column.min()) / step).astype(np.int64) for column in at.T.copy())
        key[inner] = (x << 42) + (y << 21) + z
    _, first, of_vertex = np.unique(key, return_index=True, return_inverse=True)
    if len(first) < _MANY:
        return of_vertex.reshape(-1), first
    is_first = np.zeros(len(key), bool)
    is_first[first] = True
    number = np.cumsum(is_first) - 1
    return number[first][of_vertex.reshape(-1)], np.flatnonzero(is_first)


def _longest_side(mesh: Mesh) -> float:
    """Of the box around the faces; of all vertices if there are no faces."""
    used = used_vertices(mesh) if len(mesh.faces) else mesh.vertices[np.isfinite(mesh.vertices).all(1)]
    low, high = box(used) if len(used) else (np.zeros(3), np.zeros(3))
    return float((high - low).max())


def vertex_components(mesh: Mesh) -> np.ndarray:
    """(V,) the number of the connected part each vertex belongs to; vertices without faces are parts of their own."""
    return mesh._components


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(3, N) cross products of columns (3, N): whole rows at a time, since numpy is slow along short axes."""
    (x, y, z), (u, v, w) = a, b
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u])


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(N,) products of columns (3, N)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def sorted_sides(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """(3 F,) the sides of faces, 3 f + k from corner k on, those that are one edge next to each other, lower ones
    first; and (3 F,) bool, the first of an edge."""
    return mesh._sides


def edge_keys(faces: np.ndarray) -> np.ndarray:
    """(3 F,) a number for each side of each face, from corner 0, 1 and 2 on; sides of two faces that are one edge have
    the same."""
    one, two = faces.ravel(), faces[:, [1, 2, 0]].ravel()
    return np.minimum(one, two).astype(np.int64) * (int(faces.max(initial=0)) + 1) + np.maximum(one, two)


def face_components(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(F,) the part each face is in, hanging together over edges; and (P,) bool, the part has a rim.

    Parts that meet in a vertex only are two. A rim is an edge with an odd number of faces.
    """
    key = edge_keys(faces)
    order = np.argsort(key, kind="stable")
    same = key[order[1:]] == key[order[:-1]]
    owner = order // 3
    part = linked_parts(len(faces), owner[1:][same], owner[:-1][same])
    count = int(part.max(initial=-1)) + 1
    start = np.flatnonzero(np.concatenate([[True], ~same])) if len(faces) else np.zeros(0, np.int64)
    odd = np.diff(np.append(start, len(order))) % 2 == 1
    return part, np.bincount(part[owner[start[odd]]], minlength=count) > 0


def face_normals(mesh: Mesh) -> np.ndarray:
    """(F, 3) unit normals by the right-hand rule; zero for faces without area."""
    t = mesh.triangles
    normal = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)
