"""From a prepared shape to a rig.

Bodies of a kind that has been learned are read: joints lie where the landmark network sees them and bodies of the kind
have them (see `readings`). Skeletons of their kin are carried over from these. A skeleton made from the shape itself
(see `from_shape`) has its joints already. All others are searched as in [BP07].
"""

from __future__ import annotations

from collections.abc import Container, Generator, Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from ..geometry.blocks import Blocks, blocks_of
from ..geometry.shape import Shape
from ..geometry.symmetry import MirrorPlane
from ..seeing.evidence import Evidence, look
from ..skeleton.reduce import ReducedTemplate, reduce_template
from ..skeleton.rig import DOUBTFUL, Rig, bend_axes
from ..skeleton.template import SkeletonTemplate, rig_from_joints
from ..steps import run
from .block_joints import joints_in_blocks
from .doubt import doubt_fit
from .from_shape import ShapeTemplate
from .joint_tree import JointTree, load_tree, tree_of
from .kin import Kin, find_kin
from .missing import Missing, PartTemplate
from .options import FitOptions
from .pins import Bends, Pins, contradicted, mirror_pins, read_hints, spread_pins
from .place import ARM, limb_in_air, place_joints, pull_inside, through_flesh, with_likely_elbows, with_likely_hands
from .readings import BodyReader, Reading
from .search import Skeletal, body_plane, find_middle, mirror_joints, place_searched, search, template_scale
from .tail import ROOT, SURE, SWINGS, TIP, tail_end
from .traced import SURE as TRACED
from .traced import trace_arm

# A pin so near to where its joint would be moves the rest of the limb along; one further off says that the limb is
# another. Unit frame.
FOLLOWS = 0.15
# A reading in which a bone of a limb goes so far through the air, unit frame, is not taken where another's does not and
# its log likelihood is no more than so much less. Of the likeliest readings of 72 people none goes 0.08 through the
# air; of animals, whose joints lie farther apart, some go 0.3, with no other reading so near.
FLIES, HARDLY = 0.2, 5.0

__all__ = ["FitOptions", "Fitter"]


