"""A character under soft light with its skeleton showing through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from ..skeleton.rig import Rig
from .bones import AMBER, BALL, bone_colors, bone_octahedra, joint_points, lie_at_doubtful, room_around
from .camera import View
from .raster import Fragments, rasterize
from .surface import Surface

SAMPLES = 2  # per pixel each way
ABOVE, BELOW = np.array([0.96, 0.965, 0.975]), np.array([0.78, 0.80, 0.83])  # the backdrop, screen values
KEY, FILL = np.array([-0.60, 0.60, 0.53]), np.array([0.80, 0.00, 0.60])  # where light comes from: right, up, viewer
INK = np.array([0.10, 0.10, 0.13], np.float32)
SKY, GROUND = np.array([0.50, 0.54, 0.62]), np.array([0.34, 0.29, 0.25])
SHADOW = 4.0  # times its depth: so far off, single precision has nothing left of it
BRIGHTEST = 4.0  # linear light above looks the same


def render_character(surface: Surface, rig: Rig | None, view: View) -> np.ndarray:
    """The picture of a character, its bones drawn over it, doubtful joints larger and amber.

    rig : None draws the character alone.  Returns (H, W, 3) uint8.  About 0.1 s for 60 000 triangles in 800 x 600.
    """
    fine = view.enlarged(SAMPLES)
    image = _backdrop(view, surface)
    fragments = rasterize(fine.project(surface.vertices), surface.faces, fine.width, fine.height)
    has_bones = rig is not None and len(rig.names) > 0
    seen = _patches(fragments, fine)
    lit = _to_screen(_light(fragments, seen, surface, view) * _occlusion(fragments, fine)[seen.pixel, None])
    if has_bones:  # a paler skin lets the bones stand out
        lit = lit * np.float32(0.86) + np.float32(0.14)
    flat, count = image.reshape(-1, 3), view.width * view.height
    left = 1 - np.bincount(seen.pixel, seen.share, count).astype(np.float32)
    for k in range(3):
        flat[:, k] *= left
        flat[:, k] += np.bincount(seen.pixel, seen.share * lit[:, k], count)
    if has_bones:
        _draw_bones(image, rig, fine, _size(surface, fine))
    return (np.clip(image, 0, 1) * 255 + 0.5).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class _Patches:
    """What is lit: of each pixel of the picture the part that one triangle covers.

    pixel : (N,) of the picture;  triangle : (N,)
    share : (N,) of the pixel;  x, y : (N,) the middle of the covered samples, in samples
    """

    pixel: np.ndarray
    triangle: np.ndarray
    share: np.ndarray
    x: np.ndarray
    y: np.ndarray


def _patches(fragments: Fragments, fine: View) -> _Patches:
    """A surface that fills a pixel is lit once there, not in every sample."""
    row, column = _places(fragments.pixel, fine.width)
    (above, down), (before, right) = _places(row, SAMPLES), _places(column, SAMPLES)
    across = fine.width // SAMPLES
    owner = np.full((SAMPLES**2, across * fine.height // SAMPLES), -1, np.int32)
    sample, place = down * SAMPLES + right, above * across + before
    owner.ravel()[sample * owner.shape[1] + place] = fragments.triangle
    covered = np.flatnonzero(owner.max(0) >= 0)
    owner, (down, right) = owner.take(covered, 1), np.divmod(np.arange(SAMPLES**2), SAMPLES)
    found = []
    for k, triangle in enumerate(owner):
        alike = owner == triangle
        new = np.flatnonzero((triangle >= 0) & ~np.bitwise_or.reduce(alike[:k]))
        alike, place = alike.take(new, 1).astype(np.float32), covered[new]
        count = alike.sum(0)
        found.append((place, triangle[new], count / SAMPLES**2, place % across * SAMPLES + right @ alike / count + 0.5,
                      place // across * SAMPLES + down @ alike / count + 0.5))
    return _Patches(*map(np.concatenate, zip(*found, strict=True)))


def _places(number: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and places within them, of numbers along rows of a width; `np.divmod` takes far longer."""
    row = number // width
    return row, number - row * width


def _size(surface: Surface, view: View) -> float:
    """Longest side of the character in pixels."""
    seen = view.project(surface.seen_points)
    return float(np.ptp(seen, axis=0).max()) if len(seen) else 1.0


