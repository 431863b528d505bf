"""Skeletons: templates and their presets, reduction to chains, rigs."""
