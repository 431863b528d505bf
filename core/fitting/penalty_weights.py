"""The weights of the penalty functions: a file that `tests/learning` writes and `penalties` reads.

presets/README.md describes the format. Without the file the published weights hold.
"""

from __future__ import annotations

import json
from pathlib import Path

from ..errors import BadTemplate
from .joint_tree import ANATOMY

FORMAT = "geppetto-penalties"
VERSION = 1
PENALTIES = ANATOMY / "penalties.json"

# Learned by the authors with a maximum margin over 62 characters, [BP07] section 3.3.
PAPER_WEIGHTS = {
    "short_chain": 0.027, "direction": 0.023, "asymmetry": 0.007, "shared_path": 0.046, "foot_height": 0.014,
    "zero_length": 0.012, "bone_direction": 0.072, "not_an_end": 0.005, "far_on_bones": 0.033}
# "sheet" is Geppetto's own: a hat's brim or a cape's corner is no hand. Without it a wide hat wins over short arms.
DEFAULT_WEIGHTS = PAPER_WEIGHTS | {"sheet": 0.15}


def read_weights(path=PENALTIES) -> dict[str, float]:
    """{penalty: weight} from a file; `DEFAULT_WEIGHTS` if there is none. Raises BadTemplate if it is not sound."""
    if not Path(path).is_file():
        return dict(DEFAULT_WEIGHTS)
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadTemplate(f"The penalty weights '{path}' are not JSON: {error}.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise BadTemplate(f"'{path}' is not a file of penalty weights: it needs \"format\": \"{FORMAT}\" and "
                          f"\"version\": {VERSION}.")
    weights = data.get("weights")
    if not isinstance(weights, dict) or set(weights) != set(DEFAULT_WEIGHTS):
        raise BadTemplate(f"'{path}': \"weights\" must name exactly these: {', '.join(DEFAULT_WEIGHTS)}.")
    if not all(isinstance(w, int | float) and 0 <= w < 1e6 for w in weights.values()):
        raise BadTemplate(f"'{path}': every weight must be a number, 0 or more.")
    return {name: float(weights[name]) for name in DEFAULT_WEIGHTS}
