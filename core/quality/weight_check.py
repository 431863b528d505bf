"""The weight check: a rig is put through a range of motion, and what its weights do wrong gets a number and a word."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..geometry.mesh import Mesh
from ..motion.blend import blend_dual_quaternions, blend_linear, shares
from ..skeleton.rig import Rig
from ..steps import run
from .bleed import Territory, bled_weight, survey
from .findings import COUNTED, Finding, judge
from .range_of_motion import Pose, character_axes, range_of_motion
from .skin import Skin, read_skin
from .strain import EdgeStretch, Region, joint_region
from .symmetry import mirror_error

T99 = 0.99  # the share of edges that are drawn out less than what is reported


@dataclass(frozen=True, eq=False)
class PoseStrain:
    """What one pose does.

    stretch : the 99th percentile of posed over resting length of the edges that move against each other at all
    worst : of all edges;  volume, preserved : the least share of its volume that a joint keeps by linear and by
    dual quaternion blending, None where no joint is a solid piece of flesh;  joint : the bone at that joint
    """

    pose: Pose
    stretch: float
    worst: float
    volume: float | None
    preserved: float | None
    joint: str

    @property
    def severity(self) -> float:
        """How bad the pose looks: what is drawn out, and what collapses."""
        return self.stretch - 1.0 + (0.0 if self.volume is None else max(1.0 - self.volume, 0.0))


@dataclass(frozen=True, eq=False)
class WeightCheck:
    """What was found.

    findings : one for each thing looked at, in a fixed order;  strains : one for each pose
    badness : (V,) 0 to 1 for each vertex of the mesh given: how bad it is in whatever it is worst at
    """

    findings: tuple[Finding, ...]
    strains: tuple[PoseStrain, ...]
    badness: np.ndarray

    @property
    def verdict(self) -> str:
        """The worst of all findings' verdicts."""
        order = ("good", "fair", "poor")
        return max((f.verdict for f in self.findings), key=order.index)

    def finding(self, key: str) -> Finding:
        """A finding by its key."""
        return next(f for f in self.findings if f.key == key)

    def numbers(self) -> dict:
        """What a report says: scalars, the poses and the joint that come off worst, and words for what is not good."""
        told = {"verdict": self.verdict} | {f.key: round(f.value, 4) for f in self.findings}
        worst = max(self.strains, key=lambda s: s.worst, default=None)
        if worst is not None:
            told |= {"worst_stretch": round(worst.worst, 3), "worst_stretch_pose": worst.pose.name}
        if "volume" in told:
            kept, joint, pose, preserved = self.finding("volume").values
            told |= {"volume": round(kept, 3), "volume_preserved": round(preserved, 3), "volume_joint": joint,
                     "volume_pose": pose}
        return told | {"words": [f.words for f in self.findings if f.verdict != "good"]}


def check_weights(mesh: Mesh, rig: Rig, weights, *, rotation: np.ndarray | None = None) -> WeightCheck:
    """Measure what weights are worth, whoever made them.

    mesh, rig : one space, at rest;  weights : (V, B) sparse or dense, rows need not sum to 1 (they are scaled as
        Blender does it);  rotation : (3, 3) its axes to the character's, None reads them off the rig
    Raises BadMesh if there is nothing to judge.  About a second for 30 000 vertices and 60 bones.
    """
    return run(check_weights_steps(mesh, rig, weights, rotation=rotation))


def check_weights_steps(mesh: Mesh, rig: Rig, weights, *, rotation: np.ndarray | None = None
                        ) -> Generator[tuple[str, float], None, WeightCheck]:
    """`check_weights`, yielding (stage, fraction) on the way."""
    yield "Reading the weights", 0.0
    skin = read_skin(mesh, rig, weights)
    weights = shares(weights)
    moving = np.asarray(skin.weights.sum(0)).ravel() > 0
    yield "Measuring distances inside the body", 0.1
    territory = survey(skin, moving)
    bled = bled_weight(skin, territory)
    axes = character_axes(skin.rig) if rotation is None else np.asarray(rotation, float)
    mirrored = mirror_error(skin, axes)
    poses = range_of_motion(skin.rig, rotation=axes, moving=moving)
    bench = _Bench(skin, territory)
    strains = []
    for number, pose in enumerate(poses):
        yield "Posing the character", 0.3 + 0.7 * number / len(poses)
        strains.append(bench.strain(pose))
    seams = _seam_differences(skin, weights)
    findings, badness = judge(skin, weights, tuple(strains), bench.stretch_of_vertex, bled, mirrored, seams)
    return WeightCheck(findings, tuple(strains), badness)


class _Bench:
    """A skin, posed again and again; keeps the worst of it.  stretch_of_vertex : (W,) of its edges over all poses"""

    def __init__(self, skin: Skin, territory: Territory):
        self._skin, self._territory = skin, territory
        self._edges = EdgeStretch(skin)
        weights = skin.weights[self._edges.edges[:, 0]] - skin.weights[self._edges.edges[:, 1]]
        self._soft = np.asarray(abs(weights).sum(1)).ravel() > COUNTED
        self._regions: dict[int, tuple[Region, float]] = {}
        self.stretch_of_vertex = np.ones(len(skin.mesh.vertices))

    def strain(self, pose: Pose) -> PoseStrain:
        """Pose it both ways and measure."""
        rest, weights = self._skin.mesh.vertices, self._skin.weights
        linear = blend_linear(rest, weights, pose.turns, pose.shifts)
        preserving = blend_dual_quaternions(rest, weights, pose.turns, pose.shifts)
        stretch = self._edges.of(linear)
        drawn = np.flatnonzero(stretch > 1.2)
        for end in self._edges.edges[drawn].T:
            np.maximum.at(self.stretch_of_vertex, end, stretch[drawn])
        kept = [(region.volume(linear) / volume, region.volume(preserving) / volume, self._skin.rig.names[bone])
                for bone in pose.joints for region, volume in [self._region(bone)] if volume > 0]
        least = min(kept, default=(None, None, ""))
        moved = stretch[self._soft & (np.abs(stretch - 1) > 0.01)]
        return PoseStrain(pose, float(np.quantile(moved, T99)) if len(moved) else 1.0, float(stretch.max()), *least)

    def _region(self, bone: int) -> tuple[Region, float]:
        """The skin around a bone's head and its volume at rest, 0 if it is no solid piece."""
        if bone not in self._regions:
            region = joint_region(self._skin, bone, self._territory.owner)
            rest = self._skin.mesh.vertices
            self._regions[bone] = region, region.volume(rest) if region.is_solid(rest) else 0.0
        return self._regions[bone]


def _seam_differences(skin: Skin, weights: sparse.csr_matrix) -> np.ndarray:
    """(V,) how much each original vertex's weights differ from those of the one it is welded to, 0 to 2."""
    return np.asarray(abs(weights - skin.weights[skin.of_vertex]).sum(1)).ravel()
