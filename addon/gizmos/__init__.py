"""Gizmos: what can be grasped in the viewport."""
