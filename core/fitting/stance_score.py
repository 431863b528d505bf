"""What speaks for a body standing upright and facing forwards, as numbers, and how much each counts.

A hypothesis is a pair of directions, up and front. In its frame the surface is described by signs. Some do not change
when front and back are exchanged and tell which way is up: soles lie apart on both sides of the mirror plane, a head
lies on it. The others change sign and tell front from back: toes, nose, fingers and elbows. Bodies longer than tall
(animals) weigh these differently from bodies taller than long (people). The probability of a hypothesis is the softmax
of its weighted sum over all hypotheses of the body.
"""

from __future__ import annotations

import numpy as np

from ..geometry.scatter import SurfaceScatter

# Learned as tests/benchmarks/stance.py --learn does, from other draws of its people with things in their hands: what it
# prints today differs a little.
EVEN: dict[str, float] = {
    "mirror": 1.184, "soles_on_plane": -7.793, "crown_on_plane": -0.646, "sole_gap": 0.572, "crown_gap": -1.45,
    "mass": 4.118, "flat_sole": -0.162, "flat_crown": -0.612, "reach": 0.423, "reach_low": 2.518, "tall": 1.726,
    "deep": -2.132, "wide": -0.535, "overhang": -0.773, "heavy_sole": 0.714, "heavy_crown": -0.176,
    "narrow_middle": 0.498, "detail_height": 0.259}
TALL: dict[str, float] = {
    "toes": 1.117, "sole": 1.151, "sole_place": 0.075, "knees": -0.371, "balance": 0.355, "chest": 0.569, "seat": 0.1,
    "crown": -0.157, "crown_reach": -1.065, "crown_place": 1.17, "nose": 1.174, "hands": -0.272, "elbows": -0.232,
    "detail": 1.295, "crown_detail": 0.146}
LONG: dict[str, float] = {
    "balance": 0.459, "detail": -0.016, "crown_detail": 0.362, "ends_mass": 1.105, "ends_height": 1.33,
    "ends_width": -0.425, "ends_low": 1.277, "sole_place": -0.145, "paws": 1.066, "tuck": 0.215, "withers": 0.571,
    "beyond_mass": 0.639, "beyond_width": -0.219, "beyond_top": 0.109, "crown_over_soles": -0.396}

WEIGHTS = np.array([*EVEN.values(), *TALL.values(), *LONG.values()])
_UP_SAID = {
    "soles_on_plane": "the lower end stands on two sides", "sole_gap": "the lower end stands on two sides",
    "crown_on_plane": "the upper end lies in the middle, as a head does", "mass": "the bulk lies above the legs",
    "flat_sole": "the lower end is flat, as soles are", "reach": "the arms are held high", "tall": "it is tall",
    "reach_low": "the arms are held high", "heavy_sole": "the lower end is broad"}
_TALL_SAID = {
    "toes": "the toes point forward", "sole": "the feet are longer in front of the ankles",
    "nose": "the nose is in front", "hands": "the hands are held forward", "balance": "more of the body lies in front",
    "sole_place": "the feet reach furthest forward", "detail": "the front is modelled more finely",
    "crown_detail": "the face is modelled more finely than the back of the head"}
_LONG_SAID = {
    "ends_mass": "the head and chest outweigh the rear", "ends_height": "the head rises in front",
    "ends_low": "the head is held above the ground in front", "ends_width": "the front is broader",
    "balance": "more of the body lies in front", "detail": "the front is modelled more finely",
    "crown_detail": "the face is modelled more finely", "nose": "the head reaches forward",
    "sole": "the paws are longer in front", "crown_reach": "the head reaches forward",
    "paws": "the paws point forward", "tuck": "the chest hangs lower than the belly",
    "beyond_width": "what hangs over in front is broader than a tail",
    "beyond_top": "the head is carried higher than the tail", "crown_over_soles": "the highest part is in front",
    "beyond_mass": "more hangs over in front of the legs than behind"}