def _backdrop(view: View, surface: Surface) -> np.ndarray:
    """(H, W, 3) light studio backdrop with a soft shadow where the character stands."""
    up = np.linspace(1, 0, view.height, dtype=np.float32)[:, None, None]
    image = np.repeat((BELOW + (ABOVE - BELOW) * np.sqrt(up)).astype(np.float32), view.width, axis=1)
    seen = view.project(surface.seen_points)
    tall = float(np.ptp(seen[:, 1]))
    floor = float(seen[:, 1].max())
    low = seen[seen[:, 1] > floor - 0.12 * tall, 0]
    middle, half = (low.min() + low.max()) / 2, (low.max() - low.min()) / 2 + 0.05 * tall
    deep = max(0.035 * tall, 1.0)
    top, bottom = np.clip([floor - SHADOW * deep, floor + SHADOW * deep + 1], 0, view.height).astype(int)
    y, x = np.ogrid[top:bottom, 0:view.width]
    r = ((x + 0.5 - middle) / half) ** 2 + ((y + 0.5 - floor) / deep) ** 2
    shade = 1 - 0.38 * np.exp(-1.6 * r.astype(np.float32))
    for k in range(3):  # whole rows of one colour: short axes are slow
        image[top:bottom, :, k] *= shade
    return image


def _light(fragments: Fragments, seen: _Patches, surface: Surface, view: View) -> np.ndarray:
    """(N, 3) linear light leaving the visible surface: sky, a large key light, a fill and a rim."""
    weights = fragments.barycentric(seen.triangle, seen.x, seen.y)
    turned = surface.normals @ view.axes.T.astype(np.float32)
    normal = np.einsum("nc,ncd->dn", weights, turned[seen.triangle])
    normal /= np.maximum(np.sqrt((normal**2).sum(0)), np.float32(1e-6))
    normal *= np.where(normal[2] < 0, np.float32(-1), np.float32(1))
    key, fill, half = (np.float32(d / np.linalg.norm(d)) for d in (KEY, FILL, KEY / np.linalg.norm(KEY) + [0, 0, 1]))
    wrapped = np.maximum((key @ normal + np.float32(0.1)) / np.float32(1.1), 0)
    filled = np.float32(0.20) * np.maximum(fill @ normal, 0)
    gloss = np.maximum(half @ normal, 0)**2
    gloss = (gloss * gloss * gloss)**2
    rim = 1 - normal[2]
    rest = np.float32(0.05) * gloss * gloss, np.float32(0.10) * rim * rim * rim
    light = [np.float32(0.25 * (sky + ground)) + np.float32(0.25 * (sky - ground)) * normal[1]
             + np.float32(0.92 * sun) * wrapped + filled
             for sky, ground, sun in zip(SKY, GROUND, (1.0, 0.96, 0.90), strict=True)]
    color = surface.colors_at(seen.triangle, weights)
    for k, sky in enumerate(SKY.astype(np.float32)):
        color[:, k] = color[:, k] * light[k] + rest[0] + rest[1] * sky
    return color


