"""What a picture of a character must show."""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.picture.bones import AMBER, bone_octahedra, joint_points, lie_at_doubtful, room_around
from core.picture.camera import View, fit_views, view_axes
from core.picture.png import encode_png
from core.picture.raster import rasterize
from core.picture.scene import SAMPLES, _draw_ball, _patches, render_character
from core.picture.sheet import join_panels
from core.picture.surface import Surface, join_surfaces, smooth_surface
from core.skeleton.rig import Rig


def ball(radius: float = 1.0, centre=(0, 0, 1)) -> Mesh:
    """A sphere of 32 x 16 cells with a seam: its first and last column lie on each other without being joined."""
    turn, tilt = np.meshgrid(np.linspace(0, 2 * np.pi, 33), np.linspace(0, np.pi, 17), indexing="ij")
    points = np.stack([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)], -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(32), np.arange(16), indexing="ij")
    a, b, c, d = (k.ravel() for k in (i * 17 + j, i * 17 + j + 1, i * 17 + j + 18, i * 17 + j + 17))
    return Mesh(radius * points + centre, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]))


RIG = Rig(("spine", "arm.L", "arm.R"), (-1, 0, 0), [[0, 0, 0.4], [0.1, 0, 1], [-0.1, 0, 1]],
          [[0, 0, 1.6], [0.7, 0, 1], [-0.7, 0, 1]])


def view_of(mesh, azimuth=0.0, height=120):
    return fit_views([mesh.vertices], [view_axes(azimuth)], height=height)[0]


def test_normals_of_a_ball_point_outwards_also_across_its_seam():
    mesh = ball()
    surface = smooth_surface(mesh)
    outward = mesh.triangles - [0, 0, 1]
    a, b, c = mesh.triangles.transpose(1, 0, 2)
    sound = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-9  # the poles' faces have no area
    assert np.einsum("fci,fci->fc", surface.normals, outward)[sound].min() > 0.99


