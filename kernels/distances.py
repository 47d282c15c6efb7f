"""Batched cosine distances."""

import numpy as np

from ._jit import kernel


@kernel
def cosine_distances(left, right, out):
    """Cosine distance ``1 - cos`` between the rows of two matrices.

    A row of zeros (a unit without a single token) says nothing about its topic: its distance to
    anything is 0, so that nothing is ever cut on its account. Rounding is clipped to [0, 2].

    Parameters
    ----------
    left, right : float32[n, d]
        Finite values; rows need not have length 1.
    out : float64[n]
        Filled with the distances.
    """
    dimensions = left.shape[1]
    for i in range(left.shape[0]):
        dot = np.float64(0.0)
        left_square = np.float64(0.0)
        right_square = np.float64(0.0)
        for k in range(dimensions):
            a = np.float64(left[i, k])
            b = np.float64(right[i, k])
            dot += a * b
            left_square += a * a
            right_square += b * b
        if left_square > 0.0 and right_square > 0.0:
            distance = 1.0 - dot / (np.sqrt(left_square) * np.sqrt(right_square))
            out[i] = min(max(distance, 0.0), 2.0)
        else:
            out[i] = 0.0


@kernel
def seam_distances(vectors, document_units, cuts, size, out):
    """Cosine distance between the `size` units before and after each cut.

    The same figure as `cosine_distances` of `windows.block_sums`, for the cuts only: one gap in ten.

    Parameters
    ----------
    vectors : float32[M, d]
        One row per unit.
    document_units : int32[D + 1]
        Units of each document; blocks are clipped at its ends.
    cuts : uint8[M]
        1 where a chunk starts.
    size : int64
        Units per block, at least 1.
    out : float64[M]
        Filled with the distance across the gap *before* each unit that starts a chunk, NaN where the
        unit starts a document, 0 elsewhere.
    """
    dimensions = vectors.shape[1]
    left = np.empty(dimensions, np.float64)
    right = np.empty(dimensions, np.float64)
    for j in range(document_units.shape[0] - 1):
        begin, end = document_units[j], document_units[j + 1]
        for i in range(begin, end):
            out[i] = 0.0
            if i == begin:
                out[i] = np.nan
            elif cuts[i] != 0:
                left[:] = 0.0
                right[:] = 0.0
                for u in range(max(begin, i - size), i):
                    for k in range(dimensions):
                        left[k] += np.float64(vectors[u, k])
                for u in range(i, min(end, i + size)):
                    for k in range(dimensions):
                        right[k] += np.float64(vectors[u, k])
                dot = 0.0
                left_square = 0.0
                right_square = 0.0
                for k in range(dimensions):
                    dot += left[k] * right[k]
                    left_square += left[k] * left[k]
                    right_square += right[k] * right[k]
                if left_square > 0.0 and right_square > 0.0:
                    distance = 1.0 - dot / (np.sqrt(left_square) * np.sqrt(right_square))
                    out[i] = min(max(distance, 0.0), 2.0)
