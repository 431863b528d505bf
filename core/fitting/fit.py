"""From a prepared shape to a rig: every stage of [BP07] section 3 in order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from ..errors import NoEmbedding
from ..geometry.distance import DistanceField
from ..geometry.shape import Shape
from ..geometry.symmetry import MirrorPlane, find_mirror_plane, has_unlike_limbs, likeness, symmetric_field
from ..skeleton.reduce import ReducedTemplate, reduce_template
from ..skeleton.rig import Rig, bend_axes
from ..skeleton.template import SkeletonTemplate, rig_from_joints
from .anatomy import Body
from .biped import JOINTS as BIPED_JOINTS
from .biped import place_biped
from .bird import JOINTS as BIRD_JOINTS
from .bird import place_bird
from .candidates import find_candidates, limb_ends, paper_limb_ends
from .centaur import JOINTS as CENTAUR_JOINTS
from .centaur import place_centaur
from .density import DensityOptions, correct_limbs, drop_false_ends
from .doubt import doubt_fit
from .embedding import Embedding, embed
from .graph import SphereGraph, connect_spheres
from .inside import pull_inside
from .kin import Kin, find_kin
from .limb_matching import match_limbs
from .limbs import Interior, sheet_likeness
from .loose import LooseParts, find_loose_parts
from .medial import MedialSamples, sample_medial
from .penalties import PENALTY_WEIGHTS, PenaltyTable
from .pins import Pins, mirror_pins, read_hints, spread_pins
from .posed import place_posed_biped, place_posed_quadruped
from .quadruped import JOINTS as QUADRUPED_JOINTS
from .quadruped import place_quadruped
from .refine import refine
from .spheres import pack_mirrored_spheres, pack_spheres
from .split import split_paths
from .tailed import JOINTS as TAILED_JOINTS
from .tailed import place_biped_tail

# Bodies whose joints can be read off the shape, by the joints of their template.
_MEASURES: dict[frozenset[str], Callable[[Body], dict[str, np.ndarray]]] = {
    frozenset(BIPED_JOINTS): place_biped, frozenset(QUADRUPED_JOINTS): place_quadruped,
    frozenset(TAILED_JOINTS): place_biped_tail, frozenset(CENTAUR_JOINTS): place_centaur}
# The same for bodies whose sides are unlike.
_POSED: dict[frozenset[str], Callable[[Body], dict[str, np.ndarray]]] = {
    frozenset(BIPED_JOINTS): place_posed_biped, frozenset(QUADRUPED_JOINTS): place_posed_quadruped,
    frozenset(TAILED_JOINTS): lambda body: place_biped_tail(body, place_posed_biped)}


@dataclass(frozen=True)
class FitOptions:
    """What a caller may choose about a fit.

    spheres : most spheres packed;  fat : candidates for the thickest joints. Both from [BP07] section 3
    mirror : treat a body as mirrored if at least this share of it is; above 1 never
    mirror_pins : a pin on one side of a mirrored body holds for both
    paper_ends : limbs end where [BP07] says, which is nearly everywhere, not where `limb_ends` finds them
    density : which ends are no hands or feet, and the steps of [W12]
    match : on a body whose sides are unlike, tell the limbs apart before the search. See `limb_matching`
    reading : which of the body's readings, 0 the likeliest; past the last it begins anew
    """

    spheres: int = 1000
    fat: int = 50
    mirror: float = 0.9
    mirror_pins: bool = True
    paper_ends: bool = False
    density: DensityOptions = field(default_factory=DensityOptions)
    match: bool = True
    reading: int = 0


@dataclass(frozen=True, eq=False)
class Skeletal:
    """What the search looks at: the solid's middle and the graph through it. plane is None for a lopsided body.

    sheets : (S,) `sheet_likeness` of the graph's limb ends, 1 elsewhere;  parts : of a body with gaps
    """

    field: DistanceField
    plane: MirrorPlane | None
    samples: MedialSamples
    graph: SphereGraph
    sheets: np.ndarray
    parts: LooseParts | None = None

    @cached_property
    def interior(self) -> Interior:
        """The solid as a graph of voxels, with the distances asked for so far."""
        return Interior(self.field, plane=self.plane)


class Fitter:
    """A template's fit into a shape. What pins do not change is kept, so that a changed pin refits at once."""

    def __init__(self, shape: Shape, template: SkeletonTemplate, options: FitOptions = FitOptions()):
        self.shape, self.template, self.options = shape, template, options
        self.kin = None if frozenset(template.names) in _MEASURES else find_kin(template)
        self.reduced = reduce_template(template) if self.kin is None else self.kin.reduced
        self.scale = template_scale(shape, self.reduced.template)

    @cached_property
    def skeletal(self) -> Skeletal:
        """The body's middle, mirrored if the body is."""
        return find_middle(self.shape, self.options)

    @cached_property
    def lopsided(self) -> Skeletal:
        """The body's middle as it is, for pins that do not mirror."""
        return find_middle(self.shape, replace(self.options, mirror=np.inf))

    def steps(self, hints: Mapping[str, np.ndarray]) -> Generator[tuple[str, float], None, Rig]:
        """Yields (stage, fraction), returns the rig in object space.

        hints : {joint name: (3,) object space}.  Raises BadHint for an unknown joint or a position that is no number.
        """
        hints = dict(hints)
        pins = read_hints(self.shape.frame, self.template, hints)
        yield "Finding the middle", 0.0
        skeletal = self.skeletal
        if skeletal.plane is not None:
            mirrored = mirror_pins(pins, self.template, skeletal.plane, tolerance=2 * self.shape.field.grid.spacing)
            if mirrored is None or not self.options.mirror_pins:
                skeletal = self.lopsided if pins else skeletal
            else:
                pins = mirrored
        yield "Searching the skeleton", 0.4
        searched = pins if self.kin is None else self.kin.pins(pins)
        embedding, warnings = search(skeletal.graph, self.reduced, searched, scale=self.scale, sheets=skeletal.sheets,
                                     options=self.options)
        yield "Refining the joints", 0.7
        joints, doubts = place_joints(skeletal, self.reduced, embedding, searched, scale=self.scale)
        yield "Refining the joints", 0.9
        if self.kin is not None:
            joints = self._carried(self.kin, skeletal, joints, pins)
        doubts += doubt_fit(joints, self.whole, skeletal.field, self._fixed(pins))
        positions = self.shape.frame.to_object(joints)
        for name, position in hints.items():
            positions[self.template.index(name)] = position
        rig = rig_from_joints(self.template, positions, penalty=embedding.terms, warnings=(*warnings, *doubts))
        return replace(rig, x_axes=_turned_axes(self.shape, self.template, rig))

    @cached_property
    def whole(self) -> ReducedTemplate:
        """The template's own branching and ending joints, searched or not."""
        return self.reduced if self.kin is None else reduce_template(self.template)

    def _fixed(self, pins: Pins) -> np.ndarray:
        return np.isin(np.arange(len(self.template.names)), list(pins))

    def _carried(self, kin: Kin, skeletal: Skeletal, joints: np.ndarray, pins: Pins) -> np.ndarray:
        """The template's joints from those of the preset it is kin to."""
        fixed = self._fixed(pins)
        joints = kin.carry(joints, pins, template_scale(self.shape, self.template))
        joints = _inside(joints, skeletal, self.template, fixed)
        return joints if skeletal.plane is None else mirror_joints(joints, self.template, skeletal.plane, fixed)

    def rig(self, hints: Mapping[str, np.ndarray] = MappingProxyType({})) -> Rig:
        """`steps` to their end."""
        steps = self.steps(hints)
        while True:
            try:
                next(steps)
            except StopIteration as done:
                return done.value