REASONS = (*(_UP_SAID.get(n, "") for n in EVEN), *(_TALL_SAID.get(n, "") for n in TALL),
           *(_LONG_SAID.get(n, "") for n in LONG))


def describe(body: SurfaceScatter, error: float) -> np.ndarray:
    """(N,) the signs of one hypothesis: EVEN, then TALL and LONG, each counting as much as the body is so.

    body : turned so that the hypothesis is Z up, facing -Y, its mirror plane x = 0;  error : of the mirror plane
    """
    even, odd = describe_up(body, error), describe_front(body)
    deep, tall = np.ptp(body.points[:, 1]), np.ptp(body.points[:, 2])
    share = tall**4 / (tall**4 + deep**4)
    pick = lambda names: np.clip([odd[n] for n in names], -3, 3)  # noqa: E731 - one line beats a method here
    return np.concatenate([[even[n] for n in EVEN], share * pick(TALL), (1 - share) * pick(LONG)])


def turn_round(signs: np.ndarray) -> np.ndarray:
    """What `describe` says of the same body facing the other way."""
    return np.concatenate([signs[: len(EVEN)], -signs[len(EVEN):]])


def describe_up(body: SurfaceScatter, error: float) -> dict[str, float]:
    """Signs that do not change when front and back are exchanged."""
    x, y, z = np.abs(body.points[:, 0]), body.points[:, 1], _height(body.points, body.points)
    wide, deep, tall = np.ptp(body.points, axis=0)
    level = np.abs(body.normals[:, 2]) > 0.9
    sole, crown, middle, near = z < 0.05, z > 0.92, (z > 0.3) & (z < 0.7), x < 0.025
    outer = x >= _part(x, 90)
    return {
        "mirror": -100 * error, "soles_on_plane": _mean(near[sole]), "crown_on_plane": _mean(near[crown]),
        "sole_gap": np.log(_part(x[sole], 10) + 0.01), "crown_gap": np.log(_part(x[crown], 10) + 0.01),
        "mass": 4 * (z.mean() - 0.5), "flat_sole": np.log(_mean(level[sole]) + 0.03),
        "flat_crown": np.log(_mean(level[crown]) + 0.03), "reach": 2 * (z[outer].mean() - 0.5),
        "reach_low": 2 * (_part(z[outer], 10) - 0.5), "tall": tall, "deep": deep, "wide": wide,
        "overhang": 10 * abs(_mean(y[sole]) - y.mean()), "heavy_sole": np.log(sole.mean() + 0.003),
        "heavy_crown": np.log(crown.mean() + 0.003), "narrow_middle": np.log(_mean(near[middle]) + 0.02),
        "detail_height": 8 * (body.details[:, 2].mean() - body.points[:, 2].mean())}


