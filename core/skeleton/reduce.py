"""Reduced skeletons: only the joints that branch or end, and the chains of bones between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import frozen
from .template import SkeletonTemplate


@dataclass(frozen=True, eq=False)
class ReducedTemplate:
    """The R joints of a template that the search places. [BP07] section 3.2.

    template : the whole skeleton, J joints
    joints : (R,) index of each in the template, parents first;  parents : (R,) index into `joints`, -1 = root
    mirror : (R,) partner's index, -1 = none;  chains : R tuples of template joints from the parent's (excluded) to the
    joint itself;  lengths : (R,) length of each chain;  fractions : R arrays, where along it each joint sits, up to 1
    """

    template: SkeletonTemplate
    joints: np.ndarray
    parents: np.ndarray
    mirror: np.ndarray
    chains: tuple[tuple[int, ...], ...]
    lengths: np.ndarray
    fractions: tuple[np.ndarray, ...]

    def __post_init__(self):
        for key, dtype in (("joints", np.int32), ("parents", np.int32), ("mirror", np.int32), ("lengths", np.float64)):
            object.__setattr__(self, key, frozen(getattr(self, key), dtype, (len(self.joints),), key))

    @cached_property
    def is_leaf(self) -> np.ndarray:
        """(R,) bool: joints without children."""
        return frozen(~np.isin(np.arange(len(self.joints)), self.parents), bool, (len(self.joints),), "is_leaf")

    def ancestors(self, joint: int) -> list[int]:
        """The reduced joint and everything above it, up to the root."""
        line = [joint]
        while self.parents[line[-1]] >= 0:
            line.append(int(self.parents[line[-1]]))
        return line


def reduce_template(template: SkeletonTemplate) -> ReducedTemplate:
    """Merge every joint with exactly one child into the chain through it; the root always stays. [BP07] section 3.2."""
    count = len(template.names)
    children = np.bincount(template.parents[1:], minlength=count)
    kept = [j for j in range(count) if j == 0 or children[j] != 1]
    place = {j: r for r, j in enumerate(kept)}
    parents, chains, lengths, fractions = [], [], [], []
    for j in kept:
        chain: list[int] = []
        while j >= 0 and (j not in place or not chain):
            chain.append(j)
            j = int(template.parents[j])
        parents.append(place[j] if j >= 0 else -1)
        chain = chain[::-1]
        above = np.array([j if j >= 0 else chain[0], *chain[:-1]])
        steps = np.linalg.norm(template.positions[chain] - template.positions[above], axis=1)
        chains.append(tuple(chain))
        lengths.append(float(steps.sum()))
        fractions.append(np.cumsum(steps) / steps.sum() if steps.sum() > 0 else np.ones(len(chain)))
    mirror = [place.get(int(template.mirror[j]), -1) for j in kept]
    return ReducedTemplate(template, np.array(kept), np.array(parents), np.array(mirror), tuple(chains),
                           np.array(lengths), tuple(fractions))
