"""Weights handed from a plain rig's bones to the segments into which Rigify cuts them, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from ...core.geometry.mesh import Mesh, vertex_components, weld
from ...core.skeleton.control_rig import share_along
from ...core.skeleton.rig import Rig
from ...core.skeleton.twist import SOURCES, TwistGroup
from ...core.skinning.bind import BindOptions
from ...core.skinning.twists import deal_twists, gather_twists
from ...core.skinning.wholes import Wholes, whole_parts
from ..bridge.mesh import own_points, read_triangles
from ..bridge.weights import read_groups, write_groups


def hand_over(objects: Sequence, rig: Rig, twists: Sequence[TwistGroup],
              table: Mapping[str, list[tuple[str, float]]]) -> list[str]:
    """Give the objects' groups of the skeleton's bones, twist bones too, to Rigify's deform bones.

    table : {bone: [(Rigify's deform bone, where on the bone it begins)]}
    What is stiff follows one segment, also where it is an object of its own. Returns the deform bones of which most of
    the skin is stiff: Rigify lets them bend in themselves.
    """
    read = [read_groups(o) for o in objects]
    points = np.concatenate([world_points(o) for o in objects])
    held = gather_twists(twists, sparse.vstack([_by_bone(rig, *one) for one in read])).tocsc()
    wholes = _wholes(objects, points, held)
    columns, bones, hard = [], [], []
    for i in np.flatnonzero(np.diff(held.indptr)):
        part = slice(held.indptr[i], held.indptr[i + 1])
        rows, weights = held.indices[part], held.data[part]
        starts = np.array([start for _, start in table[rig.names[i]]])
        along = rig.tails[i] - rig.heads[i]
        place = (points[rows] - rig.heads[i]) @ along / max(float(along @ along), 1e-30)
        shared = share_along(weights, place, starts)
        piece = wholes.pieces(i, rows, weights, place, starts, _own(rig.names[i], len(starts)))
        stiff = piece >= 0
        shared[stiff] = weights[stiff, None] * np.eye(len(starts))[piece[stiff]]
        row, column = np.nonzero(shared)
        columns.append(sparse.csc_matrix((shared[row, column], (rows[row], column)), (len(points), len(starts))))
        much = shared * wholes.area[rows, None]
        own = [bone for bone, _ in table[rig.names[i]]]
        hard += [own[k] for k in np.flatnonzero(much[stiff].sum(0) > much[~stiff].sum(0))]
        bones += own
    known = set(rig.names)
    dealt = sparse.hstack(columns).tocsr() if columns else sparse.csr_matrix((len(points), 0))
    _replace(objects, [[name for name in groups if name in known] for groups, _ in read], bones, dealt)
    return hard


def take_back_weights(objects: Sequence, rig: Rig, twists: Sequence[TwistGroup],
                      shares: Mapping[str, Sequence[str]]) -> None:
    """Add up the weights of Rigify's deform bones in the groups of the skeleton's bones, and deal them to twist bones
    again.

    shares : {bone: Rigify's deform bones}
    """
    source = {part: name for name, parts in shares.items() for part in parts}
    read = [read_groups(o) for o in objects]
    held = sparse.vstack([_by_bone(rig, [source.get(part, "") for part in groups], weights)
                          for groups, weights in read]).tocsr()
    points = np.concatenate([world_points(o) for o in objects])
    most = int(np.diff(held.indptr).max(initial=1))
    held = deal_twists(points, rig, twists, held, most, BindOptions().least, _wholes(objects, points, held))
    _replace(objects, [[part for part in groups if source.get(part) in rig.names] for groups, _ in read],
             list(rig.names), held)


def world_points(o) -> np.ndarray:
    """(V, 3) the object's own vertices in the world."""
    matrix = np.array(o.matrix_world, float)
    return own_points(o) @ matrix[:3, :3].T + matrix[:3, 3]


def _own(bone: str, pieces: int) -> int | None:
    """The segment of a limb that lies at its hinge, the elbow or the knee, and is not wrung; None for other bones."""
    source = SOURCES.get(bone.split(".")[0])
    return None if source is None else pieces - 1 if source == "" else 0


def _wholes(objects: Sequence, points: np.ndarray, weights: sparse.spmatrix) -> Wholes:
    """Which loose parts of several objects follow one bone wholly.  points : (V, 3) of all of them"""
    first = np.cumsum([0, *(len(o.data.vertices) for o in objects)])
    faces = [read_triangles(o.data)[1] + start for o, start in zip(objects, first, strict=False)]
    welded = weld(Mesh(points, np.concatenate(faces)))
    return whole_parts(welded.mesh, vertex_components(welded.mesh), welded.welded_of_vertex, weights)


def _by_bone(rig: Rig, groups: list[str], weights: sparse.csr_matrix) -> sparse.csr_matrix:
    """(V, B) weights by bone.  groups : the bone of each column, others are left out; several of one add up"""
    found = [(k, rig.names.index(name)) for k, name in enumerate(groups) if name in rig.names]
    place = np.array(found, int).reshape(-1, 2).T
    return sparse.csr_matrix(weights @ sparse.csr_matrix((np.ones(len(found)), (place[0], place[1])),
                                                         shape=(len(groups), len(rig.names))))


def _replace(objects: Sequence, old: Sequence[list[str]], bones: list[str], weights: sparse.csr_matrix) -> None:
    """Give each object the weights (V, B) of its vertices in place of its `old` groups."""
    ends = np.cumsum([len(o.data.vertices) for o in objects])
    for o, gone, end in zip(objects, old, ends, strict=True):
        for name in gone:
            o.vertex_groups.remove(o.vertex_groups[name])
        write_groups([(o, weights[end - len(o.data.vertices):end])], bones)