def fit_shape_steps(shape: Shape, template: SkeletonTemplate, hints: Mapping[str, np.ndarray],
                    options: FitOptions = FitOptions()) -> Generator[tuple[str, float], None, Rig]:
    """Place a template's joints in a shape: `Fitter.steps`."""
    return Fitter(shape, template, options).steps(hints)


def find_middle(shape: Shape, options: FitOptions = FitOptions()) -> Skeletal:
    """Medial samples, spheres and their graph; mirrored exactly if the body (nearly) is. [BP07] section 3.1."""
    field, plane = shape.body, find_mirror_plane(shape.body)
    if likeness(field.solid, plane) < options.mirror or (plane.overlap < 0.99 and has_unlike_limbs(field, plane)):
        plane = None
        samples = sample_medial(field)
        spheres = pack_spheres(samples, limit=options.spheres)
    else:
        field = symmetric_field(field, plane)
        samples = sample_medial(field)
        spheres = pack_mirrored_spheres(samples, plane.x, 0.51 * field.grid.spacing, limit=options.spheres)
    graph = connect_spheres(spheres, field)
    return Skeletal(field, plane, samples, graph, _measure_sheets(field, graph), find_loose_parts(shape))


def _measure_sheets(field: DistanceField, graph: SphereGraph) -> np.ndarray:
    """(S,) `sheet_likeness` of limb ends; mirrored ends share one measurement."""
    sheets = np.ones(len(graph.points))
    ends = limb_ends(graph)
    if graph.twins is not None:
        ends = ends[graph.twins[ends] > ends]
    if len(ends):
        sheets[ends] = sheet_likeness(field, graph.points[ends])
        if graph.twins is not None:
            sheets[graph.twins[ends]] = sheets[ends]
    return sheets


