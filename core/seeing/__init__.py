"""What a body looks like: views of its solid, learned evidence of its joints, how it stands and of what kind it is."""
