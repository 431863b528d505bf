"""The skeleton shown for editing: fitted live to the pins, drawn and grasped in the viewport, saved nowhere.

Everything is derived: the owner's pins are the truth. Whoever asks for the rig gets the one for the pins of now, so
undo, scripts and the panel's list need no notice to be taken of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import bpy
import numpy as np

from ..core.errors import RigError
from ..core.fitting.fit import FitOptions, Fitter
from ..core.fitting.stance import Stance, detect_stance
from ..core.geometry.mesh import Mesh
from ..core.geometry.ray import middle_along_ray
from ..core.geometry.shape import Shape
from ..core.skeleton.rig import Rig
from ..core.skeleton.template import SkeletonTemplate
from . import names, pins, session
from .bridge.mesh import read_character

QUICK = 0.03  # seconds a fit may take to be done with every move of the mouse; a frame has 0.05


@dataclass
class ShownJoints:
    """A character whose joints are shown.

    owner : name of the object that holds the pins;  objects : names of all its mesh objects
    matrix : (4, 4) the owner's place in the world when the mesh was read;  template : what is fitted
    fitters : {mirror pins or not: the kept fit}, in the world as it was then
    dragging : while the mouse moves a joint, a fit that is not quick waits; only the pins themselves follow at once
    """

    owner: str
    objects: tuple[str, ...]
    matrix: np.ndarray
    template: SkeletonTemplate
    fitters: dict[bool, Fitter]
    problem: str = ""
    dragging: bool = False
    _rigs: dict = field(default_factory=dict)
    _seconds: float = 0.0  # the last fit took

    def owner_object(self) -> bpy.types.Object | None:
        """The object that holds the pins, if it is still there and no other mesh."""
        number = bpy.data.objects.find(self.owner)
        return bpy.data.objects[number] if number >= 0 and bpy.data.objects[number].type == "MESH" else None

    def to_world(self, owner) -> np.ndarray:
        """(4, 4) from the world when the mesh was read to the world now: the character may have been moved."""
        return np.array(owner.matrix_world, float) @ np.linalg.inv(self.matrix)

    def fitter(self, context) -> Fitter:
        """The fit that treats mirrored pins as the artist wants."""
        return self.fitters[getattr(context.scene, names.JOINTS).mirror]

    def rig(self, context) -> Rig | None:
        """The skeleton for the pins of now, in the world as it was when the mesh was read.

        None if the owner is gone. If the pins allow none, or while dragging, the last one; `problem` says why.
        """
        owner = self.owner_object()
        if owner is None:
            return None
        fitter, local = self.fitter(context), self._local_pins(owner)
        key = _key(fitter, local)
        if key not in self._rigs and not (self.dragging and self._rigs and self._seconds > QUICK):
            self.problem, since = "", time.perf_counter()
            try:
                found = fitter.rig({n: self.matrix[:3, :3] @ p + self.matrix[:3, 3] for n, p in local.items()})
            except RigError as error:
                self.problem = str(error)
                found = next(iter(self._rigs.values()), None)
            self._seconds = time.perf_counter() - since
            self._rigs = {key: found}
        return next(iter(self._rigs.values()))

    def fit_again(self, context) -> None:
        """Fit though nothing has changed: the first fit does much once and for all, the second tells what one takes."""
        self._rigs = {}
        self.rig(context)

    def lags(self, context) -> bool:
        """Whether the skeleton shown is not yet the one for the pins of now."""
        owner = self.owner_object()
        return owner is not None and _key(self.fitter(context), self._local_pins(owner)) not in self._rigs

    def _local_pins(self, owner) -> dict[str, np.ndarray]:
        return {n: p for n, p in pins.pins_of(owner).items() if n in self.template.names}

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
        plane, frame = fitter.skeletal.plane, fitter.shape.frame
        for name, local in self._local_pins(self.owner_object()).items():
            number = self.template.index(name)
            joints[number] = self.matrix[:3, :3] @ local + self.matrix[:3, 3]
            partner = int(self.template.mirror[number])
            if fitter.options.mirror_pins and plane is not None and partner >= 0:
                joints[partner] = frame.to_object(plane.reflect(frame.to_unit(joints[number])))

    def middle(self, context, origin: np.ndarray, direction: np.ndarray, towards: np.ndarray) -> np.ndarray | None:
        """(3,) the middle of the limb a ray goes through, all in the world now; None beside the body."""
        matrix = self.to_world(self.owner_object())
        back = np.linalg.inv(matrix)
        frame, shape = self.fitter(context).shape.frame, self.fitter(context).shape
        start, end, meant = (frame.to_unit(back[:3, :3] @ p + back[:3, 3])
                             for p in (origin, origin + direction, towards))
        found = middle_along_ray(shape.field, start, end - start, meant)
        return None if found is None else matrix[:3, :3] @ frame.to_object(found) + matrix[:3, 3]

    def pin(self, context, joint: str, world: np.ndarray) -> None:
        """Pin a joint at a place in the world; with Mirror its partner follows, joints of the middle stay there."""
        owner, number = self.owner_object(), self.template.index(joint)
        partner = int(self.template.mirror[number])
        fitter = self.fitter(context)
        if fitter.options.mirror_pins and fitter.skeletal.plane is not None:
            if partner < 0 or partner == number:
                matrix = self.to_world(owner)
                back, frame = np.linalg.inv(matrix), fitter.shape.frame
                unit = frame.to_unit(back[:3, :3] @ world + back[:3, 3])
                unit[0] = fitter.skeletal.plane.x
                world = matrix[:3, :3] @ frame.to_object(unit) + matrix[:3, 3]
            else:
                pins.remove_pin(owner, self.template.names[partner])
        local = np.linalg.inv(np.array(owner.matrix_world, float))
        pins.set_pin(owner, joint, local[:3, :3] @ world + local[:3, 3])


def _key(fitter: Fitter, local: dict[str, np.ndarray]) -> tuple:
    return (fitter.options.mirror_pins, *((n, p.tobytes()) for n, p in sorted(local.items())))


_shown: ShownJoints | None = None


def shown_in(context) -> ShownJoints | None:
    """What is shown now if its owner is in the context's scene."""
    what = shown()
    return what if what is not None and what.owner in context.view_layer.objects else None