def place_joints(skeletal: Skeletal, reduced: ReducedTemplate, embedding: Embedding, pins: Pins, *,
                 scale: float) -> tuple[np.ndarray, list[str]]:
    """(J, 3) all joints of an embedding, unit frame, and what could not be measured. Pinned joints lie where they are
    pinned, the others inside the solid.

    Bodies whose anatomy is known are measured; others are split along the paths and refined as in [BP07] section 3.5.
    Of birds, legs and wings are refined and the middle is measured.
    """
    template = reduced.template
    fixed = np.zeros(len(template.names), bool)
    fixed[list(pins)] = True
    doubts: list[str] = []
    measure = (_MEASURES if skeletal.plane is not None else _POSED).get(frozenset(template.names))
    if measure is not None:
        body = _measured(skeletal, reduced, embedding)
        placed = measure(body)
        doubts = list(dict.fromkeys(body.doubts))
        joints = _stubs(np.array([placed[n] for n in template.names]), skeletal.graph, reduced, embedding)
        if skeletal.plane is not None:
            joints = mirror_joints(joints, template, skeletal.plane, np.zeros(len(joints), bool))
        joints = spread_pins(_inside(joints, skeletal, template, fixed), reduced, pins)
    else:
        joints = split_paths(embedding, reduced, skeletal.graph, pins)
        joints = refine(joints, template, skeletal.samples, skeletal.field, scale=scale, fixed=fixed,
                        plane_x=None if skeletal.plane is None else skeletal.plane.x)
        if frozenset(template.names) == frozenset(BIRD_JOINTS):
            joints = np.where(fixed[:, None], joints, place_bird(_measured(skeletal, reduced, embedding), joints))
        joints = _inside(joints, skeletal, template, fixed)
    if skeletal.plane is not None:
        joints = mirror_joints(joints, template, skeletal.plane, fixed)
    return joints, doubts


def _measured(skeletal: Skeletal, reduced: ReducedTemplate, embedding: Embedding) -> Body:
    return Body(skeletal.field, skeletal.graph, reduced, embedding, skeletal.plane, skeletal.interior, skeletal.parts)


def _inside(joints: np.ndarray, skeletal: Skeletal, template: SkeletonTemplate, fixed: np.ndarray) -> np.ndarray:
    return pull_inside(joints, skeletal.field, skeletal.graph, ~fixed, template.mirror < 0)


def _stubs(joints: np.ndarray, graph: SphereGraph, reduced: ReducedTemplate, embedding: Embedding) -> np.ndarray:
    """Joints (J, 3) of limbs the body does not have: from the middle of the trunk out to its surface there."""
    for r in embedding.absent:
        chain, positions = list(reduced.chains[r]), reduced.template.positions
        vertex = embedding.vertices[r]
        heading = positions[chain[-1]] - positions[reduced.joints[reduced.parents[r]]]
        heading = heading * graph.radii[vertex] / np.linalg.norm(heading)
        joints[chain] = graph.points[vertex] + np.linspace(0.0, 1.0, len(chain))[:, None] * heading
    return joints


