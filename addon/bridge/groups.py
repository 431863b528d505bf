"""Vertex groups -> weights, whoever made them, and writing into groups without touching what must stay."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ...core.skinning.weights import SkinWeights
from ..current import evaluated_scene
from .held import armature_modifiers, groups_of
from .mesh import Character, at_rest, read_weights
from .weights import separate


def read_groups(context, character: Character, bones, armature=None) -> sparse.csr_matrix:
    """(V, B) weights of a character's vertices as its modifiers see them, mirrored halves included, unscaled.

    bones : names in the order of the columns; other groups are left out
    armature : whose bones they are: where it is switched off, its groups may have other names than these
    """
    blocks = []
    with at_rest(context, [part.object for part in character.parts]):
        depsgraph = evaluated_scene(context)
        for k, part in enumerate(character.parts):
            o, count = part.object, int((character.mesh.part_of_vertex == k).sum())
            column = {g.index: j for j, g in enumerate(_groups(o, bones, armature)) if g is not None}
            if count == len(o.data.vertices):
                blocks.append(read_weights(o.data.vertices, column, len(bones)))
                continue
            evaluated = o.evaluated_get(depsgraph)
            mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
            blocks.append(read_weights(mesh.vertices, column, len(bones)))
            evaluated.to_mesh_clear()
    return sparse.vstack(blocks, format="csr")


def _groups(o, bones, armature) -> list:
    """For each bone the group by which an armature moves an object, or would; None if it has none."""
    own = next((m for m in armature_modifiers(o) if m.object == armature), None) if armature is not None else None
    called = groups_of(o, own, bones) if own is not None else {bone: bone for bone in bones}
    return [o.vertex_groups.get(called.get(bone, "")) for bone in bones]


def locked_groups(character: Character, bones, armature=None) -> np.ndarray:
    """(V, B) bool: which bones' weights an object's locked groups hold fast.  armature : see `read_groups`"""
    held = [[g is not None and g.lock_weight for g in _groups(part.object, bones, armature)]
            for part in character.parts]
    return np.array(held, bool).reshape(len(held), len(bones))[character.mesh.part_of_vertex]


def chosen_vertices(o, *, only_selected: bool, within: str) -> np.ndarray:
    """(V,) 0 to 1 of an object's own vertices: those selected in Edit mode, times their weight in a group."""
    chosen = np.ones(len(o.data.vertices))
    if only_selected:
        selected = np.empty(len(chosen), bool)
        o.data.vertices.foreach_get("select", selected)
        chosen *= selected
    if within:
        group = o.vertex_groups.get(within)
        column = {group.index: 0} if group is not None else {}
        chosen *= read_weights(o.data.vertices, column, 1).toarray()[:, 0]
    return chosen


def merge_groups(character: Character, weights: SkinWeights, chosen: list[np.ndarray]) -> None:
    """Write weights into the groups of objects that have some; locked groups and vertices not chosen keep their bits.

    weights : of the character's vertices;  chosen : for each part (V,), 0 for its own vertices that stay
    """
    matrices = [weights.matrix[part.source] for part in character.parts]
    written = separate(character.parts, matrices)
    for part, matrix, where, is_written in zip(character.parts, matrices, chosen, written, strict=True):
        if not is_written:
            _update(part.object, weights.bones, matrix, where > 0)


def _update(o, bones, matrix: sparse.csr_matrix, where: np.ndarray) -> None:
    columns = sparse.csc_matrix(matrix, dtype=np.float32)
    rows, active = np.flatnonzero(where).tolist(), o.vertex_groups.active_index
    for j, bone in enumerate(bones):
        group = o.vertex_groups.get(bone)
        part = slice(columns.indptr[j], columns.indptr[j + 1])
        kept = where[columns.indices[part]] & (columns.data[part] > 0)
        vertex, weight = columns.indices[part][kept], columns.data[part][kept]
        if group is None and len(vertex):
            group = o.vertex_groups.new(name=bone)
        if group is None or group.lock_weight:
            continue
        group.remove(rows)
        for v, w in zip(vertex.tolist(), weight.tolist(), strict=True):
            group.add((v,), w, "REPLACE")
    o.vertex_groups.active_index = active  # a new group is active otherwise
