"""Strategies that follow a document's own structure, with another strategy inside its parts."""
