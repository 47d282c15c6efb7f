"""Slow twins of ``scission.kernels.windows``."""

import numpy as np


def window_sums(vectors, document_units, radius, out):
    for begin, end in zip(document_units[:-1], document_units[1:], strict=True):
        for i in range(begin, end):
            around = vectors[max(begin, i - radius) : min(end, i + radius + 1)]
            out[i] = around.astype(np.float64).sum(axis=0)


def block_sums(vectors, document_units, size, before, after):
    for begin, end in zip(document_units[:-1], document_units[1:], strict=True):
        for i in range(begin, end):
            left = vectors[max(begin, i + 1 - size) : i + 1]
            right = vectors[i + 1 : min(end, i + 1 + size)]
            before[i] = left.astype(np.float64).sum(axis=0)
            after[i] = right.astype(np.float64).sum(axis=0)
