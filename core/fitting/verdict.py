"""What a body is, with a probability for each thing it may be.

The landmark network says which of the kinds it knows a body is likest, but it has to name one of them: a spider is to
it a person for sure. Whether it knows the body at all shows in how well it sees that kind's joints: those of a body
like those it learned from are each at one place in all three views. And it should have as many legs as that kind.
Whether a body of no such kind is a creature of presets/creatures shows in what stands out of its prepared shape.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from ..geometry.blocks import blocks_of
from ..geometry.mesh import VANISHING, Mesh
from ..geometry.shape import Shape
from ..geometry.winding import winding_numbers
from ..seeing.evidence import is_flat, kind_odds, look, unseen
from ..seeing.limb_census import LimbCensus
from ..skeleton.preset import load_template
from .creature import MISSING, NEAR_GROUND, load_creature, match, weigh_creatures
from .from_shape import NAME, seen_in
from .grown_together import Rider, person_on_four_legs, upper_body_unseen
from .limb_sorts import WING
from .missing import find_missing
from .outline import Line
from .stubby import has_stubs, is_block_person
from .tail import TAILED, has_tail
from .unreached import unreached_pairs
from .wheels import is_on_wheels

LEG_PAIRS = {"biped": 1, "biped_tail": 1, "quadruped": 2, "centaur": 2}
# What has more legs than any of them is of none, but for an upright body with the joints of a person: a gown that hangs
# open around the legs shows folds as legs. And but for an animal with a rider, whose legs hang beside it.
# Log odds that a body is of a kind the network knows: SLOPE times how much less unseen its joints are than EVEN, which
# is one number if it shows that kind's legs and another if not. Learned on sources held out, people and animals taken
# to be as frequent as all else: tests/learning/verdict.
EVEN, SLOPE = {True: 3.31, False: 2.92}, 8.3
# Animals of blocks show their joints less. Of 20 generated ones on two pairs of legs 18 have below BLOCKS, of 14
# chairs, benches, tables and other things of blocks that seem to stand on as many one, a car.
BLOCKS = 3.65
# And of what seems to lack limbs of a person and has others where a person has none: round bodies with stubs are seen
# nearly as well as busts. Of 24 busts two have such limbs, a pack and short arms, and less than 2.3 unseen; of 17 round
# bodies with stubs that were taken for people 12 have such limbs, all with more.
UNREACHED = 2.3
# How many times as often limbs of a creature show on one as on a person or animal whose kind is in doubt: none of 119
# of these shows any with more than LEAST doubt. Below it nothing is looked at. A bust may look like a fish, which tells
# nothing against the head and the shoulders that are seen. Nor do they tell more in figures of blocks, whose kind is
# always a little in doubt: people of blocks were told as wyverns.
SHOWN, LEAST = 50.0, 0.01
# The same of wings, which no learned kind has: of a mirror pair on a body longer than tall that is taken for one with
# two legs, or of any on a creature with at most one limb amiss that is taken for an animal and reaches as far to a side
# as the shortest wing. None of 119 people and animals is one and shows them.
WINGED = 5000.0
# A wyvern with its tail is so many times as long as thick, or shows a neck or two tails: 16 generated ones are 15 times
# as long or show a neck, 18 birds are 8 to 10 times as long and show none.
SLENDER = 12.0
# What is seen so well as a person is one, whatever wings it has on its back: of 20 people with wings who were told as
# birds or dragons 17 are seen better than this, of 9 generated birds, 8 dragons and wyverns and 3 real ones none.
PERSON = 2.5
# The head of a bird that stands lies so far ahead of its feet, unit frame: of 24 generated ones 0.15 to 0.41, of 72
# people in view and 54 toys -0.07 to 0.12.
AHEAD = 0.2
FEET, HEAD = 0.08, 0.88  # of the height: what lies below, and above
# Unit frame: what touches the ground so far beside the middle is a foot, and so far behind others one of the next pair.
# Of 12 generated rabbits, squirrels and mice that crouch the hind feet are 0.2 to 0.3 behind the front ones; of 24
# generated birds none has feet so far behind others.
BESIDE, BEHIND = 0.03, 0.18
# Under a robe that hides the legs a person's head and arms are seen better than GOWNED: of 16 generated ones, melted
# into one surface, all, of 12 vases, bottles and trees without arms none. But bottles and snowmen with arms are seen as
# well: of what shows so much so many are PERSONS, a doubt that is told.
GOWNED, PERSONS = 3.15, 0.55
# So is what is flat, and upright, with two legs and two arms: no trunk lies level in it, as a wyvern's must, and a
# cookie shows neither feet nor hands. A flat bottle without legs is seen like a half of a person, and is none. Of 48
# flat figures with stubs for limbs 47 are known as people, 24 were before; of 39 flat things 6 are (an anchor at two
# depths, a star, a sword, a ladder, a butterfly), three of them in doubt; 4 were.
# A creature has an inside: along its lines the skin winds around once. Of 43 bodies in view told as one, two of which
# are, most sheets (clouds, decks of ferries) show HOLLOW or less, on a sheet half a turn, the two 1. What shows so
# little is OPEN times as likely one.
HOLLOW, OPEN = 0.6, 0.5
LONG = 0.9  # times as long as tall: no person who stands, but what stands on two legs with a long neck
# A body that shows flesh on both sides with none between, and off the ground, over so much of its view from the side
# may have several necks: 15 generated hydras show 0.009 and more, of 78 animals those with large ears or antlers.
PARTED = 0.006
# A verdict less likely is told as a doubt, with the next likeliest. A creature is known by its limbs alone: of 11 real
# bodies told as one with 0.6 to 0.8 two were, of 16 generated ones all.
CLEAR, CLEAR_CREATURE = 0.6, 0.8


def weigh_kinds(mesh: Mesh, census: LimbCensus, shape: Shape | None = None) -> dict[str, float]:
    """{preset: probability} that a body suits it, "shape" for none of them; the likeliest first.

    mesh : unit frame;  census : its limbs. Two broad wings make the likeliest kind a bird.
    shape : the mesh's, to tell creatures apart; without it they are all "shape"
    """
    odds = kind_odds(mesh)
    rider = person_on_four_legs(mesh) if census.leg_pairs >= LEG_PAIRS["centaur"] else Rider(-np.inf, False)
    odds = _or_centaur(odds, rider.centaur)
    likeliest = max(odds, key=lambda kind: odds[kind])
    missing = find_missing(mesh, load_template(likeliest))
    leg_pairs = census.leg_pairs
    if shape is not None and likeliest == "quadruped" and leg_pairs == 1:
        leg_pairs = max(leg_pairs, pairs_on_ground(shape))
    of_blocks = blocks_of(mesh) is not None
    even = EVEN[leg_pairs == (0 if missing.is_legless else LEG_PAIRS[likeliest])]
    even = BLOCKS if of_blocks and likeliest == "quadruped" and leg_pairs == LEG_PAIRS[likeliest] else even
    has_others = (shape is not None and LEG_PAIRS[likeliest] == 1 and bool(missing.joints) and bool(missing.limbs)
                  and unreached_pairs(shape, likeliest, missing) > 0)
    even = min(even, UNREACHED) if has_others else even
    badly = missing.unseen if missing.joints or missing.traced else unseen(mesh, likeliest)
    known, is_cut_out = _known(badly, even), is_flat(mesh) and LEG_PAIRS[likeliest] == 1
    if is_cut_out and census.leg_pairs == 0 and missing.is_legless:
        known = 0.0
    elif is_cut_out and census.leg_pairs == 1 and census.upright and census.arms:
        known = max(known, PERSONS)
    is_person = census.upright and LEG_PAIRS[likeliest] == 1
    if is_person and known < PERSONS and not has_others and _has_their_outline(mesh, shape):
        known = PERSONS
    on_wheels = is_on_wheels(mesh)  # no living thing
    if (census.leg_pairs > max(LEG_PAIRS.values()) and not is_person and not rider.rides) or on_wheels:
        known = 0.0
    share = {kind: known * float(np.exp(log)) for kind, log in odds.items()}
    is_sure = likeliest == "biped" and badly < PERSON
    if census.wings and likeliest != "quadruped" and not is_sure and (census.leg_pairs == 1 or not census.upright):
        share["bird"] = share.pop(likeliest)
    share[NAME] = 1 - known
    is_wide = max(census.reach) > WING
    _, deep, tall = np.ptp(mesh.vertices, axis=0)
    is_odd = is_wide if likeliest == "quadruped" else LEG_PAIRS[likeliest] == 1 and deep > LONG * tall and not is_sure
    may_be_creature = share[NAME] > LEAST or is_odd or (
        shape is not None and likeliest == "quadruped" and _parted(shape) > PARTED)
    if shape is not None and may_be_creature and not on_wheels and not (is_cut_out and census.leg_pairs == 1):
        may_be_bird = badly >= PERSON and (likeliest == "biped" or (likeliest == "quadruped" and leg_pairs == 1))
        leans = may_be_bird and _ahead(mesh) > AHEAD
        found = _with_creature(share, shape, census, is_odd, 1.0 if missing.is_legless or of_blocks else SHOWN, leans)
        has_arms = (known > 0 and LEG_PAIRS[likeliest] == 1 and not missing.is_legless
                    and not any("arm" in name for name in missing.joints))
        share = _as_gowned(share, mesh) if found is share and has_arms and census.leg_pairs == 0 else found
    is_whole = max(share, key=lambda kind: share[kind]) == "biped" and not missing.joints
    if is_whole and has_tail(mesh):
        share["biped"], share[TAILED] = share[TAILED], share["biped"]
    return dict(sorted(share.items(), key=lambda item: -item[1]))


def _known(badly: float, even: float) -> float:
    """How likely a body is of a kind whose joints are so little seen."""
    return float(1 / (1 + np.exp(np.clip(SLOPE * (badly - even), -50, 50))))


def _has_their_outline(mesh: Mesh, shape: Shape | None) -> bool:
    """Whether a body whose joints are little seen has the outline of a person: of blocks, or round with stubs."""
    return is_block_person(mesh, look(mesh, "biped").sight.solid) or (shape is not None and has_stubs(shape.body))


def _or_centaur(odds: dict[str, float], centaur: float) -> dict[str, float]:
    """Log probabilities of the kinds, where what is seen of both a person and an animal speaks for a centaur, too.

    centaur : log odds of that
    """
    none = -float(np.logaddexp(0, centaur))
    odds = {kind: log + none for kind, log in odds.items()}
    return odds | {"centaur": float(np.logaddexp(odds["centaur"], np.log(-np.expm1(none)) if none < 0 else -np.inf))}


def _as_gowned(share: dict[str, float], mesh: Mesh) -> dict[str, float]:
    """The odds where no legs show on what is likest a person: as under a robe, head and arms tell whether it is one."""
    known = PERSONS * _known(upper_body_unseen(mesh), GOWNED)
    if known <= 1 - share[NAME]:
        return share
    learned = sum(part for kind, part in share.items() if kind != NAME)
    return {kind: 1 - known if kind == NAME else part * known / learned for kind, part in share.items()}


def _with_creature(share: dict[str, float], shape: Shape, census: LimbCensus, is_odd: bool, shown: float,
                   leans: bool) -> dict[str, float]:
    """The odds with those of the creature that clearly shows, if one does and no kind that was learned is the same.

    is_odd : it is longer than tall, though the likeliest kind has two legs, or reaches far out to a side, though that
        kind is an animal; it may be a winged creature. One with several necks is seen as an animal for sure: what is
        seen of its joints tells nothing, its necks do.
    shown : as SHOWN;  leans : forward, as a bird does: it may be a theropod whatever the learned kinds say
    A fish or a mermaid does not show in what stands on legs, nor a fish in what is upright, nor a creature of two legs
    in what stands on two pairs of feet.
    """
    seen = seen_in(shape)
    found = weigh_creatures(seen)
    likeliest = next(iter(found))
    if not likeliest or found[likeliest] < CLEAR:
        return share
    share, creature = dict(share), load_creature(likeliest)
    if max((limbs.most for limbs in creature.limbs if limbs.sort == "leg"), default=0) == 2 and (
            pairs_on_ground(shape) > 1):
        return share
    if any(limbs.sort == "fan" for limbs in creature.limbs):
        share = {kind: part * (1.0 if kind == NAME else 1 - found[likeliest]) for kind, part in share.items()}
        return share | {likeliest: (1 - share[NAME]) * found[likeliest]}
    if _winds(seen.lines, shape.mesh) < HOLLOW:
        found[likeliest] *= OPEN
    limbs, is_animal = match(seen, creature), max(share, key=lambda kind: share[kind]) == "quadruped"
    is_short = (likeliest == "wyvern" and seen.slender < SLENDER and not limbs.count("neck")
                and limbs.count("tail") < 2)
    may_be_bird = "bird" in share and limbs.count("leg") <= 2
    if may_be_bird and (limbs.cost >= MISSING or is_short):  # such a wyvern shows nothing that a bird does not
        return share
    is_winged = is_odd and limbs.count("wing") > (0 if is_animal else 1) and not (is_animal and limbs.cost > MISSING)
    if share[NAME] <= LEAST and not is_winged:
        return share
    stands = census.upright and not any(sort in limbs.sort for limbs in creature.limbs for sort in ("leg", "wreath"))
    stands = stands and (census.leg_pairs > 0 or creature.trunk == "level" or has_stubs(shape.body))
    is_known = creature.like in share and not leans
    other = share[NAME] * (1.0 if is_known or stands else WINGED if is_winged else shown)
    share[likeliest], share[NAME] = other * found[likeliest], other * (1 - found[likeliest])
    total = sum(share.values())
    return {kind: part / total for kind, part in share.items()}


def pairs_on_ground(shape: Shape) -> int:
    """How many pairs of feet a body stands on, one behind the other: of an animal that crouches the haunches hide a
    pair of legs, not their feet."""
    grid, solid = shape.body.grid, shape.body.solid
    low = int(solid.any((0, 1)).argmax())
    label, count = ndimage.label(solid[:, :, low:low + round(NEAR_GROUND / grid.spacing)].any(2), np.ones((3, 3)))
    feet = np.array(ndimage.center_of_mass(label, label, range(1, count + 1))).reshape(-1, 2)
    feet = grid.origin[:2] + grid.spacing * (feet + 0.5)
    feet = feet[np.abs(feet[:, 0]) > BESIDE]
    feet = feet[feet[:, 1].argsort(kind="stable")]
    row = np.cumsum(np.diff(feet[:, 1], prepend=-np.inf) > BEHIND)
    return sum(len(np.unique(feet[row == one, 0] > 0)) == 2 for one in np.unique(row))


def _ahead(mesh: Mesh) -> float:
    """How far the top of a body lies ahead of what it stands on, unit frame."""
    places, height = mesh.vertices, np.ptp(mesh.vertices[:, 2])
    up = (places[:, 2] - places[:, 2].min()) / height
    return float(places[up < FEET, 1].mean() - places[up > HEAD, 1].mean())


@VANISHING
def _winds(lines: list[Line], mesh: Mesh) -> float:
    """How often the skin winds around a body's lines, in either direction: 1 inside, half on a sheet."""
    return float(np.median(np.abs(winding_numbers(mesh, np.concatenate([line.points for line in lines])))))


def _parted(shape: Shape) -> float:
    """The largest part of a body's view from the side, square units, where flesh lies on both sides and none between,
    and that does not reach the ground."""
    solid, spacing = shape.body.solid, shape.body.grid.spacing
    pieces = solid[0] + (solid[1:] & ~solid[:-1]).sum(0)
    label, count = ndimage.label(pieces > 1)
    area = np.bincount(label.ravel(), minlength=count + 1) * spacing**2
    bottom = int(solid.any((0, 1)).argmax())
    area[label[:, :bottom + round(NEAR_GROUND / spacing)]] = 0.0  # what is in no part too
    return float(area.max())
