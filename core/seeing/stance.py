"""How a character stands: which way is up, which way it faces, about which vertical plane it is mirrored.

Many ways to stand are proposed (see `proposals`) and a small learned network says how much the body looks as if it
stood so (see `stance_network`). The given way, Z up and facing -Y, keeps a long lead: files mostly stand as they say,
so only what speaks clearly turns a body over. Where several ways are nearly as likely, the landmark network looks at
the body in each: the better it knows where the joints are, the likelier the body stands so. A body that does not stand
flat is also tried on its soles (see `resting`): it may be tilted by any angle. If it stands on a base, its front is
looked for once more on the figure alone. If another end is nearly as likely to be up, and a known figure is then seen
to stand on a base, that end is up. Only bodies of kinds that the landmark network knows are turned: a spider looks most
like a person when it is laid on its back, and stays as it is given.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ..arrays import frozen
from ..geometry.axes import AXES
from ..geometry.base import top_layer
from ..geometry.frame import unit_frame
from ..geometry.mesh import Mesh, check_mesh
from ..geometry.scatter import SurfaceScatter, scatter_surface
from ..geometry.shape import figure_on_base
from .evidence import unseen, vagueness
from .proposals import Proposals, propose, rotation_to
from .resting import resting_turns, stands_flat
from .silhouette import coarse_solid
from .stance_network import KINDS, load_stance_network

# Ways this close to the likeliest (log-odds) are looked at again, so many at most; what a unit of vagueness counts.
# Chosen on held-out bodies: `tests/learning/second_look`.
CLOSE, MOST, VAGUE = 2.0, 4, 4.0
# Log odds that a body which looks best in another way than the given one is of a kind the landmark network knows:
# SLOPE times how much less unseen its joints are in that way than EVEN. Chosen on turned people and animals and on
# props and plants that stand as they are given, taken to be equally frequent: of 212 people and animals 209 are turned
# then, of 246 others, at random in their proportions, 2. The stance network alone is believed if it is SURE, in
# log-odds: bats, mechs and monsters in view, whose joints are seen badly, are stood up 44 times of 54, 12 without it.
EVEN, SLOPE, SURE = 3.1, 7.9, 3.0
# What the network believes to stand in no way, with all log-odds below BELIEVED, faces along the plane that mirrors it,
# if one does WELL: log-odds by how much worse another does, in units of ALIKE. Of generated fish, stars and chairs the
# right plane is off by 0.0004 to 0.002 of their size, the best one through a tree by 0.008.
BELIEVED, MIRRORED, ALIKE, WELL = 1.0, 5.0, 0.002, 0.004
# Voxels along the longest side that show a base. If another end is up, a base may show that does not show otherwise:
# that end is taken if it is less likely by BASED at most, in log-odds. Of 160 bodies without a base one shows one on
# any of its other sides; of 60 with a base 57 show it on the right side, and one on a wrong one.
COARSE, BASED = 64, 5.0
REASONS = ("no other way looks clearly better. If this is wrong, set Up and Front",
           "it looks like a person standing so", "it looks like an animal standing so")
AS_SET, UP_SET = "as set", "up is as set"  # both up and front by the artist, or up alone
AS_CREATURE = "it looks like a creature standing so"


@dataclass(frozen=True, eq=False)
class Stance:
    """Which way a character stands.

    rotation : (3, 3) object axes to character axes (Z up, facing -Y), for `prepare_steps`
    confidence : probability the scores give this up and front, 0 to 1;  reason : what speaks for it, for the artist
    other : (up, front) of the next likeliest way along axes, as "Z" and "-Y"; () if there is none
    has_base : whether it may stand on a base; False: what it seems to stand on is part of the body
    may_lie : whether a creature that seems to lie, or to face backwards, is turned by `stand_steps`
    """

    rotation: np.ndarray
    confidence: float = 1.0
    reason: str = AS_SET
    other: tuple[str, ...] = ()
    has_base: bool = True
    may_lie: bool = True

    def __post_init__(self):
        object.__setattr__(self, "rotation", frozen(self.rotation, np.float64, (3, 3), "rotation"))

    @property
    def up_vector(self) -> np.ndarray:
        """(3,) up, object axes."""
        return self.rotation[2].copy()

    @property
    def front_vector(self) -> np.ndarray:
        """(3,) where the character looks, object axes."""
        return -self.rotation[1]

    @property
    def up(self) -> str:
        """Up in words: the axis it is nearest to, "Z" or "-Y". See `lean`."""
        return nearest_axis(self.rotation[2])

    @property
    def lean(self) -> float:
        """By how many degrees up lies off that axis."""
        return float(np.degrees(np.arccos(np.clip(self.rotation[2] @ AXES[self.up], -1, 1))))

    @property
    def front(self) -> str:
        """Front in words, seen from above: "-Y", "halfway between X and -Y" or "15 degrees from -Y towards X"."""
        flat = -self.rotation[1] * (AXES[self.up] == 0)
        nearest = nearest_axis(flat)
        rest = flat * (AXES[nearest] == 0)
        degrees = round(float(np.degrees(np.arctan2(np.linalg.norm(rest), flat @ AXES[nearest]))))
        if not degrees:
            return nearest
        other = nearest_axis(rest)
        return f"halfway between {nearest} and {other}" if degrees == 45 else (
            f"{degrees} degrees from {nearest} towards {other}")

    def told(self, kind: str) -> str:
        """Up, front and reason as the end of a sentence, for what was found to be of a kind of `CharacterCheck`.

        What is neither a person nor an animal does not look like one.
        """
        leans = f" (it leans by {self.lean:.0f} degrees)" if self.lean >= 0.5 else ""
        fits = self.reason in (UP_SET, AS_CREATURE, {"biped": REASONS[1], "quadruped": REASONS[2]}.get(kind))
        return f"{self.up} up{leans}, facing {self.front}: {self.reason if fits else REASONS[0]}"

    @property
    def is_given(self) -> bool:
        """Z up, facing -Y: nothing is turned."""
        return bool(np.allclose(self.rotation, np.eye(3), atol=1e-9))


UPRIGHT = Stance(np.eye(3))


def nearest_axis(direction: np.ndarray) -> str:
    """"-Y" for a direction (3,) that is closer to that axis than to any other."""
    return max(AXES, key=lambda name: round(float(direction @ AXES[name]), 6))


def stance_facing(up: str, front: str) -> Stance:
    """The stance with these axes, as the artist sets it: `stance_facing("Y", "Z")`. Raises ValueError."""
    for name in (up, front):
        if name not in AXES:
            raise ValueError(f"an axis is one of {', '.join(AXES)}, not {name!r}")
    if abs(AXES[up] @ AXES[front]) > 0.5:
        raise ValueError(f"up {up!r} and front {front!r} lie on one axis")
    return Stance(rotation_to(AXES[up], AXES[front]))


def detect_stance(mesh: Mesh, *, up: str = "auto", front: str = "auto", has_base: bool = True) -> Stance:
    """How a mesh stands. Some 30 ms, in doubt 200, and the same answer however the mesh is moved or scaled.

    up, front : "auto" or an axis ("Z", "-Y", ...) the artist has set;  has_base : see `Stance`
    Raises BadMesh, ValueError.
    """
    if up != "auto" and front != "auto":
        return replace(stance_facing(up, front), has_base=has_base)
    for name in (up, front):
        if name != "auto" and name not in AXES:
            raise ValueError(f"an axis is \"auto\" or one of {', '.join(AXES)}, not {name!r}")
    check_mesh(mesh)
    seen = _look_at(mesh, up, front)
    standing, figure = _on_base(mesh, seen) if has_base else (seen, None)
    if figure is not None:  # a base hides which way the feet point
        again = _look_at(figure, up, front).standing(standing.best[2])
        seen = again if len(again.odds) else standing
    stance = seen.stance(has_base=has_base, may_lie=front == "auto")
    return stance if up == "auto" else replace(stance, reason=UP_SET)


def _look_at(mesh: Mesh, up: str, front: str) -> Ways:
    body = scatter_surface(mesh)
    seen = look(body)
    if up == "auto" and front == "auto" and not stands_flat(body, seen.best[2]):
        seen = seen.joined(look_tilted(body))
    return seen.only(up, front).looked_at_again(mesh).if_known(mesh)


def _on_base(mesh: Mesh, seen: Ways) -> tuple[Ways, Mesh | None]:
    """The ways to stand with the likeliest up in which something stands on a base, and what does; all, None if none."""
    score = seen.score
    left = score > score.max() - BASED
    for _ in range(MOST):
        if not left.any():
            break
        rotation = seen.rotations[np.where(left, score, -np.inf).argmax()]
        figure = _figure(mesh, rotation)
        if figure is not None and (rotation[2] @ seen.best[2] > 1 - 1e-6 or _is_known(figure, rotation)):
            return seen.standing(rotation[2]), figure
        left &= seen.rotations[:, 2] @ rotation[2] <= 1 - 1e-6
    return seen, None


def _is_known(figure: Mesh, rotation: np.ndarray) -> bool:
    """Whether the joints of what stands so are seen: a table on its top is no figure on a base."""
    return unseen(figure.moved(figure.vertices @ rotation.T)) < EVEN


def _figure(mesh: Mesh, rotation: np.ndarray) -> Mesh | None:
    """What stands on a base if the mesh is turned so, None if nothing does. Some 5 ms where there is none."""
    places = np.where(np.isfinite(mesh.vertices), mesh.vertices, 0.0)  # loose vertices may be nowhere
    turned = mesh.moved(places @ rotation.T)
    solid, grid = coarse_solid(turned.moved(unit_frame(turned).to_unit(turned.vertices)), resolution=COARSE)
    return None if top_layer(solid, grid.spacing) is None else figure_on_base(mesh, rotation)


@dataclass(frozen=True, eq=False)
class Ways:
    """K ways a body might stand, and what speaks for each.

    rotations : (K, 3, 3) object axes to character axes
    level : (K, 3, 3) the same of the body untilted, its vertical along an axis; the two are alike if it is not tilted
    odds : (K,) log-odds of the network for standing so;  kinds : (K, kinds) and for the kinds of body
    vague : (K,) how vague the joints are, above the clearest way looked at again; 0 if none was
    strange : (K,) log-odds added where the body may be of no known kind: see `if_known`
    """

    rotations: np.ndarray
    level: np.ndarray
    odds: np.ndarray
    kinds: np.ndarray
    vague: np.ndarray
    strange: np.ndarray

    @property
    def score(self) -> np.ndarray:
        """(K,) log-odds with the lead of the given way."""
        network = load_stance_network()
        lead = prior(self.rotations, self.level, network.given_up, network.given_front, network.tilted)
        return self.odds + lead - VAGUE * self.vague + self.strange

    @property
    def best(self) -> np.ndarray:
        """(3, 3) the likeliest way."""
        return self.rotations[self.score.argmax()]

    def _each(self, change) -> Ways:
        return Ways(*(change(getattr(self, f.name), f.name) for f in fields(self)))

    def joined(self, others: list[Ways]) -> Ways:
        """These and others."""
        return self._each(lambda own, name: np.concatenate([own, *(getattr(w, name) for w in others)]))

    def only(self, up: str, front: str) -> Ways:
        """Those with the axes the artist set; what "auto" is free."""
        allowed = np.ones(len(self.rotations), bool)
        if up != "auto":
            allowed &= self.rotations[:, 2] @ AXES[up] > 1 - 1e-9
        if front != "auto":
            allowed &= -self.rotations[:, 1] @ AXES[front] > 1 - 1e-9
        return self.where(allowed)

    def standing(self, up: np.ndarray) -> Ways:
        """Those with this direction (3,) up."""
        return self.where(self.rotations[:, 2] @ up > 1 - 1e-6)

    def where(self, which: np.ndarray) -> Ways:
        """Some of them."""
        return self._each(lambda own, _: own[which])

    def turned(self, turn: np.ndarray) -> Ways:
        """Of the body before it was turned by (3, 3) `turn`."""
        return replace(self, rotations=self.rotations @ turn)

    def looked_at_again(self, mesh: Mesh) -> Ways:
        """The likeliest ways, if several are close, told apart by how well the landmark network knows the joints."""
        score = self.score
        likeliest = np.argsort(-score, kind="stable")[:MOST]
        close = likeliest[score[likeliest] > score.max() - CLOSE]
        if len(close) < 2:
            return self
        vague = np.array([vagueness(mesh.vertices @ self.rotations[k].T, mesh.faces) for k in close])
        every = np.full(len(score), np.ptp(vague))  # what was not looked at is as vague as the vaguest
        every[close] = vague - vague.min()
        return replace(self, vague=every)

    def if_known(self, mesh: Mesh) -> Ways:
        """The likeliest way with the given up gains the odds that the body is of no known kind: such a body stands as
        its file says.

        Asked only where another up is likelier.
        """
        score, best = self.score, self.best
        given = np.flatnonzero(self.rotations[:, 2, 2] > 1 - 1e-9)
        if not len(given) or score[given].max() == score.max():
            return self
        stays, strange = given[score[given].argmax()], np.zeros(len(score))
        known = EVEN - unseen(mesh.moved(mesh.vertices @ best.T))
        known = max(known, float(self.odds[score.argmax()]) - SURE)
        strange[stays] = np.logaddexp(score[stays], np.logaddexp.reduce(score) - SLOPE * known) - score[stays]
        return replace(self, strange=strange)

    def stance(self, *, has_base: bool = True, may_lie: bool = True) -> Stance:
        """The likeliest way.  has_base, may_lie : see `Stance`"""
        score = self.score
        best = int(score.argmax())
        share = np.exp(score - score[best])
        looks = np.exp(self.odds - self.odds.max())[best] > 0.5
        kind = self.kinds[best]
        is_animal = kind[KINDS.index("quadruped")] > kind[KINDS.index("biped")]
        reason = REASONS[2 if is_animal else 1] if looks else REASONS[0]
        return Stance(self.rotations[best], float(1 / share.sum()), reason, self._next(best), has_base, may_lie)

    def _next(self, best: int) -> tuple[str, ...]:
        """(up, front) of the likeliest way along axes but one."""
        along = (np.abs(self.rotations).max(2) > 1 - 1e-9).all(1)
        along[best] = False
        if not along.any():
            return ()
        k = int(np.where(along, self.score, -np.inf).argmax())
        return nearest_axis(self.rotations[k, 2]), nearest_axis(-self.rotations[k, 1])


def look(body: SurfaceScatter, verticals: tuple[int, ...] = (0, 1, 2)) -> Ways:
    """Every way to stand with one of these axes vertical, as the network sees it."""
    proposals = propose(body, verticals=verticals)
    odds, kinds = load_stance_network()(proposals)
    if odds.max() < BELIEVED:
        odds = odds - _mirrored_worse(proposals)[:, None]
    rotations = proposals.rotations.reshape(-1, 3, 3)
    return Ways(rotations, rotations, odds.ravel(), kinds.reshape(-1, kinds.shape[-1]), *np.zeros((2, odds.size)))


def _mirrored_worse(proposals: Proposals) -> np.ndarray:
    """(M,) log-odds against each plane for mirroring a body worse than the best plane of the same vertical does, if
    that one mirrors it well."""
    error = proposals.unlike[:, 0]
    vertical = np.abs(proposals.rotations[:, 0, 2]).argmax(1)
    best = np.array([error[vertical == k].min() for k in vertical])
    return np.where(best < WELL, MIRRORED * np.log1p((error - best) / ALIKE), 0.0)


def look_tilted(body: SurfaceScatter) -> list[Ways]:
    """The same of the body on each of the flat ends it might rest on."""
    out = []
    for turn, axis in resting_turns(body):
        ways = look(body.turned(turn), (int(np.abs(axis).argmax()),))
        on = ways.rotations[:, 2] @ axis > 0.99
        out.append(ways.where(on).turned(turn))
    return out


def prior(rotations: np.ndarray, level: np.ndarray, up: float, front: float, tilted: float) -> np.ndarray:
    """(K,) log-odds of ways to stand before anything is looked at: how much they are as given.

    up : for Z up;  front : for facing -Y too, less the further turned away;  tilted : for being tilted, below 0
    """
    turned = np.clip((np.trace(level, axis1=1, axis2=2) - 1) / 2, 0, 1)
    is_tilted = (np.abs(rotations - level) > 1e-6).any((1, 2))
    return up * np.clip(level[:, 2, 2], 0, 1) + front * turned + tilted * is_tilted