def mirror_joints(joints: np.ndarray, template: SkeletonTemplate, plane: MirrorPlane, fixed: np.ndarray) -> np.ndarray:
    """Joints and their partners' mirror images averaged; a pinned joint speaks for both. Joints without a partner lie
    on the plane. Joints pinned themselves do not move."""
    partner = np.where(template.mirror >= 0, template.mirror, np.arange(len(joints)))
    image = plane.reflect(joints[partner])
    out = np.where(fixed[partner, None], image, (joints + image) / 2)
    return np.where(fixed[:, None], joints, out)


def search(graph: SphereGraph, reduced: ReducedTemplate, pins: Pins, *, scale: float,
           sheets: np.ndarray | None = None, weights: dict[str, float] = PENALTY_WEIGHTS,
           options: FitOptions = FitOptions()) -> tuple[Embedding, tuple[str, ...]]:
    """The best embedding, and what to tell the artist about it.

    A body unlike the template may have no embedding within the paper's limits; then the same search runs with every
    rejection turned into a cost, so that there is always a skeleton to correct. [BP07] section 3.4
    """
    if graph.twins is None and options.match and not options.paper_ends:
        # Arms raised beside the head look like what hangs from it.
        every = replace(options, density=replace(options.density, hanging=False))
        candidates = choose_candidates(graph, reduced, pins, every)
        matched = match_limbs(graph, reduced, candidates, np.ones(len(graph.points)) if sheets is None else sheets)
        if matched is not None:
            for r, vertex in matched.vertices.items():
                candidates[r] = np.array([vertex])
            table = PenaltyTable(graph, reduced, candidates, scale=scale, sheets=sheets, weights=weights, strict=False)
            found = embed(table, limit=np.inf, budget=2000)
            return replace(found, absent=matched.absent), tuple(_absent(reduced, r) for r in matched.absent)
    candidates = choose_candidates(graph, reduced, pins, options)
    try:
        table = PenaltyTable(graph, reduced, candidates, scale=scale, sheets=sheets, weights=weights)
        return correct_limbs(table, embed(table), options.density), ()
    except NoEmbedding:
        table = PenaltyTable(graph, reduced, candidates, scale=scale, sheets=sheets, weights=weights, strict=False)
        unlike = (f"The body is unlike the preset '{reduced.template.name}'. Check the joints, pin the wrong ones, or "
                  "try another preset.")
        return correct_limbs(table, embed(table, limit=np.inf, budget=2000), options.density), (unlike,)


def _absent(reduced: ReducedTemplate, r: int) -> str:
    chain = [reduced.template.names[j] for j in reduced.chains[r]]
    return (f"No {chain[0]} is to be seen: its bones are put where it would begin. Delete them, or pin "
            f"'{chain[-1]}' if there is one.")


def choose_candidates(graph: SphereGraph, reduced: ReducedTemplate, pins: Pins,
                      options: FitOptions = FitOptions()) -> list[np.ndarray]:
    """R arrays of graph vertices the joints may take, ascending; a pinned joint's nearest one only."""
    ends = paper_limb_ends if options.paper_ends else limb_ends
    candidates = find_candidates(graph, reduced, fat=options.fat, ends=ends)
    candidates = drop_false_ends(graph, reduced, candidates, options.density)
    for r, joint in enumerate(reduced.joints):
        if int(joint) in pins:
            away = ((graph.points - pins[int(joint)]) ** 2).sum(1)
            candidates[r] = np.sort(np.argsort(away, kind="stable")[:1])
    return candidates


def template_scale(shape: Shape, template: SkeletonTemplate) -> float:
    """Template units to unit frame: the template is as long as the shape along the template's own longest side."""
    size = np.ptp(shape.mesh.vertices[np.unique(shape.mesh.faces)], axis=0)
    extent = np.ptp(template.positions, axis=0)
    axis = int(extent.argmax())
    return float(size[axis] / extent[axis])


def _turned_axes(shape: Shape, template: SkeletonTemplate, rig: Rig) -> np.ndarray:
    """Bend axes in object space; the template's bend directions are in the character's frame."""
    bends = shape.frame.turn_to_object(np.array([b.bend for b in template.bones]))
    return bend_axes(rig.tails - rig.heads, bends)
