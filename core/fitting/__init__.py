"""Fitting: from a distance field to joints inside the character. [BP07] section 3."""
