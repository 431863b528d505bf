"""A motion of one skeleton, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import frozen
from ..errors import BadMotion
from ..geometry.rotation import continuous, normalized
from ..skeleton.rig import Rig
from .kinematics import Kinematics

# Of a frame's step, mean over the joints: what ends a loop, what comes next in it, what is the same frame again,
# and (of the middle step) how far a step at an end may go.
GOES_ON, NEXT, AGAIN, JUMP = 0.15, 1.2, 0.5, 2.0


@dataclass(frozen=True, eq=False)
class MotionClip:
    """T frames of a rig of B bones, at an even rate.

    rig : the skeleton at rest, which `rotations` are measured from
    rotations : (T, B, 4) each bone's turn against its parent, in the axes of the rest pose's space; see core.motion
    root : (T, 3) how far the root bones have moved since the rest pose
    rate : frames a second
    contacts : (T, F) whether each foot's pivot stands on the ground;  feet : F bone names. A foot bone's pivot is its
    heel,
        a toe bone's the ball of the foot, a paw's or hoof's its tip
    loop : after the last frame comes the first;  stride : (3,) how far one round of the loop travels
    warnings : what may be wrong with it, in the artist's words
    Raises BadMotion for what a file may hold: no frames, no rate, numbers that are not finite, turns of length 0.
    """

    rig: Rig
    rotations: np.ndarray
    root: np.ndarray
    rate: float = 30.0
    contacts: np.ndarray | None = None
    feet: tuple[str, ...] = ()
    loop: bool = False
    stride: np.ndarray | tuple = (0.0, 0.0, 0.0)
    name: str = "motion"
    warnings: tuple[str, ...] = ()

    def __post_init__(self):
        bones, frames = len(self.rig.names), len(np.atleast_1d(self.rotations))
        if frames == 0:
            raise BadMotion(f"The motion '{self.name}' has no frames. Choose an action with keyframes.")
        if not (np.isfinite(self.rate) and self.rate > 0):
            raise BadMotion(f"The motion '{self.name}' has {self.rate} frames a second. Set a rate above 0.")
        put = lambda key, value: object.__setattr__(self, key, value)  # noqa: E731 - as in Rig
        put("rotations", frozen(self.rotations, np.float64, (None, bones, 4), "rotations"))
        put("root", frozen(self.root, np.float64, (frames, 3), "root"))
        put("rate", float(self.rate))
        put("feet", tuple(self.feet))
        contacts = np.zeros((frames, len(self.feet)), bool) if self.contacts is None else self.contacts
        put("contacts", frozen(contacts, bool, (frames, len(self.feet)), "contacts"))
        put("stride", frozen(self.stride, np.float64, (3,), "stride"))
        _check_numbers(self)
        put("rotations", frozen(continuous(normalized(self.rotations)), np.float64, (None, bones, 4), "rotations"))

    @property
    def seconds(self) -> float:
        """How long one round takes."""
        return len(self.root) / self.rate

    def changed(self, **fields) -> MotionClip:
        """The clip with some fields replaced."""
        return replace(self, **fields)


def _check_numbers(clip: MotionClip) -> None:
    """Raise BadMotion, naming the frame and bone, for keys that mean no pose."""
    bad = ~np.isfinite(clip.rotations).all(-1)
    if bad.any():
        frame, bone = np.argwhere(bad)[0]
        raise BadMotion(f"The motion '{clip.name}' has a key that is not a number at frame {frame} of bone "
                        f"'{clip.rig.names[bone]}'. Delete that key.")
    if not (np.isfinite(clip.root).all() and np.isfinite(clip.stride).all()):
        frame = int(np.argmin(np.isfinite(clip.root).all(-1)))
        raise BadMotion(f"The motion '{clip.name}' moves the root to no place at frame {frame}. Delete that key.")
    length = np.linalg.norm(clip.rotations, axis=-1)
    if (length < 1e-6).any():
        frame, bone = np.argwhere(length < 1e-6)[0]
        raise BadMotion(f"The motion '{clip.name}' has a rotation of length 0 at frame {frame} of bone "
                        f"'{clip.rig.names[bone]}'. Delete that key.")


def in_place(clip: MotionClip) -> MotionClip:
    """The clip on a treadmill: its steady travel over the ground taken away, its stride 0."""
    frames = len(clip.root)
    travel = np.array(clip.stride)
    if not clip.loop and frames > 1:
        travel = (clip.root[-1] - clip.root[0]) * frames / (frames - 1)
    travel[2] = 0.0
    return clip.changed(
        root=clip.root - travel * (np.arange(frames) / frames)[:, None],
        stride=np.array(clip.stride) - travel if clip.loop else clip.stride,
    )


def as_loop(clip: MotionClip) -> MotionClip:
    """A clip that begins again where it ends, still in motion there, as the loop it was made for; others stay as they
    are.

    The seam is measured on the joints, seen from the hips: they come back to within little more than they go in a
    frame. A last frame that is the first once more goes; where the first would come next, none goes. The way between
    becomes the stride.
    """
    if clip.loop or len(clip.root) < 8:
        return clip
    body = Kinematics(clip.rig)
    places = body.heads(body.turns(clip.rotations), clip.root * [0, 0, 0])
    step = np.linalg.norm(np.diff(places, axis=0), axis=-1).mean(1)
    apart = float(np.linalg.norm(places[-1] - places[0], axis=-1).mean())
    ends = np.minimum(step[[0, -1]], JUMP * np.median(step))  # files that begin with a T-pose jump out of it
    if not ends.min() > GOES_ON * step.mean() > 0 or apart > NEXT * ends.max():
        return clip
    if apart < AGAIN * ends.min():
        return clip.changed(rotations=clip.rotations[:-1], root=clip.root[:-1], contacts=clip.contacts[:-1], loop=True,
                            stride=clip.root[-1] - clip.root[0])
    return clip.changed(loop=True, stride=(clip.root[-1] - clip.root[0]) * len(clip.root) / (len(clip.root) - 1))
