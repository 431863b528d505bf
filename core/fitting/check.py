"""A quick look at a mesh before fitting: what it is, why, which preset fits it, and what will go wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

import numpy as np

from ..geometry.blocks import drawn_apart
from ..geometry.frame import unit_frame
from ..geometry.mesh import Mesh, check_mesh, weld_faces
from ..geometry.shape import Shape
from ..seeing.limb_census import LimbCensus, count_limbs
from ..seeing.silhouette import Slices, slice_mesh, slice_shape
from ..seeing.stance import AS_CREATURE, AS_SET, REASONS, UP_SET, Stance, detect_stance, nearest_axis
from ..skeleton.preset import load_template, preset_names
from ..skeleton.root import ON_BASE
from ..skeleton.template import SkeletonTemplate
from ..steps import Steps, share
from .creature import creature_names
from .forewarning import SEVERAL, TOUCHING, forewarn, forewarn_mesh
from .from_shape import NAME, is_shape, seen_in, template_in
from .grown_together import forewarn_grown
from .lying import MAY_LIE, lies_as
from .missing import Missing, PartTemplate, find_missing
from .search import body_plane
from .verdict import CLEAR, CLEAR_CREATURE, weigh_kinds

_SPECIAL = ("bird", "centaur")  # presets of kind "other" that ship
# What speaks for each kind that the landmark network knows, for the artist.
_REASONS = {"biped": "two legs under an upright body", "biped_tail": "two legs and a tail behind them",
            "quadruped": "four legs of like length under a trunk",
            "centaur": "four legs, and an upright body with two arms above them", "bird": "two broad wings",
            NAME: "no kind of body that Geppetto knows",
            "dragon": "four legs and two wings", "fish": "fins, no legs, and a long body",
            "flyer": "two spread wings and a short tail",
            "hydra": "several necks beside each other", "insect": "six legs around a small trunk",
            "mermaid": "two arms above the tail of a fish",
            "octopus": "many arms around one place", "snake": "no limbs, and a very long body",
            "spider": "eight legs around a small trunk", "theropod": "two legs under a level trunk with a neck",
            "wyvern": "two legs and two wings"}
# Whoever chooses a skeleton is told that another suits better where the body is so likely of another known kind: of 100
# people and animals in view that are told right 97 are told so surely, of two told wrong none. Creatures, which are
# never so sure, are told as far as they are clear, if the kind that was chosen is as unlikely. Whoever has set up is
# told of another that looks right, unless the body is so likely of a known kind as it stands: of 102 people and animals
# with X, Y or -Y set for up 94 to 96 are told, with -Z 80, with Z, which is right, none.
SURE = 0.98
# A stance less likely is told as a doubt.
STANDS = 0.7
SET = (AS_SET, UP_SET)
TURNED = 0.7  # cosine: a body whose up is farther from Z was turned to stand, not only straightened
# What is stood up less surely is looked at as its file has it, too. Of 28 generated lizards that sprawl 9 were laid on
# a side and none is now, of 24 drawn later 5 and 1. Of 204 real people and animals that lie none is left lying by it.
STOOD_UP = 0.9
ABOUT = np.diag([-1.0, -1.0, 1.0])  # turns a body to face the other way
ASIDE = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # to face aside


@dataclass(frozen=True)
class CharacterCheck:
    """What a mesh seems to be, in an artist's words.

    kind : "biped", "quadruped", "other" (a body with a preset of its own, or a creature) or "unknown" (its shape gives
    the skeleton)
    preset : the preset to try;  reason : what speaks for the kind;  warnings : what is likely to go wrong
    of_choice, of_kind : warnings among these that hold only where Geppetto chooses the skeleton, and only for a
    skeleton of the kind found;  of_lack : that bones are left out, which a rig tells too if it is so
    up, front : the directions it stands and faces, as "Z" and "-Y"
    odds : {preset: probability}, the likeliest first;  other_preset : what else it may be, "" where there is no doubt
    other_stance : another (up, front) to try: the next likeliest along axes where there is a doubt, and as its file has
    it where a body was turned; () where there is neither
    """

    kind: str
    preset: str
    reason: str
    warnings: tuple[str, ...]
    up: str
    front: str
    odds: dict[str, float] = field(default_factory=dict)
    other_preset: str = ""
    other_stance: tuple[str, ...] = ()
    of_choice: tuple[str, ...] = ()
    of_kind: tuple[str, ...] = ()
    of_lack: tuple[str, ...] = ()

    def warnings_for(self, chosen: str) -> tuple[str, ...]:
        """Those of the warnings that hold for the skeleton an artist has chosen by its name; all of them for "auto"."""
        if chosen == "auto":
            return self.warnings
        is_other = is_shape(chosen) or (chosen in preset_names() and _kind(chosen) != self.kind)
        gone = (*self.of_choice, *self.of_kind) if is_other else self.of_choice
        return tuple(text for text in self.warnings if text not in gone)


def check_character(mesh: Mesh | Shape, *, stance: Stance | None = None, metres: float = 1.0) -> CharacterCheck:
    """Look at a mesh, or at a prepared shape, which is quicker and sees finer.

    stance : how a mesh stands, None to detect it; a shape stands already, and this tells how surely
    metres : in one unit of the mesh, as far as its scene tells
    Raises BadMesh. Some 0.1 s.
    """
    if isinstance(mesh, Shape):
        stance, unit, frame = stance or Stance(mesh.frame.rotation), mesh.mesh, mesh.frame
        _, census, odds, grown = _look_once(mesh)
    else:
        check_mesh(mesh)
        stance = detect_stance(mesh) if stance is None else stance
        frame = unit_frame(mesh, stance.rotation)
        used, faces = np.unique(mesh.faces, return_inverse=True)
        unit = weld_faces(Mesh(frame.to_unit(drawn_apart(mesh).vertices[used]), faces.reshape(-1, 3), mesh.name)).mesh
        _, census, odds, grown = _look(slice_mesh(unit), unit)
    preset, other = list(odds)[:2]
    kind = "unknown" if preset == NAME else _kind(preset)
    missing = Missing() if is_shape(preset) else find_missing(unit, load_template(preset))
    of_choice, of_kind = [], [] if missing.limbs else forewarn(census, kind)
    general = forewarn_mesh(unit, frame, metres)
    general += grown if not {SEVERAL, TOUCHING} & set(general) else []
    of_lack = [f"no bones are made for {missing.told}, as nothing of that is seen: choose '{preset}' under Skeleton if "
               "it is there"] if missing.joints else []
    of_choice += of_lack
    if kind == "unknown":
        of_choice.append("it is of no kind of body that is known: its bones follow its shape. Pin the joints you care "
                         "about, or choose its kind under Skeleton")
    reason = _REASONS[preset] if not missing.is_legless else "the head and shoulders of a person, without legs"
    # jars, snowmen and cacti are taken for people whose legs are not seen
    is_legless = missing.is_legless or (kind == "biped" and not missing.limbs and census.leg_pairs == 0)
    if is_legless:
        of_choice.append("if it is no person, From Shape lets bones follow its shape")
    is_doubtful = odds[preset] < (CLEAR_CREATURE if preset in creature_names() else CLEAR)
    if is_doubtful:
        of_choice.append(f"it is not clear what it is: '{preset}' ({odds[preset]:.0%}) or '{other}' "
                         f"({odds[other]:.0%}); Automatic takes the likelier")
    if isinstance(mesh, Shape) and len(mesh.base.rows):
        general.append(ON_BASE)
    other = other if is_doubtful else NAME if is_legless else ""
    doubted, other_stance = _stands_otherwise(stance, _lies(mesh, stance) if isinstance(mesh, Shape) else None)
    if stance.reason in SET and _is_unsure(odds) and (seen := _seen_otherwise(unit, stance)):
        other_stance = seen
        doubted.append(f"{stance.up} is set as up, but with {seen[0]} up and {seen[1]} as its front it looks like a "
                       "body that is known: set Up and Front to Auto if that is right")
    general += doubted
    return CharacterCheck(kind, preset, reason, (*of_choice, *of_kind, *general), stance.up, stance.front, odds, other,
                          other_stance, tuple(of_choice), tuple(of_kind), tuple(of_lack))


def suitable_preset(shape: Shape) -> str:
    """The preset that `check_character` says suits a prepared shape, without all that it tells besides."""
    return next(iter(_look_once(shape)[2]))


def stand_steps(mesh: Mesh, stance: Stance, prepare: Callable[[Mesh, Stance], Steps[Shape]]
                ) -> Steps[tuple[Stance, Shape]]:
    """Prepare a mesh as it stands, yielding (stage, fraction) on the way. A creature that lies on its side is stood up,
    one that faces aside, and is mirrored about another plane, is turned, and one whose abdomen is ahead of its legs is
    turned about. What was stood up in doubt stays as its file says if it
    is no better known as it stands then.

    prepare : as `prepare_shape_steps`
    Returns how it stands, and the shape.  Raises BadMesh, ShapeTooThin.
    """
    shape = yield from prepare(mesh, stance)
    is_turned = stance.may_lie and stance.reason not in SET and stance.up != "Z"
    if is_turned and stance.confidence < STOOD_UP and _is_doubted(shape):
        stays = detect_stance(mesh, up="Z", has_base=stance.has_base)
        unturned = yield from share(prepare(mesh, stays), 1.0, 1.0)
        if _is_as_well_known(unturned, shape):
            stance, shape = replace(stays, reason=REASONS[0]), unturned
    as_given = nearest_axis(stance.up_vector), nearest_axis(stance.front_vector)
    if stance.may_lie and _may_face_aside(shape, stance):
        turned = replace(stance, rotation=ASIDE @ stance.rotation, confidence=CLEAR_CREATURE, reason=AS_CREATURE,
                         other=as_given)
        aside = yield from share(prepare(mesh, turned), 1.0, 1.0)
        if body_plane(aside) is not None and next(iter(_look_once(aside)[2])) != NAME:
            stance, shape = turned, aside
    lies = _lies(shape, stance) if stance.may_lie else None
    if lies is None and not (stance.may_lie and _looks_back(shape, stance)):
        return stance, shape
    turn = ABOUT if lies is None else lies[1]
    stance = replace(stance, rotation=turn @ stance.rotation, confidence=CLEAR_CREATURE, reason=AS_CREATURE,
                     other=as_given)
    return stance, (yield from share(prepare(mesh, stance), 1.0, 1.0))


def _lies(shape: Shape, stance: Stance) -> tuple[str, np.ndarray] | None:
    """`lies_as` of what may lie: nobody has said how it stands, and as it does it lacks limbs, or is not surely known,
    but no creature that may lie."""
    odds = _look_once(shape)[2]
    likeliest = next(iter(odds))
    if stance.reason in (*SET, AS_CREATURE) or likeliest in MAY_LIE:
        return None
    return lies_as(shape) if _is_doubted(shape) else None


def _is_doubted(shape: Shape) -> bool:
    """Whether a body lacks limbs, or is not surely of a known kind."""
    return _lacks(shape) > 0 or _is_unsure(_look_once(shape)[2])


def _lacks(shape: Shape) -> int:
    """How many joints the skeleton of what a body seems to be lacks, as nothing of their limbs is seen."""
    likeliest = next(iter(_look_once(shape)[2]))
    template = None if is_shape(likeliest) else template_in(shape, likeliest)
    return len(template.missing.joints) if isinstance(template, PartTemplate) else 0


def _is_as_well_known(one: Shape, other: Shape) -> bool:
    """Whether a body in one way to stand is likelier to be what it seems to be than in the other, and lacks no more
    limbs; or it is of no clear kind in the other."""
    (kind, clear), (unlike, doubt) = (next(iter(_look_once(shape)[2].items())) for shape in (one, other))
    if is_shape(unlike) or doubt < CLEAR:
        return True
    return not is_shape(kind) and clear > doubt and _lacks(one) <= _lacks(other)


def _looks_back(shape: Shape, stance: Stance) -> bool:
    """Whether what may be a spider, an insect or a bird that flies faces where its rear is, and nobody has said where
    it faces."""
    likeliest = next(iter(_look_once(shape)[2]))
    return stance.reason != AS_SET and likeliest in (NAME, "flyer", *MAY_LIE) and seen_in(shape).looks_back


def _may_face_aside(shape: Shape, stance: Stance) -> bool:
    """Whether what is of no known kind has no plane between its sides as it faces, and nobody has said how: a bird's
    wings may look like its head and its tail."""
    return stance.reason not in SET and next(iter(_look_once(shape)[2])) == NAME and body_plane(shape) is None


def _is_unsure(odds: dict[str, float]) -> bool:
    """Whether a body may well be of another kind than the likeliest, or is of none that is known."""
    likeliest = next(iter(odds))
    return likeliest == NAME or odds[likeliest] < SURE


def _stands_otherwise(stance: Stance, lies: tuple[str, np.ndarray] | None) -> tuple[list[str], tuple[str, ...]]:
    """What is said of another way a body may stand, and its (up, front) as "Z" and "-Y"; nothing where there is none.

    lies : see `lies_as`
    """
    if lies is not None:
        up, front = (nearest_axis(stance.rotation.T @ way) for way in (lies[1][2], -lies[1][1]))
        return [f"it may lie on its side: with {up} up and {front} as its front it looks like '{lies[0]}'. Set Up and "
                "Front if it is one"], (up, front)
    if stance.reason == AS_CREATURE:
        return [], stance.other
    if stance.confidence >= STANDS:
        if stance.rotation[2, 2] > TURNED or stance.reason in SET:
            return [], ()
        front = stance.front
        return [], ("Z", front if front[-1] != "Z" else "-Y")
    if stance.rotation[2, 2] > 1 - 1e-9:
        return [f"it is not clear which way it faces; {stance.front} is taken for the front: set Front if that is wrong"
                ], stance.other
    return [f"it is not clear how it stands; {stance.up} is taken for up and {stance.front} for the front: set Up and "
            "Front if that is wrong"], stance.other


def _seen_otherwise(unit: Mesh, stance: Stance) -> tuple[str, ...]:
    """Another up, and its front, that a person or an animal seems to stand with, as "Z" and "-Y"; () if none."""
    seen = detect_stance(unit)
    if seen.up == "Z" or seen.confidence < STANDS or seen.reason not in REASONS[1:]:
        return ()
    up, front = nearest_axis(stance.rotation.T @ seen.up_vector), nearest_axis(stance.rotation.T @ seen.front_vector)
    return (up, front) if up[-1] != front[-1] else ()


# A shape is looked at once: to choose its skeleton, and to tell of it when that is fitted.
_Look = tuple[Slices, LimbCensus, dict[str, float], list[str]]
_looks: WeakKeyDictionary[Shape, _Look] = WeakKeyDictionary()


def _look_once(shape: Shape) -> _Look:
    if shape not in _looks:
        _looks[shape] = _look(slice_shape(shape), shape.mesh, shape)
    return _looks[shape]


def _look(slices: Slices, unit: Mesh, shape: Shape | None = None) -> _Look:
    census = count_limbs(slices)
    odds = weigh_kinds(unit, census, shape)
    grown = forewarn_grown(shape, census, next(iter(odds))) if shape is not None else []
    return slices, census, odds, grown


def sentence(warning: str) -> str:
    """A warning of the check as a sentence of its own."""
    return f"{warning[0].upper()}{warning[1:]}."


def unlike_preset(found: CharacterCheck, template: SkeletonTemplate) -> tuple[str, ...]:
    """A warning, if a template is for another kind of body than the one found; it names the better preset.

    A template of kind "other" that does not ship is taken to know what it is for. Whoever chose one is believed unless
    it is SURE that the body is of some other known kind.
    """
    if found.kind == "unknown" or template.name in (found.preset, found.other_preset) or is_shape(template.name):
        return ()
    if template.kind == "other" and template.name not in _SPECIAL:
        return ()
    likely = {kind: odds for kind, odds in found.odds.items() if odds > (1 - SURE) / 10 and kind != NAME}
    suited = {kind for kind in likely if (template.kind == _kind(kind) if template.kind != "other" else
                                          template.name == kind)}
    against = sum(odds for kind, odds in likely.items() if kind not in suited)
    is_like = sum(likely[kind] for kind in suited) > 1 - SURE
    is_creature = found.kind == "other" and found.preset not in _SPECIAL
    if is_like or against < (CLEAR_CREATURE if is_creature else SURE):
        return ()
    return (f"the preset '{template.name}' is for another kind of body: this one has {found.reason}. The preset "
            f"'{found.preset}' suits it better",)


def _kind(preset: str) -> str:
    """What kind of body a preset or a creature is for."""
    return "other" if preset in creature_names() else load_template(preset).kind
