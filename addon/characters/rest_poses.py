"""A character's rest pose changed in the scene: skin, shape keys, bones and pins, and exactly back.

Each vertex remembers the matrix that was applied to it and where it went, each bone its own, in the coordinates of its
object: what is sculpted, painted or added between comes along on the way back, and so does a move of the object or an
applied transform.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector
from scipy import sparse
from scipy.spatial import cKDTree

from ...core.errors import BadMesh, BadRig, RigError
from ...core.motion.rest_pose import character_axes, turned_rig
from ...core.posing.reshape import blend, in_space, inverse, moved
from ...core.posing.stance import palms_of, posed_rig, rest_matrices
from ...core.skeleton.rig import Rig
from .. import names
from ..bridge.armature import check_there, move_bones, read_rig
from ..bridge.mesh import own_points
from ..bridge.node_shapes import leaves_vertices
from ..bridge.weights import read_groups
from ..bridge.whole_change import common_change, likeliest_change
from ..current import chosen_in, set_mode
from ..editing import pins
from ..export.exporting import roles_of
from ..export.staging import move_points
from ..modes import object_mode
from ..motion.takes import actions_of
from .fitted import has_moved_bones, is_outdated, note_again
from .grown_hair import forget_hair, hair_on, move_hair, read_hair, write_hair
from .rigged import followers

# Attributes: the columns of a vertex's matrix, and where that took it.
KEPT = (*(f"geppetto_rest_{axis}" for axis in ("x", "y", "z", "shift")), "geppetto_rest_place")


@dataclass(frozen=True, eq=False)
class _Skin:
    """A mesh object.  blended : (V, 3, 4) what is done to its vertices, in its own coordinates"""

    object: bpy.types.Object
    blended: np.ndarray


def pose_of(armature: bpy.types.Object) -> str:
    """The rest pose of an armature: "modelled", "T" or "A"."""
    return str(armature.data.get(names.REST_POSE_NOW, "modelled"))


def take_rest_pose(context, armature: bpy.types.Object, pose: str) -> None:
    """Bring a character's rest pose to "T", "A", or back to as it was "modelled".

    Raises RigError, with nothing changed, for bodies without arms and legs like a person's, meshes that others share,
    and characters that already move: motions are measured from the rest pose.
    """
    if pose_of(armature) == pose:
        return
    objects = followers(armature)
    _check(context, armature, objects)
    if pose_of(armature) != "modelled":
        rig, back, skins = _way_back(armature, objects)
        _apply(context, armature, rig, back, skins)
        _forget(armature, objects)
    if pose == "modelled":
        return
    rig = read_rig(armature)
    matrices = _matrices(armature, rig, pose)
    skins = [_Skin(o, _blended(o, rig, matrices)) for o in objects]
    _apply(context, armature, rig, matrices, skins)
    place = np.array(armature.matrix_world, float)
    for skin in skins:
        _keep(skin)
        skin.object[names.REST_POSE_NOW] = _beside(skin.object, armature).ravel().tolist()
    for name, own in zip(rig.names, np.linalg.inv(place) @ matrices @ place, strict=True):
        bone = armature.data.bones[name]
        bone[names.REST_POSE_NOW] = [*own.ravel().tolist(), *bone.head_local, *bone.tail_local]
    armature.data[names.REST_POSE_NOW] = pose


@contextmanager
def skins_as_modelled(context, armatures) -> Iterator[list[str]]:
    """For rigs that are to go: skins and pins as they were modelled, and for good; if an error comes out, or the work
    is stopped, as they were again.  Gives what is to be warned of."""
    told, taken, posed = [], list[_Taken](), [a for a in armatures if pose_of(a) != "modelled"]
    objects = {o.name: o for armature in posed for o in followers(armature) if o.data.library is None}
    with object_mode(context) if posed else nullcontext():
        for armature in posed:
            try:
                rig, back, skins = _way_back(armature, [o for o in objects.values() if o in followers(armature)])
            except RigError:
                told.append(f"'{armature.name}' stays in its {pose_of(armature)}-pose, as if modelled so: too much of "
                            "it was changed to take it back.")
                continue
            taken += [_Taken(skin.object) for skin in skins]
            _move_skins(skins, rig, back)
            for kept in taken:
                kept.settle()
    succeeded = False
    try:
        yield told
        succeeded = True
    finally:
        for kept in taken if not succeeded else ():
            kept.put_back()
    for o in filter(None, map(bpy.data.objects.get, objects)):  # a script may have deleted one
        _forget_skin(o)


class _Taken:
    """The points, pins and hair of a mesh object, to be put back unless something else has changed them meanwhile."""

    def __init__(self, o):
        self._name, self._points, self._settled = o.name, _all_points(o), _all_points(o)
        self._hair = {hair.name: read_hair(hair) for hair in hair_on(o)}
        self._pins = {pin.name: tuple(pin.position) for pin in getattr(o, names.PINS, ())}
        self._on = getattr(o, names.PINNED_ON, "")

    def settle(self) -> None:
        """Note the points that the object has now."""
        self._settled = _all_points(bpy.data.objects[self._name])

    def put_back(self) -> None:
        """Give the object its own points and pins back."""
        o = bpy.data.objects.get(self._name)
        if o is None or _all_points(o).tobytes() != self._settled.tobytes():  # undone, or changed by a script
            return
        rest = iter(self._points)
        move_points(o, lambda points: next(rest))
        for hair in [hair for hair in hair_on(o) if hair.name in self._hair]:
            write_hair(hair, self._hair[hair.name])
        for pin in getattr(o, names.PINS, ()):
            pin.position = self._pins[pin.name]
        if self._pins:
            setattr(o, names.PINNED_ON, self._on)


def _all_points(o) -> np.ndarray:
    """(1 + K, V, 3) an object's own points, and those of its shape keys."""
    blocks = o.data.shape_keys.key_blocks if o.data.shape_keys is not None else ()
    points = np.empty((1 + len(blocks), len(o.data.vertices), 3), np.float32)
    for of, held in zip(points, (o.data.vertices, *(block.data for block in blocks)), strict=True):
        held.foreach_get("co", of.reshape(-1))
    return points


