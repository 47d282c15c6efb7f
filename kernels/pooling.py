"""Sums of vectors over tokens, and over the units of a chunk."""

import numpy as np

from ._jit import kernel


@kernel
def _normalise(row, out):
    """Scale `row` to length 1 into `out`, which may be the same; zeros stay zeros."""
    largest = np.float32(0.0)
    for k in range(row.shape[0]):
        largest = max(largest, abs(row[k]))
    if largest == 0.0:
        out[:] = np.float32(0.0)
        return
    # Scaled first, so that no square overflows or vanishes in float32.
    inverse = np.float32(1.0) / largest
    square = np.float32(0.0)
    for k in range(row.shape[0]):
        value = row[k] * inverse
        square += value * value
    # By way of float64: reassociated into the products below, the division rounded otherwise in the vector loop than in
    # the plain one, and which of them runs depends on where the arrays lie in memory.
    scale = np.float32(np.float64(inverse) / np.sqrt(np.float64(square)))
    for k in range(row.shape[0]):
        out[k] = row[k] * scale


@kernel
def normalise_rows(vectors, out):
    """Scale each row to length 1; a row of zeros stays zeros.

    Parameters
    ----------
    vectors : float32[M, d]
        Finite values.
    out : float32[M, d]
        Filled with the unit rows.
    """
    for i in range(vectors.shape[0]):
        _normalise(vectors[i], out[i])


@kernel
def sum_rows(tokens, unit_tokens, rows, scales, unit_length, out):
    """Sum the rows of a static embedding table over the tokens of each unit.

    Parameters
    ----------
    tokens : int32[T]
        Row numbers, all in ``[0, V)``.
    unit_tokens : int32[M + 1]
        Unit ``i`` holds ``tokens[unit_tokens[i]:unit_tokens[i + 1]]``.
    rows : int8[V, d]
        The table; row ``v`` stands for ``scales[v] * rows[v]``.
    scales : float32[V]
        One scale per row: their lengths span a factor of ten (1st to 99th percentile), and one scale
        for all would leave the short ones three bits less.
    unit_length : bool
        Whether to scale the sums to length 1.
    out : float32[M, d]
        Filled with the sums; a unit without tokens gets zeros.
    """
    dimensions = rows.shape[1]
    for i in range(unit_tokens.shape[0] - 1):
        token = np.int64(unit_tokens[i])
        end = np.int64(unit_tokens[i + 1])
        for k in range(dimensions):
            out[i, k] = np.float32(0.0)
        # Two rows a turn halve the traffic with `out`, and unsigned indices spare the test for negative
        # ones: 14 ns a token instead of 29.
        while token < end:
            first = tokens[np.uintp(token)]
            second = first
            first_scale = scales[np.uintp(first)]
            second_scale = np.float32(0.0)
            if token + 1 < end:
                second = tokens[np.uintp(token + 1)]
                second_scale = scales[np.uintp(second)]
            for k in range(dimensions):
                out[i, k] += first_scale * np.float32(
                    rows[np.uintp(first), np.uintp(k)]
                ) + second_scale * np.float32(rows[np.uintp(second), np.uintp(k)])
            token += 2
        if unit_length:
            _normalise(out[i], out[i])


@kernel
def chunk_vectors(
    vectors,
    weights,
    document_units,
    first,
    last,
    document,
    encoded,
    context_weight,
    context_tokens,
    out,
):
    """Pool the unit vectors of each chunk, and add a share of its neighbourhood.

    ``out[c] = unit(unit(p) + a * unit(q))`` with ``p`` the weighted sum of the chunk's own unit vectors, or
    the vector given for it, ``q`` the weighted sum of all units which begin at most ``context_tokens / 2``
    before or after it (the chunk included, its document only) and ``a = context_weight``.

    Parameters
    ----------
    vectors : float32[M, d]
        One row of length 1 (or 0) per unit.
    weights : int32[M]
        Tokens of each unit.
    document_units : int32[D + 1]
        Units of each document.
    first, last : int32[N]
        Chunk ``c`` holds the units ``first[c] <= i < last[c]``.
    document : int32[N]
        The document of each chunk.
    encoded : float32[N, d] or float32[0, d]
        A vector for each chunk to take the place of the pooled one; none to pool.
    context_weight : float64
        The share ``a`` of the neighbourhood; 0 is plain pooling.
    context_tokens : int64
        Tokens of the neighbourhood, half on each side.
    out : float32[N, d]
        Filled with rows of length 1; zeros where the chunk has no tokens.
    """
    dimensions = vectors.shape[1]
    own = np.empty(dimensions, np.float64)
    around = np.empty(dimensions, np.float64)
    reach = context_tokens / 2.0
    for c in range(first.shape[0]):
        own[:] = 0.0
        for i in range(first[c], last[c]):
            for k in range(dimensions):
                own[k] += np.float64(weights[i]) * np.float64(vectors[i, k])
        around[:] = own
        if encoded.shape[0] > 0:
            for k in range(dimensions):
                own[k] = np.float64(encoded[c, k])
        own_square = 0.0
        for k in range(dimensions):
            own_square += own[k] * own[k]
        distance = 0.0
        i = first[c] - 1
        while context_weight > 0.0 and i >= document_units[document[c]] and distance < reach:
            for k in range(dimensions):
                around[k] += np.float64(weights[i]) * np.float64(vectors[i, k])
            distance += np.float64(weights[i])
            i -= 1
        distance = 0.0
        i = last[c]
        while context_weight > 0.0 and i < document_units[document[c] + 1] and distance < reach:
            for k in range(dimensions):
                around[k] += np.float64(weights[i]) * np.float64(vectors[i, k])
            distance += np.float64(weights[i])
            i += 1
        around_square = 0.0
        for k in range(dimensions):
            around_square += around[k] * around[k]
        own_scale = 1.0 / np.sqrt(own_square) if own_square > 0.0 else 0.0
        around_scale = context_weight / np.sqrt(around_square) if around_square > 0.0 else 0.0
        if own_square == 0.0:
            around_scale = 0.0
        square = 0.0
        for k in range(dimensions):
            own[k] = own_scale * own[k] + around_scale * around[k]
            square += own[k] * own[k]
        scale = 1.0 / np.sqrt(square) if square > 0.0 else 0.0
        for k in range(dimensions):
            out[c, k] = np.float32(own[k] * scale)
