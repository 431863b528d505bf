"""Skins put into a .glb that was written without: joints, weights, matrices. Known without Blender.

Blender's exporter goes over vertices and their weights one by one, which takes most of its time. Whole arrays are
quicker: the exporter writes all else, with each vertex's number as an attribute that tells whose weights it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

NUMBER = "_GEPPETTO"  # the attribute that holds each vertex's number
LEAST = 1e-4  # weights up to this are left out, as Blender's exporter does
MOST_JOINTS = 256  # as many as a byte can tell apart
FLOAT, BYTE, VERTICES = 5126, 5121, 34962


@dataclass(frozen=True, eq=False)
class Skeleton:
    """An armature.  parents : (B,) number of each bone's parent, -1 without;  inverse : (B, 4, 4) of its place at rest,
    in the file's axes."""

    name: str
    bones: tuple[str, ...]
    parents: tuple[int, ...]
    inverse: np.ndarray


@dataclass(frozen=True, eq=False)
class Skinned:
    """A mesh that follows a skeleton.  joints, weights : (V, 4) of its own vertices, joints as numbers of bones
    matrix : (4, 4) from its own space to the file's, in the file's axes;  skeleton : which"""

    name: str
    joints: np.ndarray
    weights: np.ndarray
    matrix: np.ndarray
    skeleton: int


def four_heaviest(weights) -> tuple[np.ndarray, np.ndarray] | None:
    """((V, 4) columns, (V, 4) weights of sum 1) of a sparse (V, B) matrix, the heaviest first.

    None if a vertex has no weight at all.
    """
    weights = weights.tocsr().astype(np.float32)
    weights.data[weights.data <= LEAST] = 0
    weights.eliminate_zeros()
    weights.sort_indices()
    counts = np.diff(weights.indptr)
    if not counts.all():
        return None
    row = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((-weights.data, row))  # stable: of equals the first bone's comes first
    place = np.arange(len(row)) - weights.indptr[row]
    kept = place < 4
    columns, values = np.zeros((len(counts), 4), np.int64), np.zeros((len(counts), 4), np.float32)
    columns[row[kept], place[kept]] = weights.indices[order][kept]
    values[row[kept], place[kept]] = weights.data[order][kept]
    return columns, values / values.sum(1, keepdims=True)


def with_skins(tree: dict, binary: bytes, skeletons: Sequence[Skeleton], meshes: Sequence[Skinned]
               ) -> tuple[dict, bytes] | None:
    """The parts of a .glb with its meshes skinned; None where the file does not plainly tell which node is which."""
    joints = [joints_of(tree, skeleton) for skeleton in skeletons]
    nodes = [[k for k, node in enumerate(tree["nodes"]) if node.get("name") == one.name and "mesh" in node]
             for one in meshes]
    if None in joints or any(len(found) != 1 for found in nodes):
        return None
    file = _File(tree, binary)
    tree["skins"] = [{"inverseBindMatrices": file.add(np.swapaxes(skeleton.inverse[order], 1, 2), "MAT4"),
                      "joints": [found[b] for b in order], "name": skeleton.name}
                     for skeleton, found in zip(skeletons, joints, strict=True) for order in (list(found),)]
    number = [{bone: k for k, bone in enumerate(found)} for found in joints]
    for one, (node,) in zip(meshes, nodes, strict=True):
        here = tree["nodes"][node]
        here["skin"] = one.skeleton
        for key in ("translation", "rotation", "scale", "matrix"):  # a skinned mesh is where its joints are
            here.pop(key, None)
        joint = np.array([number[one.skeleton][b] for b in range(len(number[one.skeleton]))], np.uint8)
        for primitive in tree["meshes"][here["mesh"]]["primitives"]:
            _skin(file, primitive["attributes"], one, joint)
    tree["buffers"][0]["byteLength"] = len(file.data)
    return tree, bytes(file.data)


