"""How weights can be made; known without loading what makes them."""

METHODS = ("auto", "heat", "geodesic", "heat_paper", "geodesic_paper")  # the last two as published, to compare with
