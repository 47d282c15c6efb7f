"""From cuts between units to the columns of chunks."""

import numpy as np

from ._jit import kernel


@kernel
def runs(cuts, document_units, first, last, document):
    """Write the runs of units between cuts.

    Parameters
    ----------
    cuts : uint8[M]
        1 where a chunk starts; the first unit of every document does.
    document_units : int32[D + 1]
        Units of each document.
    first, last, document : int32[N]
        Filled: chunk ``c`` holds the units ``first[c] <= i < last[c]`` of ``document[c]``; N is the
        number of cuts.
    """
    c = np.int64(0)
    for j in range(document_units.shape[0] - 1):
        for i in range(document_units[j], document_units[j + 1]):
            if cuts[i] != 0:
                first[c] = i
                last[c] = document_units[j + 1]
                document[c] = j
                if i > document_units[j]:
                    last[c - 1] = i
                c += 1


@kernel
def document_offsets(data, documents, document, positions, out):
    """Convert byte offsets of the buffer into code point offsets of their documents.

    Parameters
    ----------
    data : uint8[n]
        The text.
    documents : int32[D + 1]
        Byte offsets of the documents.
    document : int32[N]
        Ascending document numbers.
    positions : int32[N]
        Byte offsets in the buffer, ascending within each document.
    out : int64[N]
        Filled with the code points between the start of the document and each position.
    """
    current = np.int64(-1)
    position = np.int64(0)
    points = np.int64(0)
    for c in range(positions.shape[0]):
        if document[c] != current:
            current = np.int64(document[c])
            position = np.int64(documents[current])
            points = np.int64(0)
        for k in range(position, positions[c]):
            points += (data[np.uintp(k)] & 0xC0) != 0x80
        position = np.int64(positions[c])
        out[c] = points


@kernel
def seams_after(distances, document, last, out):
    """Write the distance across the seam that ends each chunk, NaN at a document's end.

    Parameters
    ----------
    distances : float64[M]
        Distance across the gap before each unit that starts a chunk.
    document, last : int32[N]
        See `runs`.
    out : float32[N]
        Filled with the distances.
    """
    count = document.shape[0]
    for c in range(count):
        if c + 1 < count and document[c + 1] == document[c]:
            out[c] = distances[last[c]]
        else:
            out[c] = np.nan
