"""Where the landmark network sees the joints of a body: a distribution over the body for each joint."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from scipy import ndimage

from ..arrays import argwhere, frozen
from ..geometry.mesh import Mesh
from ..geometry.rims import rim_edges
from ..geometry.voxels import grow
from .landmarks import LANDMARKS, OUTPUTS_OF, mirrored
from .network import KEPT, LandmarkNetwork, load_network
from .views import CELLS, IMAGE_AXES, Sight, draw_views, mirror_views, rounded, see

# A joint may lie outside the solid, in the air between loose parts, by so many cells. What the network says farther
# away than OFF it says of joints that are nowhere.
MARGIN, OFF = 2, 4
_LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class Evidence:
    """What speaks for each joint of one kind of body being at each place.

    kind : one of LANDMARKS;  names : its J joints
    heat : (3, J, CELLS, CELLS) log probabilities in the views along x, y, z; each map's sum to one
    places : (P, 3) cells of the body and close around it, in the cube
    """

    kind: str
    names: tuple[str, ...]
    heat: np.ndarray
    sight: Sight
    places: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "heat", frozen(self.heat, np.float32, (3, len(self.names), CELLS, CELLS), "heat"))
        object.__setattr__(self, "places", frozen(self.places, np.float64, (None, 3), "places"))

    def at(self, points: np.ndarray) -> np.ndarray:
        """(J, N) log evidence of each joint at points (N, 3) of the cube: the sum of what the three views say of it."""
        cells = np.clip((np.asarray(points).T * CELLS).astype(np.intp, order="C"), 0, CELLS - 1)
        seen = (view.reshape(len(self.names), -1).take(cells[row] * CELLS + cells[column], 1)
                for view, (row, column) in zip(self.heat, IMAGE_AXES, strict=True))
        return sum(seen, np.zeros((len(self.names), cells.shape[1]), np.float32))

    @cached_property
    def likeliest(self) -> np.ndarray:
        """(J,) the number of each joint's likeliest place."""
        return self.at(self.places).argmax(1)

    @cached_property
    def seen(self) -> np.ndarray:
        """(J,) how well each joint is seen: its log evidence at its likeliest place, a view."""
        return np.diagonal(self.at(self.places[self.likeliest])) / len(self.heat)

    @cached_property
    def gone(self) -> np.ndarray:
        """(J,) log probability that each joint is nowhere: so much of its maps lies evenly beside the body.

        A view that the body fills tells nothing.
        """
        told = []
        for axis, view in enumerate(self.heat):
            beside = ~ndimage.binary_dilation(self.sight.solid.any(axis).T, iterations=OFF)
            if beside.any():
                share = np.exp(view[:, beside].astype(np.float64)).mean(1) * CELLS**2
                told.append(np.log(np.clip(share, _LEAST, 1.0)))
        return np.mean(told, axis=0) if told else np.full(len(self.names), np.log(_LEAST))

    def of(self, names: tuple[str, ...]) -> Evidence:
        """The evidence of some of the joints."""
        return replace(self, names=names, heat=self.heat[:, [self.names.index(n) for n in names]])


