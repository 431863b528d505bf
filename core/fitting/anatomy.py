"""Joints at their anatomical places, read off the shape.

[BP07] places the joints within a limb by the template's proportions alone and leaves better places as an open problem
(section 5.1). Here the embedding only says which limb is which; then each limb is swept from its tip (see `limbs`), and
joints sit where the sweep shows shoulders, hips and the crotch to be, with the limb's inner joints at proportions
learned from characters rigged by artists.
"""

from __future__ import annotations

import numpy as np

from ..geometry.distance import DistanceField
from ..geometry.symmetry import MirrorPlane
from ..skeleton.reduce import ReducedTemplate
from .embedding import Embedding
from .graph import SphereGraph
from .limbs import Interior, Limb, follow_out, limb_profile, limb_tip

NEAR_FOOT = 0.15  # unit frame


class Body:
    """The measured limbs of an embedding."""

    def __init__(self, field: DistanceField, graph: SphereGraph, reduced: ReducedTemplate, embedding: Embedding,
                 plane: MirrorPlane | None, interior: Interior | None = None):
        self.field, self.graph, self.reduced, self.embedding = field, graph, reduced, embedding
        self.plane_x = None if plane is None else plane.x
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
            self.limbs[name] = Limb(int(r), self.interior.centres[tip], own,
                                    self.trunk[int(reduced.parents[r])], profile)

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

    def axis_x(self) -> float:
        """x of the body's middle: the mirror plane, or where the embedded root lies."""
        return float(self.points[0, 0]) if self.plane_x is None else self.plane_x

    def section_middle(self, y: float) -> float:
        """Height of the middle of the solid on the body's axis at a depth y."""
        on_axis = self._axis_voxels(y)
        return float(on_axis[:, 2].mean()) if len(on_axis) else float(self.points[0, 2])

    def _axis_voxels(self, y: float) -> np.ndarray:
        centres = self.interior.centres
        near = 1.1 * self.field.grid.spacing
        return centres[(np.abs(centres[:, 1] - y) <= near) & (np.abs(centres[:, 0] - self.axis_x()) <= near)]
