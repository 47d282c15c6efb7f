"""Vectors that cost nothing: what remains of a semantic chunker is its own work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_TABLE = np.random.default_rng(0).normal(size=(1024, 128)).astype(np.float32)
_TABLE /= np.linalg.norm(_TABLE, axis=1, keepdims=True)
_LISTS = _TABLE.tolist()


def rows(texts: Sequence[str]) -> Any:
    """One row of a random table for each text, chosen by its length: float32[n, 128]."""
    return _TABLE[[len(text) % 1024 for text in texts]]


def lists(texts: Sequence[str]) -> list[list[float]]:
    """Return the same as lists of floats, the form that LangChain and LlamaIndex ask for."""
    return [_LISTS[len(text) % 1024] for text in texts]


def row(text: str) -> Any:
    """Return the row of one text."""
    return _TABLE[len(text) % 1024]
