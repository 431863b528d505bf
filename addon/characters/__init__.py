"""Characters in a scene: which there are, how they are rigged, bound, checked, carried over and taken apart."""
