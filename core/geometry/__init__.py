"""Shapes and grids: mesh, frame, solid, distance. Knows nothing of skeletons."""
