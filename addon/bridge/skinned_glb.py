"""A skinned .glb, written by Blender's exporter all but the skin, which arrays add: see export/glb_skin.py.

Only for scenes of which it is plain what the exporter would make of them; the others are the exporter's alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import bpy
import numpy as np
from scipy import sparse

from ..export.glb import pack_glb, read_glb
from ..export.glb_skin import MOST_JOINTS, NUMBER, Skeleton, Skinned, four_heaviest, with_skins
from .weights import read_groups

Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])  # from Blender's axes to glTF's


@dataclass(frozen=True, eq=False)
class Known:
    """Weights as they were written.  bones : their columns;  of : {object's name: (V, B) of its vertices}"""

    bones: tuple[str, ...] = ()
    of: Mapping[str, sparse.csr_matrix] = field(default_factory=dict)


def write_skinned_glb(path: Path, export: Callable[[dict], None], known: Known = Known()) -> bool:
    """Write the scene as a .glb with skins if it is plain enough.  Returns whether it was.

    export : writes the file with Blender's exporter, told these options besides its own
    known : saves reading weights vertex by vertex, Blender's only way
    """
    if (plan := _plan(known)) is None:
        return False
    skeletons, meshes = plan
    with _numbered([bpy.data.objects[one.name] for one in meshes]):
        export({"export_skins": False, "export_attributes": True})
    done = with_skins(*read_glb(path.read_bytes()), skeletons, meshes)
    if done is None:
        return False
    path.write_bytes(pack_glb(*done))
    return True


def _plan(known: Known) -> tuple[list[Skeleton], list[Skinned]] | None:
    """The scene's skeletons and what follows them; None for a scene that is not plain."""
    objects = list(bpy.context.scene.objects)
    skinned = [o for o in objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]
    if bpy.data.actions or not skinned or any(o.instance_type != "NONE" for o in objects):
        return None
    if not all(map(_is_plain, skinned)) or any(_has_own_attributes(o) for o in objects):
        return None
    armatures = list(dict.fromkeys(o.parent for o in skinned))
    if not all(map(_rests, armatures)):
        return None
    meshes = []
    for o in skinned:
        bones = {bone.name: k for k, bone in enumerate(o.parent.data.bones)}
        heaviest = four_heaviest(_weights(o, bones, known))
        if heaviest is None:
            return None
        place = Y_UP @ np.array(o.matrix_world, float) @ Y_UP.T
        meshes.append(Skinned(o.name, *heaviest, place, armatures.index(o.parent)))
    return list(map(_skeleton, armatures)), meshes


def _is_plain(o) -> bool:
    """Whether a mesh follows the armature it hangs on, by nothing else, and is nobody else's mesh."""
    modifier = o.modifiers[0]
    at_origin = np.array_equal(np.array(o.matrix_world), np.eye(4))
    return (len(o.modifiers) == 1 and modifier.object is not None and modifier.object == o.parent
            and o.parent_type == "OBJECT" and o.data.users == 1 and not o.children
            and (o.data.shape_keys is None or at_origin) and modifier.show_viewport)


def _has_own_attributes(o) -> bool:
    return o.type == "MESH" and any(a.name.startswith("_") for a in o.data.attributes)


def _rests(armature) -> bool:
    """Whether no bone is posed and their number is one that a byte holds."""
    still = np.eye(4).ravel()
    bases = np.empty(16 * len(armature.pose.bones), np.float32)
    armature.pose.bones.foreach_get("matrix_basis", bases)
    return 0 < len(armature.data.bones) <= MOST_JOINTS and bool((bases.reshape(-1, 16) == still).all())


def _weights(o, bones: dict[str, int], known: Known) -> sparse.csr_matrix:
    """(V, B) weights of an object's vertices.  bones : {name: column}"""
    groups, weights = (known.bones, known.of[o.name]) if o.name in known.of else read_groups(o)
    ours = [k for k, name in enumerate(groups) if name in bones]
    entries = np.ones(len(ours)), (ours, [bones[groups[k]] for k in ours])
    return (weights @ sparse.csr_matrix(entries, shape=(len(groups), len(bones)))).tocsr()


def _skeleton(armature) -> Skeleton:
    bones = armature.data.bones
    number = {bone.name: k for k, bone in enumerate(bones)}
    world = np.array(armature.matrix_world, float)
    rest = np.array([np.array(bone.matrix_local, float) for bone in bones])
    return Skeleton(armature.name, tuple(number), tuple(number[b.parent.name] if b.parent else -1 for b in bones),
                    np.linalg.inv(Y_UP @ world @ rest))


@contextmanager
def _numbered(objects) -> Iterator[None]:
    """Inside, each vertex's number is an attribute."""
    for o in objects:
        numbers = o.data.attributes.new(NUMBER, "FLOAT", "POINT")
        numbers.data.foreach_set("value", np.arange(len(numbers.data), dtype=np.float32))
    try:
        yield
    finally:
        for o in objects:
            o.data.attributes.remove(o.data.attributes[NUMBER])
