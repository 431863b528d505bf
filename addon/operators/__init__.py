"""Operators: what can be done. Each reads through the bridge, makes one call, and reports."""
