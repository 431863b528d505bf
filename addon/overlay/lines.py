"""Triangles to draw, in pixels of the region: bones as kites, joints as discs, points as squares. Arrays only."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from ...core.picture.bones import AMBER

COLORS = {"left": (0.22, 0.55, 1.0), "right": (1.0, 0.36, 0.26), "middle": (1.0, 0.76, 0.20),
          "joint": (1.0, 1.0, 1.0), "pinned": (0.16, 0.95, 0.45)}
EDGE = (0.04, 0.04, 0.05)


def depths(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(N,) how far behind the screen points lie: the smaller, the nearer to the viewer.  matrix : as for `project`"""
    clip = points @ matrix[:, :3].T + matrix[:, 3]
    return clip[:, 2] / np.where(np.abs(clip[:, 3]) > 1e-9, clip[:, 3], 1.0)


def project(matrix: np.ndarray, size: tuple[float, float], points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, 2) pixels from the region's lower left corner, and (N,) whether a point is in front of the viewer.

    matrix : (4, 4) world to clip space;  size : of the region in pixels;  points : (N, 3) world
    """
    clip = points @ matrix[:, :3].T + matrix[:, 3]
    front = clip[:, 3] > 1e-9
    depth = np.where(front, clip[:, 3], 1.0)
    return (clip[:, :2] / depth[:, None] * 0.5 + 0.5) * np.asarray(size, float), front


def kites(heads: np.ndarray, tails: np.ndarray, width: float, grow: float = 0.0) -> np.ndarray:
    """(N, 6, 2) two triangles a bone: thickest near the head, as Blender draws bones; `grow` pixels larger all round.

    heads, tails : (N, 2) pixels
    """
    along = tails - heads
    length = np.linalg.norm(along, axis=1, keepdims=True)
    unit = np.divide(along, length, out=np.zeros_like(along), where=length > 0)
    across = unit[:, ::-1] * [-1.0, 1.0] * (np.minimum(width, 0.2 * length) + grow)
    belly = heads + unit * np.minimum(0.15 * length, 2 * width)
    start, end = heads - grow * unit, tails + grow * unit
    return np.stack([start, belly + across, belly - across, belly - across, belly + across, end], axis=1)


def discs(centres: np.ndarray, radii: np.ndarray, segments: int = 20) -> np.ndarray:
    """(N, 3 segments, 2) the triangles of discs.  centres : (N, 2) pixels;  radii : (N,)"""
    turn = np.linspace(0, 2 * np.pi, segments + 1)
    rim = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    fan = np.stack([np.zeros((segments, 2)), rim[:-1], rim[1:]], axis=1).reshape(-1, 2)
    return centres[:, None] + np.asarray(radii, float)[:, None, None] * fan


def squares(centres: np.ndarray, half: float) -> np.ndarray:
    """(N, 6, 2) two triangles a point."""
    return centres[:, None] + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]], float)


def bars(starts: np.ndarray, ends: np.ndarray, half: float) -> np.ndarray:
    """(N, 6, 2) two triangles a line.  starts, ends : (N, 2) pixels"""
    along = ends - starts
    length = np.linalg.norm(along, axis=1, keepdims=True)
    across = np.divide(along[:, ::-1] * [-half, half], length, out=np.zeros_like(along), where=length > 0)
    return np.stack([starts - across, ends - across, ends + across, starts - across, ends + across, starts + across], 1)


def side_colors(names, colors: Mapping = COLORS) -> np.ndarray:
    """(N, 3) left blue, right red, the middle yellow, or as `colors` says."""
    sides = ["left" if n.endswith(".L") else "right" if n.endswith(".R") else "middle" for n in names]
    return np.array([tuple(colors[side]) for side in sides], float).reshape(-1, 3)


def painted(shapes: np.ndarray, colors, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """(M, 2) corners of (N, K, 2) triangles one after another, and (M, 4) their colours.  colors : (3,) or (N, 3)"""
    count, corners = shapes.shape[:2]
    colors = np.broadcast_to(np.asarray(colors, float), (count, 3))
    rgba = np.concatenate([colors, np.full((count, 1), alpha)], axis=1)
    return shapes.reshape(-1, 2), np.repeat(rgba, corners, axis=0)


def skeleton_picture(joints: np.ndarray, front: np.ndarray, names, bones, pinned: set, hovered: str, scale: float,
                     colors: Mapping = COLORS, doubtful: Collection[str] = ()) -> tuple[np.ndarray, np.ndarray]:
    """(M, 2) corners and (M, 4) colours of a skeleton's triangles, what lies above last.

    joints : (J, 2) pixels;  front : (J,) seen;  names : of the joints;  bones : (B, 2) joints each leads from and to
    pinned, hovered : joints drawn differently;  scale : of the screen's fonts and buttons;  colors : as COLORS
    doubtful : joints drawn amber and larger, whatever the colours, except those that are pinned
    """
    number = {name: j for j, name in enumerate(names)}
    bones = np.asarray(bones, int).reshape(-1, 2)
    bones = bones[front[bones].all(1)]
    heads, tails = joints[bones[:, 0]], joints[bones[:, 1]]
    tints = side_colors([names[j] for j in bones[:, 1]], colors)
    seen = np.flatnonzero(front)
    marked = {*pinned, *doubtful}
    sizes = np.array([(8.0 if names[j] == hovered else 6.5 if names[j] in marked else 5.0) for j in seen]) * scale
    fill = np.array([tuple(colors["pinned"] if names[j] in pinned else AMBER if names[j] in doubtful else
                           colors["joint"]) for j in seen], float).reshape(-1, 3)
    held = [number[n] for n in pinned if n in number and front[number[n]]]
    parts = [painted(kites(heads, tails, 5 * scale, 1.5 * scale), EDGE, 0.85),
             painted(kites(heads, tails, 5 * scale), tints, 0.9),
             painted(discs(joints[seen], sizes + 2 * scale), EDGE, 0.95),
             painted(discs(joints[seen], sizes), fill, 1.0),
             painted(discs(joints[held], np.full(len(held), 2.5 * scale)), EDGE, 1.0)]
    return np.concatenate([p for p, _ in parts]), np.concatenate([c for _, c in parts])


def nearest_joint(joints: np.ndarray, front: np.ndarray, at: tuple[float, float], reach: float,
                  depth: np.ndarray | None = None, handle: float = 0.0) -> int:
    """The number of the joint nearest to a place in the region, within `reach` pixels; -1 if there is none.

    depth : (J,) how far behind the screen; of handles that cover each other, so near as `handle`, the front one is
    taken
    """
    away = np.where(front, np.linalg.norm(joints - np.asarray(at, float), axis=1), np.inf)
    best = int(away.argmin()) if len(away) else -1
    if best < 0 or away[best] > reach:
        return -1
    if depth is not None:
        covering = np.flatnonzero(away <= min(away[best] + handle, reach))
        best = int(covering[depth[covering].argmin()])
    return best


def free_places(anchors: np.ndarray, sizes: np.ndarray, gap: float = 2.0) -> np.ndarray:
    """(N, 2) lower left corners of labels beside their joints, of which none covers another.

    anchors : (N, 2) pixels, where each would begin;  sizes : (N, 2) of the labels.  From the top down: a label that
    would cover one above it goes below it.
    """
    places = np.array(anchors, float)
    done: list[int] = []
    for i in np.argsort(-places[:, 1], kind="stable"):
        for _ in range(len(done)):
            hit = [j for j in done if (np.abs(places[i] + sizes[i] / 2 - places[j] - sizes[j] / 2)
                                       < (sizes[i] + sizes[j]) / 2 + gap - 1e-6).all()]
            if not hit:
                break
            places[i, 1] = min(places[j, 1] for j in hit) - sizes[i, 1] - gap
        done.append(int(i))
    return places
