"""Objects bound, bound again, and let go, with all that artists may have on them; what of them stands on the ground.

Cases are as in `tests.keeping.results`.
"""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
from mathutils import Matrix

from geppetto.addon.bridge import groups, held, mesh, skin, weights
from geppetto.addon.bridge.action import read_skeleton
from geppetto.core.skeleton.rig import Rig
from geppetto.core.skinning.weights import SkinWeights
from tests.blender.reference.meshes import (
    MIRRORED,
    TILTED,
    armature_of,
    ball,
    follow,
    nearby,
    objects_of,
    of_every_kind,
    on_person,
)
from tests.blender.reference.state import everything
from tests.blender.scenes import add_cube
from tests.keeping.results import Shaken

PLAIN = Matrix.LocRotScale((0.2, 0.1, -0.3), None, (1.5, 1.5, 1.5))


def weights_written(shaken: Shaken) -> None:
    """Objects bound, with all that an artist may have on them; bound again, merged, read, let go."""
    rig = on_person(shaken)
    armature = armature_of(rig, "new")
    artists = armature_of(on_person(shaken), "artist's")
    del artists.data["geppetto"]
    objects = [o for o in of_every_kind(shaken) if o.type == "MESH" and len(o.data.polygons) and o.visible_get()]
    named = {o.name: o for o in objects}
    follow(named["tilted"], artists)
    follow(named["twin"], artists)
    follow(named["keyed"], artists)
    follow(named["row"], artists)
    named["keyed"].vertex_groups.new(name="her own").add([1, 2, 3], 0.5, "REPLACE")
    named["half"].vertex_groups.new(name="upper_arm.L").add([1, 2], 1.0, "REPLACE")
    named["half"].modifiers.new("Smooth", "SMOOTH").vertex_group = "upper_arm.L"
    named["keyed"].parent, named["keyed"].parent_type, named["keyed"].parent_bone = artists, "BONE", "head"
    named["off"].parent = artists
    holder = bpy.data.objects.new("holder", None)
    holder.matrix_world = TILTED @ Matrix.Diagonal((1, 4, 1, 1))
    bpy.context.scene.collection.objects.link(holder)
    for name in ("fine", "thin"):
        named[name].parent = holder
    named["thin"].matrix_parent_inverse = TILTED.inverted()
    named["thick"].delta_location = (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    character = mesh.read_character(bpy.context, objects)
    found = nearby(character.mesh.vertices, rig)
    weights.write_weights(bpy.context, character, armature, found)
    for o in objects:
        held.note_held(o, armature)
    everything()
    bound_again(character, armature, rig)


def bound_again(character, armature, rig: Rig) -> None:
    """Weights read, locked, merged, rewritten; the artist's binding as before; an own rig deleted by hand."""
    groups.read_groups(bpy.context, character, rig.names)
    groups.read_groups(bpy.context, character, rig.names[5:2:-1])
    objects = [part.object for part in character.parts]
    for k, o in enumerate(objects):
        for j, group in enumerate(o.vertex_groups):
            group.lock_weight = (j + k) % 4 == 0
    groups.locked_groups(character, rig.names)
    first = objects[0]
    first.data.vertices.foreach_set("select", np.arange(len(first.data.vertices)) % 3 == 0)
    chosen = [groups.chosen_vertices(o, only_selected=k % 2 == 0, within=("", "head", "no such")[k % 3])
              for k, o in enumerate(objects)]
    turned = nearby(character.mesh.vertices[:, [1, 0, 2]], rig)
    groups.merge_groups(character, turned, chosen)
    everything()
    weights.rewrite_weights(character, turned, set(rig.names[:9]), armature)
    half = replace(character, parts=character.parts[::2])
    other = armature_of(rig, "other", TILTED.normalized() if hasattr(TILTED, "normalized") else None)
    weights.bind_parts(bpy.context, character, other, turned, objects[:3])
    weights.attach(bpy.context, half, armature)
    everything()
    for o in objects:
        weights.read_groups(o)
        held.hang_as_before(o, armature)
        held.bind_as_before(o)
    everything()
    bpy.data.objects.remove(armature)
    for o in objects:
        held.let_go(o)
        held.forget_held(o)
    everything()


def places_kept(shaken: Shaken) -> None:
    """What objects hang on when they are bound: bones, empties, sheared or not, what constraints and deltas say; and
    what was the artist's comes back."""
    rig = on_person(shaken)
    for k, (shear, sorts) in enumerate(((1, "holder"), (4, "holder"), (1, "bone"), (1, "armature"), (1, "two"))):
        artists = armature_of(rig, f"artist's {k}", TILTED)
        del artists.data["geppetto"]
        holder = bpy.data.objects.new(f"holder {k}", None)
        holder.matrix_world = TILTED
        above = bpy.data.objects.new(f"above {k}", None)
        above.matrix_world = MIRRORED @ Matrix.Diagonal((1, shear, 1, 1))
        for o in (holder, above):
            bpy.context.scene.collection.objects.link(o)
        holder.parent = above
        objects = [ball(f"hung {k} {n}", shaken, (n, 0, 0)) for n in range(3)]
        follow(objects[0], artists)
        objects[0].vertex_groups.new(name="plain").add([0], 1.0, "REPLACE")
        for o in objects[:3 if sorts != "two" else 1]:
            o.parent = holder if sorts == "holder" else artists
            if sorts == "bone":
                o.parent_type, o.parent_bone = "BONE", "hand.L"
            o.matrix_parent_inverse = TILTED.inverted()
        objects[1].delta_location.x, objects[1].delta_scale.y = 0.5, 1.5
        if sorts == "bone":
            objects[2].constraints.new("CHILD_OF").target = holder
            bend_one(artists)
        bpy.context.view_layer.update()
        ours = armature_of(rig, f"ours {k}", PLAIN)
        character = mesh.read_character(bpy.context, objects)
        found = nearby(character.mesh.vertices, rig)
        if k % 2:
            weights.attach(bpy.context, character, ours)
        else:
            weights.write_weights(bpy.context, character, ours, found)
        for o in objects:
            held.note_held(o, ours)
            held.note_held(o, artists)
        if sorts == "armature":
            artists.name = "called otherwise"
        everything()
        again(character, ours, found, deleted=k % 2 == 0)


def again(character, ours, found: SkinWeights, *, deleted: bool) -> None:
    """Bound once more after an own rig was deleted by hand, or taken away."""
    objects = [part.object for part in character.parts]
    if deleted:
        bpy.data.objects.remove(ours)
    other = armature_of(on_person(lambda points: points), "another")
    other_names = SkinWeights(found.matrix, tuple(f"{name} too" for name in found.bones[:3]) + found.bones[3:], "heat")
    if deleted:
        weights.write_weights(bpy.context, character, other, other_names)
        everything()
    for o in objects:
        held.hang_as_before(o, other if deleted else ours)
        held.bind_as_before(o)
        held.let_go(o)
    everything()


def bend_one(armature) -> None:
    """A hand turned."""
    armature.pose.bones["forearm.L"].rotation_mode = "XYZ"
    armature.pose.bones["forearm.L"].rotation_euler.x = 0.7


def soles(shaken: Shaken) -> None:
    """What stands on the ground: a body, shoes on bones, hair, half a skirt, seen from elsewhere and by other bones."""
    rig = on_person(shaken)
    for k, matrix in enumerate((Matrix.Identity(4), MIRRORED @ Matrix.Diagonal((-1, 1, 1, 1)))):
        armature = armature_of(rig, f"stands {k}", matrix)
        objects = objects_of(shaken)
        skin.read_skin(armature, read_skeleton(armature))
        follow(far := ball(f"far {k}", shaken, (9, 9, 9)), armature)
        far.vertex_groups.clear()
        skin.read_skin(armature, read_skeleton(armature))
        bare = read_skeleton(armature)
        skin.read_skin(armature, bare.only({one for one in bare.names if one[:4] not in ("foot", "toe.", "shin")}))
        for o in objects:
            follow(o, armature)
        shoe, bag = add_cube(f"shoe {k}", 0.08), add_cube(f"bag {k}", 0.3)
        half = ball(f"half {k}", shaken, (0.1, 0, 0.1), 0.1)
        for o, bone in ((shoe, "foot.L"), (bag, "hand.R")):
            o.parent, o.parent_type, o.parent_bone = armature, "BONE", bone
        add_cube(f"beside {k}").parent = armature
        follow(half, armature)
        half.modifiers.new("Mirror", "MIRROR")
        bpy.context.view_layer.update()
        skeleton = read_skeleton(armature)
        skin.read_skin(armature, skeleton)
        objects[-1].hide_set(True)
        bag.location = (0.1, 0.2, 0.3)
        skin.read_skin(armature, skeleton)
        skin.read_skin(armature, skeleton, mover=armature_of(rig, f"mover {k}", matrix))
        skin.read_skin(armature, skeleton, shares={"hair": "head", "mine": "foot.L"})


CASES = {case.__name__: case for case in (weights_written, places_kept, soles)}
