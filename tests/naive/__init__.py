"""Slow, obvious twins of the kernels, under the same names."""

from . import (
    distances,
    gaps,
    partition,
    pooling,
    sentences,
    separators,
    sizes,
    spans,
    thresholds,
    utf8,
    windows,
    wordpiece,
)

__all__ = [
    "distances",
    "gaps",
    "partition",
    "pooling",
    "sentences",
    "separators",
    "sizes",
    "spans",
    "thresholds",
    "utf8",
    "windows",
    "wordpiece",
]
