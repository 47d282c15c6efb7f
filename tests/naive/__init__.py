"""Slow, obvious twins of the kernels, under the same names."""

from . import distances, partition, pooling, sizes, thresholds, windows, wordpiece

__all__ = ["distances", "partition", "pooling", "sizes", "thresholds", "windows", "wordpiece"]