def _way_back(armature, objects) -> tuple[Rig, np.ndarray, list[_Skin]]:
    """(rig, (B, 4, 4) in the world, skins): what takes bones and meshes to as they were modelled.  Raises RigError."""
    rig, changes = read_rig(armature), _changes(armature, objects)
    done = _bone_matrices(armature, rig, changes)
    return rig, np.linalg.inv(done), [_Skin(o, inverse(_kept(o, rig, done, changes))) for o in objects]


def _check(context, armature, objects) -> None:
    """Raise RigError for what cannot be changed, before anything is."""
    check_there(context, armature)
    if not armature.visible_get(view_layer=context.view_layer):
        raise BadRig(f"'{armature.name}' is hidden, so its bones cannot be moved. Show it first.")
    if not objects:
        raise BadRig(f"'{armature.name}' moves no mesh. Bind one to it first.")
    if actions_of(armature):
        raise BadRig(f"'{armature.name}' has motions, which are measured from its rest pose. Choose the rest pose "
                     "before the motion, or when you export.")
    for o in (armature, *objects):
        if o.data.library is not None or o.library is not None:
            raise BadMesh(f"'{o.name}' is linked from another file. Make it local first (Object > Relations).")
    if pose_of(armature) == "modelled" and (unlike := leaves_vertices(context, objects, armature)):
        raise BadMesh(f"Geometry Nodes that shape '{unlike[0].name}' would make something else of it in another pose. "
                      "Apply them first.")
    rig = read_rig(armature)
    if pose_of(armature) == "modelled":
        _matrices(armature, rig, "T")  # raises for bodies that have no such pose


def _matrices(armature, rig: Rig, pose: str) -> np.ndarray:
    """(B, 4, 4) in the world."""
    roles = roles_of(armature, rig)
    axes = np.eye(4)
    axes[:3, :3] = character_axes(rig, roles)
    upright = turned_rig(rig, axes[:3, :3])
    return axes.T @ rest_matrices(upright, roles, pose, palms=palms_of(upright, roles)) @ axes


