"""Slow twins of ``scission.kernels.distances``."""

import numpy as np


def _cosine_distance(a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return float(np.clip(1 - a @ b / lengths, 0, 2)) if lengths > 0 else 0.0


def cosine_distances(left, right, out):
    for i in range(len(left)):
        out[i] = _cosine_distance(left[i], right[i])


def seam_distances(vectors, document_units, cuts, size, out):
    out[:] = 0
    for begin, end in zip(document_units[:-1], document_units[1:], strict=True):
        for i in range(begin, end):
            if i == begin:
                out[i] = np.nan
            elif cuts[i]:
                left = vectors[max(begin, i - size) : i].astype(np.float64).sum(axis=0)
                right = vectors[i : min(end, i + size)].astype(np.float64).sum(axis=0)
                out[i] = _cosine_distance(left, right)