def _occlusion(fragments: Fragments, fine: View) -> np.ndarray:
    """(H W,) how open each place of the picture is: darker where the surface lies behind its surroundings."""
    cells = (-(-fine.height // 4), -(-fine.width // 4))
    row, column = _places(fragments.pixel, fine.width)
    cell = row // 4 * cells[1] + column // 4
    count = np.bincount(cell, minlength=cells[0] * cells[1])
    total = np.bincount(cell, fragments.depth, minlength=cells[0] * cells[1])
    covered = (count > 0).reshape(cells).astype(np.float32)
    depth = np.divide(total, count, out=np.zeros(len(total)), where=count > 0).reshape(cells).astype(np.float32)
    shade = np.zeros(cells, np.float32)
    for reach in (0.008, 0.03):
        sigma = max(reach * fine.height / 4, 0.5)
        near = ndimage.gaussian_filter(covered, sigma, truncate=2.5)
        around = ndimage.gaussian_filter(depth * covered, sigma, truncate=2.5) / np.maximum(near, 1e-3)
        shade += np.clip((around - depth) / np.float32(10 * sigma), 0, 1) * np.float32(0.9)
    open_ = 1 - np.minimum(shade, np.float32(0.55))
    side = 4 // SAMPLES
    return open_.repeat(side, 0).repeat(side, 1)[:fine.height // SAMPLES, :fine.width // SAMPLES].ravel()


def _to_screen(linear: np.ndarray) -> np.ndarray:
    """Linear light as screen values, highlights rolled off gently; to a tenth of what eight bits tell apart."""
    steps = len(_SCREEN) - 1
    return _SCREEN[(np.clip(linear, 0, BRIGHTEST) * np.float32(steps / BRIGHTEST)).astype(np.int32)]


def _screen_values() -> np.ndarray:
    linear = (np.arange(1 << 16) + 0.5) * (BRIGHTEST / ((1 << 16) - 1))
    rolled = np.where(linear > 0.7, 0.7 + 0.3 * (1 - np.exp(-(linear - 0.7) / 0.3)), linear)
    return np.where(rolled < 0.0031308, 12.92 * rolled, 1.055 * rolled ** (1 / 2.4) - 0.055).astype(np.float32)


_SCREEN = _screen_values()


def _draw_bones(picture, rig: Rig, view: View, size: float) -> None:
    """Blend octahedra, their outlines and the joints' balls over a picture, in place.

    view, size : in samples
    """
    points, faces = bone_octahedra(rig, most=0.016 * size / view.scale)
    joints, is_tip = joint_points(rig)
    is_doubtful = lie_at_doubtful(rig, joints)
    radius = np.maximum(np.where(is_doubtful, 0.0100, np.where(is_tip, 0.0050, 0.0075)) * size, 2.0 * SAMPLES)
    radius = np.where(is_doubtful, radius, np.minimum(radius, 0.2 * room_around(rig, joints) * view.scale))
    corners, at = view.project(points), view.project(joints)
    drawn, reach = np.concatenate([corners, at])[:, :2], 1.35 * radius.max() + 2
    ends = np.array([drawn.min(0) - reach, drawn.max(0) + reach + SAMPLES]) // SAMPLES
    (left, top), (right, bottom) = np.clip(ends, 0, picture.shape[1::-1]).astype(int)
    part = picture[top:bottom, left:right]
    image = part.repeat(SAMPLES, 1).repeat(SAMPLES, 0)
    corner = [left * SAMPLES, top * SAMPLES, 0]
    _draw_octahedra(image, corners - corner, points, faces, rig, view)
    for j in np.argsort(is_doubtful, kind="stable"):  # no other joint hides a doubtful one
        x, y, _ = at[j] - corner
        _draw_ball(image, x, y, radius[j], AMBER if is_doubtful[j] else BALL)
    for k in range(3):  # whole rows of one colour: short axes are slow
        part[..., k] = sum(image[i::SAMPLES, j::SAMPLES, k] for i, j in np.ndindex(SAMPLES, SAMPLES)) / SAMPLES**2


def _draw_octahedra(image, corners, points, faces, rig: Rig, view: View) -> None:
    """Blend octahedra and their outlines over an image, in place.

    corners : (6 B, 3) in its pixels;  points : (6 B, 3) the same in the rig's space
    """
    height, width = image.shape[:2]
    seen = rasterize(corners, faces, width, height)
    corner = points[faces] @ view.axes.T
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    lit = 0.55 + 0.45 * np.clip(np.abs(normal @ (KEY / np.linalg.norm(KEY))), 0, 1)
    color = _to_screen(np.repeat(bone_colors(rig), 8, 0) * lit[:, None])
    flat = image.reshape(-1, 3)
    flat[seen.pixel] = np.float32(0.12) * flat[seen.pixel] + np.float32(0.88) * color[seen.triangle]
    owner = np.full((height, width), -1, np.int32)
    owner.ravel()[seen.pixel] = seen.triangle // 8
    edge = np.zeros((height, width), bool)
    edge[1:] |= owner[1:] != owner[:-1]
    edge[:, 1:] |= owner[:, 1:] != owner[:, :-1]
    wide = edge.copy()
    wide[1:] |= edge[:-1]
    wide[:-1] |= edge[1:]
    wide[:, 1:] |= edge[:, :-1]
    wide[:, :-1] |= edge[:, 1:]
    inked = np.flatnonzero(wide)
    flat[inked] = np.float32(0.3) * flat[inked] + np.float32(0.7) * INK


def _draw_ball(image, x: float, y: float, radius: float, color) -> None:
    """A small shaded ball with a dark rim, in place."""
    height, width = image.shape[:2]
    reach = radius * 1.35
    (left, right), (top, bottom) = ([min(max(end, 0), most) for end in (int(at - reach), int(at + reach) + 2)]
                                    for at, most in ((x, width), (y, height)))
    v, u = (np.arange(top, bottom)[:, None] + 0.5 - y) / radius, (np.arange(left, right) + 0.5 - x) / radius
    distance = np.hypot(u, v)
    inside, ring = distance <= 1, distance <= 1.35
    patch = image[top:bottom, left:right]
    patch[ring] = 0.2 * patch[ring] + 0.8 * INK
    shade = np.clip(1.0 - 0.28 * np.hypot(u + 0.4, v + 0.4), 0.4, 1)
    patch[inside] = shade[inside, None] * np.array(color)