def _blended(o, rig: Rig, matrices: np.ndarray) -> np.ndarray:
    number = {name: j for j, name in enumerate(rig.names)}
    groups, weights = read_groups(o)
    held = [g for g, name in enumerate(groups) if name in number]
    weights = weights[:, held]
    total = np.asarray(weights.sum(1)).ravel()
    weights = sparse.diags(np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)) @ weights
    chosen = matrices[[number[groups[g]] for g in held]]
    return in_space(blend(weights.tocsr(), chosen), np.array(o.matrix_world, float))


def _beside(o, armature) -> np.ndarray:
    """(4, 4) from an object's coordinates to the armature's."""
    return np.linalg.inv(np.array(armature.matrix_world, float)) @ np.array(o.matrix_world, float)


def _changes(armature, objects) -> dict[bpy.types.Object, np.ndarray]:
    """{object: (4, 4) how its own coordinates changed since the rest pose did}, the armature and meshes that know.

    Where bones or skin were changed all over by hand, the other and how the two lie to each other tell.
    Raises BadRig or BadMesh if that is not known any more.
    """
    places = {o: _places(o) for o in (armature, *objects)}
    places = {o: ends for o, ends in places.items() if len(ends[0])}
    beside = {o: (np.array(list(o[names.REST_POSE_NOW]), float).reshape(4, 4), _beside(o, armature))
              for o in objects if o in places and names.REST_POSE_NOW in o}
    skins = {o: common_change(*places[o]) for o in beside}
    changes = {}
    if armature in places:
        changes[armature] = likeliest_change(*places[armature], [
            beside[o][1] @ change @ np.linalg.inv(beside[o][0]) for o, change in skins.items() if change is not None])
        if changes[armature] is None:
            raise BadRig(f"Too much of '{armature.name}' was changed since it took its rest pose, so the way back is "
                         "lost. Undo that, or keep the rest pose.")
    for o in [o for o in objects if o in places]:
        others = [np.linalg.inv(beside[o][1]) @ changes[armature] @ beside[o][0]
                  ] if o in beside and armature in changes else []
        changes[o] = likeliest_change(*places[o], others)
        if changes[o] is None:
            raise BadMesh(f"Too much of '{o.name}' was changed since it took its rest pose, so the way back is lost. "
                          "Undo that, or keep the rest pose.")
    return changes


def _places(o) -> tuple[np.ndarray, np.ndarray]:
    """Two (N, 3), where ends of bones or vertices were in the object's coordinates when the rest pose changed, and
    where they are; none where that was not noted."""
    if o.type == "MESH":
        blended, then = _noted(o)
        knows = _is_sound(blended)
        return then[knows], own_points(o)[knows].astype(float)
    bones = [bone for bone in o.data.bones if names.REST_POSE_NOW in bone]
    then = np.array([list(bone[names.REST_POSE_NOW])[16:] for bone in bones], float)
    now = np.array([[*bone.head_local, *bone.tail_local] for bone in bones], float)
    return then.reshape(-1, 3), now.reshape(-1, 3)


def _bone_matrices(armature, rig: Rig, changes: dict[bpy.types.Object, np.ndarray]) -> np.ndarray:
    """(B, 4, 4) what was done to the bones, in the world of now; one added since goes with the bone it hangs on."""
    out = np.tile(np.eye(4), (len(rig.names), 1, 1))
    space = np.array(armature.matrix_world, float) @ changes.get(armature, np.eye(4))
    for i, name in enumerate(rig.names):
        held = armature.data.bones[name].get(names.REST_POSE_NOW)
        if held is not None:
            out[i] = space @ np.array(list(held)[:16], float).reshape(4, 4) @ np.linalg.inv(space)
        elif rig.parents[i] >= 0:
            out[i] = out[rig.parents[i]]
    return out


def _keep(skin: _Skin) -> None:
    """Note on each vertex what was done to it, and where it is now."""
    attributes = skin.object.data.attributes
    active = attributes.active_index
    columns = [*np.moveaxis(skin.blended, 2, 0), own_points(skin.object)]
    for column, name in zip(columns, KEPT, strict=True):
        kept = attributes.get(name) or attributes.new(name, "FLOAT_VECTOR", "POINT")
        kept.data.foreach_set("vector", np.ascontiguousarray(column, np.float32).ravel())
    attributes.active_index = active


