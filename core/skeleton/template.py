"""Skeleton templates: what a kind of character looks like before any particular one is seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from ..errors import BadTemplate
from .rig import Rig, bend_axes

KINDS = ("biped", "quadruped", "other")


@dataclass(frozen=True, eq=False)
class Bone:
    """A bone of the finished rig: from joint `head` to joint `tail`.

    parent : name of the parent bone or None;  connected : its head is drawn joined to the parent's tail
    bend : (3,) direction, character's frame, in which the tail moves when the joint bends
    """

    name: str
    head: str
    tail: str
    parent: str | None = None
    connected: bool = False
    deform: bool = True
    bend: tuple[float, float, float] = (0.0, 0.0, 0.0)
    collection: str = "Deform"


@dataclass(frozen=True, eq=False)
class SkeletonTemplate:
    """A rooted tree of J joints (what is embedded) and the bones hung between them (what the artist gets).

    names : J joint names;  parents : (J,) index of the parent joint, before its children, -1 = root
    positions : (J, 3) character's frame: Z up, facing -Y, left = +X; about one unit tall, the ground near z = 0
    mirror : (J,) index of the partner on the other side, -1 = none
    is_foot, is_fat : (J,) stands on the ground;  sits in one of the thickest places. [BP07] section 3.3
    bones : the finished rig, parents before children
    kind : what sort of body it is, one of KINDS
    may_lack : joints all below which a body may be without, those nearer the root first; one of the middle, the root
        of a tail, goes too
    """

    name: str
    names: tuple[str, ...]
    parents: np.ndarray
    positions: np.ndarray
    mirror: np.ndarray
    is_foot: np.ndarray
    is_fat: np.ndarray
    bones: tuple[Bone, ...]
    kind: str = "other"
    may_lack: tuple[str, ...] = ()

    def __post_init__(self):
        count = len(self.names)
        for key, dtype, shape in (("parents", np.int32, (count,)), ("positions", np.float64, (count, 3)),
                                  ("mirror", np.int32, (count,)), ("is_foot", bool, (count,)),
                                  ("is_fat", bool, (count,))):
            object.__setattr__(self, key, frozen(getattr(self, key), dtype, shape, key))
        check_template(self)

    def index(self, joint: str) -> int:
        """The number of a joint. Raises KeyError for a name the template does not have."""
        try:
            return self.names.index(joint)
        except ValueError:
            raise KeyError(joint) from None


def check_template(template: SkeletonTemplate) -> None:
    """Raise BadTemplate, naming the joint or bone, unless the template is one tree with sound bones."""
    names, parents = template.names, template.parents
    if template.kind not in KINDS:
        raise BadTemplate(f"Template '{template.name}' has kind '{template.kind}'; there are {', '.join(KINDS)}.")
    if len(names) < 2:
        raise BadTemplate(f"Template '{template.name}' needs at least two joints.")
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise BadTemplate(f"Template '{template.name}' names joint '{twice[0]}' twice.")
    wrong = np.where(np.arange(len(names)) == 0, parents != -1, (parents < 0) | (parents >= np.arange(len(names))))
    if wrong.any():
        raise BadTemplate(f"Template '{template.name}', joint '{names[int(wrong.argmax())]}': the first joint is the "
                          "root and every other joint's parent comes before it.")
    if not (np.abs(template.positions) <= 1e6).all():
        raise BadTemplate(f"Template '{template.name}' has a joint position that is not a number below a million.")
    length = np.linalg.norm(template.positions[1:] - template.positions[parents[1:]], axis=1)
    if (length < 1e-9).any():
        raise BadTemplate(f"Template '{template.name}': joint '{names[1 + int(length.argmin())]}' lies on its parent.")
    for i, j in enumerate(template.mirror):
        if j >= len(names) or (j >= 0 and template.mirror[j] != i):
            raise BadTemplate(f"Template '{template.name}': the mirror of '{names[i]}' is not mutual.")
    for joint in template.may_lack:
        if joint not in names:
            raise BadTemplate(f"Template '{template.name}' may lack what hangs on the unknown joint '{joint}'.")
    known: set[str] = set()
    for bone in template.bones:
        for joint in (bone.head, bone.tail):
            if joint not in names:
                raise BadTemplate(f"Template '{template.name}': bone '{bone.name}' uses the unknown joint '{joint}'.")
        if bone.head == bone.tail:
            raise BadTemplate(f"Template '{template.name}': bone '{bone.name}' begins and ends at '{bone.head}'.")
        if bone.parent is not None and bone.parent not in known:
            raise BadTemplate(f"Template '{template.name}': the parent '{bone.parent}' of bone '{bone.name}' does not "
                              "come before it.")
        if bone.name in known:
            raise BadTemplate(f"Template '{template.name}' names bone '{bone.name}' twice.")
        known.add(bone.name)
    if not template.bones:
        raise BadTemplate(f"Template '{template.name}' has no bones.")


def rig_from_joints(template: SkeletonTemplate, positions, **extra) -> Rig:
    """Hang the template's bones between joint positions.

    positions : (J, 3) in the character's frame.  extra : further fields of Rig.
    A bone whose two joints coincide is drawn out a hair along the template so that no bone has zero length.
    """
    positions = np.asarray(positions, float)
    bone_names = [b.name for b in template.bones]
    head = np.array([template.index(b.head) for b in template.bones])
    tail = np.array([template.index(b.tail) for b in template.bones])
    heads, tails = positions[head], positions[tail].copy()
    size = max(float(np.ptp(positions, axis=0).max()), 1e-9)
    short = np.linalg.norm(tails - heads, axis=1) < 1e-3 * size
    along = template.positions[tail] - template.positions[head]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    tails[short] = heads[short] + 1e-2 * size * along[short]
    return Rig(
        names=tuple(bone_names),
        parents=np.array([-1 if b.parent is None else bone_names.index(b.parent) for b in template.bones]),
        heads=heads, tails=tails,
        x_axes=bend_axes(tails - heads, np.array([b.bend for b in template.bones])),
        connected=np.array([b.connected for b in template.bones]),
        deform=np.array([b.deform for b in template.bones]),
        collections=tuple(b.collection for b in template.bones),
        joints={n: tuple(float(x) for x in p) for n, p in zip(template.names, positions, strict=True)},
        **extra)
