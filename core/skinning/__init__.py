"""Binding: skin weights by heat [BP07] section 4, and by geodesic voxel distance [DL14]."""

from .bind import BindOptions, GeodesicBinding, bind_shape, bind_shape_steps, geodesic_binding_steps
from .weights import SkinWeights

__all__ = ["BindOptions", "GeodesicBinding", "SkinWeights", "bind_shape", "bind_shape_steps", "geodesic_binding_steps"]
