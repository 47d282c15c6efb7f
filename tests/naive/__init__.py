"""Slow, obvious twins of the kernels, under the same names."""

from . import (
    distances,
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