def shown() -> ShownJoints | None:
    """What is shown now, if anything is and its owner still exists."""
    return _shown if _shown is not None and _shown.owner_object() is not None else None


def show_steps(context, objects, template: Callable[[Shape], SkeletonTemplate],
               stance: Callable[[Mesh], Stance] = detect_stance) -> Generator[tuple[str, float], None, ShownJoints]:
    """Read a character and fit its joints, yielding (stage, fraction).  Raises RigError.

    template, stance : functions of the prepared shape and of the mesh
    """
    yield "Reading the mesh", 0.0
    character = read_character(context, objects)
    owner = pins.owner_of(part.object for part in character.parts)
    place = np.array(owner.matrix_world, float)
    name, parts = owner.name, tuple(part.name for part in character.parts)
    yield "Seeing how it stands", 0.05
    shape = yield from session.shape_steps(character.mesh, stance(character.mesh))
    yield "Finding the middle", 0.8
    chosen = template(shape)
    fitters = {mirror: session.fitter_of(shape, chosen, FitOptions(mirror_pins=mirror)) for mirror in (True, False)}
    result = ShownJoints(name, parts, place, chosen, fitters)
    if result.owner_object() is not None:
        result.rig(context)
        yield "Refining the joints", 0.9
        result.fit_again(context)
    return result


def show(joints: ShownJoints | None) -> None:
    """Show these joints instead of what was shown, or none."""
    global _shown  # noqa: PLW0603 - one character at a time; drawing and grasping ask for it without a context of theirs
    _shown = joints
    redraw()


def redraw(*, panels: bool = True) -> None:
    """Have every 3D viewport drawn again, with its panels or, while something is dragged, without."""
    for manager in bpy.data.window_managers:
        for window in manager.windows:
            for area in window.screen.areas:
                for region in area.regions if area.type == "VIEW_3D" else ():
                    if panels or region.type == "WINDOW":
                        region.tag_redraw()


@bpy.app.handlers.persistent
def forget(*_) -> None:
    """Before another file is opened: nothing derived from the old one stays."""
    show(None)
    session.clear()


CLASSES = ()
HANDLERS = (("load_pre", forget),)
