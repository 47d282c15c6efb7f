"""Sums of unit vectors over neighbouring units, in O(M d) from running sums."""

import numpy as np

from ._jit import kernel


@kernel
def window_sums(vectors, document_units, radius, out):
    """Sum each unit with its `radius` neighbours on both sides (the sources' overlapping window).

    Parameters
    ----------
    vectors : float32[M, d]
        One row per unit.
    document_units : int32[D + 1]
        Units of each document; windows stop at its ends.
    radius : int64
        Neighbours on each side; 1 is s(i-1), s(i), s(i+1).
    out : float32[M, d]
        Filled with the sums.
    """
    dimensions = vectors.shape[1]
    running = np.empty(dimensions, np.float64)
    for j in range(document_units.shape[0] - 1):
        begin, end = document_units[j], document_units[j + 1]
        running[:] = 0.0
        for i in range(begin, min(begin + radius, end)):
            for k in range(dimensions):
                running[k] += np.float64(vectors[i, k])
        for i in range(begin, end):
            if i + radius < end:
                for k in range(dimensions):
                    running[k] += np.float64(vectors[i + radius, k])
            if i - radius - 1 >= begin:
                for k in range(dimensions):
                    running[k] -= np.float64(vectors[i - radius - 1, k])
            for k in range(dimensions):
                out[i, k] = np.float32(running[k])


@kernel
def block_sums(vectors, document_units, size, before, after):
    """Sum the `size` units on each side of every gap.

    The blocks are disjoint and clipped at the document's ends, so that the seam after the first unit
    is seen as well as any other.

    Parameters
    ----------
    vectors : float32[M, d]
        One row per unit.
    document_units : int32[D + 1]
        Units of each document.
    size : int64
        Units per block, at least 1.
    before, after : float32[M, d]
        Filled, for the gap after each unit, with the sums of the block that ends and of the block
        that begins there; the latter are zeros after a document's last unit.
    """
    dimensions = vectors.shape[1]
    left = np.empty(dimensions, np.float64)
    right = np.empty(dimensions, np.float64)
    for j in range(document_units.shape[0] - 1):
        begin, end = document_units[j], document_units[j + 1]
        left[:] = 0.0
        right[:] = 0.0
        for i in range(begin, min(begin + size, end)):
            for k in range(dimensions):
                right[k] += np.float64(vectors[i, k])
        for i in range(begin, end):
            for k in range(dimensions):
                value = np.float64(vectors[i, k])
                left[k] += value
                right[k] -= value
            if i - size >= begin:
                for k in range(dimensions):
                    left[k] -= np.float64(vectors[i - size, k])
            if i + size < end:
                for k in range(dimensions):
                    right[k] += np.float64(vectors[i + size, k])
            for k in range(dimensions):
                before[i, k] = np.float32(left[k])
                after[i, k] = np.float32(right[k]) if i + 1 < end else np.float32(0.0)