def test_a_cube_keeps_its_edges():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1.0)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = Mesh(corners, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    normals = smooth_surface(mesh, crease=np.deg2rad(30)).normals
    np.testing.assert_allclose(np.abs(normals).max(2), 1, atol=1e-6)


def silhouette(surface, view) -> np.ndarray:
    """(H, W) bool, where the character covers the picture."""
    covered = np.zeros(view.width * view.height, bool)
    covered[rasterize(view.project(surface.vertices), surface.faces, view.width, view.height).pixel] = True
    return covered.reshape(view.height, view.width)


def test_the_ball_is_seen_round_and_where_the_view_says():
    mesh = ball()
    mask = silhouette(smooth_surface(mesh), view_of(mesh))
    rows, columns = np.nonzero(mask)
    assert mask.sum() == pytest.approx(np.pi / 4 * np.ptp(rows) * np.ptp(columns), rel=0.04)
    assert abs(rows.mean() + 0.5 - 60) < 1 and abs(columns.mean() + 0.5 - mask.shape[1] / 2) < 1


def test_the_front_is_seen_from_minus_y_with_the_characters_left_to_the_right():
    left_red, right_blue = ball(0.5, (1, 0, 1)), ball(0.5, (-1, 0, 1))
    both = join_surfaces([smooth_surface(left_red, (0.8, 0.0, 0.0)), smooth_surface(right_blue, (0.0, 0.0, 0.8))])
    view = fit_views([both.vertices], [view_axes(0.0)], height=90)[0]
    image = render_character(both, None, view).astype(int)
    mask = silhouette(both, view)
    middle = view.width // 2
    red, blue = image[..., 0] - image[..., 2], image[..., 2] - image[..., 0]
    assert red[:, middle:][mask[:, middle:]].mean() > 50 and blue[:, :middle][mask[:, :middle]].mean() > 50


def test_from_the_right_the_face_looks_to_the_right():
    nose = ball(0.2, (0, -2, 1))
    both = join_surfaces([smooth_surface(ball()), smooth_surface(nose)])
    view = fit_views([both.vertices], [view_axes(-np.pi / 2)], height=90)[0]
    assert view.project([[0, -2, 1]])[0, 0] > view.project([[0, 0, 1]])[0, 0]


def test_bones_show_inside_the_silhouette_and_the_character_outside_them():
    mesh = ball()
    surface, view = smooth_surface(mesh), view_of(mesh, height=200)
    bare, boned = render_character(surface, None, view), render_character(surface, RIG, view)
    # Skin is paled wherever bones are shown; what differs more than that is a bone.
    changed = np.abs(bare.astype(int) - boned).max(2) > 70
    mask = silhouette(surface, view)
    assert 0.01 < changed.mean() < 0.3
    assert mask[changed].all()
    assert (boned[~mask] == bare[~mask]).mean() > 0.97


def test_sides_have_colours_of_their_own():
    mesh = ball()
    view = view_of(mesh, height=240)
    image = render_character(smooth_surface(mesh), RIG, view).astype(int)
    x, y = view.project([[0.3, 0, 1], [-0.3, 0, 1]])[:, :2].astype(int).T
    left, right = image[y[0], x[0]], image[y[1], x[1]]
    assert left[2] - left[0] > 60 and right[0] - right[2] > 60


def test_an_octahedron_spans_its_bone_and_is_closed():
    points, faces = bone_octahedra(RIG)
    for bone in range(3):
        own = points[6 * bone:6 * bone + 6]
        np.testing.assert_allclose(own[0], RIG.heads[bone])
        np.testing.assert_allclose(own[5], RIG.tails[bone])
    a, b, c = points[faces].transpose(1, 0, 2)
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)).reshape(3, 8).sum(1)
    edges = np.sort(faces[:8][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    assert (volumes > 0).all()


def test_joints_are_drawn_once_where_bones_meet():
    points, is_tip = joint_points(Rig(("a", "b"), (-1, 0), [[0, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 2]]))
    assert sorted(zip(points[:, 2].tolist(), is_tip.tolist(), strict=True)) == [(0, False), (1, False), (2, True)]


@pytest.mark.slow
def test_doubtful_joints_are_amber_and_the_others_are_not():
    joints = {"spine": RIG.heads[0], "arm.L": RIG.heads[1], "arm.R": RIG.heads[2], "hand.R": RIG.tails[2]}
    unsure = replace(RIG, joints=joints, confidence={"arm.L": 0.2, "arm.R": 0.9, "hand.R": 1.0})
    points, _ = joint_points(unsure)
    np.testing.assert_array_equal(points[lie_at_doubtful(unsure, points)], [RIG.heads[1]])
    assert not lie_at_doubtful(RIG, points).any()
    surface = smooth_surface(ball())
    view = view_of(ball(), height=400)
    plain, image = (render_character(surface, rig, view).astype(float) / 255 for rig in (RIG, unsure))
    x, y = view.project(RIG.heads[1:])[:, :2].astype(int).T
    assert image[y[0], x[0], 0] - image[y[0], x[0], 2] > 0.6 and np.ptp(plain[y[0], x[0]]) < 0.1
    assert np.abs(image[y[0], x[0]] / image[y[0], x[0], 0] - AMBER).max() < 0.1
    np.testing.assert_array_equal(image[y[1], x[1]], plain[y[1], x[1]])
    np.testing.assert_array_equal(plain, render_character(surface, replace(RIG, joints=joints), view) / 255)


def test_views_share_scale_and_ground_and_keep_everything_inside():
    mesh = ball()
    tall = mesh.vertices * [0.3, 0.3, 2]
    views = fit_views([mesh.vertices, tall], [view_axes(0.0), view_axes(0.7)], height=300)
    assert views[0].scale == views[1].scale
    for view, points in zip(views, (mesh.vertices, tall), strict=True):
        seen = view.project(points)
        assert (seen[:, :2] > 0).all() and (seen[:, 0] < view.width).all() and (seen[:, 1] < view.height).all()
    grounds = [view.project([[0, 0, 0]])[0, 1] for view in views]
    assert grounds[0] == pytest.approx(grounds[1])


def test_the_picture_is_the_same_twice_and_leaves_its_input_alone():
    mesh = ball()
    surface, view = smooth_surface(mesh), replace(view_of(mesh, height=121), width=97)
    first = render_character(surface, RIG, view)
    np.testing.assert_array_equal(first, render_character(surface, RIG, view))
    assert first.shape == (121, 97, 3) and first.dtype == np.uint8


def test_colours_may_be_one_by_vertex_or_by_face():
    mesh = ball()
    red = np.array([[1.0, 0, 0]])
    for colors in ((1, 0, 0), red.repeat(len(mesh.vertices), 0), red.repeat(len(mesh.faces), 0)):
        assert (smooth_surface(mesh, colors).colors == [1, 0, 0]).all()
    with pytest.raises(ValueError, match="colors must be"):
        smooth_surface(mesh, np.zeros((5, 3)))


def test_a_card_seen_from_its_edge_is_a_picture_of_the_backdrop():
    card = Mesh(np.array([[0, 0, 0], [0, 1, 0], [0, 0, 2], [0, 1, 2.0]]), np.array([[0, 1, 2], [1, 3, 2]]), "card")
    surface = smooth_surface(card)
    view, = fit_views([surface.seen_points], [view_axes(0.0)], height=60)
    assert render_character(surface, None, view).min() > 100


def test_what_is_lit_of_each_pixel_is_what_the_triangles_cover(rng):
    view = View(np.eye(3), np.zeros(3), 1.0, 20, 10).enlarged(SAMPLES)
    points, faces = rng.uniform([0, 0, 0], [40, 20, 9], (60, 3)), np.arange(60).reshape(20, 3)
    points[:3] = [[0, 0, -1], [60, 0, -1], [0, 60, -1]]  # the first lies behind all others and fills many pixels
    seen = rasterize(points, faces, view.width, view.height)
    lit = _patches(seen, view)
    share, middle = np.zeros((200, 20)), np.zeros((2, 200, 20))
    at = seen.pixel // 40 // 2 * 20 + seen.pixel % 40 // 2, seen.triangle
    np.add.at(share, at, 0.25)
    for k, place in enumerate((seen.pixel % 40 + 0.5, seen.pixel // 40 + 0.5)):
        np.add.at(middle[k], at, 0.25 * place)
    assert (lit.share == share[lit.pixel, lit.triangle]).all() and len(lit.share) == (share > 0).sum() > 200
    np.testing.assert_allclose([lit.x, lit.y], (middle / np.maximum(share, 0.25))[:, lit.pixel, lit.triangle])


def test_a_texture_is_seen_where_its_faces_are():
    points = np.array([[-1, 0, 0], [1, 0, 0], [1, 0, 2], [-1, 0, 2.0]])
    square = np.array([[0, 1, 2], [0, 2, 3]])
    normals = np.broadcast_to([0.0, -1, 0], (2, 3, 3))
    uvs = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])[square]
    image = np.zeros((2, 2, 3))
    image[0, 0], image[0, 1], image[1] = (1, 0, 0), (0, 1, 0), (0, 0, 1)  # below: red, green; above: blue
    surface = Surface(points, square, normals, np.zeros((2, 3, 3)), uvs, (image,), [0, 0])
    other = Surface(points + [3, 0, 0], square, normals, np.full((2, 3, 3), 0.5))
    both = join_surfaces([other, surface, surface])
    assert both.texture_of_face.tolist() == [-1, -1, 0, 0, 1, 1]
    at = both.colors_at(np.array([2, 2, 3, 0]), np.array([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9],
                                                          [1, 0, 0]]))
    np.testing.assert_array_equal(at, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0.5]])
    repeated = Surface(points, square, normals, np.zeros((2, 3, 3)), uvs + [3, -2], (image,), [0, 0])
    places = np.array([0, 0, 1]), np.array([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]])
    np.testing.assert_array_equal(repeated.colors_at(*places), [[1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_panels_stand_side_by_side_on_one_ground():
    short, tall = np.full((4, 3, 3), 7, np.uint8), np.full((6, 2, 3), 9, np.uint8)
    sheet = join_panels([short, tall], gap=1)
    assert sheet.shape == (6, 6, 3)
    assert (sheet[2:, :3] == 7).all() and (sheet[:, 4:] == 9).all() and (sheet[:2, :3] > 200).all()


def decode(data: bytes) -> np.ndarray:
    """A PNG reader for what encode_png may write, written from the format's definition."""
    file = io.BytesIO(data)
    assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    packed = b""
    while True:
        size, kind = struct.unpack(">I4s", file.read(8))
        body = file.read(size)
        assert struct.unpack(">I", file.read(4))[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        elif kind == b"IEND":
            break
    channels = {2: 3, 6: 4}[color]
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    assert depth == 8 and (rows[:, 0] == 1).all()
    return np.cumsum(rows[:, 1:].reshape(height, width, channels), axis=1, dtype=np.uint8)


@pytest.mark.parametrize("channels", [3, 4])
def test_a_png_holds_the_image_to_the_last_bit(rng, channels):
    image = rng.integers(0, 256, (13, 17, channels)).astype(np.uint8)
    np.testing.assert_array_equal(decode(encode_png(image)), image)


def test_only_eight_bit_images_become_png():
    with pytest.raises(ValueError, match="uint8"):
        encode_png(np.zeros((2, 2, 3)))


def test_a_surface_checks_its_shapes():
    with pytest.raises(ValueError, match="normals"):
        Surface(np.zeros((3, 3)), [[0, 1, 2]], np.zeros((2, 3, 3)), np.zeros((1, 3, 3)))


def test_joints_have_the_room_of_the_shortest_bone_that_meets_there():
    rig = Rig(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 0, 2.0]]), np.array([[0, 0, 2.0], [0, 0.5, 2.0]]))
    points = np.array([[0, 0, 0], [0, 0, 2.0], [0, 0.5, 2.0]])
    np.testing.assert_allclose(room_around(rig, points), [2.0, 0.5, 0.5])


def test_a_joints_ball_is_round_and_whole():
    image = np.ones((41, 41, 3), np.float32)
    _draw_ball(image, 20.5, 20.5, 8.0, (1.0, 0.5, 0.0))
    drawn = (image != 1).any(2)
    aside = np.hypot(*(np.mgrid[:41, :41] - 20))
    np.testing.assert_array_equal(drawn, aside <= 8.0 * 1.35)
    assert image[20, 20, 0] > 0.7 > 0.35 > image[20, 30].max(), "its colour inside, a dark rim around"
    lit = [image[k, j, 0] for k, j in ((16, 16), (20, 20), (24, 24), (24, 16), (20, 30))]  # from above on the left
    np.testing.assert_allclose(lit, [0.9604, 0.8416, 0.6436, 0.7464, 0.28], atol=1e-4)
    edge = np.ones((20, 20, 3), np.float32)
    _draw_ball(edge, 0.0, 19.0, 5.0, (1.0, 0.5, 0.0))
    assert (edge != 1).any(), "cut off at the picture's edge"


LOOKS = {
    "bare": [(230.0, 227.1, 225.7), (204.1, 193.9, 185.7), (199.9, 194.7, 191.4),
             (195.2, 182.5, 172.0), (177.8, 161.5, 147.6), (159.6, 151.1, 145.3),
             (185.1, 182.8, 182.8), (132.0, 122.7, 116.0), (179.4, 178.3, 179.6)],
    "boned": [(232.1, 229.7, 228.8), (206.7, 198.4, 191.9), (206.5, 202.2, 199.6),
             (191.0, 179.9, 171.7), (169.2, 155.8, 143.3), (162.5, 156.8, 153.4),
             (190.7, 189.1, 189.6), (144.5, 137.0, 131.1), (185.8, 185.2, 186.8)]}


@pytest.mark.parametrize("name", LOOKS)
def test_light_shadow_and_colours_are_those_that_were_chosen(name):
    """The mean colour of each ninth of a picture; who means to change the look changes these."""
    nose = ball(0.3, (0.9, -0.5, 2.0))
    body = join_surfaces([smooth_surface(ball()), smooth_surface(nose)])
    heads, tails = RIG.heads * [1.8, 1, 1], RIG.tails * [1.8, 1, 1.2]
    rig = replace(RIG, heads=heads, tails=tails, confidence={"arm.L": 0.2},
                  joints={"spine": heads[0], "arm.L": heads[1], "arm.R": heads[2]})
    view = fit_views([body.vertices], [view_axes(0.5, 0.2)], height=90)[0]
    image = render_character(body, rig if name == "boned" else None, view)
    rows = [part for third in np.array_split(image, 3) for part in np.array_split(third, 3, axis=1)]
    np.testing.assert_allclose([part.mean((0, 1)) for part in rows], LOOKS[name], atol=0.25)


def test_bones_are_drawn_alike_in_a_part_of_the_picture_and_in_all_of_it():
    body = smooth_surface(ball())
    view = replace(view_of(ball(), height=200), width=300, height=300)
    corner = np.array([[1.3, 0, -0.3]])
    more = replace(RIG, names=(*RIG.names, "stub"), parents=np.append(RIG.parents, -1),
                   heads=np.concatenate([RIG.heads, corner]), tails=np.concatenate([RIG.tails, corner + [0, 0, 0.1]]),
                   x_axes=np.concatenate([RIG.x_axes, [[1.0, 0, 0]]]), connected=None, deform=None, collections=None)
    small, large = (render_character(body, rig, view).astype(int) for rig in (RIG, more))
    where = np.argwhere((small != large).any(2))
    x, y = view.project(corner + [0, 0, 0.05])[0, :2]
    assert len(where) > 20 and np.abs(where - [y, x]).max() < 20
