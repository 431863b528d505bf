"""Skeletons that lie elsewhere than the body they are to move, or are of quite another size."""

from __future__ import annotations

import numpy as np

from ..geometry.mesh import Mesh, is_used
from ..skeleton.rig import Rig

AROUND = 0.05  # of the body's longest side: how far beside its box a bone may pass
TINY, FEW = 0.05, 5  # so small, of the body, is no skeleton of so many bones
_ALONG = np.linspace(0.0, 1.0, 17)[:, None, None]


def stands_apart(mesh: Mesh, rig: Rig) -> bool:
    """Whether no deforming bone passes through a body's box, or all bones together are much too small for it.

    mesh, rig : one space, at rest. A root that carries other bones may lie anywhere and does not count.
    """
    points = mesh.vertices[is_used(mesh)]
    low, high = points.min(0), points.max(0)
    size = float((high - low).max())
    carries = (rig.parents < 0) & np.isin(np.arange(len(rig.names)), rig.parents)
    bones = rig.deform & ~carries
    heads, tails = rig.heads[bones], rig.tails[bones]
    if not len(heads):
        return False
    if len(heads) >= FEW and np.ptp(np.concatenate([heads, tails]), axis=0).max() < TINY * size:
        return True
    along = heads + _ALONG * (tails - heads)
    return not ((along >= low - AROUND * size) & (along <= high + AROUND * size)).all(2).any()
