"""The skeleton shown for editing: fitted live to the pins, drawn and grasped in the viewport, saved nowhere.

Everything is derived: the owner's pins and the reading chosen for it are the truth. Whoever asks for the rig gets the
one for the pins and the reading of now, so undo, scripts and the panel's list need no notice to be taken of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from functools import cached_property

import bpy
import numpy as np

from ...core.detail.grow import DetailOptions, Grower, may_pin
from ...core.errors import BadMesh, RigError
from ...core.fitting.options import FitOptions
from ...core.geometry.shape import Shape
from ...core.geometry.symmetry import MirrorPlane, find_mirror_plane
from ...core.skeleton.chain import with_joints
from ...core.skeleton.rig import Rig, doubtful
from ...core.skeleton.template import SkeletonTemplate
from .. import names, session
from ..characters import fitted
from ..characters.rigged import armature_of
from ..modes import object_mode
from ..viewports import redraw
from . import pins
from .grasp import SLICE, let_go
from .limbs import limbs_said, with_limbs
from .said import Said
from .unchanged import is_as

WATCHING = 0.05  # of the time at most goes into looking whether the mesh is still the one that was read
GONE = "The character whose joints are shown was deleted. Select another and press Edit Joints."
STALE = "The mesh has been changed: these joints are still those of the mesh before."


@dataclass
class ShownJoints:
    """A character whose joints are shown.

    owner : name of the object that holds the pins
    numbers : {name of each mesh object: Blender's number of it, which stays when it is renamed}
    matrix : (4, 4) the owner's place in the world when the mesh was read
    plain : the skeleton that is fitted, without small parts;  shape : into what, in the world as it was then
    read : {name of each mesh object: what it was when it was read}
    before : what the artist had said of the joints when they were shown or last applied: Esc goes back to that
    dragging : while the mouse moves a joint the skeleton follows in turns, see `advance`; the pins follow at once
    """

    owner: str
    numbers: dict[str, int]
    matrix: np.ndarray
    plain: SkeletonTemplate
    shape: Shape
    read: dict[str, tuple] = field(default_factory=dict)
    detail: DetailOptions = field(default_factory=DetailOptions)
    before: Said | None = None
    problem: str = ""
    dragging: bool = False
    _fitter: Grower | None = None  # the one used last; the session keeps more
    _rigs: dict = field(default_factory=dict)
    _work: tuple | None = None  # what is being fitted: the pins' key, its generator
    _prepared: set = field(default_factory=set)
    _grown: tuple | None = None  # a rig, and the template with its small parts
    _based: tuple[str, SkeletonTemplate | None] = ("", None)  # what was said of the limbs, and the skeleton with them
    _looked: tuple[float, float, bool] = (-math.inf, 0.0, False)  # when, for how long, what was seen

    @property
    def base(self) -> SkeletonTemplate:
        """The skeleton that is fitted, with the limbs that were added to it and without those taken away."""
        said = limbs_said(owner := self.owner_object())
        if self._based[0] != said:  # then the rigs so far have other limbs
            self._based = said, with_limbs(self.plain, self.shape, owner, self.matrix)
            self._rigs, self._work, self._grown = {}, None, None
        return self._based[1] or self.plain

    @property
    def template(self) -> SkeletonTemplate:
        """The skeleton with all joints of the rig shown, fingers too."""
        base, rig = self.base, self.latest
        if rig is not None and (self._grown is None or self._grown[0] is not rig):
            self._grown = rig, with_joints(base, rig)
        return base if rig is None or self._grown is None else self._grown[1]

    def owner_object(self) -> bpy.types.Object | None:
        """The object that holds the pins, if it is still there."""
        o = bpy.data.objects.get(self.owner)
        if o is None or o.session_uid != self.numbers[self.owner]:
            self._follow_names()
            o = bpy.data.objects.get(self.owner)
        return o if o is not None and o.session_uid == self.numbers[self.owner] else None

    def _follow_names(self) -> None:
        """Know the objects by the names they have now."""
        names_now = {o.session_uid: o.name for o in bpy.data.objects}
        now = {name: names_now.get(number, name) for name, number in self.numbers.items()}
        self.owner, self.read = now[self.owner], {now[name]: was for name, was in self.read.items()}
        self.numbers = {now[name]: number for name, number in self.numbers.items()}

    def to_world(self, owner) -> np.ndarray:
        """(4, 4) from the world when the mesh was read to the world now: the character may have been moved."""
        return np.array(owner.matrix_world, float) @ np.linalg.inv(self.matrix)

    def options(self, context) -> FitOptions:
        """How the artist wants the fit: whether pins mirror, and which reading of the body."""
        owner = self.owner_object()
        said = pins.readings_of(owner) if owner is not None else {}
        return FitOptions(mirror_pins=getattr(context.scene, names.JOINTS).mirror, reading=said.get(self.base.name, 0))

    def fitter(self, context) -> Grower:
        """The fit as the artist wants it."""
        options = self.options(context)
        if self._fitter is None or self._fitter.options != options or self._fitter.template is not self.base:
            self._fitter = session.fitter_of(self.shape, self.base, options, self.detail)
        return self._fitter

    @property
    def latest(self) -> Rig | None:
        """The last rig that was fitted, at no cost: it may lag behind the pins; None before the first."""
        return next(iter(self._rigs.values()), None)

    def doubtful(self) -> tuple[str, ...]:
        """The joints of the last rig that are likely wrong and not pinned, the worst first."""
        owner, rig = self.owner_object(), self.latest
        held = pins.pins_of(owner) if owner is not None else {}
        found = [name for name in doubtful(rig) if name not in held] if rig is not None else []
        return tuple(sorted(found, key=lambda name: rig.confidence[name]))

    def rig(self, context) -> Rig | None:
        """The skeleton for the pins of now, in the world as it was when the mesh was read.

        None if the owner is gone. If the pins allow none, or while dragging, the last one; `problem` says why.
        """
        if self.owner_object() is None:
            return None
        if self.lags(context) and not (self.dragging and self._rigs):
            if self._work is not None and self._work[0] != self._wanted(context)[0]:
                self._work = None
            self.advance(context, math.inf)
        return next(iter(self._rigs.values()))

    def advance(self, context, seconds: float = SLICE) -> bool:
        """Fit on for so long, a stage at least.  Returns whether there is a new skeleton.

        A fit once begun is ended though the pins have moved on: a skeleton just behind the mouse is better than none.
        """
        if self._work is None:
            key, fitter, hints = self._wanted(context)
            self._work = key, fitter.steps(hints)
        (key, steps), since = self._work, time.perf_counter()
        try:
            while True:
                next(steps)
                if time.perf_counter() - since >= seconds:
                    return False
        except StopIteration as done:
            self._rigs, self.problem = {key: done.value}, ""
        except RigError as error:
            self._rigs, self.problem = {key: next(iter(self._rigs.values()), None)}, str(error)
        self._work = None
        return True

    def prepare(self, context) -> None:
        """Do what the first fit to a pin does once and for all, so that no move of the mouse has to wait for it."""
        fitter, rig = self.fitter(context), self.rig(context)
        if fitter.options in self._prepared or rig is None:
            return
        self._prepared.add(fitter.options)
        name = self.base.names[int(np.argmax(self.base.mirror >= 0))]
        try:
            fitter.rig({name: np.array(rig.joints[name])})
        except RigError as error:
            self.problem = str(error)

    def lags(self, context) -> bool:
        """Whether the skeleton shown is not yet the one for the pins of now."""
        return self.owner_object() is not None and self._wanted(context)[0] not in self._rigs

    def _wanted(self, context) -> tuple[tuple, Grower, dict[str, np.ndarray]]:
        fitter = self.fitter(context)
        key, hints = self._asked(fitter.options)
        return key, fitter, hints

    def _asked(self, options: FitOptions) -> tuple[tuple, dict[str, np.ndarray]]:
        """What a fit with the pins of now is known by, and its hints."""
        local = self._local_pins(self.owner_object())
        hints = {n: self.matrix[:3, :3] @ p + self.matrix[:3, 3] for n, p in local.items()}
        return (options, *((n, p.tobytes()) for n, p in sorted(local.items()))), hints

    def other_reading_steps(self, context) -> Generator[tuple[str, float], None, Rig]:
        """Fit the reading after the one shown to the same pins, choose it and show it, yielding (stage, fraction).

        Nothing is changed before the last step.  Raises RigError.
        """
        yield "Searching the skeleton", 0.0
        rig = self.rig(context)
        if rig is None:
            raise BadMesh(GONE)
        options = replace(self.options(context), reading=(rig.reading + 1) % rig.readings)
        key, hints = self._asked(options)
        found = yield from session.fitter_of(self.shape, self.base, options, self.detail).steps(hints)
        owner = self.owner_object()
        if owner is None:
            raise BadMesh(GONE)
        with object_mode(context):
            pins.choose_reading(owner, self.base.name, found.reading)
        self._rigs, self._work, self.problem = {(replace(options, reading=found.reading), *key[1:]): found}, None, ""
        return found

    def is_stale(self) -> bool:
        """Whether the character's objects are no longer what was read: the fit is that of another mesh.

        Looked at again whenever asked, but in so far as a large mesh allows: what was seen last, if that was just now.
        """
        when, taken, seen = self._looked
        since = time.perf_counter()
        if since - when > taken / WATCHING:
            self._follow_names()
            seen = any(not is_as(bpy.data.objects.get(name), was, self.owner) for name, was in self.read.items())
            self._looked = since, time.perf_counter() - since, seen
        return seen

    def _local_pins(self, owner) -> dict[str, np.ndarray]:
        return {n: p for n, p in pins.pins_of(owner).items() if may_pin(self.base, n)}

    def places(self, context) -> tuple[Rig, np.ndarray] | None:
        """The rig, and (J, 3) its template's joints in the world now; None if there is nothing to show.

        Where the rig lags behind the pins, the joints that are pinned and their mirror images lie right already.
        """
        rig = self.rig(context)
        if rig is None:
            return None
        joints = np.array([rig.joints[n] for n in self.template.names])
        if self.lags(context):
            self._follow_pins(context, joints)
        matrix = self.to_world(self.owner_object())
        return rig, joints @ matrix[:3, :3].T + matrix[:3, 3]

    def _follow_pins(self, context, joints: np.ndarray) -> None:
        fitter = self.fitter(context)
        plane, frame = fitter.plane, fitter.shape.frame
        for name, local in self._local_pins(self.owner_object()).items():
            if name not in self.template.names:
                continue  # of a finger that does not show
            number = self.template.index(name)
            joints[number] = self.matrix[:3, :3] @ local + self.matrix[:3, 3]
            partner = int(self.template.mirror[number])
            if fitter.options.mirror_pins and plane is not None and partner >= 0:
                joints[partner] = frame.to_object(plane.reflect(frame.to_unit(joints[number])))

    def is_lopsided(self, context) -> bool:
        """Whether the body's sides are so unlike that Mirror does nothing by itself."""
        return self.fitter(context).plane is None

    def mirrors_anyway(self, context) -> bool:
        """Whether a pin takes along its partner on the other side of a lopsided body."""
        settings = getattr(context.scene, names.JOINTS)
        return settings.mirror and settings.mirror_anyway and self.is_lopsided(context)

    @cached_property
    def plane(self) -> MirrorPlane:
        """The plane about which the body is its own mirror image, or most nearly."""
        return find_mirror_plane(self.shape.body)

    def image(self, world: np.ndarray, *, onto: bool = False) -> np.ndarray:
        """(3,) the mirror image of a place in the world; with `onto` the nearest place on the mirror plane."""
        matrix, frame = self.to_world(self.owner_object()), self.shape.frame
        back = np.linalg.inv(matrix)
        unit = frame.to_unit((back[:3, :3] @ world + back[:3, 3])[None])
        image = self.plane.reflect(unit)
        image = (image + unit) / 2 if onto else image
        return matrix[:3, :3] @ frame.to_object(image)[0] + matrix[:3, 3]

    def partner(self, joint: str) -> str:
        """The same joint of the other side, empty for one of the middle."""
        number = int(self.template.mirror[self.template.index(joint)])
        return self.template.names[number] if number >= 0 else ""

    def pin(self, context, joint: str, world: np.ndarray) -> None:
        """Pin a joint at a place in the world; with Mirror its partner follows, joints of the middle stay there."""
        owner, partner = self.owner_object(), self.partner(joint)
        forced = self.mirrors_anyway(context)
        if forced or (self.fitter(context).options.mirror_pins and not self.is_lopsided(context)):
            if not partner:
                world = self.image(world, onto=True)
            elif forced:
                self._set(owner, partner, self.image(world))
            else:
                pins.remove_pin(owner, partner)
        self._set(owner, joint, world)

    def unpin(self, context, joint: str) -> bool:
        """Let a joint go, with its partner if that was pinned with it.  Returns whether it was pinned."""
        owner, partner = self.owner_object(), self.partner(joint)
        if partner and self.mirrors_anyway(context):
            pins.remove_pin(owner, partner)
        return pins.remove_pin(owner, joint)

    def symmetrise(self, context, side: str) -> int:
        """Pin joints whose sides are unlike: those of `side`, ".L" or ".R", stay, the others become their images.

        "BETTER" is the side whose joints are more likely right. Joints of the middle come onto the mirror plane.
        Returns how many joints change their places.
        """
        if side == "BETTER" and (rig := self.rig(context)) is not None:
            sure = {s: sum(c for joint, c in rig.confidence.items() if joint.endswith(s)) for s in (".L", ".R")}
            side = max(sure, key=sure.__getitem__)
        changed: set[str] = set()
        while more := self._mirrored(context, side) - changed:  # what is not pinned yet may have moved
            changed |= more
        return len(changed)

    def _mirrored(self, context, side: str) -> set[str]:
        """Pin the joints of one side that have no image, and their partners. Returns them."""
        owner, places = self.owner_object(), self.places(context)
        if owner is None or places is None:
            return set()
        near, changed = 1e-4 * float(np.ptp(places[1], axis=0).max()), set()
        for joint, place in zip(self.template.names, places[1], strict=True):
            other = (partner := self.partner(joint)) or joint
            image = self.image(place, onto=not partner)
            is_off = np.linalg.norm(image - places[1][self.template.index(other)]) > near
            if is_off and (not partner or joint.endswith(side)):
                changed.add(joint)
                self._set(owner, joint, place)
                self._set(owner, other, image)
        return changed

    @staticmethod
    def _set(owner, joint: str, world: np.ndarray) -> None:
        local = np.linalg.inv(np.array(owner.matrix_world, float))
        pins.set_pin(owner, joint, local[:3, :3] @ world + local[:3, 3])

    def keep_moved_bones(self, context) -> dict[str, np.ndarray]:
        """Pin joints whose bones were moved by hand in Edit mode since they were fitted; the world's places."""
        owner = self.owner_object()
        armature = armature_of(owner) if owner is not None else None
        moved = fitted.moved_by_hand(armature, self.template) if armature is not None else {}
        if moved:
            pins.take_over(owner, moved, self.template, mirror=self.options(context).mirror_pins)
            fitted.note_bones(armature)
        return moved

    def settle(self) -> None:
        """What has been said of the joints is applied: Esc goes back to this from now on."""
        owner = self.owner_object()
        self.before = Said.of(owner) if owner is not None else None


_shown: ShownJoints | None = None


def shown_in(context) -> ShownJoints | None:
    """What is shown now if its owner is in the context's scene."""
    what = shown()
    return what if what is not None and what.owner in context.view_layer.objects else None


def seen_in(context) -> ShownJoints | None:
    """What is shown now if any of the character's objects is seen in the context's viewport: not where all are hidden
    or left out of its local view, nor where the overlays are switched off."""
    what, space = shown_in(context), context.space_data
    if what is None or (space is not None and space.type == "VIEW_3D" and not space.overlay.show_overlays):
        return None
    objects = (bpy.data.objects.get(name) for name in what.numbers)
    return what if any(o is not None and o.visible_get(view_layer=context.view_layer) for o in objects) else None


def steps_back(context) -> bool:
    """Whether joints are only looked at: but for Object mode the mouse is for bones, vertices or the brush."""
    return context.mode != "OBJECT"


def shown() -> ShownJoints | None:
    """What is shown now, if anything is and its owner still exists."""
    return _shown if _shown is not None and _shown.owner_object() is not None else None


def show(joints: ShownJoints | None) -> None:
    """Show these joints instead of what was shown, or none."""
    global _shown  # noqa: PLW0603 - one character at a time; drawing and grasping ask for it without a context of theirs
    _shown = joints
    redraw()


@bpy.app.handlers.persistent
def forget(*_) -> None:
    """Before another file is opened: nothing derived from the old one stays."""
    let_go()
    show(None)
    session.clear()


HANDLERS = (("load_pre", forget),)
