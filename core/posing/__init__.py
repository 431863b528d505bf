"""Rest poses: a character as modelled, its arms level (T) or half lowered (A), and exactly back."""