def joints_of(tree: dict, skeleton: Skeleton) -> dict[int, int] | None:
    """{bone: node} in the order of the file's hierarchy; None if names do not plainly tell."""
    nodes = tree["nodes"]
    root = [k for k, node in enumerate(nodes) if node.get("name") == skeleton.name and "mesh" not in node]
    if len(root) != 1:
        return None
    below: dict[int, list[int]] = {}
    for bone, parent in enumerate(skeleton.parents):
        below.setdefault(parent, []).append(bone)
    found: dict[int, int] = {}
    waiting = [(bone, root[0]) for bone in reversed(below.get(-1, []))]
    while waiting:
        bone, parent = waiting.pop()
        own = [k for k in nodes[parent].get("children", ()) if nodes[k].get("name") == skeleton.bones[bone]]
        if len(own) != 1:
            return None
        found[bone] = own[0]
        waiting += [(child, own[0]) for child in reversed(below.get(bone, []))]
    return found


def _skin(file: _File, attributes: dict[str, int], one: Skinned, joint: np.ndarray) -> None:
    """Turn the numbers of a primitive's vertices into joints and weights, and bring its points to their place."""
    index = attributes.pop(NUMBER)
    vertex = file.read(index)[:, 0].astype(np.int64)
    weights = one.weights[vertex]
    file.write(index, np.where(weights > 0, joint[one.joints[vertex]], 0).astype(np.uint8))  # four bytes as before
    file.tree["accessors"][index] |= {"componentType": BYTE, "type": "VEC4"}
    attributes |= {"JOINTS_0": index, "WEIGHTS_0": file.add(weights, "VEC4", VERTICES)}
    if np.array_equal(one.matrix, np.eye(4)):
        return
    turn = one.matrix[:3, :3]
    points = (file.read(attributes["POSITION"]) @ turn.T + one.matrix[:3, 3]).astype(np.float32)
    file.write(attributes["POSITION"], points)
    file.tree["accessors"][attributes["POSITION"]] |= {"min": points.min(0).tolist(), "max": points.max(0).tolist()}
    if "NORMAL" in attributes:
        normals = file.read(attributes["NORMAL"]) @ np.linalg.inv(turn)
        file.write(attributes["NORMAL"], (normals / np.linalg.norm(normals, axis=1, keepdims=True)).astype(np.float32))


class _File:
    """The binary data of a .glb whose accessors of floats each have a view of their own, packed."""

    def __init__(self, tree: dict, binary: bytes):
        self.tree, self.data = tree, bytearray(binary)

    def read(self, accessor: int) -> np.ndarray:
        """(N, width) float64 values of an accessor of floats."""
        one = self.tree["accessors"][accessor]
        width = {"SCALAR": 1, "VEC3": 3}[one["type"]]
        values = np.frombuffer(self.data, np.float32, one["count"] * width, self._start(accessor))
        return values.reshape(-1, width).astype(float)

    def write(self, accessor: int, values: np.ndarray) -> None:
        """Put values of as many bytes in an accessor's place."""
        start, data = self._start(accessor), values.tobytes()
        self.data[start:start + len(data)] = data

    def add(self, values: np.ndarray, kind: str, target: int = 0) -> int:
        """The number of a new accessor of floats."""
        self.data += b"\0" * (-len(self.data) % 4)
        data = values.astype(np.float32).tobytes()
        view = {"buffer": 0, "byteLength": len(data), "byteOffset": len(self.data)}
        self.tree["bufferViews"].append(view | ({"target": target} if target else {}))
        self.tree["accessors"].append({"bufferView": len(self.tree["bufferViews"]) - 1, "componentType": FLOAT,
                                       "count": len(values), "type": kind})
        self.data += data
        return len(self.tree["accessors"]) - 1

    def _start(self, accessor: int) -> int:
        one = self.tree["accessors"][accessor]
        return self.tree["bufferViews"][one["bufferView"]].get("byteOffset", 0) + one.get("byteOffset", 0)
