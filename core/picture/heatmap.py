"""Numbers on a surface as colours: from clay that is in order over yellow to a red that is not."""

from __future__ import annotations

import numpy as np

# linear red, green, blue at evenly spaced values from 0 to 1; told apart in any kind of colour blindness by lightness
STOPS = np.array([[0.42, 0.40, 0.38], [0.75, 0.62, 0.20], [0.95, 0.45, 0.03], [0.90, 0.10, 0.02], [0.45, 0.00, 0.03]])


def heat_colors(values: np.ndarray) -> np.ndarray:
    """(N, 3) linear colours of (N,) values, those beyond 0 and 1 as at the ends."""
    place = np.clip(np.asarray(values, float), 0.0, 1.0) * (len(STOPS) - 1)
    lower = np.minimum(place.astype(int), len(STOPS) - 2)
    part = (place - lower)[:, None]
    return STOPS[lower] * (1 - part) + STOPS[lower + 1] * part
