"""From a prepared character and a rig to skin weights."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..errors import BadRig
from ..geometry.shape import Shape
from ..skeleton.rig import Rig
from .handles import skin_handles
from .heat import heat_weights
from .islands import fill_bare, stiffen_parts
from .weights import SkinWeights, limit_influences

METHODS = ("auto", "heat")
_ROWS = 65_536


@dataclass(frozen=True)
class BindOptions:
    """What an artist may choose about a bind.

    influences : bones a vertex may follow; game engines take 4
    least : share below which a bone is dropped; 1 % cannot be seen
    rigid_parts : loose parts that mostly follow one bone follow it wholly
    """

    influences: int = 4
    least: float = 0.01
    rigid_parts: bool = True


def bind_shape(shape: Shape, rig: Rig, method: str = "auto", options: BindOptions | None = None) -> SkinWeights:
    """Skin weights of every original vertex to the deforming bones of a rig; no vertex is left without.

    method : "heat", "geodesic" or "auto".  Raises BadRig if the rig has no bone to bind to.
    """
    steps = bind_shape_steps(shape, rig, method, options)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def bind_shape_steps(shape: Shape, rig: Rig, method: str = "auto",
                     options: BindOptions | None = None) -> Generator[tuple[str, float], None, SkinWeights]:
    """As `bind_shape`, yielding (stage, fraction) on the way."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    if len(rig.names) == 0:
        raise BadRig("The skeleton has no bones. Add bones, or fit one of the presets.")
    options = BindOptions() if options is None else options
    yield "Reading the skeleton", 0.0
    handles = skin_handles(shape, rig)
    yield "Warming the skin", 0.1
    weights = heat_weights(shape.mesh, shape.field, handles)
    report = {"cold_vertices": float((weights.sum(1) < 0.5).mean())}
    yield "Tidying the weights", 0.9
    weights = fill_bare(shape.mesh, weights, handles)
    if options.rigid_parts:
        weights = stiffen_parts(shape.mesh, weights)
    matrix = sparse.vstack([
        sparse.csr_matrix(limit_influences(weights[start:start + _ROWS], options.influences, least=options.least))
        for start in range(0, len(weights), _ROWS)
    ]).tocsr()
    place = sparse.csr_matrix((np.ones(len(handles.bones)), (np.arange(len(handles.bones)), handles.bones)),
                              shape=(len(handles.bones), len(rig.names)))
    matrix = (matrix @ place)[shape.welded_of_vertex]
    return SkinWeights(matrix.tocsr(), rig.names, "heat", "", report)
