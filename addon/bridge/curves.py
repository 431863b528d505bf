"""The F-curves of an action, as files of any version hold them."""

from __future__ import annotations


def curves_of(action) -> list:
    """All F-curves of an action, in whatever layers, strips and slots they are."""
    return [curve for holder in holders_of_curves(action) for curve in holder.fcurves]


def groups_of_curves(action) -> list:
    """All groups of an action's F-curves."""
    return [group for holder in holders_of_curves(action) for group in holder.groups]


def holders_of_curves(action) -> list:
    """What holds an action's F-curves and their groups: channel bags since Blender 4.4, the action itself before."""
    if hasattr(action, "layers"):
        return [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return [action]
