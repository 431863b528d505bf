"""What of a scene becomes the character's mesh."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from geppetto.addon.bridge.mesh import at_rest, own_points, pick_objects, read_character, read_triangles
from geppetto.addon.bridge.skin import _near
from geppetto.core.errors import BadMesh

from .scenes import add_cube, add_mesh, fingerprint, world_points


def volume(mesh) -> float:
    a, b, c = mesh.triangles.transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


@pytest.mark.parametrize("matrix", [
    Matrix.Identity(4),
    Matrix.LocRotScale((3, -2, 7), Euler((0.3, 1.1, -2.0)), (1, 1, 1)),
    Matrix.LocRotScale((0, 0, 5), Euler((0.5, 0, 0)), (0.2, 3, 1)),
    Matrix.LocRotScale((1, 0, 0), None, (-1, 1, 1)),
    Matrix.LocRotScale((1, 0, 0), Euler((0, 0, 1)), (-2, -0.5, -1)),
], ids=["still", "moved and turned", "unevenly scaled", "mirrored", "thrice mirrored"])
def test_positions_are_the_worlds_and_the_outside_stays_outside(context, matrix):
    cube = add_cube()
    cube.matrix_world = matrix
    context.view_layer.update()
    mesh = read_character(context, [cube]).mesh
    np.testing.assert_allclose(mesh.vertices, world_points(cube), rtol=1e-6, atol=1e-6)
    assert volume(mesh) == pytest.approx(abs(matrix.determinant()), rel=1e-5)


def test_objects_become_parts_one_after_another(context):
    first, second = add_cube("first"), add_cube("second")
    second.location.x = 5
    context.view_layer.update()
    character = read_character(context, [first, second])
    assert [p.object for p in character.parts] == [first, second]
    np.testing.assert_array_equal(character.mesh.part_of_vertex, np.repeat([0, 1], 8))
    for part in character.parts:
        np.testing.assert_allclose(character.mesh.vertices[part.source], world_points(part.object), atol=1e-6)


def test_a_character_is_called_as_what_its_parts_hang_on_or_as_the_largest(context):
    large, fine = add_cube("Seat"), add_cube("Screw")
    large.scale = 5, 5, 5
    fine.modifiers.new("fine", "SUBSURF").subdivision_type = "SIMPLE"
    context.view_layer.update()
    assert read_character(context, [fine, large]).mesh.name == "Seat"
    car, group = (bpy.data.objects.new(name, None) for name in ("Car", "Inner"))
    for o in (car, group):
        context.collection.objects.link(o)
    group.parent = large.parent = car
    fine.parent = group
    assert read_character(context, [fine, large]).mesh.name == "Car"
    large.parent, fine.parent = None, large
    assert read_character(context, [fine, large]).mesh.name == "Seat"
    assert read_character(context, [fine]).mesh.name == "Screw"


def test_polygons_are_read_as_triangles_and_stay_polygons(context):
    angle = np.linspace(0, 2 * np.pi, 7, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    prism = add_mesh("prism", np.concatenate([ring, ring + [0, 0, 1]]),
                     [range(6, -1, -1), range(7, 14), *[(i, (i + 1) % 7, 7 + (i + 1) % 7, 7 + i) for i in range(7)]])
    before = fingerprint(prism)
    mesh = read_character(context, [prism]).mesh
    assert len(mesh.faces) == 5 + 5 + 2 * 7
    assert volume(mesh) == pytest.approx(7 / 2 * np.sin(2 * np.pi / 7), rel=1e-5)
    assert fingerprint(prism) == before


def half_cube():
    """The x >= 0 half of a box of 2 x 1 x 1, open where the other half goes."""
    points = [(x, y, z) for x in (0, 1) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    return add_mesh("half", points, [(4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])


def test_a_mirror_modifier_makes_the_shape_whole(context):
    half = half_cube()
    half.modifiers.new("Mirror", "MIRROR")
    character = read_character(context, [half])
    assert volume(character.mesh) == pytest.approx(2.0, rel=1e-6)
    np.testing.assert_allclose(character.mesh.vertices[character.parts[0].source], world_points(half), atol=1e-6)
    assert len(half.data.vertices) == 8


@pytest.mark.parametrize("by", ["shape key", "lattice", "both"])
def test_vertices_of_a_mirrored_half_are_found_where_shape_keys_and_lattices_have_brought_them(context, by):
    """The own vertices stay behind: the nearest of the whole to where they are is any other."""
    half = half_cube()
    half.modifiers.new("Mirror", "MIRROR")
    brought = np.zeros(3)
    if by != "lattice":
        half.shape_key_add(name="Basis")
        key = half.shape_key_add(name="up")
        key.value = 0.5
        for point in key.data:
            point.co.z += 4.0
        brought += (0.0, 0.0, 2.0)
    if by != "shape key":
        cage = bpy.data.objects.new("cage", bpy.data.lattices.new("cage"))
        context.scene.collection.objects.link(cage)
        cage.scale = (9.0, 9.0, 9.0)
        for point in cage.data.points:
            point.co_deform.y += 0.5
        half.modifiers.new("Lattice", "LATTICE").object = cage
        brought += (0.0, 4.5, 0.0)
    context.view_layer.update()
    shown = [m.show_viewport for m in half.modifiers]
    character = read_character(context, [half])
    found = character.mesh.vertices[character.parts[0].source]
    np.testing.assert_allclose(found, world_points(half) + brought, atol=1e-5)
    assert [m.show_viewport for m in half.modifiers] == shown


def test_what_a_mask_hides_goes_with_the_clothes_over_it(context):
    cube, shirt = add_cube(), add_cube("shirt", 1.1)
    corners, faces = own_points(cube), [list(p.vertices) for p in cube.data.polygons]
    body = add_mesh("body", np.concatenate([corners - [0, 0, 2], corners, corners + [0, 0, 2]]),
                    [[8 * k + v for v in f] for k in range(3) for f in faces])
    bpy.data.objects.remove(cube)
    body.vertex_groups.new(name="hidden").add(range(8, 16), 1.0, "REPLACE")
    mask = body.modifiers.new("Mask", "MASK")
    mask.vertex_group, mask.invert_vertex_group = "hidden", True
    body.location = shirt.location = (0.0, 3.0, 0.0)
    context.view_layer.update()
    mesh, parts = (character := read_character(context, [body, shirt])).mesh, character.parts
    taken = mesh.part_of_vertex[parts[0].source]
    np.testing.assert_array_equal(taken, np.repeat([0, 1, 0], 8))
    np.testing.assert_allclose(mesh.vertices[parts[0].source], world_points(body), atol=0.1)


def test_solidify_gives_a_sheet_its_volume_and_subdivision_is_left_out(context):
    sheet = add_mesh("sheet", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])
    sheet.modifiers.new("Solidify", "SOLIDIFY").thickness = 0.25
    subdivision = sheet.modifiers.new("Subdivision", "SUBSURF")
    subdivision.levels = 4
    character = read_character(context, [sheet])
    assert len(character.mesh.vertices) == 8
    assert volume(character.mesh) == pytest.approx(0.25, rel=1e-5)
    assert subdivision.show_viewport and subdivision.levels == 4


def test_shape_keys_count_as_they_show(context):
    cube = add_cube()
    cube.shape_key_add(name="Basis")
    wide = cube.shape_key_add(name="Wide")
    for point in wide.data:
        point.co.x *= 3
    wide.value = 0.0  # new keys start at 0 up to Blender 5.1, at 1 later
    context.view_layer.update()
    assert volume(read_character(context, [cube]).mesh) == pytest.approx(1.0, rel=1e-5)
    wide.value = 1.0
    context.view_layer.update()
    assert volume(read_character(context, [cube]).mesh) == pytest.approx(3.0, rel=1e-5)


def test_a_posed_character_is_read_at_rest(context):
    cube = add_cube()
    armature = bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature"))
    context.scene.collection.objects.link(armature)
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.new("bone").tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    cube.vertex_groups.new(name="bone").add(range(8), 1.0, "REPLACE")
    cube.modifiers.new("Armature", "ARMATURE").object = armature
    carried = add_cube("carried")
    carried.parent, carried.parent_type, carried.parent_bone = armature, "BONE", "bone"
    context.view_layer.update()
    rests = np.array(carried.matrix_world)
    armature.pose.bones["bone"].location.x = 10
    context.view_layer.update()
    mesh = read_character(context, [cube, carried]).mesh
    np.testing.assert_allclose(mesh.vertices[:8], world_points(cube), atol=1e-6)
    np.testing.assert_allclose(mesh.vertices[8:].mean(0), rests[:3, 3], atol=1e-5)
    assert armature.data.pose_position == "POSE" and cube.modifiers["Armature"].show_viewport


@pytest.mark.parametrize("fails", [False, True])
def test_armatures_and_modifiers_are_afterwards_as_they_were_shown(context, fails):
    """Also those that rested or were off before."""
    cube, armatures = add_cube(), [bpy.data.armatures.new(name) for name in ("POSE", "REST")]
    for armature in armatures:
        armature.pose_position = armature.name
    for kind, shown in (("SUBSURF", True), ("SUBSURF", False), ("MIRROR", True), ("MIRROR", False), ("CLOTH", False)):
        cube.modifiers.new(kind, kind).show_viewport = shown
    state = lambda: [a.pose_position for a in armatures] + [m.show_viewport for m in cube.modifiers]  # noqa: E731
    before = state()
    try:
        with at_rest(context, [cube]):
            assert state() == ["REST", "REST", False, False, True, False, False]
            if fails:
                raise BadMesh("broken off")
    except BadMesh:
        assert fails
    assert state() == before


def test_lines_of_grease_pencil_are_named(context):
    made = getattr(bpy.data, "grease_pencils_v3", bpy.data.grease_pencils).new("lashes")
    lashes, body = bpy.data.objects.new("lashes", made), add_cube("body")
    context.scene.collection.objects.link(lashes)
    context.view_layer.update()
    assert pick_objects([body, lashes]) == ([body], [
        "'lashes' is not a mesh and was left out. Convert it to a mesh if it belongs to the character."])


def test_what_is_no_part_of_the_character_is_named(context):
    body = add_cube("body")
    hidden = add_cube("hidden")
    hidden.hide_set(True)
    add_mesh("points", [(0, 0, 0), (9, 9, 9)], [])
    curve = bpy.data.objects.new("curve", bpy.data.curves.new("curve", "CURVE"))
    text = bpy.data.objects.new("text", bpy.data.curves.new("text", "FONT"))
    instance = bpy.data.objects.new("instance", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", bpy.data.collections.new("crowd")
    for o in (curve, text, instance):
        context.scene.collection.objects.link(o)
    character = read_character(context, context.scene.objects)
    assert [p.object for p in character.parts] == [body]
    said = " ".join(character.warnings)
    assert all(f"'{name}'" in said for name in ("hidden", "points", "curve", "instance"))
    assert "1 more" in said


@pytest.mark.parametrize(("kind", "shown", "said"), [
    ("REMESH", True, "'points' has no faces left after its modifiers"), ("REMESH", False, "without faces"),
    ("SUBSURF", True, "without faces")])
def test_what_may_grow_faces_is_asked_for_them(context, kind, shown, said):
    points = add_mesh("points", [(0, 0, 0), (9, 9, 9)], [])
    points.modifiers.new("modifier", kind).show_viewport = shown
    character = read_character(context, [add_cube("body"), points])
    assert len(character.parts) == 1 and len(character.warnings) == 1 and said in character.warnings[0]


def test_bone_shapes_are_not_the_character(context):
    body, widget = add_cube("body"), add_cube("widget")
    armature = bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature"))
    context.scene.collection.objects.link(armature)
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.new("bone").tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.pose.bones["bone"].custom_shape = widget
    assert [p.object for p in read_character(context, context.scene.objects).parts] == [body]


def test_nothing_to_rig_says_what_to_do(context):
    with pytest.raises(BadMesh, match="Select the character's mesh"):
        read_character(context, [])
    add_cube("body").hide_set(True)
    with pytest.raises(BadMesh, match=r"'body' is hidden.*Show it"):
        read_character(context, context.scene.objects)


def test_numbers_that_are_not_finite_name_the_object(context):
    add_cube("good")
    bad = add_cube("bad")
    bad.data.vertices[3].co.x = float("nan")
    with pytest.raises(BadMesh, match="'bad' has 1 vertex"):
        read_character(context, context.scene.objects)


def test_how_many_numbers_are_not_finite_is_said_and_an_object_that_stands_nowhere_is_told_apart(context):
    bad = add_cube("bad")
    for count, said in ((1, "'bad' has 1 vertex whose coordinates .* Delete it,"),
                        (2, "'bad' has 2 vertices whose coordinates .* Delete them,")):
        bad.data.vertices[count].co.x = float("nan")
        with pytest.raises(BadMesh, match=said):
            read_character(context, [bad])
    lost = add_cube("lost")
    lost.location.x = float("nan")
    context.view_layer.update()
    with pytest.raises(BadMesh, match="place, rotation or scale of 'lost' is not a finite number"):
        read_character(context, [lost])


def test_corners_at_vertices_that_are_not_there_name_the_mesh(context):
    bad = add_mesh("bad", [(0, 0, 0), (1, 0, 0), (0, 0, 1)], [(0, 1, 2)])
    bad.data.loops[2].vertex_index = 3
    with pytest.raises(BadMesh, match=r"'bad' has faces with corners at vertices that are not there.*Export"):
        read_triangles(bad.data)
    bad.data.loops[2].vertex_index = 2  # Blender must not meet it again


def test_near_is_within_reach_of_one_of_the_places():
    points = np.array([[0, 0, 0], [3, 0, 0], [3, 0.9, 0], [3, 1.1, 0], [0, 5, 0.5]])
    assert _near(points, np.array([[3, 0, 0], [0, 5, 0]]), 1.0).tolist() == [False, True, True, False, True]


def test_what_is_linked_from_another_file_is_left_out_by_name(context, tmp_path):
    body, other = add_cube("body"), add_cube("theirs")
    bpy.data.libraries.write(str(tmp_path / "theirs.blend"), {other})
    bpy.data.objects.remove(other)
    with bpy.data.libraries.load(str(tmp_path / "theirs.blend"), link=True) as (_, wanted):
        wanted.objects = ["theirs"]
    context.scene.collection.objects.link(wanted.objects[0])
    context.view_layer.update()
    picked, warnings = pick_objects([body, wanted.objects[0]])
    assert picked == [body] and any("'theirs' is linked from another file" in text for text in warnings)


@pytest.mark.parametrize("helper", ["cage", "cutter", "UCX_body_00", "UBX_body.001", "body-convcolonly"])
def test_helpers_whose_surface_nobody_sees_are_left_out_by_name(context, helper):
    body, other = add_cube("body"), add_cube(helper)
    if helper in ("cage", "cutter"):
        other.display_type, other.hide_render = {"cage": "WIRE", "cutter": "BOUNDS"}[helper], True
    picked, warnings = pick_objects([body, other])
    assert picked == [body] and any(f"'{helper}' is a collision shape or a helper" in text for text in warnings)
    assert pick_objects([other]) == ([other], [])


def test_of_a_mesh_and_the_cage_that_deforms_it_the_mesh_is_picked_and_the_cage_told(context):
    body, cage = add_cube("body"), add_cube("cage")
    body.modifiers.new("Mesh Deform", "MESH_DEFORM").object = cage
    assert pick_objects([cage, body]) == ([body], [
        "'cage' is the cage of a Mesh Deform modifier and was left out, as what it deforms follows the bones."])
    assert pick_objects([cage]) == ([cage], [])


def test_what_is_drawn_as_wires_but_rendered_is_no_helper(context):
    body, hair = add_cube("body"), add_cube("hair")
    hair.display_type = "WIRE"
    body.hide_render = True
    assert pick_objects([body, hair]) == ([body, hair], [])
