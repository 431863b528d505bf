"""What Geppetto says, and in which language."""
