"""A strategy for each kind of document."""