def _noted(o) -> tuple[np.ndarray, np.ndarray]:
    """((V, 3, 4) what is noted on each vertex, (V, 3) and where it went); zeros on vertices that do not know."""
    columns = np.zeros((len(KEPT), len(o.data.vertices), 3), np.float32)
    for column, name in zip(columns, KEPT, strict=True):
        if name in o.data.attributes:
            o.data.attributes[name].data.foreach_get("vector", column.reshape(-1))
    return np.moveaxis(columns[:4], 0, 2).astype(float), columns[4].astype(float)


def _is_sound(blended: np.ndarray) -> np.ndarray:
    return np.abs(np.linalg.det(blended[:, :, :3])) > 1e-6


def _kept(o, rig: Rig, matrices: np.ndarray, changes: dict[bpy.types.Object, np.ndarray]) -> np.ndarray:
    """(V, 3, 4) what was done to each vertex. One added since goes with its nearest neighbour that knows; on an object
    bound since, its weights tell.  matrices : (B, 4, 4) what was done to the bones"""
    out, _ = _noted(o)
    knows = _is_sound(out)
    if not knows.any():
        return _blended(o, rig, matrices)
    if not knows.all():
        points = own_points(o)
        near = cKDTree(points[knows]).query(points[~knows])[1]
        out[~knows] = out[knows][near]
    return in_space(out, np.linalg.inv(changes[o]))


def _forget(armature, objects) -> None:
    del armature.data[names.REST_POSE_NOW]
    for bone in armature.data.bones:
        if names.REST_POSE_NOW in bone:
            del bone[names.REST_POSE_NOW]
    for o in objects:
        _forget_skin(o)


def _forget_skin(o) -> None:
    if names.REST_POSE_NOW in o:
        del o[names.REST_POSE_NOW]
    for name in KEPT:
        if name in o.data.attributes:
            o.data.attributes.remove(o.data.attributes[name])
    forget_hair(o)


def _apply(context, armature, rig: Rig, matrices: np.ndarray, skins: list[_Skin]) -> None:
    """Move skin, shape keys, pins and bones; selection and mode stay."""
    objects = context.view_layer.objects
    active, selected = objects.active, chosen_in(context)
    hidden, is_as_fitted = armature.hide_get(), not (is_outdated(armature) or has_moved_bones(armature))
    _move_skins(skins, rig, matrices)
    armature.hide_set(False)
    if objects.active is not None and objects.active.mode != "OBJECT":
        set_mode(context, "OBJECT")
    move_bones(context, armature, posed_rig(rig, matrices))
    if is_as_fitted:
        note_again(armature)
    armature.hide_set(hidden)
    for o in context.view_layer.objects:
        o.select_set(o in selected)
    context.view_layer.objects.active = active
    context.view_layer.update()


def _move_skins(skins: list[_Skin], rig: Rig, matrices: np.ndarray) -> None:
    """Move skin, shape keys and pins.  matrices : (B, 4, 4) of the bones, in the world"""
    pinned = [_pins_moved(skin.object, rig, matrices) for skin in skins]  # known by the points as they are yet
    for skin, places in zip(skins, pinned, strict=True):
        if skin.object.data.users > 1:
            skin.object.data = skin.object.data.copy()
        move_hair(skin.object, skin.blended)
        move_points(skin.object, lambda points, blended=skin.blended: moved(points, blended))
        for joint, place in places.items():
            pins.set_pin(skin.object, joint, place)


def _pins_moved(o, rig: Rig, matrices: np.ndarray) -> dict[str, Vector]:
    """{joint: where its pin goes, in the object's coordinates}: with the bone that begins at it, or ends nearest."""
    if not hasattr(o, names.PINS):  # a batch registers nothing, and has no pins
        return {}
    found, back = {}, o.matrix_world.inverted_safe()
    for joint, at in pins.world_pins(o).items():
        ends = np.linalg.norm(rig.tails - at, axis=1)
        bone = rig.names.index(joint) if joint in rig.names else int(ends.argmin())
        found[joint] = back @ Vector(matrices[bone, :3, :3] @ at + matrices[bone, :3, 3])
    return found
