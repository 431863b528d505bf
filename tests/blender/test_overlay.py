"""What is drawn of joints is where it should be, and what is grasped is what is nearest."""

from __future__ import annotations

import numpy as np

from geppetto.addon.overlay.lines import (
    AMBER,
    COLORS,
    bars,
    discs,
    free_places,
    kites,
    nearest_joint,
    painted,
    project,
    side_colors,
    skeleton_picture,
    squares,
)


def area(triangles: np.ndarray) -> np.ndarray:
    """(N,) unsigned areas of (N, 3 T, 2) triangles, added up for each shape."""
    a, b, c = np.moveaxis(triangles.reshape(len(triangles), -1, 3, 2), 2, 0)
    u, v = b - a, c - a
    return 0.5 * np.abs(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]).sum(1)


def test_projection_agrees_with_a_pinhole():
    matrix = np.array([[2.0, 0, 0, 0], [0, 2, 0, 0], [0, 0, -1, -0.2], [0, 0, -1, 0]])  # looking along -z
    pixels, front = project(matrix, (800, 600), np.array([[0, 0, -5.0], [1, 0, -4.0], [0, 1, -4.0], [0, 0, 5.0]]))
    np.testing.assert_allclose(pixels[:3], [[400, 300], [600, 300], [400, 450]])
    assert front.tolist() == [True, True, True, False]


def test_shapes_have_their_areas():
    middle = np.array([[10.0, 20.0], [-5.0, 3.0]])
    np.testing.assert_allclose(area(discs(middle, np.array([4.0, 2.0]), 64)), np.pi * np.array([16, 4]), rtol=0.01)
    np.testing.assert_allclose(area(squares(middle, 1.5)), 9.0)
    np.testing.assert_allclose(area(bars(middle, middle + [3.0, 4.0], 0.5)), 5.0)
    np.testing.assert_allclose(area(kites(middle, middle + [30.0, 40.0], 5.0)), 50 * 5.0)
    np.testing.assert_allclose(discs(middle, np.ones(2)).mean(1), middle, atol=0.2)


def test_a_bone_without_length_is_drawn_without_a_warning():
    assert np.isfinite(kites(np.zeros((1, 2)), np.zeros((1, 2)), 5.0, 1.0)).all()
    assert np.isfinite(bars(np.zeros((1, 2)), np.zeros((1, 2)), 1.0)).all()


def test_colours_tell_sides_and_every_corner_has_one():
    left, right, middle = side_colors(["hand.L", "hand.R", "head"])
    assert left[2] > left[0] and right[0] > right[2] and middle[0] > middle[2] and middle[1] > middle[2]
    corners, colors = painted(squares(np.zeros((3, 2)), 1.0), side_colors(["a.L", "b", "c.R"]), 0.5)
    assert corners.shape == (18, 2) and colors.shape == (18, 4) and (colors[:, 3] == 0.5).all()
    np.testing.assert_array_equal(colors[6:12, :3], np.repeat(middle[None], 6, 0))


def test_pinned_and_hovered_joints_look_different_and_hidden_ones_are_left_out():
    joints, names, bones = np.array([[0.0, 0], [50, 0], [100, 0]]), ("a", "b.L", "c.L"), [(0, 1), (1, 2)]
    front = np.ones(3, bool)
    plain = skeleton_picture(joints, front, names, bones, set(), "", 1.0)
    for pinned, hovered in (({"b.L"}, ""), (set(), "b.L")):
        other = skeleton_picture(joints, front, names, bones, pinned, hovered, 1.0)
        assert other[0].shape != plain[0].shape or not np.array_equal(other[0], plain[0])
    behind = skeleton_picture(joints, np.array([True, True, False]), names, bones, {"c.L"}, "", 1.0)
    assert behind[0][:, 0].max() < 70 and np.isfinite(behind[0]).all()
    nothing = skeleton_picture(joints, np.zeros(3, bool), names, bones, {"a"}, "a", 1.0)
    assert len(nothing[0]) == len(nothing[1]) == 0


def test_doubtful_joints_are_amber_on_any_theme_unless_they_are_pinned():
    joints, names, bones = np.array([[0.0, 0], [50, 0], [100, 0]]), ("a", "b.L", "c.L"), [(0, 1), (1, 2)]
    theme = dict.fromkeys(COLORS, (0.5, 0.5, 0.5)) | {"pinned": (0.0, 1.0, 0.0)}

    def colors_at(x: float, pinned: set, doubtful) -> set:
        corners, colors = skeleton_picture(joints, np.ones(3, bool), names, bones, pinned, "", 1.0, theme, doubtful)
        return {tuple(c[:3]) for p, c in zip(corners, colors, strict=True) if np.abs(p - [x, 0]).max() < 1e-9}

    assert AMBER in colors_at(50, set(), ("b.L",)) and AMBER not in colors_at(100, set(), ("b.L",))
    assert AMBER not in colors_at(50, {"b.L"}, ("b.L",)) and theme["pinned"] in colors_at(50, {"b.L"}, ("b.L",))
    plain, unsure = (skeleton_picture(joints, np.ones(3, bool), names, bones, set(), "", 1.0, COLORS, doubtful)
                     for doubtful in ((), ("a",)))
    assert unsure[0][:, 1].max() > plain[0][:, 1].max(), "a doubtful joint is larger, for those who see no colours"


def test_the_nearest_joint_within_reach_is_grasped():
    joints = np.array([[0.0, 0.0], [10.0, 0.0], [11.0, 0.0]])
    front = np.array([True, True, True])
    assert nearest_joint(joints, front, (9.0, 1.0), 12.0) == 1
    assert nearest_joint(joints, front, (40.0, 0.0), 12.0) == -1
    assert nearest_joint(joints, np.array([True, False, False]), (11.0, 0.0), 12.0) == 0
    assert nearest_joint(np.zeros((0, 2)), np.zeros(0, bool), (0, 0), 12.0) == -1


def test_of_handles_that_cover_each_other_the_nearer_one_is_taken():
    joints, front = np.array([[100.0, 100.0], [103.0, 100.0], [140.0, 100.0]]), np.ones(3, bool)
    depth = np.array([0.9, 0.2, 0.1])
    assert nearest_joint(joints, front, (100, 100), 20.0, depth, 7.0) == 1
    assert nearest_joint(joints, front, (100, 100), 20.0) == 0
    assert nearest_joint(joints, front, (130, 100), 20.0, depth, 7.0) == 2
    assert nearest_joint(joints, front, (100, 118), 20.0, depth, 7.0) == 1
    assert nearest_joint(joints, front, (100, 130), 20.0, depth, 7.0) == -1


def test_labels_do_not_cover_each_other(rng):
    anchors, sizes = rng.uniform(0, 120, (24, 2)), rng.uniform([30, 10], [90, 14], (24, 2))
    places = free_places(anchors, sizes)
    apart = np.abs(places[:, None] + sizes[:, None] / 2 - places - sizes / 2) >= (sizes[:, None] + sizes) / 2 - 1e-6
    assert (apart.any(2) | np.eye(24, dtype=bool)).all()
    np.testing.assert_array_equal(free_places(anchors[:1], sizes[:1]), anchors[:1])
