"""Entries of a report, as a run makes them."""

from __future__ import annotations

from pathlib import PurePath


def rigged(path: str, **more) -> dict:
    """A character that was rigged."""
    stem = PurePath(path).stem
    return {"file": path, "status": "rigged", "preset": "biped", "joints": {"head": [0.0, 0.0, 1.0]}, "bones": 21,
            "vertices": 12345, "faces": 24000, "parts": 2, "method": "heat", "reason": "the skin is whole",
            "influences": 4, "bare_vertices": 0, "penalty": {"short_chain": 0.25}, "binding": {"unseen": 0.0},
            "seconds": {"Opening": 0.5, "Warming the skin": 1.5}, "sha256": "ab", "memory": 0.41,
            "written": [f"{stem}.png", f"{stem}.blend"], "warnings": []} | more


def doubted(path: str, confidence: dict[str, float], **more) -> dict:
    """A character that was rigged, with what is known of how sure its joints are."""
    joints = {name: [0.0, 0.0, 1.0] for name in confidence}
    first = {"number": 1, "says": "two legs", "joints": joints, "confidence": confidence, "warnings": []}
    return rigged(path, joints=joints, says="two legs", confidence=confidence, readings=[first],
                  least_confidence=min(confidence.values(), default=None),
                  doubtful=[name for name, sure in confidence.items() if sure < 0.5]) | more


def failed(path: str, error: str, **more) -> dict:
    """A file that could not be rigged."""
    return {"file": path, "status": "failed", "preset": "biped", "error": error, "kind": "BadMesh"} | more
