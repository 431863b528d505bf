"""Weights that are there, carried further: from a rigged mesh to others, and from one side to the other."""

from __future__ import annotations

import bpy
import numpy as np
from scipy import sparse

from ...core.errors import BadMesh, BadRig
from ...core.quality.weight_check import check_weights
from ...core.skeleton.rig import Rig
from ...core.skeleton.sides import pairs_by_name, split_side
from ...core.skinning.copying import CLOSE, copied_weights, mirror_plane_of, symmetrised_weights
from ...core.skinning.weights import SkinWeights, merge_weights
from ..bridge.armature import read_rig
from ..bridge.groups import locked_groups, read_groups
from ..bridge.held import armature_modifiers
from ..bridge.mesh import Character, read_character
from .keeping import write_beside
from .rigged import followers


def copy_weights(context, sources, armature, targets, most: int) -> list[str]:
    """Bind targets to an armature with the weights of sources that follow it.  Returns warnings.  Raises RigError.

    most : influences of a vertex. Locked groups keep their weights; nothing is written unless all can be.
    """
    rig = read_rig(armature)
    source, target = read_character(context, sources), read_character(context, targets)
    held = read_groups(context, source, rig.names)
    if held.nnz == 0:
        raise BadMesh(f"'{source.mesh.name}' has no weights for the bones of '{armature.name}'. Bind it first.")
    fresh = copied_weights(source.mesh, held, target.mesh, most=most)
    bare = int((np.asarray(fresh.sum(1)).ravel() <= 0).sum())
    said = [f"{bare} vertices follow no bone: the places they lie at have no weights in '{source.mesh.name}'."
            if bare > 1 else f"1 vertex follows no bone: the place it lies at has no weights in '{source.mesh.name}'."]
    size = float(np.ptp(source.mesh.vertices, axis=0).max())
    far = [part.object.name for part in target.parts
           if _gap(source.mesh.vertices, target.mesh.vertices[part.source]) > CLOSE * size]
    said = [*said * bool(bare), *(f"'{name}' lies apart from '{source.mesh.name}', where nothing tells which bones it "
                                  "should follow. Put it in its place, then copy again." for name in far)]
    return [*target.warnings, *said, *_write(context, target, armature, rig, fresh, most)]


def _gap(first: np.ndarray, second: np.ndarray) -> float:
    """How far two sets of points, (V, 3) and (W, 3), are apart along the axis on which their boxes are furthest."""
    return float(np.maximum(first.min(0) - second.max(0), second.min(0) - first.max(0)).max())


def symmetrise_weights(context, armature, objects, side: str) -> tuple[int, int]:
    """Make a character's weights the mirror image of those on one side, ".L" or ".R".  Raises RigError.

    side : "BETTER" is the one whose weights the check finds less wrong with
    Returns how many vertices changed, and how many of the other side have no image and stayed.
    """
    rig = read_rig(armature)
    character = read_character(context, objects)
    partners = _partners(rig.names)
    left = ".L" if side == "BETTER" else side
    first = np.array([j for j in np.flatnonzero(partners >= 0) if _is_on(rig.names[j], left)], int)
    normal, offset = mirror_plane_of(rig.heads, first, partners[first])
    held = read_groups(context, character, rig.names)
    if side == "BETTER":
        badness = check_weights(character.mesh, rig, held).badness
        along = character.mesh.vertices @ normal - offset
        if badness[along > 0].sum() > badness[along < 0].sum():
            normal, offset = -normal, -offset
    even, without = symmetrised_weights(character.mesh, held, partners, normal, offset)
    wanted = _changed(held, even)
    locked = locked_groups(character, rig.names)
    if locked.any():
        even = merge_weights(even, held, locked=locked, most=len(rig.names))
    changed = _changed(held, even)
    if wanted and not changed:
        raise BadRig("All weights that would change are locked. Unlock the vertex groups that may change.")
    if changed:
        _write(context, character, armature, rig, even, len(rig.names))
    return changed, int(without.sum())


def _changed(before: sparse.csr_matrix, after: sparse.csr_matrix) -> int:
    """How many vertices have other weights."""
    return int((np.asarray(abs(after - before).max(1).todense()).ravel() > 1e-6).sum())


def weighted_followers(armature, besides=()) -> list[bpy.types.Object]:
    """The visible meshes an armature moves that have weights of its bones, but for some."""
    bones = {bone.name for bone in armature.data.bones}
    return [o for o in followers(armature) if o.visible_get() and o not in besides
            and any(m.show_viewport for m in armature_modifiers(o) if m.object == armature)
            and any(group.name in bones for group in o.vertex_groups)]


def _partners(names) -> np.ndarray:
    """(B,) the bone of the other side by its name, as Blender flips it or as another program tells it; -1 = none."""
    number = {name: j for j, name in enumerate(names)}
    flipped = np.array([number.get(bpy.utils.flip_name(name), -1) for name in names])
    flipped[flipped == np.arange(len(names))] = -1
    told = pairs_by_name(names)
    return np.where((flipped < 0) & (flipped[told] < 0), told, flipped)


def _is_on(name: str, side: str) -> bool:
    """Whether a name is of a side: the letter L or R, or the word left or right, that tells it from its partner's."""
    if said := split_side(name)[1]:
        return said[0] == side[1].lower()
    other = bpy.utils.flip_name(name)
    differ = [k for k, (a, b) in enumerate(zip(name, other, strict=False)) if a != b]
    return bool(differ) and name[differ[0]].lower() == side[1].lower()


def _write(context, character: Character, armature, rig: Rig, fresh: sparse.csr_matrix, most: int) -> list[str]:
    """Weights into groups; locked ones stay, and the others share what these leave.  Returns warnings."""
    locked = locked_groups(character, rig.names, armature)
    chosen = [np.ones(len(part.object.data.vertices)) for part in character.parts] if locked.any() else None
    if chosen is not None:
        fresh = merge_weights(fresh, read_groups(context, character, rig.names, armature), locked=locked, most=most)
    return write_beside(context, character, armature, SkinWeights(fresh, rig.names, "kept", "copied"), chosen)
