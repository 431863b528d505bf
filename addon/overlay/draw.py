"""The shown joints on the screen, rebuilt from the pins of the moment with every redraw."""

from __future__ import annotations

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from .. import names
from ..editing import joints, pins
from ..editing.grasp import held
from ..preferences import preferences
from ..words.joint_words import joint_word
from ..words.telling import tell
from .lines import (
    COLORS,
    EDGE,
    bars,
    depths,
    discs,
    free_places,
    nearest_joint,
    painted,
    project,
    skeleton_picture,
    squares,
)
from .slices import AXES, FADE, cells, cut, depth_colors

hovered = ""  # the joint under the mouse; the gizmo says which
asked = ""  # the joint that Next Doubt has shown: it is named until another one is under the mouse
SECOND = (0.72, 0.72, 0.74)  # what is written second
BACK = 0.3  # how much is seen of the handles where they step back


def on_screen(context) -> tuple[np.ndarray, np.ndarray] | None:
    """((J, 2) pixels, (J,) in front) of the shown joints in this region; None if nothing is shown."""
    what = joints.seen_in(context)
    found = what.places(context) if what is not None else None
    if found is None:
        return None
    return project(_clip(context), (context.region.width, context.region.height), found[1])


def under(context, at: tuple[float, float], reach: float, handle: float) -> str:
    """The joint whose handle is under the mouse, empty if there is none.  at : pixels;  as `nearest_joint`"""
    what = joints.seen_in(context)
    found = what.places(context) if what is not None else None
    if found is None:
        return ""
    seen = project(_clip(context), (context.region.width, context.region.height), found[1])
    part = nearest_joint(*seen, at, reach, depths(_clip(context), found[1]), handle)
    return what.template.names[part] if part >= 0 else ""


def draw() -> None:
    """Draw what is shown into the region being drawn; called by Blender."""
    context = bpy.context
    what = joints.seen_in(context)
    if what is None or context.region_data is None:
        return
    if held() is not None:
        held().is_drawn = True
    seen = on_screen(context)
    if seen is None:
        return
    wanted = preferences()
    scale = context.preferences.system.ui_scale * wanted.handle_size
    settings = getattr(context.scene, names.JOINTS)
    template, owner, doubts = what.template, what.owner_object(), what.doubtful()
    bones = [(template.index(b.head), template.index(b.tail)) for b in template.bones]
    parts = [*_curiosities(context, what, settings, scale),
             skeleton_picture(*seen, template.names, bones, set(pins.pins_of(owner)), hovered or asked, scale,
                              {key: getattr(wanted, key) for key in COLORS}, doubts)]
    corners, colors = (np.concatenate(of) for of in zip(*parts, strict=True))
    if joints.steps_back(context):
        _fill(corners, colors * [1.0, 1.0, 1.0, BACK])
        return
    _fill(corners, colors)
    if what.is_stale():
        _write(tell(joints.STALE), np.array([70.0, context.region.height - 130.0]) * [scale, 1.0], 12 * scale)
    named = hovered or asked
    _label(what, template.names if settings.show_names else [named] if named in template.names else [], seen, doubts,
           scale)


def _label(what, labelled, seen, doubts, scale: float) -> None:
    """Write beside joints what they are called, and their bones' names behind; doubtful ones with how sure they are."""
    labelled = [name for name in labelled if seen[1][what.template.index(name)]]
    if not labelled:
        return
    at = np.array([seen[0][what.template.index(name)] for name in labelled]) + 13 * scale
    font = 0
    blf.size(font, 12 * scale)
    texts = [(joint_word(name, what.template.name) + (
        f"  {100 * what.latest.confidence[name]:.0f} %" if name in doubts else ""), f"  {name}") for name in labelled]
    sizes = np.array([blf.dimensions(font, first + second) for first, second in texts])
    for place, (first, second) in zip(free_places(at, sizes), texts, strict=True):
        _write(first, place, 12 * scale)
        _write(second, place + [blf.dimensions(font, first)[0], 0.0], 12 * scale, SECOND)


def _curiosities(context, what, settings, scale: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """What the fit looks at, if the artist is curious: samples of the middle, balls, the graph between them."""
    if not (settings.show_samples or settings.show_spheres or settings.show_graph or settings.show_slice):
        return []
    fitter = what.fitter(context)
    skeletal, matrix = fitter.skeletal, what.to_world(what.owner_object())
    size = (context.region.width, context.region.height)

    def place(unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        world = fitter.shape.frame.to_object(unit) @ matrix[:3, :3].T + matrix[:3, 3]
        return project(_clip(context), size, world)

    parts = []
    if settings.show_slice:
        body, field = fitter.shape.mesh.vertices, fitter.shape.field
        points = cut(body.min(0) - FADE, body.max(0) + FADE, AXES[settings.slice_axis], settings.slice_position)
        flat = points.reshape(-1, 3)
        where, seen = (a.reshape(*points.shape[:2], -1) for a in place(flat))
        paint = depth_colors(field.sample(flat).reshape(points.shape[:2]), -float(field.values.min()))
        parts.append(cells(where, paint, seen[..., 0]))
    at, front = place(skeletal.graph.points)
    if settings.show_spheres:
        up = np.array(context.region_data.view_matrix, float)[1, :3] @ fitter.shape.frame.rotation.T
        rim, _ = place(skeletal.graph.points + up * skeletal.graph.radii[:, None])
        parts.append(painted(discs(at[front], np.linalg.norm(rim - at, axis=1)[front]), (0.3, 0.8, 1.0), 0.06))
    if settings.show_samples:
        middle, seen = place(skeletal.samples.points)
        parts.append(painted(squares(middle[seen], scale), (1.0, 0.4, 0.9), 0.6))
    if settings.show_graph:
        edges = skeletal.graph.edges[front[skeletal.graph.edges].all(1)]
        parts.append(painted(bars(at[edges[:, 0]], at[edges[:, 1]], 0.6 * scale), (0.3, 1.0, 0.9), 0.7))
    return parts


def _clip(context) -> np.ndarray:
    return np.array(context.region_data.perspective_matrix, float)


def _fill(corners: np.ndarray, colors: np.ndarray) -> None:
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    points = np.zeros((len(corners), 3), np.float32)
    points[:, :2] = corners
    batch = batch_for_shader(shader, "TRIS", {"pos": points, "color": colors.astype(np.float32)})
    gpu.state.blend_set("ALPHA")
    batch.draw(shader)
    gpu.state.blend_set("NONE")


def _write(text: str, at: np.ndarray, size: float, shade=COLORS["joint"]) -> None:
    """White with a dark rim: a text that can be read on any background."""
    font = 0
    blf.size(font, size)
    rim = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    for (x, y), color in (*((offset, EDGE) for offset in rim), ((0, 0), shade)):
        blf.color(font, *color, 1.0)
        blf.position(font, float(round(at[0]) + x), float(round(at[1]) + y), 0.0)
        blf.draw(font, text)


CLASSES = ()
DRAWING = ((draw, "POST_PIXEL"),)
