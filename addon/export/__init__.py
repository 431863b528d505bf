"""Characters as files that engines take as they are."""
