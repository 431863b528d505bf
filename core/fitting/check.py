"""A quick look at a mesh before fitting: what it is, why, which preset fits it, and what will go wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.frame import unit_frame
from ..geometry.mesh import Mesh, check_mesh, weld
from ..geometry.shape import Shape
from ..seeing.evidence import kind_odds
from ..seeing.stance import Stance, detect_stance
from ..skeleton.preset import load_template
from ..skeleton.template import SkeletonTemplate
from .forewarning import forewarn, forewarn_mesh
from .limb_census import LimbCensus, count_limbs
from .silhouette import slice_mesh, slice_shape

_SPECIAL = ("bird", "centaur")  # presets of kind "other" that ship
# What speaks for each kind that the landmark network knows, for the artist.
_REASONS = {"biped": "two legs under an upright body", "biped_tail": "two legs and a tail behind them",
            "quadruped": "four legs of like length under a trunk",
            "centaur": "four legs, and an upright body with two arms above them"}
# A body less likely of the likeliest kind is of no known one.
KNOWN = 0.6


@dataclass(frozen=True)
class CharacterCheck:
    """What a mesh seems to be, in an artist's words.

    kind : "biped", "quadruped", "other" (a body with a preset of its own) or "unknown"
    preset : the preset to try;  reason : what speaks for the kind;  warnings : what is likely to go wrong
    up, front : the directions it stands and faces, as "Z" and "-Y"
    """

    kind: str
    preset: str
    reason: str
    warnings: tuple[str, ...]
    up: str
    front: str


def check_character(mesh: Mesh | Shape, *, stance: Stance | None = None) -> CharacterCheck:
    """Look at a mesh, or at a prepared shape, which is quicker and sees finer.

    stance : how a mesh stands, None to detect it; a shape stands already.  Raises BadMesh. Some 0.1 s.
    """
    if isinstance(mesh, Shape):
        stance, unit = Stance(mesh.frame.rotation), mesh.mesh
        frame, slices = mesh.frame, slice_shape(mesh)
    else:
        check_mesh(mesh)
        stance = detect_stance(mesh) if stance is None else stance
        frame = unit_frame(mesh, stance.rotation)
        used, faces = np.unique(mesh.faces, return_inverse=True)
        unit = weld(Mesh(frame.to_unit(mesh.vertices[used]), faces.reshape(-1, 3), mesh.name)).mesh
        slices = slice_mesh(unit)
    census = count_limbs(slices)
    kind, preset, reason = name_body(census, kind_odds(unit))
    warnings = (*forewarn(slices, census, kind), *forewarn_mesh(unit, frame))
    if stance.confidence < 0.7:
        warnings += (f"it is not clear which way it faces; {stance.front} is taken for the front",)
    return CharacterCheck(kind, preset, reason, warnings, stance.up, stance.front)


def unlike_preset(found: CharacterCheck, template: SkeletonTemplate) -> tuple[str, ...]:
    """A warning, if a template is for another kind of body than the one found; it names the better preset.

    A template of kind "other" that does not ship is taken to know what it is for.
    """
    better = load_template(found.preset)
    fits = template.kind == better.kind if template.kind != "other" else template.name not in _SPECIAL
    if found.kind == "unknown" or fits or template.name == found.preset:
        return ()
    return (f"the preset '{template.name}' is for another kind of body: this one has {found.reason}. The preset "
            f"'{found.preset}' suits it better",)


def name_body(census: LimbCensus, odds: dict[str, float]) -> tuple[str, str, str]:
    """(kind, preset, reason) of a body with these limbs. odds : {kind: log probability}, by the landmark network"""
    likeliest = max(odds, key=lambda kind: odds[kind])
    if census.wings and likeliest != "quadruped" and (census.leg_pairs == 1 or not census.upright):
        return "other", "bird", "two broad wings" + (" and two legs" if census.leg_pairs else "")
    if odds[likeliest] < np.log(KNOWN) or not (census.leg_pairs or census.arms):
        return "unknown", likeliest, "the look of no one kind of body"
    return load_template(likeliest).kind, likeliest, _REASONS[likeliest]
