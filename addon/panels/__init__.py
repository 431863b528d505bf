"""Panels: where things are found."""
