"""Several panels in one picture."""

from __future__ import annotations

import numpy as np

from .scene import ABOVE


def join_panels(panels, *, gap: int = 3) -> np.ndarray:
    """(H, W, 3) panels side by side, the lower ones padded at the top, parted by a thin light line."""
    panels = [np.asarray(p) for p in panels]
    height = max(p.shape[0] for p in panels)
    paper = (ABOVE * 255).astype(np.uint8)
    row = []
    for panel in panels:
        frame = np.full((height, panel.shape[1], 3), paper, np.uint8)
        frame[height - panel.shape[0]:] = panel
        row += [frame, np.full((height, gap, 3), 255, np.uint8)]
    return np.concatenate(row[:-1], axis=1)
