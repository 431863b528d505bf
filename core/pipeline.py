"""The whole of Geppetto in a page: prepare a mesh, fit a skeleton into it, bind it to the skeleton."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .detail.grow import DetailOptions, Grower
from .errors import BadRig
from .fitting.fit import FitOptions
from .geometry.mesh import Mesh
from .geometry.shape import Shape, prepare_steps
from .seeing.stance import Stance, detect_stance
from .skeleton.rig import Rig
from .skeleton.template import SkeletonTemplate
from .skinning.bind import BindOptions, bind_shape_steps
from .skinning.weights import Kept, SkinWeights, merge_weights
from .steps import Steps, run, share

BODY = DetailOptions("body")
_OTHERS = "the shape was prepared from another mesh: the two have not as many vertices"

Hints = Mapping[str, np.ndarray] | tuple[()]


def prepare(mesh: Mesh, *, stance: Stance | None = None, has_base: bool = True) -> Shape:
    """What fitting and binding share: the welded mesh, its solid and distance field.

    stance : which way is up and front, as `detect_stance` or `stance_facing` give it; None to detect it
    has_base : False if what it seems to stand on is part of the body
    Raises BadMesh, ShapeTooThin.
    """
    return run(prepare_shape_steps(mesh, stance, has_base=has_base))


def prepare_shape_steps(mesh: Mesh, stance: Stance | None = None, *, has_base: bool = True) -> Steps[Shape]:
    """`prepare`, yielding (stage, fraction) on the way."""
    if stance is None:
        yield "Seeing how it stands", 0.0
        stance = detect_stance(mesh, has_base=has_base)
    return (yield from prepare_steps(mesh, rotation=stance.rotation, has_base=has_base and stance.has_base))


def fit_steps(mesh: Mesh, template: SkeletonTemplate, hints: Hints = (), *, options: FitOptions = FitOptions(),
              shape: Shape | None = None, stance: Stance | None = None, detail: DetailOptions = BODY) -> Steps[Rig]:
    """`fit`, yielding (stage, fraction) on the way."""
    if shape is None:
        shape = yield from share(prepare_shape_steps(mesh, stance, has_base=detail.has_base), 0.0, 0.6)
    if len(shape.welded_of_vertex) != len(mesh.vertices):
        raise ValueError(_OTHERS)
    return (yield from share(Grower(shape, template, options, detail).steps(dict(hints)), 0.6, 1.0))


def fit(mesh: Mesh, template: SkeletonTemplate, hints: Hints = (), *, options: FitOptions = FitOptions(),
        shape: Shape | None = None, stance: Stance | None = None, detail: DetailOptions = BODY) -> Rig:
    """Place the template's joints inside the mesh. [BP07] section 3.

    hints : {joint name: (3,) object-space position}, exact in the result;  shape : the mesh's `prepare`, to reuse it
    stance : which way is up and front, None to detect it; a given shape stands already
    detail : the template's bones alone, or also what was not asked for joint by joint: fingers
    Returns a Rig in object space. Raises RigError, ValueError for a shape of another mesh.
    """
    return run(fit_steps(mesh, template, hints, options=options, shape=shape, stance=stance, detail=detail))


def bind_steps(mesh: Mesh, rig: Rig, method: str = "auto", *, options: BindOptions = BindOptions(),
               shape: Shape | None = None, kept: Kept | None = None, fitted: Rig | None = None) -> Steps[SkinWeights]:
    """`bind`, yielding (stage, fraction) on the way.

    fitted : the rig with all bones that move skin, if some of `rig` do not because the caller keeps their weights
    """
    fitted = rig if fitted is None else fitted
    if shape is None:
        shape = yield from share(prepare_steps(mesh), 0.0, 0.5)
    if len(shape.welded_of_vertex) != len(mesh.vertices):
        raise ValueError(_OTHERS)
    if kept is not None:
        rig = replace(rig, deform=rig.deform & ~np.atleast_2d(kept.locked).all(0))
        if not rig.deform.any():
            raise BadRig("All bones that move the mesh are locked. Unlock the vertex groups that may change.")
    weights = yield from share(bind_shape_steps(shape, rig, method, options, fitted), 0.5, 1.0)
    if kept is None:
        return weights
    return replace(weights, matrix=merge_weights(weights.matrix, kept.old, locked=kept.locked, where=kept.where,
                                                 most=options.influences))


def bind(mesh: Mesh, rig: Rig, method: str = "auto", *, options: BindOptions = BindOptions(),
         shape: Shape | None = None, kept: Kept | None = None) -> SkinWeights:
    """Skin weights of every vertex to the rig's deform bones. [BP07] section 4, [DL14].

    method : "heat", "geodesic" or "auto";  kept : weights there are, and what of them stays
    shape : the one the rig was fitted in; prepared anew without. A rig whose base is part of the body needs its own:
        `prepare(mesh, has_base=False)`.
    Raises RigError, ValueError for a shape of another mesh or an unknown method.
    """
    return run(bind_steps(mesh, rig, method, options=options, shape=shape, kept=kept))


def auto_rig(mesh: Mesh, template: SkeletonTemplate, hints: Hints = (), method: str = "auto", *,
             stance: Stance | None = None, detail: DetailOptions = BODY) -> tuple[Rig, SkinWeights]:
    """Mesh in, rig and skin weights out, object space. stance, detail as for `fit`. Raises RigError."""
    shape = prepare(mesh, stance=stance, has_base=detail.has_base)
    rig = fit(mesh, template, hints, shape=shape, detail=detail)
    return rig, bind(mesh, rig, method, shape=shape)
