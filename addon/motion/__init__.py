"""Motions on characters: read, moved over, shown, written as keys."""
