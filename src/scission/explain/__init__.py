"""Why a document was cut where it was."""

from .explanation import Decision, Explanation

__all__ = ["Decision", "Explanation"]
