"""Joints shown for editing, and what an artist has said of them."""
