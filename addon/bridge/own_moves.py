"""Meshes that keys, drivers or constraints of their own move, away from the bones that they follow."""

from __future__ import annotations

import numpy as np

from .curves import curves_of
from .mesh import named

PLACE = ("location", "rotation", "scale", "delta_")  # how the paths of an object's own place begin


def told_of_own_moves(objects, armature) -> list[str]:
    """A line for the objects of a rig that do not keep their place on its armature, none if all do."""
    moved = [o for o in objects if _moves_by_itself(o, armature)]
    return [f"{named(moved)} is moved by keys, drivers or constraints of its own, away from its bones. Take them off, "
            f"or give them to '{armature.name}'."] if moved else []


def _moves_by_itself(o, armature) -> bool:
    if any(not c.mute and c.influence > 0 and getattr(c, "target", None) != armature for c in o.constraints):
        return True
    data = o.animation_data
    if data is None:
        return False
    actions = [data.action, *(strip.action for track in data.nla_tracks if not track.mute for strip in track.strips)]
    return any(driver.data_path.startswith(PLACE) for driver in data.drivers) or any(
        curve.data_path.startswith(PLACE) and np.ptp([key.co.y for key in curve.keyframe_points]) > 1e-6
        for action in actions if action is not None for curve in curves_of(action) if len(curve.keyframe_points))
