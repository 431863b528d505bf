"""Proof of quality: a rig is posed through a range of motion, and what its weights do wrong is measured."""
