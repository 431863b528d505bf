"""Binding: skin weights by heat [BP07] section 4, and by geodesic voxel distance [DL14]."""
