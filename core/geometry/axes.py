"""The directions that up and front may be."""

import numpy as np

AXES = {f"{sign}{name}": s * np.eye(3)[i] for i, name in enumerate("XYZ") for sign, s in (("", 1.0), ("-", -1.0))}
