"""What hangs on a body or is held by it, and no bone of its skeleton explains: capes, ears, tails, swords, hats."""
