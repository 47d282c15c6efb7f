"""Cut documents into retrieval chunks where the topic changes."""

__version__ = "0.1.0"
