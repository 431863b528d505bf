"""The weight check on a scene: anybody's armature and vertex groups in, findings and marked vertices out."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.errors import BadMesh, NoEmbedding
from ...core.fitting.check import check_character
from ...core.fitting.from_shape import is_shape, template_in
from ...core.quality.findings import Finding
from ...core.quality.joint_check import MisplacedJoint, check_joints
from ...core.quality.weight_check import check_weights_steps
from ...core.steps import share
from .. import session
from ..bridge.armature import read_rig
from ..bridge.groups import read_groups
from ..bridge.mesh import Character, found_again, look_up_again, read_character
from ..editing.pins import owner_of, pins_of
from ..words.joint_words import joint_word
from ..words.telling import tell
from .rigged import followers
from .standing import stance_on


@dataclass(frozen=True, eq=False)
class Marks:
    """Where an object's weights are bad, by its own vertices.

    count : vertices it had;  badness : (V,) 0 to 1;  worst : {finding: indices, the worst first}
    """

    count: int
    badness: np.ndarray
    worst: dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Checked:
    """What was found about everything an armature moves.

    armature : its `session_uid`;  marks : {an object's: where};  joints : that lie wrong
    """

    armature: int
    verdict: str
    findings: tuple[Finding, ...]
    marks: dict[int, Marks]
    joints: tuple[MisplacedJoint, ...] = ()

    def marked(self, key: str) -> list[tuple[bpy.types.Object, np.ndarray]]:
        """The objects with vertices that a finding marks, as long as they have the vertices they had."""
        return [(o, marks.worst[key]) for o, marks in self.objects() if len(marks.worst.get(key, ()))]

    def objects(self) -> list[tuple[bpy.types.Object, Marks]]:
        """The objects that are still there and have the vertices they had."""
        known = {o.session_uid: o for o in bpy.data.objects if o.type == "MESH"}
        return [(known[number], marks) for number, marks in self.marks.items()
                if number in known and len(known[number].data.vertices) == marks.count]


def armature_moving(o) -> bpy.types.Object | None:
    """The armature that moves a mesh object, whoever made it; for an armature itself."""
    if o is None or o.type == "ARMATURE":
        return o
    return next((m.object for m in o.modifiers if m.type == "ARMATURE" and m.show_viewport and m.object), None) if (
        o.type == "MESH") else None


def check_steps(context, armature) -> Generator[tuple[str, float], None, Checked]:
    """Check the weights of all visible meshes an armature moves, yielding (stage, fraction).  Raises RigError."""
    yield "Reading the mesh", 0.0
    name, number = armature.name, armature.session_uid
    objects = [o for o in followers(armature) if o.visible_get() and armature_moving(o) == armature]
    if not objects:
        raise BadMesh(f"'{name}' moves no mesh. Bind one to it first.")
    rig = read_rig(armature)
    character = read_character(context, objects)
    weights = read_groups(context, character, rig.names)
    check = yield from share(check_weights_steps(character.mesh, rig, weights), 0.1, 0.7)
    misplaced = yield from _joint_steps(character, found_again(name, number), rig)
    verdict = "poor" if misplaced else check.verdict
    return Checked(number, verdict, check.findings, _marks(look_up_again(character), check), misplaced)


def _joint_steps(character: Character, armature, rig) -> Generator[tuple[str, float], None, tuple[MisplacedJoint, ...]]:
    """The joints that lie elsewhere than the body has them, except those that the artist has pinned."""
    yield "Seeing how it stands", 0.7
    shape = yield from session.shape_steps(character.mesh, stance_on(armature, character.mesh))
    yield "Searching the skeleton", 0.9
    found = check_character(shape)
    if is_shape(found.preset):  # of a body that no preset fits nothing can be said
        return ()
    try:
        seen = session.fitter_of(shape, template_in(shape, found.preset)).rig()
    except NoEmbedding:
        return ()
    pinned = pins_of(owner_of(part.object for part in character.parts))
    return tuple(f for f in check_joints(rig, seen) if f.joint not in pinned)


def misplaced_told(found) -> str:
    """A joint that lies wrong, in a sentence."""
    name = joint_word(found.joint)
    if found.at:
        return tell(f"{name}: bone '{found.bone}' begins at another joint, {joint_word(found.at)}.")
    return tell(f"{name}: bone '{found.bone}' begins {100 * found.off:.0f} % of the character's size away from it.")


def _marks(character: Character, check) -> dict[int, Marks]:
    marks: dict[int, Marks] = {}
    for part in character.parts:
        worst = {}
        for finding in check.findings:
            rank = np.full(len(character.mesh.vertices), len(finding.vertices))
            rank[finding.vertices] = np.arange(len(finding.vertices))
            own = np.argsort(rank[part.source], kind="stable")
            worst[finding.key] = own[:int((rank[part.source] < len(finding.vertices)).sum())]
        marks[part.object.session_uid] = Marks(len(part.source), check.badness[part.source], worst)
    return marks
