"""What a body of any shape is made of: its trunk and all that stands out from it, as a tree of centre lines.

Waves run through the solid from the middle of its mass. Where a wave front falls apart, the body branches; where a
piece of it dies, something ends. The fronts' pieces form a tree (a Reeb graph of the geodesic distance, without its
loops), and how far a branch goes on after it parted from a longer one is its persistence: what persists stands out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..geometry.distance import DistanceField
from ..geometry.symmetry import MirrorPlane
from .fronts import STEP, find_tips, mass_middle, smoothed, wave_fronts, way_past
from .limbs import Interior, limb_profile

ASIDE = 0.08  # tips that lie so near each other's image are partners, unit frame
UNLIKE = 2.0  # so many times as long as the other is no partner
NEARBY = 0.3  # unit frame: so near each other's image two limbs begin, and lie in the middle, both added, to be a pair
BEND = 0.3  # of the way to the furthest tip: so far from its middle a body's halves may part
BESIDE = 0.75  # voxels from the mirror plane: one so near is its own image, or touches it
ROPE = 6.0  # times as far from its middle to its tip as it is thick, or its spine long: a rope, no body with limbs
CLEARLY = 1.5  # so many times as long and thick is clearly more


@dataclass(eq=False)
class Line:
    """A centre line of the outline.

    part : "spine", "tail" or "limb";  side : "L", "R" or "" for the middle and for what has no partner
    points : (K, 3) from its base to its end, unit frame;  radii : (K,) how thick the flesh is there
    parent : the line it hangs on, None for the first;  clear : how many times as long as it is wide
    twin : the line of the other side;  tip : the number of the furthest end behind its base
    flat : how many times as wide as a round limb of its depth it is: above 1.3 for tubes, 2 and more for sheets
    sort : what it is, where that is known: "wheel"
    """

    part: str
    side: str
    points: np.ndarray
    radii: np.ndarray
    parent: Line | None
    clear: float
    twin: Line | None = None
    tip: int = -1
    flat: float = 1.0
    sort: str = ""

    @property
    def length(self) -> float:
        """Along the line."""
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())

    def way(self) -> list[Line]:
        """The line, what it hangs on, and so on to the first."""
        return [self, *(self.parent.way() if self.parent is not None else ())]


class Outline:
    """The lines of a body, parents first. See `lines`.

    field : of the body;  plane : which its sides mirror about, None if they do not;  is_exact : every voxel does
    least, slender : see `find_tips`
    """

    def __init__(self, field: DistanceField, plane: MirrorPlane | None, *, is_exact: bool, least: float,
                 slender: float):
        self.plane, self.is_exact, self.least = plane, is_exact, least
        self.field = field
        self.interior = Interior(field, plane=plane if is_exact else None)
        self.depth = np.maximum(-field.sample(self.interior.centres), 0.25 * self.interior.grid.spacing)
        thickest = self.interior.centres[int(self.depth.argmax())][None]
        rough = wave_fronts(self.interior, self.depth, self._voxel_at(thickest))
        self.root = self._voxel_at(rough.centres[mass_middle(rough)][None])
        self.fronts = wave_fronts(self.interior, self.depth, self.root)
        self.deepest = np.zeros(len(self.fronts.parents))
        np.maximum.at(self.deepest, self.fronts.piece_of_voxel, self.depth)
        self.tips, self.reach = find_tips(self.fronts, least, slender)
        self.holds = np.zeros((len(self.fronts.parents), len(self.tips)), bool)  # which tips lie behind each piece
        for t, tip in enumerate(self.tips):
            self.holds[self.fronts.way(int(tip)), t] = True
        self.partner = self._pair_tips()
        self.lines = self._grow()

    @property
    def is_rope(self) -> bool:
        """Whether it is one long tube that bends about the plane: its halves are no sides."""
        spine, *limbs = self.lines
        return (self.plane is not None and 0 < len(limbs) < 3 and all(line.part == "limb" for line in limbs)
                and self.reach.max() > ROPE * max(spine.length, self.depth.max()))

    def begin_thick(self) -> None:
        """Let the spine be the thicker half of a body that consists of spine and tail: a rope's front is a guess."""
        ends = [float(np.median(line.radii[-len(line.radii) // 3:])) for line in self.lines]
        if [line.part for line in self.lines] == ["spine", "tail"] and ends[1] > ends[0]:
            spine, tail = self.lines
            self.lines = [replace(tail, part="spine", parent=None), replace(spine, part="tail")]
            self.lines[1].parent = self.lines[0]

    def add_images(self) -> None:
        """Give limbs on one side of an exact image their image for a twin, where no limb lies.

        Where a stem forks into two alike, one counts as what it goes on in: the other may seem too short.
        """
        for line in list(self.lines):
            points = self.plane.reflect(line.points)
            near = [np.linalg.norm(one.points[:, None] - points, axis=2).min() for one in self.lines
                    if one.part == "limb" and one not in line.way()]
            if line.side and line.twin is None and min(near, default=np.inf) > ASIDE:
                line.twin = replace(line, side="R" if line.side == "L" else "L", points=points, twin=line,
                                    parent=line.parent.twin or line.parent)
                self.lines.append(line.twin)

    def _onto_plane(self, points: np.ndarray) -> np.ndarray:
        if not self.is_exact:
            return points
        points = np.array(points)
        points[:, 0] = self.plane.x
        return points

    def _voxel_at(self, point: np.ndarray) -> int:
        """The voxel nearest to a point (1, 3), of a body with sides one between them: waves reach both alike."""
        interior, point = self.interior, self._onto_plane(point)
        voxel = int(interior.nearest(point)[0])
        if self.plane is None:
            return voxel
        off = np.abs(interior.centres[:, 0] - self.plane.x) / interior.grid.spacing
        if off[voxel] < BESIDE:
            return voxel
        on = np.flatnonzero(off < BESIDE)
        return int(on[np.linalg.norm(interior.centres[on] - point, axis=1).argmin()])

    def _pair_tips(self) -> np.ndarray:
        """(T,) the tip of the other side, itself in the middle, -1 for none: by the middles of what is its alone."""
        alone = [np.flatnonzero(self.holds[:, t] & (self.holds.sum(1) == 1)) for t in range(len(self.tips))]
        places = self.fronts.centres[[int(own[len(own) // 2]) for own in alone]]
        partner = np.full(len(self.tips), -1)
        if self.plane is None or not len(places):
            return partner
        apart = np.linalg.norm(places[:, None] - self.plane.reflect(places)[None], axis=2)
        nearest = apart.argmin(1)
        mutual = (nearest[nearest] == np.arange(len(places))) & (apart.min(1) < ASIDE)
        partner[mutual] = nearest[mutual]
        if self.is_exact:  # of two blunt corners one may count as the end of what both are
            blunt = (partner < 0) & (np.abs(places[:, 0] - self.plane.x) < ASIDE)
            partner[blunt] = np.flatnonzero(blunt)
        return partner

    def _is_middle(self, piece: int) -> bool:
        """Whether most of what is behind a piece is its own mirror image, or an end of it is."""
        tips = np.flatnonzero(self.holds[piece])
        return bool((self.partner[tips] == tips).any() or np.isin(self.partner[tips], tips).mean() > 0.5)

    def _children(self, piece: int) -> list[int]:
        return [int(c) for c in np.flatnonzero(self.fronts.parents == piece) if self.holds[c].any()]

    def _weight(self, piece: int) -> float:
        """How long and thick the best way from a piece to a tip is."""
        best = 0.0
        for tip in self.tips[self.holds[piece]]:
            line = [c for c in self.fronts.way(int(tip)) if c >= piece]
            steps = self.fronts.ends[line] - self.fronts.starts[line]
            best = max(best, float((self.fronts.radii[line] * steps).sum()))
        return best

    def _follow(self, piece: int) -> list[int]:
        """The pieces of a line from one on: where it branches, it goes on where it is clearly thickest and longest."""
        line, is_middle = [piece], self.plane is not None and self._is_middle(piece)
        while children := self._children(line[-1]):
            if is_middle:
                children = [c for c in children if self._is_middle(c)]
            ranked = sorted(children, key=self._weight, reverse=True)
            if not ranked or (len(ranked) > 1 and self._weight(ranked[0]) < CLEARLY * self._weight(ranked[1])):
                break
            line.append(ranked[0])
        return line

    def _grow(self) -> list[Line]:
        middle = self.interior.centres[self.root]
        thick = float(self.depth[self.root])
        top = 0
        around = 1.5 * thick + 2 * STEP * self.interior.grid.spacing
        while len(self._children(top)) == 1 and self.fronts.ends[self._children(top)[0]] < around:
            top = self._children(top)[0]
        top = self._past_bend(top)
        children = self._children(top)
        ends = self._spine_ends(children)
        lines: list[Line] = []
        todo: list[tuple[int, Line]] = []
        ways = [self._follow(c) for c in ends]
        shared = self._before_fork(middle, ways[0], around) if len(ways) == 1 else []
        if shared:
            ways = [self._follow(c) for c in self._spine_ends(self._children(shared[-1]))]
        elif len(ways) == 1:
            ways += self._blunt_end(middle, ways[0], thick)
        # The spine goes to the front and up, the tail back and down.
        ways.sort(key=lambda way: float((self.fronts.centres[way[-1]] - middle) @ [0.0, -1.0, 1.0]), reverse=True)
        if ways and self.plane is not None and self._children(ways[0][-1]):
            is_bare = ~self.holds.any(1) & (np.abs(self.fronts.centres[:, 0] - self.plane.x) < ASIDE)
            is_bare &= self.field.sample(self._onto_plane(self.fronts.centres)) < 0  # not between two posts
            ways[0] = way_past(self.fronts, ways[0], is_bare, self.least)
        starts = [way[0] for way in ways]
        if not ways:
            lines.append(self._stub(middle))
        for part, way in zip(("spine", "tail"), ways, strict=False):
            far = [c for c in way if np.linalg.norm(self.fronts.centres[c] - middle) > 0.3 * thick]
            lines.append(self._through(part, far or way[-1:], lines[0] if lines else None, middle))
            todo += self._branches(way, lines[-1])
        todo = [(c, lines[0]) for c in children if c not in ends] + self._branches(shared, lines[0]) + todo
        todo = [(c, line) for c, line in todo if c not in starts]
        while todo:
            piece, parent = todo.pop(0)
            line, way = self._limb(piece, parent)
            if self._children(way[-1]) and line.length < self.least:  # a fork's stem too short for a bone
                line = parent
            else:
                lines.append(line)
            todo += self._branches(way, line)
        return self._mirrored(lines)

    def _past_bend(self, top: int) -> int:
        """The piece behind which both halves of a body part whose middle lies in a tight bend; `top` for others."""
        fork = top
        while len(children := self._children(fork)) == 1:
            fork = children[0]
        weights = sorted((self._weight(c) for c in children), reverse=True) + [0.0, 0.0, 0.0]
        is_middle = self.plane is None or all(self._is_middle(c) for c in children)
        halves = is_middle and weights[0] < CLEARLY * weights[1] and weights[1] > CLEARLY * weights[2]
        return fork if halves and self.fronts.ends[fork] < BEND * self.reach.max() else top

    def _branches(self, way: list[int], line: Line) -> list[tuple[int, Line]]:
        return [(c, line) for w in way for c in self._children(w) if c not in way]

    def _spine_ends(self, children: list[int]) -> list[int]:
        """At most two of what the body's middle goes on in: on the mirror plane, or by far the longest and thickest."""
        if self.plane is not None:
            children = [c for c in children if self._is_middle(c)]
        ranked = sorted(children, key=self._weight, reverse=True)
        if self.plane is None and len(ranked) > 1:
            weights = np.array([self._weight(c) for c in ranked] + [0.0, 0.0])
            count = 2 if weights[1] > CLEARLY * weights[2] else 1 if weights[0] > CLEARLY * weights[1] else 0
            ranked = ranked[:count]
        return ranked[:2]

    def _blunt_end(self, middle: np.ndarray, way: list[int], thick: float) -> list[list[int]]:
        """The way to the body's blunt end, if its middle goes on in one direction only: the snout of a fish."""
        fronts = self.fronts
        ahead = fronts.centres[way[min(len(way) - 1, len(way) // 3 + 1)]] - middle
        offset = fronts.centres - middle
        apart = np.linalg.norm(offset, axis=1)
        back = offset @ ahead < -0.6 * apart * np.linalg.norm(ahead)
        ends = np.flatnonzero(back & ~self.holds.any(1) & (apart > 0.8 * thick))
        if not len(ends):
            return []
        end = int(ends[fronts.ends[ends].argmax()])
        found = [c for c in fronts.way(end) if not self.holds[c].any()]
        points = self._onto_plane(np.vstack([np.linspace(middle, fronts.centres[found[0]], 9), fronts.centres[found]]))
        is_flesh = (self.field.sample(points) < 0).all()  # not the middle of a ring, nor beyond one
        return [found] if is_flesh else []

    def _before_fork(self, middle: np.ndarray, way: list[int], around: float) -> list[int]:
        """The pieces up to where what seemed one way parts beside the middle in two, of which one carries several
        limbs: a tail, and a neck with the forelegs or the stem of several necks. None if it does not."""
        for k, piece in enumerate(way):
            is_near = np.linalg.norm(self.fronts.centres[piece] - middle) < around
            ends = self._spine_ends(self._children(piece)) if is_near else []
            if len(ends) == 2 and max(self.holds[c].sum() for c in ends) > 2:
                return way[:k + 1]
        return []

    def _stub(self, middle: np.ndarray) -> Line:
        """A short spine for a body without one: from the middle upwards, as far as there is flesh."""
        above = self.interior.centres[np.linalg.norm(self.interior.centres[:, :2] - middle[:2], axis=1)
                                      < 1.5 * self.interior.grid.spacing]
        top = middle + [0.0, 0.0, max(0.8 * (above[:, 2].max() - middle[2]), 2 * self.interior.grid.spacing)]
        return Line("spine", "", np.array([middle, top]), self.depth[[self.root, self.root]], None, 0.5)

    def _through(self, part: str, way: list[int], parent: Line | None, start: np.ndarray | None) -> Line:
        """A line along the middles of pieces."""
        points, radii = self.fronts.centres[way], self.fronts.radii[way]
        if start is not None:
            points, radii = np.vstack([start, points]), np.concatenate([radii[:1], radii])
        if not self._children(way[-1]):  # to where it ends
            points = np.vstack([points, self.interior.centres[self.fronts.voxel[way[-1]]]])
            radii = np.append(radii, radii[-1])
        points = smoothed(points)
        if self.is_exact and (part != "limb" or self._is_middle(way[-1])):
            points[:, 0] = self.plane.x
            flesh = np.flatnonzero(self.field.sample(points) < 0)  # between two limbs the plane may be bare
            count = max(2, int(flesh.max(initial=0)) + 1)
            points, radii = points[:count], radii[:count]
        line = Line(part, "", points, radii, parent, 0.0)
        line.clear = line.length / (2 * float(np.median(radii)))
        line.flat = float(np.median(self.fronts.radii[way] / self.deepest[way]))
        return line

    def _limb(self, piece: int, parent: Line) -> tuple[Line, list[int]]:
        """The limb that begins at a piece, and its pieces."""
        way = self._follow(piece)
        line = self._through("limb", way, parent, None)
        if not self._children(way[-1]):
            self._find_base(piece, way, line, parent)
        tips = np.flatnonzero(self.holds[piece])
        line.tip = int(tips[self.reach[tips].argmax()])
        if self.plane is not None and (self.partner[tips] >= 0).all() and not self._is_middle(piece):
            line.side = "L" if float(line.points[:, 0].mean()) > self.plane.x else "R"
        elif self.is_exact and self._is_middle(piece):
            line.points[:, 0] = self.plane.x
        return line, way

    def _find_base(self, piece: int, way: list[int], line: Line, parent: Line) -> None:
        """Let a limb begin where it enters what it grows out of: waves from its tip tell better than those to it."""
        fronts, tip = self.fronts, int(self.fronts.voxel[way[-1]])
        joint = fronts.centres[int(fronts.parents[piece])]
        near = np.linalg.norm(parent.points - joint, axis=1).argmin()
        trunk = int(self.interior.nearest(parent.points[near][None])[0])
        step = STEP * self.interior.grid.spacing
        from_tip = self.interior.distances_up_to(tip, trunk, 2 * step)
        behind = self.holds[:, self.holds[piece]].any(1)
        foreign = self.holds.any(1) & ~behind
        own = ~foreign[fronts.piece_of_voxel]
        profile = limb_profile(self.interior, from_tip, trunk, step=step, own=own)
        points = smoothed(np.vstack([self.interior.centres[tip], profile.centres[:profile.root + 1]]))[::-1]
        if len(points) < 3:
            return
        radii = np.sqrt(profile.areas[:profile.root + 1] / np.pi)[::-1]
        line.points, line.radii = points, np.append(radii, radii[-1])
        line.clear = line.length / (2 * float(np.median(line.radii)))

    def _mirrored(self, lines: list[Line]) -> list[Line]:
        """The lines in pairs. Of an exactly mirrored body those of the right side are the left ones' images."""
        right = {line.tip: line for line in lines if line.side == "R"}
        for line in lines:
            partner = right.get(int(self.partner[line.tip])) if line.side == "L" else None
            if partner is not None and partner.twin is None and (are_alike(line, partner) or
                                                                 self._are_images(line, partner)):
                line.twin, partner.twin = partner, line
        for line in lines:
            if line.twin is None:
                line.side = self._side_of(line)
            elif line.side == "L" and self.is_exact:
                if not are_alike(line, line.twin) and line.length < line.twin.length:
                    line.points, line.radii = self.plane.reflect(line.twin.points), line.twin.radii
                    line.clear = line.twin.clear
                line.twin.points, line.twin.radii = self.plane.reflect(line.points), line.radii
                line.twin.clear = line.clear
        self._pair_by_place(lines)
        for line in lines if self.is_exact else ():
            if line.twin is not None and line.side == "L":
                line.twin.parent = line.parent.twin or line.parent
        for line in sorted(lines, key=self._generation, reverse=True):
            if line.parent is not None:  # what carries something that stands out clearly is as clear
                line.parent.clear = max(line.parent.clear, line.clear)
        order = {id(line): i for i, line in enumerate(lines)}
        return sorted(lines, key=lambda line: self._generation(line) * len(lines) + order[id(line)])

    def _pair_by_place(self, lines: list[Line]) -> None:
        """Make twins of what is left over on both sides, as limbs are that are posed unlike: of where they begin and of
        their middles, both sides together differ least."""
        left, right = ([line for line in lines if line.part == "limb" and line.twin is None and line.side == side]
                       for side in "LR")
        if not (left and right):
            return
        here, there = (np.array([(line.points[0], line.points.mean(0)) for line in limbs]) for limbs in (left, right))
        apart = np.linalg.norm(here[:, None] - self.plane.reflect(there), axis=3).sum(2)
        for i, j in zip(*linear_sum_assignment(apart), strict=True):
            if apart[i, j] < NEARBY and are_alike(left[i], right[j]):
                left[i].twin, right[j].twin = right[j], left[i]

    def _are_images(self, line: Line, other: Line) -> bool:
        """Whether two limbs are each other's image though the base of one was found elsewhere, as of necks that
        touch: they part from one line, equally far from their tips."""
        away = [len(self.fronts.way(int(self.tips[one.tip]))) for one in (line, other)]
        return self.is_exact and line.parent is other.parent and abs(away[0] - away[1]) <= 1

    def _side_of(self, line: Line) -> str:
        """Of a limb without a partner: which side it lies on, "" for the middle and for a body without sides."""
        off = 0.0 if self.plane is None or line.part != "limb" else float(line.points[:, 0].mean()) - self.plane.x
        return "" if abs(off) < ASIDE else "L" if off > 0 else "R"

    def _generation(self, line: Line) -> int:
        count = 0
        while line.parent is not None:
            line, count = line.parent, count + 1
        return count


def are_alike(line: Line, other: Line) -> bool:
    """Whether two limbs may be a pair: a leg and a toe of the other leg are none."""
    short, long = sorted((line.length, other.length))
    return long < UNLIKE * short
