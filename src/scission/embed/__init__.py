"""Models: where the vectors of units come from."""
