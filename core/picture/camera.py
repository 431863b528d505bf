"""Parallel projection of character space onto a panel of pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen


@dataclass(frozen=True, eq=False)
class View:
    """A camera without perspective: it keeps proportions, so two views can be compared.

    axes : (3, 3) rows are what points right, up and towards the viewer, unit length
    center : (3,) the point in the panel's middle;  scale : pixels for one unit of length
    width, height : of the panel, in pixels
    """

    axes: np.ndarray
    center: np.ndarray
    scale: float
    width: int
    height: int

    def __post_init__(self):
        object.__setattr__(self, "axes", frozen(self.axes, np.float64, (3, 3), "axes"))
        object.__setattr__(self, "center", frozen(self.center, np.float64, (3,), "center"))

    def project(self, points) -> np.ndarray:
        """(N, 3) points as x right and y down in pixels, and nearness in pixels."""
        seen = (np.asarray(points, float) - self.center) @ self.axes.T * self.scale
        return seen * [1, -1, 1] + [self.width / 2, self.height / 2, 0]

    def enlarged(self, times: int) -> View:
        """The same view in `times` as many pixels each way."""
        return View(self.axes, self.center, self.scale * times, self.width * times, self.height * times)


def view_axes(azimuth: float, elevation: float = 0.0, rotation=None) -> np.ndarray:
    """Axes of a camera that stands `azimuth` to the character's left of its front, `elevation` above it.

    rotation : (3, 3) object axes to character axes (Frame.rotation); none for characters facing -Y.
    """
    sin, cos = np.sin(azimuth), np.cos(azimuth)
    toward = np.array([sin * np.cos(elevation), -cos * np.cos(elevation), np.sin(elevation)])
    right = np.array([cos, sin, 0.0])
    axes = np.stack([right, np.cross(toward, right), toward])
    return axes if rotation is None else axes @ np.asarray(rotation, float)


def fit_views(contents, axes, *, height: int, margin: float = 0.06, most_width: int = 2400) -> list[View]:
    """Views of one scale side by side: the tallest content fills the height, the ground line is common.

    contents : for each panel (N, 3) points that must be inside;  axes : for each panel its (3, 3) camera axes
    Panels are as wide as their contents; if all together exceed `most_width`, scale and height shrink.
    """
    boxes = [(seen.min(0), seen.max(0)) for seen in (np.asarray(p, float) @ a.T for p, a in zip(contents, axes,
                                                                                                  strict=True))]
    extent = np.array([high - low for low, high in boxes])
    bottom, top = min(low[1] for low, _ in boxes), max(high[1] for _, high in boxes)
    tall = max(top - bottom, 1e-30)
    scale = height * (1 - 2 * margin) / tall
    gap = 2 * margin * height
    scale = min(scale, (most_width - gap * len(boxes)) / max(extent[:, 0].sum(), 1e-30))
    height = min(height, int(np.ceil(tall * scale + gap)))
    views = []
    for (low, high), axis, size in zip(boxes, axes, extent, strict=True):
        middle = (low + high) / 2
        middle[1] = (top + bottom) / 2
        views.append(View(axis, middle @ axis, scale, int(np.ceil(size[0] * scale + gap)), height))
    return views
