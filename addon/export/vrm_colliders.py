"""What VRM's spring bones keep out of: capsules as thick as the body is around its bones. Known without Blender."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
KINDS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
FEWEST = 8  # vertices that tell how thick something is
BEYOND = 0.1  # of a bone's length: so far past its ends its flesh counts
BROAD = 1.25  # a body that is so many times as wide as deep, or more, has two capsules side by side
SMALLEST = 0.7  # of a capsule's radius: it gives way so far to what rests closer


@dataclass(frozen=True, eq=False)
class Flesh:
    """The skin of a file at rest.

    points : (V, 3) in the file's axes;  node : (V,) the joint that each follows most
    inverse : {node: (4, 4) from the file's axes to the joint's own}, in which its bone lies along Y
    """

    points: np.ndarray
    node: np.ndarray
    inverse: dict[int, np.ndarray]

    def at(self, node: int) -> np.ndarray:
        """(N, 3) the points that follow a joint, in its own axes."""
        return self.seen_from(node, self.points[self.node == node])

    def seen_from(self, node: int, points: np.ndarray) -> np.ndarray:
        """(N, 3) points of the file in a joint's own axes."""
        matrix = self.inverse[node]
        return points @ matrix[:3, :3].T + matrix[:3, 3]


@dataclass(frozen=True)
class Capsule:
    """In the axes of the joint it goes with, metres.

    node : the joint's number in the file;  offset, tail : the ends of the middle line
    """

    node: int
    offset: tuple[float, float, float]
    tail: tuple[float, float, float]
    radius: float

    def written(self) -> dict:
        """As VRMC_springBone has it."""
        return {"node": self.node, "shape": {"capsule": {"offset": list(self.offset), "radius": self.radius,
                                                         "tail": list(self.tail)}}}

    def gaps(self, flesh: Flesh, points: np.ndarray) -> np.ndarray:
        """(N,) how far points of the file lie outside it at rest."""
        start, along = np.array(self.offset), np.subtract(self.tail, self.offset)
        away = flesh.seen_from(self.node, points) - start
        share = np.clip(away @ along / max(float(along @ along), 1e-18), 0.0, 1.0)
        return np.linalg.norm(away - share[:, None] * along, axis=1) - self.radius

    def giving_way(self, gap: float) -> Capsule:
        """A thinner one if something is to lie in it at rest. gap : how far it lies outside, less what is kept free"""
        return replace(self, radius=float(np.clip(self.radius + gap, SMALLEST * self.radius, self.radius)))


def flesh_of(tree: dict, binary: bytes) -> Flesh:
    """The skin of all skinned meshes of a .glb."""
    points, nodes = [np.zeros((0, 3))], [np.zeros(0, np.int64)]
    inverse: dict[int, np.ndarray] = {}
    for node in tree.get("nodes", []):
        if "skin" not in node or "mesh" not in node:
            continue
        skin = tree["skins"][node["skin"]]
        joints = np.array(skin["joints"], np.int64)
        matrices = _values(tree, binary, skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
        inverse |= dict(zip(joints.tolist(), matrices, strict=True))
        for primitive in tree["meshes"][node["mesh"]]["primitives"]:
            has = primitive["attributes"]
            most = _values(tree, binary, has["WEIGHTS_0"]).argmax(1)
            own = _values(tree, binary, has["JOINTS_0"]).astype(np.int64)
            points.append(_values(tree, binary, has["POSITION"]))
            nodes.append(joints[own[np.arange(len(own)), most]])
    return Flesh(np.concatenate(points), np.concatenate(nodes), inverse)


def _values(tree: dict, binary: bytes, accessor: int) -> np.ndarray:
    """(N, width) float64 values of an accessor."""
    one = tree["accessors"][accessor]
    view = tree["bufferViews"][one["bufferView"]]
    kind = np.dtype(KINDS[one["componentType"]])
    width = WIDTHS[one["type"]]
    start = view.get("byteOffset", 0) + one.get("byteOffset", 0)
    step = view.get("byteStride", width * kind.itemsize)
    return np.ndarray((one["count"], width), kind, binary, start, (step, kind.itemsize)).astype(float)


def cross_section(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ellipse whose skin is spread as points around a bone are.

    points : (N, 3), the bone along Y.  Returns (2,) its middle, (2,) its half axes, the smaller first, and (2, 2) their
    directions as rows, in X and Z. A skin's standard deviation along an axis is a half axis over the root of two.
    """
    flat = points[:, [0, 2]]
    middle = flat.mean(0)
    square, axes = np.linalg.eigh(np.cov(flat.T, bias=True))
    return middle, np.sqrt(2 * np.maximum(square, 0)), axes.T


def capsules(flesh: Flesh, node: int, length: float) -> list[Capsule]:
    """One or two capsules around a bone, none where too little skin follows it."""
    points = flesh.at(node)
    points = points[(points[:, 1] > -BEYOND * length) & (points[:, 1] < (1 + BEYOND) * length)]
    if len(points) < FEWEST:
        return []
    middle, (narrow, wide), axes = cross_section(points)
    if narrow < 1e-6:
        return []
    inset = min(narrow, length / 2)  # its round ends lie within the bone
    off = (wide - narrow) * axes[1] if wide > BROAD * narrow else np.zeros(2)
    return [Capsule(node, (float(x), inset, float(z)), (float(x), length - inset, float(z)), float(narrow))
            for x, z in ([middle - off, middle + off] if off.any() else [middle])]
