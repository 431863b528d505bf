"""Joints at their anatomical places, read off the shape.

[BP07] places the joints within a limb by the template's proportions alone and leaves better places as an open problem
(section 5.1). Here the embedding only says which limb is which; then each limb is swept from its tip (see `limbs`), and
joints sit where the sweep shows shoulders, hips and the crotch to be, with the limb's inner joints at proportions
learned from characters rigged by artists.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from ..geometry.distance import DistanceField
from ..geometry.symmetry import MirrorPlane
from ..skeleton.reduce import ReducedTemplate
from .column import Column, trunk_column
from .embedding import Embedding
from .graph import SphereGraph
from .limbs import Interior, Limb, follow_out, limb_profile, limb_tip, meeting_point
from .loose import LooseParts

NEAR_FOOT = 0.15  # unit frame


class Body:
    """The measured limbs of an embedding. doubts : what to tell the artist about joints that could not be measured."""

    def __init__(self, field: DistanceField, graph: SphereGraph, reduced: ReducedTemplate, embedding: Embedding,
                 plane: MirrorPlane | None, interior: Interior | None = None, parts: LooseParts | None = None):
        self.field, self.graph, self.reduced, self.embedding = field, graph, reduced, embedding
        self.parts = parts
        self.plane_x = None if plane is None else plane.x
        self.middle_x: float | None = None  # of a body without a mirror plane, once its limbs' roots are known
        self.template = reduced.template
        self.interior = Interior(field, plane=plane) if interior is None else interior
        self.step = 1.5 * field.grid.spacing
        self.points = graph.points[embedding.vertices]
        branches = np.flatnonzero(~reduced.is_leaf)
        self.trunk = dict(zip(branches.tolist(), self.interior.nearest(self.points[branches]), strict=True))
        distances = self.interior.distances(np.array(list(self.trunk.values())))
        self.from_trunk = dict(zip(self.trunk, distances, strict=True))
        self.limbs: dict[str, Limb] = {}
        leaves = np.flatnonzero(reduced.is_leaf)
        tips = [self._tip(int(r)) for r in leaves]
        from_tips = self.interior.distances(np.array(tips))
        of_leaf = dict(zip(leaves.tolist(), from_tips, strict=True))
        for r, tip, from_tip in zip(leaves, tips, from_tips, strict=True):
            # The sweep goes on to the branch joint further off: the trunk's girth belongs to the picture.
            end = max(self.trunk.values(), key=lambda v: from_tip[v])
            # Shoes or knees that touch, or a skirt around both legs, must not draw the sweep to the other side.
            # Arms need the whole chest to show where they end.
            stands = self.template.is_foot[reduced.joints[r]]
            twin = of_leaf.get(int(reduced.mirror[r])) if stands else None
            own = None if twin is None else from_tip <= twin
            profile = limb_profile(self.interior, from_tip, end, step=self.step, own=own)
            name = self.template.names[reduced.joints[r]]
            self.limbs[name] = Limb(int(r), self.interior.centres[tip], from_tip, own,
                                    self.trunk[int(reduced.parents[r])], profile)
        self.doubts: list[str] = []
        self.height = float(self.interior.centres[:, 2].max() + 0.5 * field.grid.spacing)

    def _tip(self, r: int) -> int:
        reach = 2.5 * self.graph.radii[self.embedding.vertices[r]] + 0.02
        from_trunk = self.from_trunk[int(self.reduced.parents[r])]
        tip = limb_tip(self.interior, self.points[r], from_trunk, reach)
        return self._tail_end(tip, from_trunk) if self.template.names[self.reduced.joints[r]] == "tail_tip" else tip

    def _tail_end(self, tip: int, from_trunk: np.ndarray) -> int:
        """A thin tail's end, where the embedding stops half-way. Where there is no tail the way out ends in a leg."""
        end = follow_out(self.interior, tip, from_trunk)
        feet = [r for r in np.flatnonzero(self.reduced.is_leaf) if self.template.is_foot[self.reduced.joints[r]]]
        if end == tip or not feet:
            return end
        # A tail may hang down beside the feet; through the body it is far from them.
        away = self.interior.distances(np.array([end]))[0, self.interior.nearest(self.points[feet])]
        return tip if away.min() < NEAR_FOOT else end

    @property
    def paired_limbs(self) -> list[Limb]:
        """The limbs that come in pairs: no head, no tail."""
        return [limb for limb in self.limbs.values() if self.reduced.mirror[limb.joint] >= 0]

    @cached_property
    def column(self) -> Column:
        """The trunk, slice by slice."""
        return trunk_column(self.interior, self.axis_x())

    def crotch(self, tip: str, other: str) -> np.ndarray | None:
        """(3,) where two limbs meet, or None. Their profiles are cut there: beyond, level sets hold both limbs."""
        left, right = self.limbs[tip], self.limbs[other]
        voxel = meeting_point(self.interior, left.from_tip, right.from_tip, left.trunk)
        if voxel is None:
            return None
        for name, limb in ((tip, left), (other, right)):
            self.limbs[name] = replace(limb, profile=limb.profile.cut(float(limb.from_tip[voxel]) - self.step))
        return self.interior.centres[voxel]

    def fork(self, tip: str, crotch: np.ndarray, top: float) -> float:
        """The height, from a crotch up to `top`, where two legs have become one body.

        Thick thighs touch far below the pelvis; there the solid is still pinched between them. The fork is the lowest
        slice at least 0.75 times as deep in the middle as anywhere within the legs' width.
        """
        centres, h = self.interior.centres, self.field.grid.spacing
        level = np.round((centres[:, 2] - crotch[2]) / h).astype(int)
        column = np.round((centres[:, 0] - self.axis_x()) / h).astype(int)
        leg = abs(self.limbs[tip].profile.at_height(0.9 * crotch[2])[0] - self.axis_x()) / h
        reach, count = int(1.6 * leg) + 1, max(int((top - crotch[2]) / h), 1)
        near = (level >= 0) & (level < count) & (np.abs(column) <= reach)
        depth = np.zeros((count, 2 * reach + 1))
        np.add.at(depth, (level[near], column[near] + reach), 1)
        middle = depth[:, reach - 1 : reach + 2].max(1)
        joined = middle >= 0.75 * np.maximum(depth.max(1), 1)
        return float(crotch[2] + h * (joined.argmax() if joined.any() else 0))

    def is_hem(self, crotch: np.ndarray) -> bool:
        """Whether the legs meet at the hem of a skirt or coat: the body is at once several times as wide as both legs,
        and no wider further up. A real crotch widens hardly at all, a belly over short legs widens gradually."""
        centres, h = self.interior.centres, self.field.grid.spacing
        arm = np.zeros(len(centres), bool)
        for limb in self.limbs.values():
            if not self.template.is_foot[self.reduced.joints[limb.joint]] and self.reduced.mirror[limb.joint] >= 0:
                arm |= limb.from_tip <= limb.profile.length
        level = np.round((centres[~arm, 2] - crotch[2]) / h).astype(int)
        area = {k: max(int(np.count_nonzero(level == k)), 1) for k in (-3, -2, 1, 8)}
        return area[1] >= 2.5 * min(area[-3], area[-2]) and area[8] <= 1.15 * area[1]

    def slice_centre(self, limb: Limb, z: float) -> np.ndarray:
        """(3,) the middle of a limb's horizontal slice at a height; the centre line's point if the slice is empty."""
        centres = self.interior.centres
        own = (np.abs(centres[:, 2] - z) <= 0.75 * self.field.grid.spacing) & (limb.from_tip <= limb.profile.length)
        if limb.own is not None:
            own &= limb.own
        return np.append(centres[own, :2].mean(0), z) if own.any() else limb.profile.at_height(z)

    def axis_x(self) -> float:
        """x of the body's middle: the mirror plane, or what the limbs say, or where the embedded root lies."""
        known = self.plane_x if self.plane_x is not None else self.middle_x
        return float(self.points[0, 0]) if known is None else known

    def top(self, place: np.ndarray) -> float:
        """Height of the solid's top above a place (3,)."""
        centres, near = self.interior.centres, 1.1 * self.field.grid.spacing
        above = centres[(np.abs(centres[:, :2] - place[:2]) <= near).all(1), 2]
        return float(above.max(initial=place[2]))

    def back(self, y: float) -> float:
        """Height of the solid's top above the body's axis at a depth y."""
        on_axis = self._axis_voxels(y)
        return float(on_axis[:, 2].max()) if len(on_axis) else self.height

    def section_middle(self, y: float) -> float:
        """Height of the middle of the solid on the body's axis at a depth y."""
        on_axis = self._axis_voxels(y)
        return float(on_axis[:, 2].mean()) if len(on_axis) else float(self.points[0, 2])

    def _axis_voxels(self, y: float) -> np.ndarray:
        centres = self.interior.centres
        near = 1.1 * self.field.grid.spacing
        return centres[(np.abs(centres[:, 1] - y) <= near) & (np.abs(centres[:, 0] - self.axis_x()) <= near)]

    def trunk_centre(self, z: float, half_width: float) -> np.ndarray:
        """(3,) the middle of the trunk's cross-section at a height, within half_width of its axis."""
        centre = self.axis_x()
        at = np.abs(self.interior.centres[:, 2] - z) <= 0.75 * self.field.grid.spacing
        slab = self.interior.centres[at]
        slab = slab[np.abs(slab[:, 0] - centre) <= half_width]
        if not len(slab):
            return np.array([centre, float(self.points[0, 1]), z])
        return np.array([centre if self.plane_x is not None else slab[:, 0].mean(), slab[:, 1].mean(), z])
