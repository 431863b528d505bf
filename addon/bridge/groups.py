"""Vertex groups -> weights, whoever made them, and writing into groups without touching what must stay."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ...core.skinning.weights import SkinWeights
from ..current import evaluated_scene
from .mesh import Character, at_rest
from .weights import separate


def read_groups(context, character: Character, bones) -> sparse.csr_matrix:
    """(V, B) weights of a character's vertices as its modifiers see them, mirrored halves included, unscaled.

    bones : names in the order of the columns; other groups are left out
    """
    number = {name: j for j, name in enumerate(bones)}
    blocks = []
    with at_rest(context, [part.object for part in character.parts]):
        depsgraph = evaluated_scene(context)
        for k, part in enumerate(character.parts):
            o, count = part.object, int((character.mesh.part_of_vertex == k).sum())
            column = {g.index: number[g.name] for g in o.vertex_groups if g.name in number}
            if count == len(o.data.vertices):
                blocks.append(_read(o.data.vertices, column, len(bones)))
                continue
            evaluated = o.evaluated_get(depsgraph)
            mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
            blocks.append(_read(mesh.vertices, column, len(bones)))
            evaluated.to_mesh_clear()
    return sparse.vstack(blocks, format="csr")


def locked_groups(character: Character, bones) -> np.ndarray:
    """(V, B) bool: which bones' weights an object's locked groups hold fast."""
    held = [[o.vertex_groups[b].lock_weight if b in o.vertex_groups else False for b in bones]
            for o in (part.object for part in character.parts)]
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
        chosen *= _read(o.data.vertices, column, 1).toarray()[:, 0]
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
    rows = np.flatnonzero(where).tolist()
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


def _read(vertices, column: dict[int, int], width: int) -> sparse.csr_matrix:
    """(V, width) weights in the groups that have a column."""
    found = [(v.index, column[g.group], g.weight) for v in vertices for g in v.groups if g.group in column]
    row, at, weight = np.array(found, float).reshape(-1, 3).T
    return sparse.csr_matrix((weight, (row.astype(int), at.astype(int))), shape=(len(vertices), width))
