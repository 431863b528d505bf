"""A figure that stands on something: a plinth, a rock, steps; melted into one surface with it, or loose.

And bodies whose own lower ends are broad and low: no base."""

from __future__ import annotations

import numpy as np

from .animals import SPECIES, quadruped_joints, quadruped_pieces
from .character import Character, Piece, cell_of_pieces, fuse, grow_pieces, grown_once
from .implicit import Blend, Common, Ellipsoid, HalfSpace, RoundCone, Slab, strand
from .people import PersonOptions, flesh, person_joints, simple_hair

SKIN, HAIR, STONE = (0.87, 0.65, 0.53), (0.33, 0.2, 0.12), (0.5, 0.5, 0.48)
SUNK = 0.012  # how deep the soles are in it


def _plinth(high: float):
    return Slab((0, -0.02, SUNK - high / 2), (0.24, 0.2, high / 2), 0.004)


BASES = {
    "plinth": lambda: _plinth(0.1), "board": lambda: _plinth(0.03), "pedestal": lambda: _plinth(0.35),
    "steps": lambda: Blend((Slab((0, -0.02, SUNK - 0.03), (0.2, 0.17, 0.03), 0.004),
                            Slab((0, -0.02, SUNK - 0.08), (0.28, 0.25, 0.035), 0.004))),
    "cushion": lambda: Ellipsoid((0, 0, -0.08), (0.35, 0.32, 0.1)),
    "stone beside the feet": lambda: Blend((Slab((0, -0.02, SUNK - 0.02), (0.3, 0.26, 0.02), 0.004),
                                            Slab((0.22, -0.18, SUNK + 0.02), (0.05, 0.05, 0.04), 0.004)), 0.004),
    "rock": lambda: Common((Blend((
        Ellipsoid((0, 0, -0.06), (0.33, 0.28, 0.09)), Ellipsoid((0.2, 0.1, -0.05), (0.1, 0.1, 0.1)),
        Ellipsoid((-0.18, -0.12, -0.06), (0.12, 0.12, 0.12))), 0.02), HalfSpace((0, 0, -1), 0.12)))}


@grown_once
def on_base(base: str = "plinth", *, fused: bool = True, vertices: int = 6000, **options) -> Character:
    """A person one unit tall whose soles are at height 0, on a base of `BASES` that lies below.

    fused : one surface with it;  options : fields of PersonOptions
    """
    chosen = PersonOptions(**{"hair": "short", "asymmetry": 0.0} | options)
    joints = person_joints(chosen)

    def pieces(thinnest):
        body = fuse([Piece("body", flesh(joints, chosen, thinnest), SKIN),
                     Piece("hair", simple_hair(joints, chosen, thinnest), HAIR)], 0.012)
        stone = Piece("base", BASES[base](), STONE)
        return [fuse([body, stone], 0.01)] if fused else [body, stone]

    cell = cell_of_pieces(pieces(0.0), vertices, mirrored=False)
    return grow_pieces("on_base", pieces(0.92 * cell), {n: np.asarray(p) for n, p in joints.items()}, "biped", cell,
                       mirrored=False)


def _sitting(lap):
    """A trunk with arms and a head on a lap."""
    arms = [strand([(s * 0.16, 0, 0.62), (s * 0.25, -0.05, 0.42), (s * 0.16, -0.2, 0.25)], [0.06, 0.05, 0.04])
            for s in (-1, 1)]
    trunk = strand([(0, 0.02, 0.15), (0, 0, 0.58), (0, 0, 0.62), (0, 0, 0.75)], [0.15, 0.14, 0.06, 0.06])
    return Blend((lap, trunk, Ellipsoid((0, -0.02, 0.85), (0.11, 0.13, 0.15)), *arms), 0.03)


LOW = {
    "swan": lambda: Blend((Ellipsoid((0, 0, 0.14), (0.26, 0.5, 0.14)), strand(
        [(0, -0.3, 0.15), (0, -0.45, 0.3), (0, -0.42, 0.55), (0, -0.5, 0.78)], [0.09, 0.06, 0.05, 0.07]),
        RoundCone((0, -0.5, 0.78), (0, -0.65, 0.76), 0.06, 0.02)), 0.04),
    "slime": lambda: Blend((
        Ellipsoid((0, 0, 0.04), (0.55, 0.55, 0.1)), RoundCone((0, 0, 0.1), (0, 0, 0.8), 0.18, 0.12),
        *(RoundCone((s * 0.1, 0, 0.5), (s * 0.4, 0, 0.6), 0.06, 0.05) for s in (-1, 1))), 0.05),
    "legs folded in a robe": lambda: _sitting(Common((Blend((
        Slab((0, -0.1, 0.05), (0.48, 0.32, 0.08), 0.07), *(
            strand([(s * 0.1, 0, 0.12), (s * 0.42, -0.15, 0.09), (-s * 0.1, -0.3, 0.08)], [0.1, 0.08, 0.06])
            for s in (-1, 1))), 0.06), HalfSpace((0, 0, -1), 0)))),
    "robe spread on the ground": lambda: _sitting(Common((Ellipsoid((0, -0.08, 0), (0.5, 0.42, 0.17)),
                                                          HalfSpace((0, 0, -1), 0)))),
}


@grown_once
def low_body(name: str, vertices: int = 5000) -> Character:
    """A body of `LOW`, one surface."""
    pieces = [Piece("body", LOW[name](), SKIN)]
    cell = cell_of_pieces(pieces, vertices, mirrored=False)
    return grow_pieces("low_body", pieces, {}, "other", cell, mirrored=False)


@grown_once
def on_mound(species: str = "cat", *, wide: float = 1.5, vertices: int = 9000) -> Character:
    """An animal on a mound that is so many times as wide as the animal is long, one surface."""
    chosen = SPECIES[species]
    joints = quadruped_joints(chosen)
    beast = fuse(quadruped_pieces(joints, chosen, 0.0), 0.01)
    ends = np.array(list(joints.values()))
    middle, long = (ends.min(0) + ends.max(0)) / 2, np.ptp(ends[:, 1])
    mound = Ellipsoid((0, middle[1], -0.07 * long), (0.5 * wide * long, 0.5 * wide * long, 0.09 * long))
    pieces = [fuse([beast, Piece("base", mound, STONE)], 0.01)]
    return grow_pieces("on_mound", pieces, joints, "quadruped", cell_of_pieces(pieces, vertices, mirrored=False),
                       mirrored=False)
