"""What the structure of a text says about a cut between two units."""

import numpy as np

from ._jit import kernel

_COLON = 58


@kernel
def gap_factors(data, token_ends, unit_tokens, gaps, document_units, table, kinds, out):
    """Write what a cut before each unit costs, relative to the mean of its document.

    Structure says where to cut, not how often: a document with a sentence on each line, or a blank line after each,
    tells nothing by its line breaks.

    Parameters
    ----------
    data : uint8[n]
        The buffer.
    token_ends : int32[T]
        Where each token ends in it.
    unit_tokens : int32[M + 1]
        Tokens of each unit.
    gaps : uint8[M]
        The kind of the gap before each unit.
    document_units : int32[D + 1]
        Units of each document.
    table : float64[K]
        What a cut in a gap of each kind costs; negative for a must.
    kinds : uint8[4]
        The kinds of a line break, a blank line, the gap after a heading and the start of a document. After a unit that
        ends with a colon the first two count as the third, since it leads in what follows as a heading does.
    out : float64[M]
        Filled; negative values of the table as they are.
    """
    for j in range(document_units.shape[0] - 1):
        total = 0.0
        counted = 0
        for i in range(document_units[j], document_units[j + 1]):
            kind = gaps[i]
            if kind == kinds[0] or kind == kinds[1]:
                last = np.int64(unit_tokens[i]) - 1
                if last >= 0 and data[token_ends[last] - 1] == _COLON:
                    kind = kinds[2]
            out[i] = table[kind]
            if out[i] >= 0.0 and kind != kinds[3]:
                total += out[i]
                counted += 1
        if total > 0.0:
            for i in range(document_units[j], document_units[j + 1]):
                if out[i] > 0.0:
                    out[i] *= counted / total