def describe_front(body: SurfaceScatter) -> dict[str, float]:
    """Signs that are reversed when front and back are exchanged; 1 is a clear one, positive speaks for facing -Y."""
    x, y, z = np.abs(body.points[:, 0]), -body.points[:, 1], _height(body.points, body.points)
    centre, middle, deep = y.mean(), (y.max() + y.min()) / 2, max(np.ptp(y), 1e-6)
    at = lambda low, high, half=1.0: y[(z > low) & (z < high) & (x < half)]  # noqa: E731 - one line beats a method here
    mean = lambda values: _mean(values, centre)  # noqa: E731
    sole, ankle, trunk = at(-1, 0.045), at(0.06, 0.13), at(0.5, 0.75, 0.08)
    crown, face = at(0.88, 2, 0.1), at(0.82, 2, 0.04)
    outer, arms = x > _part(x, 88), (x > _part(x, 70)) & (x <= _part(x, 88))
    front, back = y > y.max() - 0.25 * deep, y < y.min() + 0.25 * deep
    nose, rump = y > y.max() - 0.12 * deep, y < y.min() + 0.12 * deep
    head, detail = at(0.8, 2, 0.1), _height(body.details, body.points)
    fine = -body.details[(detail > 0.8) & (np.abs(body.details[:, 0]) < 0.1), 1]
    return {
        "toes": (mean(sole) - mean(ankle)) / 0.02, "sole": _lopsided(sole, mean(ankle)) / 0.05,
        "sole_place": (mean(sole) - middle) / 0.1, "knees": (mean(at(0.24, 0.34)) - mean(at(0.12, 0.2))) / 0.02,
        "balance": (centre - middle) / 0.05, "chest": (mean(trunk) - centre) / 0.03,
        "seat": (mean(at(0.42, 0.52, 0.1)) - mean(trunk)) / 0.03,
        "crown": (mean(crown) - mean(at(0.76, 0.84, 0.08))) / 0.03, "crown_reach": _lopsided(crown, mean(crown)) / 0.03,
        "crown_place": (mean(at(0.9, 2)) - middle) / 0.15, "nose": _lopsided(face, mean(face)) / 0.03,
        "hands": (mean(y[outer]) - mean(y[arms])) / 0.03, "elbows": (mean(y[arms]) - centre) / 0.03,
        "detail": (-body.details[:, 1].mean() - centre) / 0.03,
        "crown_detail": (fine.mean() - head.mean()) / 0.02 if len(fine) and len(head) else 0.0,
        "ends_mass": np.log((front.mean() + 0.02) / (back.mean() + 0.02)),
        "ends_height": (z[nose].mean() - z[rump].mean()) / 0.2, "ends_width": (x[front].mean() - x[back].mean()) / 0.05,
        "ends_low": (_part(z[nose], 5) - _part(z[rump], 5)) / 0.2} | _describe_trunk(x, y, z, sole)


def _describe_trunk(x: np.ndarray, y: np.ndarray, z: np.ndarray, sole: np.ndarray) -> dict[str, float]:
    """An animal's trunk between its legs, and what hangs over before and behind them. sole : y of the soles."""
    hind, front = (_part(sole, 5), _part(sole, 95)) if len(sole) else (y.mean(), y.mean())
    middle, third = (front + hind) / 2, (front - hind) / 3
    near, standing, leg = x < 0.04, z < 0.045, (z > 0.06) & (z < 0.16)
    paws = sum(_mean(y[standing & side]) - _mean(y[leg & side], _mean(y[standing & side]))
               for side in (y > middle, y <= middle))
    fore, rear = near & (y > front - third) & (y < front), near & (y > hind) & (y < hind + third)
    head, tail = y > front + 0.02, y < hind - 0.02
    return {
        "paws": paws / 0.03, "tuck": (_part(z[rear], 10, 0.5) - _part(z[fore], 10, 0.5)) / 0.15,
        "withers": (_part(z[fore], 92, 0.5) - _part(z[rear], 92, 0.5)) / 0.15,
        "beyond_mass": np.log((head.mean() + 0.02) / (tail.mean() + 0.02)),
        "beyond_width": (_mean(x[head]) - _mean(x[tail])) / 0.03,
        "beyond_top": (_part(z[head], 80, 0.5) - _part(z[tail], 80, 0.5)) / 0.2,
        "crown_over_soles": (_mean(y[z > 0.9], middle) - middle) / 0.2}


def _height(points: np.ndarray, body: np.ndarray) -> np.ndarray:
    """(N,) heights of points, 0 at the body's lowest and 1 at its highest."""
    low = body[:, 2].min()
    return (points[:, 2] - low) / max(body[:, 2].max() - low, 1e-6)


def _lopsided(values: np.ndarray, centre: float) -> float:
    """How much further values reach above a centre than below it."""
    return _part(values, 97) + _part(values, 3) - 2 * centre if len(values) else 0.0


def _mean(values: np.ndarray, otherwise: float = 0.0) -> float:
    return float(values.mean()) if len(values) else otherwise


def _part(values: np.ndarray, percent: float, otherwise: float = 0.0) -> float:
    """The value below which so many per cent lie: one of the values, and exactly opposite for opposite values."""
    if not len(values):
        return otherwise
    rank = round((len(values) - 1) * percent / 100)
    return float(np.partition(values, rank)[rank])
