"""How far a skeleton goes; known without loading what makes it."""

LEVELS = ("body", "hands", "full")