@dataclass(frozen=True, eq=False)
class _Answer:
    """What the network answers for a solid and its mirror image, or once if they are the same. See `look`.

    heat : {kind: `Evidence.heat`}, what was made of it
    """

    solid: np.ndarray
    logits: np.ndarray
    odds: dict[str, float]
    by: LandmarkNetwork
    heat: dict[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def places(self) -> np.ndarray:
        """(P, 3) cells of the body and close around it, in the cube."""
        near = self.solid
        for _ in range(MARGIN):
            near = grow(near)
        return frozen((argwhere(near) + 0.5) / CELLS, np.float64, (None, 3), "places")


@dataclass(frozen=True, eq=False)
class _Glance:
    """A mesh that was looked at.  evidence : {kind: what was made of it}"""

    sight: Sight
    answer: _Answer
    evidence: dict[str, Evidence] = field(default_factory=dict)


# Each mesh is looked at once, for telling its kind and for fitting.
_glances: WeakKeyDictionary[Mesh, _Glance] = WeakKeyDictionary()
# The last solids: a body is looked at as it may stand, and when it is prepared again.
_answers: OrderedDict[bytes, _Answer] = OrderedDict()


def kind_odds(mesh: Mesh) -> dict[str, float]:
    """{kind: log probability} that a body is of each kind the network knows. mesh : Z up, facing -Y"""
    return dict(_glance(mesh).answer.odds)


def is_flat(mesh: Mesh) -> bool:
    """Whether a body is so flat from front to back that it is seen deeper. mesh : Z up, facing -Y"""
    return (_glances.get(mesh) or _glance(mesh)).sight.deeper > 1


def look(mesh: Mesh, kind: str) -> Evidence:
    """The evidence for the joints of a kind of body. mesh : Z up, facing -Y

    The body and its mirror image are looked at, and what is seen of the two is averaged: left and right are treated
    alike.
    """
    return _evidence(_glance(mesh), kind)


def _evidence(seen: _Glance, kind: str) -> Evidence:
    """`look` at what was glanced at."""
    if kind not in seen.evidence:
        answer = seen.answer
        if kind not in answer.heat:
            answer.heat[kind] = _heat(answer, kind)
        seen.evidence[kind] = Evidence(kind, LANDMARKS[kind], answer.heat[kind], seen.sight, answer.places)
    return seen.evidence[kind]


def _heat(seen: _Answer, kind: str) -> np.ndarray:
    """`Evidence.heat` of a kind of body."""
    names = LANDMARKS[kind]
    own = seen.logits[:, :, OUTPUTS_OF[kind]]
    image = own[-1][:, mirrored(names)]
    for axis, (_, column) in enumerate(IMAGE_AXES):
        if column == 0:
            image[axis] = image[axis, :, :, ::-1].copy()
    flat = ((own[0] + image) / 2).reshape(3, len(names), -1)
    heat = (flat - log_sum(flat)[..., None]).reshape(3, len(names), CELLS, CELLS)
    return frozen(heat, np.float32, heat.shape, "heat")


def unseen(mesh: Mesh, kind: str = "") -> float:
    """How little is seen of a kind's joints: minus the log evidence of each at its likeliest place, a view and joint.

    mesh : Z up, facing -Y;  kind : "" for the likeliest.  Bodies of sources the network does not know have 2.3 to 2.8,
    what is none of its kinds more.
    """
    odds = kind_odds(mesh)
    return float(-look(mesh, kind or max(odds, key=lambda name: odds[name])).seen.mean())


def vagueness(vertices: np.ndarray, faces: np.ndarray) -> float:
    """How little the network knows of where the joints of a body are: mean entropy of the likeliest kind's maps.

    vertices : (N, 3) turned as the body may stand. One that stands otherwise is vaguer: the network knows only upright
    bodies that face -Y.
    """
    logits, kinds = load_network()(draw_views(see(vertices, faces).solid)[None])
    kind = list(LANDMARKS)[int(kinds[0].argmax())]
    maps = logits[0][:, OUTPUTS_OF[kind]].reshape(3 * len(OUTPUTS_OF[kind]), -1)
    log = maps - log_sum(maps)[:, None]
    return float(-(np.exp(np.maximum(log, -80.0)) * log).sum(1).mean())


def _glance(mesh: Mesh) -> _Glance:
    network, known = load_network(), _glances.get(mesh)
    if known is None or known.answer.by is not network:
        sight = see(mesh.vertices, mesh.faces, is_closed=len(rim_edges(mesh)[0]) == 0)
        known = _Glance(sight, _answer(sight.solid, network))
        if sight.deeper > 1:  # of people who were pressed flat the stretched body is like them, of cookies the pillow
            sight = replace(sight, solid=rounded(sight.solid))
            known = max(known, _Glance(sight, _answer(sight.solid, network)), key=_clear)
        _glances[mesh] = known
    return known


def _clear(seen: _Glance) -> float:
    """How well the joints of the likeliest kind are seen."""
    kind = max(seen.answer.odds, key=lambda name: seen.answer.odds[name])
    return float(_evidence(seen, kind).seen.mean())


def _answer(solid: np.ndarray, network: LandmarkNetwork) -> _Answer:
    key = np.packbits(solid).tobytes()
    known = _answers.get(key)
    if known is None or known.by is not network:
        views = draw_views(solid)
        is_alike = (solid == solid[::-1]).all()
        logits, kinds = network(np.stack([views] if is_alike else [views, mirror_views(views)]))
        kinds = kinds.mean(0)
        odds = {kind: float(x) for kind, x in zip(LANDMARKS, kinds - log_sum(kinds), strict=True)}
        known = _answers[key] = _Answer(solid, logits, odds, network)
    _answers.move_to_end(key)
    while len(_answers) > KEPT:
        _answers.popitem(last=False)
    return known


def log_sum(x: np.ndarray) -> np.ndarray:
    """Logarithm of the sum of exponentials along the last axis."""
    x = np.asarray(x, np.float32)
    most = x.max(-1)
    return most + np.log(np.exp(np.maximum(x - most[..., None], -80.0)).sum(-1))