class Fitter:
    """A template's fit into a shape. What pins do not change is kept, so that a changed pin refits at once."""

    def __init__(self, shape: Shape, template: SkeletonTemplate, options: FitOptions = FitOptions()):
        self.shape, self.template, self.options = shape, template, options
        is_known = tree_of(template) or isinstance(template, ShapeTemplate | PartTemplate)
        self.kin: Kin | None = None if is_known else find_kin(template)
        self.preset = template if self.kin is None else self.kin.preset
        part = template if isinstance(template, PartTemplate) else None
        self.kind = tree_of(self.preset if part is None else part.whole)
        self.missing = Missing() if part is None else part.missing

    @cached_property
    def plane(self) -> MirrorPlane | None:
        """The mirror plane of a body with like sides, which have the same limbs."""
        if isinstance(self.template, PartTemplate) and self.template.is_one_sided:
            return None
        return body_plane(self.shape, self.options)

    @cached_property
    def tree(self) -> JointTree:
        """What bodies of the preset's kind are like, without the limbs that this one lacks."""
        return load_tree(str(self.kind)).without(self.missing.joints).scaled(self.missing.scale)

    @cached_property
    def evidence(self) -> Evidence:
        """What the landmark network sees of the preset's joints."""
        return look(self.shape.mesh, str(self.kind)).of(self.tree.names)

    @cached_property
    def skeletal(self) -> Skeletal:
        """The body's middle, mirrored if the body is. [BP07] section 3.1."""
        return find_middle(self.shape, self.options)

    @cached_property
    def lopsided(self) -> Skeletal:
        """The body's middle as it is, for pins that do not mirror."""
        return find_middle(self.shape, replace(self.options, mirror=np.inf))

    @cached_property
    def reduced(self) -> ReducedTemplate:
        """The preset's joints that branch or end."""
        return reduce_template(self.preset)

    @cached_property
    def blocks(self) -> Blocks | None:
        """Of a figure of blocks."""
        return blocks_of(self.shape.mesh)

    @cached_property
    def bends(self) -> Bends:
        """The preset's knees and elbows."""
        return Bends.of(self.preset)

    def steps(self, hints: Mapping[str, np.ndarray]) -> Generator[tuple[str, float], None, Rig]:
        """Yields (stage, fraction), returns the rig in object space.

        hints : {joint name: (3,) object space}.  Raises BadHint for an unknown joint or a position that is no number.
        """
        hints = dict(hints)
        pins, plane = read_hints(self.shape.frame, self.template, hints), None
        yield "Seeing both sides", 0.0
        plane = self.plane
        if plane is not None:
            both = mirror_pins(pins, self.template, plane, tolerance=2 * self.shape.field.grid.spacing)
            if both is None or not self.options.mirror_pins:
                plane = None if pins else plane
            else:
                pins = both
        found = pins if self.kin is None else self.kin.pins(pins)
        if isinstance(self.template, ShapeTemplate):
            joints, extra = self._moved(self.template, found)
        elif self.kind is None:
            joints, extra = yield from self._search(found, plane)
        else:
            joints, extra = yield from self._read(found, plane)
        yield "Refining the joints", 0.9
        if self.kin is not None:
            joints = self._carried(self.kin, joints, pins, plane)
        positions = self.shape.frame.to_object(joints)
        for name, position in hints.items():
            positions[self.template.index(name)] = position
        doubts = doubt_fit(joints, self.template, self.shape.body, self._fixed(pins), extra.get("confidence", {}),
                           extra.get("readings", 1))
        extra["warnings"] = (*self._lacking(), *extra.get("warnings", ()), *doubts)
        rig = rig_from_joints(self.template, positions, **extra)
        return replace(rig, x_axes=_turned_axes(self.shape, self.template, rig))

    def _lacking(self) -> tuple[str, ...]:
        told = self.missing.told
        return (f"No bones are made for {told}, as nothing of that is seen: choose '{self.template.name}' under "
                "Skeleton if it is there.",) if told else ()

    def _moved(self, template: ShapeTemplate, pins: Pins) -> tuple[np.ndarray, dict]:
        """Joints (J, 3) of a template made of this shape, unit frame, and what else the rig tells."""
        sure = dict(zip(template.names, template.confidence.tolist(), strict=True))
        sure |= {template.names[j]: 1.0 for j in pins}
        extra = {"confidence": sure, "warnings": template.warnings}
        return spread_pins(template.positions, self.reduced, pins), extra

    def _read(self, pins: Pins, plane: MirrorPlane | None) -> Generator[tuple[str, float], None, tuple]:
        """Joints (J, 3) of the preset, unit frame, and what else the rig tells, by reading the body."""
        yield "Seeing the joints", 0.1
        sight = self.evidence.sight
        yield "Weighing readings", 0.7
        reader, tree = self._reader(plane), self.tree
        traced, free, doubted = self.missing.traced, None, None
        if pins:
            free = self._with_tail(self._unpinned(reader).places, reader, pins)
            free = place_joints(tree, free, sight, self.preset.names, self._lines)
            off = [self.preset.names[j] for j in contradicted(free, self.reduced, pins, FOLLOWS)]
            doubted = np.isin(tree.names, off) if off else None
            traced = {n: p for n, p in traced.items() if n not in off}
        placed = self.missing.stumps | traced | {self.preset.names[j]: p for j, p in pins.items()}
        readings = self._ranked(reader.read(self._in_cube(placed), doubted=doubted))
        strayed = self._strayed(readings[0], placed)
        if strayed:
            traced, placed = traced | strayed, {**placed, **strayed}
            readings = self._ranked(reader.read(self._in_cube(placed), doubted=doubted))
        number = self.options.reading % len(readings)
        reading = readings[number]
        places = self._with_tail(reading.places, reader, pins)
        joints = place_joints(tree, places, sight, self.preset.names, self._lines)
        if free is not None:
            for j, place in pins.items():
                joints[j] = free[j] if np.linalg.norm(place - free[j]) < FOLLOWS else place
            joints = spread_pins(joints, self.reduced, pins)
        fixed = np.isin(np.arange(len(joints)), list(pins))
        hidden = np.array(tree.names)[tree.confidence(reading.spread, reading.places) < DOUBTFUL]
        joints = with_likely_elbows(joints, self.preset.names, sight, np.isin(self.preset.names, hidden) & ~fixed)
        joints = with_likely_hands(joints, self.preset.names, fixed, None if plane is None else plane.x)
        if self.blocks is not None:
            told = joints_in_blocks(self.blocks, joints, self.reduced)
            told |= {int(j): joints[j] for j in np.flatnonzero(fixed)}
            joints = spread_pins(joints, self.reduced, told)
        joints = pull_inside(joints, self.shape.body, ~fixed)
        joints = through_flesh(joints, self.preset.names, self.shape.body, sight, fixed)
        if free is not None:
            joints = self.bends.kept(joints, free, fixed)
        if plane is not None:
            joints = mirror_joints(joints, self.preset, plane, fixed | self._swings(joints, plane))
        for j, place in pins.items():
            joints[j] = place
        sure = self._confidence(tree, reading, pins)
        if places is not reading.places:
            sure |= {n: min(sure[n], SURE) for n in self.template.names if n.startswith(f"{ROOT}_") and n in sure}
        along = [n for n in traced if n in sure and self.preset.names.index(n) not in pins]
        sure |= {n: min(sure[n], TRACED) for n in along}
        says = (f"{', '.join(map(repr, along))} follow the flesh of an arm that is hardly seen: check them.",)
        return joints, {"confidence": sure, "reading": number, "warnings": says if along else (),
                        "readings": len(readings), "says": _says(reading), "penalty": reading.penalty}

    def _in_cube(self, placed: Mapping[str, tuple[float, ...] | np.ndarray]) -> dict[int, np.ndarray]:
        """{number of the tree's joint: (3,) in the cube}. placed : {joint: (3,) unit frame}"""
        sight, names = self.evidence.sight, self.tree.names
        return {names.index(n): sight.to_cube(np.array([p]))[0] for n, p in placed.items() if n in names}

    def _unpinned(self, reader: BodyReader) -> Reading:
        """The first of the readings without pins, kept."""
        if reader not in self._firsts:
            traced = self.missing.traced
            first = reader.read(self._in_cube(traced), count=1)[0] if traced else reader.free
            if self._flies(first):
                first = self._ranked(reader.read(self._in_cube(traced)))[0]
            strayed = self._strayed(first, traced)
            if strayed:
                first = self._ranked(reader.read(self._in_cube(traced | strayed)))[0]
            self._firsts[reader] = first
        return self._firsts[reader]

    def _strayed(self, reading: Reading, placed: Container[str]) -> dict[str, tuple[float, ...]]:
        """{joint: (3,) unit frame} of arms whose elbow and hand are hardly seen, and the hand beside the arm's flesh.

        placed : joints whose places are known, of whose arms nothing is to be found
        """
        names, found = self.tree.names, dict[str, tuple[float, ...]]()
        hidden = {n for n, s in zip(names, self.tree.confidence(reading.spread, reading.places), strict=True)
                  if s < DOUBTFUL}
        for arm in (tuple(f"{part}.{side}" for part in ARM) for side in "LR"):
            if set(arm) <= set(names) and set(arm[1:3]) <= hidden and not any(n in placed for n in arm):
                hand = reading.places[names.index(arm[2])]
                key = (arm[0], hand.tobytes())
                if key not in self._arms:
                    whole = look(self.shape.mesh, str(self.kind))  # of the other arm too, if that is lost
                    self._arms[key] = trace_arm(self.preset, whole, arm, self.missing.joints, hand)
                found |= self._arms[key]
        return found

    def _ranked(self, readings: list[Reading]) -> list[Reading]:
        """The same; the first is one that is hardly worse than the likeliest if a limb goes through the air in that, as
        to the foot of the other leg."""
        if not self._flies(readings[0]):
            return readings
        close = (k for k, r in enumerate(readings) if r.score > readings[0].score - HARDLY and not self._flies(r))
        first = next(close, 0)
        return [readings[first], *readings[:first], *readings[first + 1:]]

    def _flies(self, reading: Reading) -> bool:
        return limb_in_air(self.tree, reading.places, self.evidence.sight, self.shape.body) >= FLIES

    def _with_tail(self, places: np.ndarray, reader: BodyReader, pins: Pins) -> np.ndarray:
        """(tree's joints, 3) in the cube, a tail drawn out to where its flesh ends, unless it is pinned."""
        names = self.tree.names
        if TIP not in names or any(self.preset.names[j].startswith(ROOT) for j in pins):
            return places
        end = self._free_tail(reader, places) if pins else tail_end(self.tree, places, self.evidence.sight)
        if end is None:
            return places
        out = places.copy()
        out[names.index(TIP)] = end
        return out

    def _free_tail(self, reader: BodyReader, places: np.ndarray) -> np.ndarray | None:
        """`tail_end`, which pins elsewhere do not move: kept, so that a drag of a leg does not look for it again."""
        own, free = [self.tree.names.index(name) for name in (ROOT, TIP)], reader.free.places
        if not np.array_equal(places[own], free[own]):
            return tail_end(self.tree, places, self.evidence.sight)
        if reader not in self._tails:
            self._tails[reader] = tail_end(self.tree, free, self.evidence.sight)
        return self._tails[reader]

    def _swings(self, joints: np.ndarray, plane: MirrorPlane) -> np.ndarray:
        """(J,) the joints of a tail that hangs to one side of a body whose sides are alike."""
        tail = [n.startswith(f"{ROOT}_") for n in self.preset.names]
        off = np.abs(joints[:, 0] - plane.x) > SWINGS
        return np.array(tail) & off.any(where=tail)

    def _reader(self, plane: MirrorPlane | None) -> BodyReader:
        x = None if plane is None else float(self.evidence.sight.to_cube(np.array([[plane.x, 0.0, 0.0]]))[0, 0])
        if x not in self._readers:
            self._readers[x] = BodyReader(self.evidence, self.tree, mirror_x=x)
        return self._readers[x]

    @cached_property
    def _lines(self) -> dict[bytes, np.ndarray]:
        return {}

    @cached_property
    def _arms(self) -> dict[tuple[str, bytes], dict[str, tuple[float, ...]]]:
        return {}

    @cached_property
    def _firsts(self) -> dict[BodyReader, Reading]:
        return {}

    @cached_property
    def _tails(self) -> dict[BodyReader, np.ndarray | None]:
        return {}

    @cached_property
    def _readers(self) -> dict[float | None, BodyReader]:
        return {}

    def _confidence(self, tree: JointTree, reading: Reading, pins: Pins) -> dict[str, float]:
        """{joint of the template: how likely it is right}."""
        sure = dict(zip(tree.names, tree.confidence(reading.spread, reading.places).tolist(), strict=True))
        rows = dict(tree.between) | {j: {a: 1 - share, b: share} for j, (a, b, share) in tree.along.items()}
        sure = {j: sum(share * sure[n] for n, share in row.items()) for j, row in rows.items()} | sure
        sure |= {self.preset.names[j]: 1.0 for j in pins}
        if self.kin is not None:
            return {self.template.names[own]: sure[self.preset.names[p]] for own, p in self.kin.known.items()}
        return {name: sure[name] for name in self.template.names}

    def _search(self, pins: Pins, plane: MirrorPlane | None) -> Generator[tuple[str, float], None, tuple]:
        """Joints (J, 3) of the template, unit frame, and what else the rig tells, by searching the body's middle."""
        yield "Finding the middle", 0.1
        skeletal = self.skeletal if plane is not None or self.plane is None else self.lopsided
        yield "Searching the skeleton", 0.4
        scale = template_scale(self.shape, self.preset)
        embedding, warnings = search(skeletal.graph, self.reduced, pins, scale=scale, sheets=skeletal.sheets,
                                     options=self.options)
        yield "Refining the joints", 0.7
        joints = place_searched(skeletal, self.reduced, embedding, pins, scale=scale)
        return joints, {"penalty": embedding.terms, "warnings": warnings}

    def _fixed(self, pins: Pins) -> np.ndarray:
        return np.isin(np.arange(len(self.template.names)), list(pins))

    def _carried(self, kin: Kin, joints: np.ndarray, pins: Pins, plane: MirrorPlane | None) -> np.ndarray:
        """The template's joints from those of the preset it is kin to."""
        fixed = self._fixed(pins)
        joints = kin.carry(joints, pins, template_scale(self.shape, self.template))
        joints = pull_inside(joints, self.shape.body, ~fixed)
        return joints if plane is None else mirror_joints(joints, self.template, plane, fixed)

    def rig(self, hints: Mapping[str, np.ndarray] = MappingProxyType({})) -> Rig:
        """`steps` to their end."""
        return run(self.steps(hints))


def _says(reading: Reading) -> str:
    """What sets a reading apart, in the artist's words."""
    return f"with '{reading.differs}' elsewhere" if reading.differs else "the likeliest"


def _turned_axes(shape: Shape, template: SkeletonTemplate, rig: Rig) -> np.ndarray:
    """Bend axes in object space; the template's bend directions are in the character's frame."""
    bends = shape.frame.turn_to_object(np.array([b.bend for b in template.bones]))
    return bend_axes(rig.tails - rig.heads, bends)
