"""Two characters in one mesh object become two objects."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.characters.bodies import _strays, own_mesh
from geppetto.addon.characters.parting import holds_several, separate_characters
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.editing import pins

from .scenes import add_character, add_mesh, group_weights, world_points
from .test_motion import add_rig
from .test_situations import choose


@pytest.fixture
def pair(extension, context, person):
    """Two people side by side in one object, with a group, a material, and a loose crumb beside the second."""
    points, faces = person.mesh.vertices, person.mesh.faces
    crumb = np.array([[0, 0, 0], [0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]) + [2.6, 0, 0]
    count = len(points)
    o = add_mesh("pair", np.concatenate([points, points + [2, 0, 0], crumb]), np.concatenate(
        [faces, faces + count, np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]) + 2 * count]))
    o.vertex_groups.new(name="skin").add(list(range(count)), 0.5, "REPLACE")
    o.data.materials.append(bpy.data.materials.new("cloth"))
    bpy.context.view_layer.objects.active = o
    o.select_set(True)
    return o, count


def test_each_character_gets_an_object_and_nothing_is_lost(context, pair):
    o, count = pair
    before = world_points(o)
    made, = separate_characters(context, [o])
    assert sorted((len(o.data.vertices), len(made.data.vertices))) == [count, count + 4]
    found = np.concatenate([world_points(o), world_points(made)])
    np.testing.assert_array_equal(found[np.lexsort(found.T)], before[np.lexsort(before.T)])
    for each in (o, made):
        assert np.ptp(world_points(each)[:, 0]) < 1.9
        assert [g.name for g in each.vertex_groups] == ["skin"] and each.data.materials[0].name == "cloth"
    assert o.select_get() and made.select_get() and bpy.context.object == o


def test_a_shared_mesh_stays_whole_for_others(context, pair):
    o, count = pair
    twin = bpy.data.objects.new("twin", o.data)
    context.scene.collection.objects.link(twin)
    separate_characters(context, [o])
    assert len(twin.data.vertices) == 2 * count + 4


def test_hidden_faces_go_along(context, pair):
    o, count = pair
    for polygon in o.data.polygons:
        polygon.hide = True
    made, = separate_characters(context, [o])
    assert len(o.data.vertices) + len(made.data.vertices) == 2 * count + 4


@pytest.mark.long
def test_the_button_stands_by_the_warning_and_each_is_rigged(pair):
    assert bpy.ops.geppetto.check() == {"FINISHED"}
    assert bpy.ops.geppetto.separate_characters() == {"FINISHED"}
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", detail="body") == {"FINISHED"}
    assert len([a for a in bpy.data.objects if a.type == "ARMATURE"]) == 2
    assert bpy.ops.geppetto.separate_characters() == {"CANCELLED"}, "only one stands in each object"


def test_one_character_is_left_alone(extension, context, person):
    o = add_mesh("one", person.mesh.vertices, person.mesh.faces)
    assert separate_characters(context, [o]) == [] and len(bpy.data.objects) == 1


def test_people_on_a_slope_become_an_object_each(extension, context, person):
    points, faces = person.mesh.vertices, person.mesh.faces
    tall = np.ptp(points[:, 2])
    o = add_mesh("slope", np.concatenate([points + [2 * k, 0, 0.8 * k * tall] for k in range(3)]),
                 np.concatenate([faces + k * len(points) for k in range(3)]))
    assert holds_several([o]) and len(separate_characters(context, [o])) == 2


def test_a_pair_of_shoes_on_one_body_stays_one_object(extension, context, person):
    body = add_mesh("one", person.mesh.vertices, person.mesh.faces)
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    sides = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    low = person.mesh.vertices.min(0)
    shoe = lambda x: cube * [0.1, 0.2, 0.08] + [x, 0, low[2]]  # noqa: E731
    shoes = add_mesh("shoes", np.concatenate([shoe(-0.15), shoe(0.05)]), np.concatenate([sides, sides + 8]))
    assert not holds_several([body, shoes]) and holds_several([shoes])
    assert separate_characters(context, [body, shoes]) == [] and len(bpy.data.objects) == 2


def test_pins_stay_with_the_body_they_lie_in(pair):
    o, _ = pair
    assert pins.owner_of([o]) == o
    pins.set_pin(o, "hips", (0.0, 0.0, 1.0))
    pins.set_pin(o, "head", (2.0, 0.0, 1.5))
    made, = separate_characters(bpy.context, [o])
    held = {each.name: set(pins.pins_of(each)) for each in (o, made)}
    assert sorted(map(sorted, held.values())) == [["head"], ["hips"]]
    first = next(each for each in (o, made) if world_points(each)[:, 0].max() < 1.5)
    assert held[first.name] == {"hips"}


def test_a_wire_between_them_and_the_select_mode(pair):
    o, count = pair
    o.data.edges.add(1)
    o.data.edges[-1].vertices = (0, count)
    o.data.update()
    bpy.context.tool_settings.mesh_select_mode = (False, True, True)
    made, = separate_characters(bpy.context, [o])
    assert len(o.data.polygons) and len(made.data.polygons)
    assert tuple(bpy.context.tool_settings.mesh_select_mode) == (False, True, True)


def test_what_is_linked_from_another_file_stays_whole(extension, pair, tmp_path):
    count = pair[1]
    library = str(tmp_path / "library.blend")
    bpy.data.libraries.write(library, {pair[0]})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.objects = ["pair"]
    linked, = wanted.objects
    bpy.context.scene.collection.objects.link(linked)
    assert separate_characters(bpy.context, [linked]) == []
    assert len(linked.data.vertices) == 2 * count + 4 and len(bpy.data.objects) == 1
    override = linked.override_create()
    bpy.context.scene.collection.objects.link(override)
    assert separate_characters(bpy.context, [override]) == [] and len(override.data.vertices) == 2 * count + 4
    own = add_mesh("own", [], [])
    own.data = linked.data
    made, = separate_characters(bpy.context, [linked, own])
    assert len(own.data.vertices) + len(made.data.vertices) == 2 * count + 4, "its own copy of the linked mesh"
    assert len(linked.data.vertices) == 2 * count + 4


@pytest.mark.long
def test_parted_after_they_got_one_rig_each_gets_its_own(context, pair):
    o, _ = pair
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    made, = separate_characters(context, [o])
    assert armature_of(made) == armature_of(o)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert len(bpy.data.armatures) == 2 and armature_of(made) != armature_of(o)
    for each in (o, made):
        assert [m.object for m in each.modifiers] == [armature_of(each)] == [each.parent]
        assert "skin" in each.vertex_groups
        middle = world_points(each).mean(0)
        assert abs((armature_of(each).matrix_world @ armature_of(each).data.bones["head"].head_local).x
                   - middle[0]) < 0.1


@pytest.mark.long
def test_a_copy_of_the_mesh_alone_that_was_moved_away_gets_a_rig_of_its_own(extension, context, person):
    o, = add_character(person)
    choose(o)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    rig, before = armature_of(o), group_weights(o)
    bones = {bone.name: tuple(bone.head_local) for bone in rig.data.bones}
    copy = o.copy()
    copy.data = o.data.copy()
    context.scene.collection.objects.link(copy)
    copy.location.x += 3
    choose(rig)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    for name, head in bones.items():
        np.testing.assert_allclose(rig.data.bones[name].head_local, head, atol=1e-5)
    bones, before = {bone.name: tuple(bone.head_local) for bone in rig.data.bones}, group_weights(o)
    choose(copy)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert armature_of(o) == rig and {bone.name: tuple(bone.head_local) for bone in rig.data.bones} == bones
    np.testing.assert_array_equal(group_weights(o)["head"], before["head"])
    own = armature_of(copy)
    assert own != rig and abs((own.matrix_world @ own.data.bones["head"].head_local).x - 3) < 0.1
    np.testing.assert_allclose(sum(group_weights(copy).values()), 1.0, atol=1e-5)


def test_of_bodies_on_one_rig_the_one_in_which_its_bones_are_stays_in_whatever_order_they_come(context, person):
    o, = add_character(person)
    rig, copy = add_rig(context, person.joints), o.copy()
    context.scene.collection.objects.link(copy)
    copy.location.x -= 3
    context.view_layer.update()
    shapes = {one: own_mesh(one) for one in (o, copy)}
    for parts in ([[o], [copy]], [[copy], [o]]):
        assert _strays(rig, parts, dict.fromkeys(shapes, rig), shapes) == [copy]


@pytest.mark.long
def test_one_rig_for_all_stays_that_when_it_is_updated(extension, context, person):
    crowd = [add_character(person)[0] for _ in range(2)]
    crowd[1].location.x = 3
    choose(*crowd)
    assert bpy.ops.object.geppetto_auto_rig(preset="shape", bodies="ONE") == {"FINISHED"}
    rig = armature_of(crowd[0])
    bones = {bone.name: tuple(bone.head_local) for bone in rig.data.bones}
    choose(rig)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert {bone.name for bone in rig.data.bones} == set(bones)
    for name, head in bones.items():
        np.testing.assert_allclose(rig.data.bones[name].head_local, head, atol=1e-4)
