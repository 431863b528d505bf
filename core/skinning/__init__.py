"""Binding: skin weights by heat [BP07] section 4, and by geodesic voxel distance [DL14]."""

from .bind import BindOptions, bind_shape, bind_shape_steps
from .weights import SkinWeights

__all__ = ["BindOptions", "SkinWeights", "bind_shape", "bind_shape_steps"]
