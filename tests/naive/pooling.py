"""Slow twins of ``scission.kernels.pooling``."""

import numpy as np


def normalise_rows(vectors, out):
    for i, row in enumerate(vectors.astype(np.float64)):
        length = np.linalg.norm(row)
        out[i] = row / length if length > 0 else 0


def sum_rows(tokens, unit_tokens, rows, scales, unit_length, out):
    for i in range(len(unit_tokens) - 1):
        ids = tokens[unit_tokens[i] : unit_tokens[i + 1]]
        out[i] = (rows[ids].astype(np.float64) * scales[ids].astype(np.float64)[:, None]).sum(
            axis=0
        )
    if unit_length:
        normalise_rows(out.copy(), out)


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
    def unit(vector):
        length = np.linalg.norm(vector)
        return vector / length if length > 0 else vector * 0

    weighted = vectors.astype(np.float64) * weights[:, None]
    for c in range(len(first)):
        begin, end = document_units[document[c]], document_units[document[c] + 1]
        own = encoded[c] if len(encoded) else weighted[first[c] : last[c]].sum(axis=0)
        # A unit belongs to the neighbourhood when it begins within reach: fewer than half of the
        # context's tokens lie between it and the chunk.
        near = [
            i
            for i in range(begin, end)
            if first[c] <= i < last[c]
            or (i < first[c] and weights[i + 1 : first[c]].sum() < context_tokens / 2)
            or (i >= last[c] and weights[last[c] : i].sum() < context_tokens / 2)
        ]
        around = weighted[near].sum(axis=0)
        share = context_weight if np.linalg.norm(own) > 0 else 0.0
        out[c] = unit(unit(own) + share * unit(around))
