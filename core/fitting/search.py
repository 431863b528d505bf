"""Skeletons of bodies that nobody has learned: found by [BP07]'s search through the graph of the solid's middle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import NoEmbedding
from ..geometry.distance import DistanceField
from ..geometry.shape import Shape
from ..geometry.symmetry import MirrorPlane, find_mirror_plane, has_unlike_limbs, likeness, symmetric_field
from ..skeleton.reduce import ReducedTemplate
from ..skeleton.template import SkeletonTemplate
from .anatomy import Body
from .bird import JOINTS as BIRD_JOINTS
from .bird import place_bird
from .candidates import find_candidates, limb_ends, paper_limb_ends
from .density import correct_limbs, drop_false_ends
from .embedding import Embedding, embed
from .graph import SphereGraph, connect_spheres
from .limbs import Interior, sheet_likeness
from .medial import MedialSamples, sample_medial
from .options import FitOptions
from .penalties import PENALTY_WEIGHTS, PenaltyTable
from .pins import Pins
from .place import pull_inside
from .refine import refine
from .spheres import pack_mirrored_spheres, pack_spheres
from .split import split_paths


@dataclass(frozen=True, eq=False)
class Skeletal:
    """What the search looks at: the solid's middle and the graph through it. plane is None for a lopsided body.

    field : of the solid, unit frame;  samples : its middle
    sheets : (S,) `sheet_likeness` of the graph's limb ends, 1 elsewhere
    """

    field: DistanceField
    plane: MirrorPlane | None
    samples: MedialSamples
    graph: SphereGraph
    sheets: np.ndarray

    @cached_property
    def interior(self) -> Interior:
        """The solid as a graph of voxels, with the distances asked for so far."""
        return Interior(self.field, plane=self.plane)


def body_plane(shape: Shape, options: FitOptions = FitOptions()) -> MirrorPlane | None:
    """The plane about which a body is (nearly) its own mirror image, None for a lopsided one."""
    field, plane = shape.body, find_mirror_plane(shape.body)
    unlike = likeness(field.solid, plane) < options.mirror or (plane.overlap < 0.99 and has_unlike_limbs(field, plane))
    return None if unlike else plane


def find_middle(shape: Shape, options: FitOptions = FitOptions()) -> Skeletal:
    """Medial samples, spheres and their graph; mirrored exactly if the body (nearly) is. [BP07] section 3.1."""
    field, plane = shape.body, body_plane(shape, options)
    if plane is None:
        samples = sample_medial(field)
        spheres = pack_spheres(samples, limit=options.spheres)
    else:
        field = symmetric_field(field, plane)
        samples = sample_medial(field)
        spheres = pack_mirrored_spheres(samples, plane.x, 0.51 * field.grid.spacing, limit=options.spheres)
    graph = connect_spheres(spheres, field)
    return Skeletal(field, plane, samples, graph, _measure_sheets(field, graph))


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


def place_searched(skeletal: Skeletal, reduced: ReducedTemplate, embedding: Embedding, pins: Pins, *,
                   scale: float) -> np.ndarray:
    """(J, 3) all joints of an embedding, unit frame: split along the paths, refined as in [BP07] section 3.5, inside
    the solid. Pinned joints lie where they are pinned. Of birds, legs and wings are refined and the middle is measured.
    """
    template = reduced.template
    fixed = np.zeros(len(template.names), bool)
    fixed[list(pins)] = True
    joints = split_paths(embedding, reduced, skeletal.graph, pins)
    joints = refine(joints, template, skeletal.samples, skeletal.field, scale=scale, fixed=fixed,
                    plane_x=None if skeletal.plane is None else skeletal.plane.x)
    if frozenset(template.names) == frozenset(BIRD_JOINTS):
        body = Body(skeletal.field, skeletal.graph, reduced, embedding, skeletal.plane, skeletal.interior)
        joints = np.where(fixed[:, None], joints, place_bird(body, joints))
    joints = pull_inside(joints, skeletal.field, ~fixed)
    return joints if skeletal.plane is None else mirror_joints(joints, template, skeletal.plane, fixed)


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
    candidates = choose_candidates(graph, reduced, pins, options)
    try:
        table = PenaltyTable(graph, reduced, candidates, scale=scale, sheets=sheets, weights=weights)
        return correct_limbs(table, embed(table), options.density), ()
    except NoEmbedding:
        table = PenaltyTable(graph, reduced, candidates, scale=scale, sheets=sheets, weights=weights, strict=False)
        unlike = (f"The body is unlike the preset '{reduced.template.name}'. Check the joints, pin the wrong ones, or "
                  "try another preset.")
        return correct_limbs(table, embed(table, limit=np.inf, budget=2000), options.density), (unlike,)


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
