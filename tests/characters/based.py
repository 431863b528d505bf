"""A figure that stands on something: a plinth, a rock, steps; melted into one surface with it, or loose."""

from __future__ import annotations

import numpy as np

from .character import Character, Piece, cell_of_pieces, fuse, grow_pieces
from .implicit import Blend, Common, Ellipsoid, HalfSpace, Slab
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
