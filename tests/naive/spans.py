"""Slow twins of ``scission.kernels.spans``."""

import numpy as np


def runs(cuts, document_units, first, last, document):
    found = []
    for j, (begin, end) in enumerate(zip(document_units[:-1], document_units[1:], strict=True)):
        starts = [i for i in range(begin, end) if cuts[i]]
        found += [(a, b, j) for a, b in zip(starts, [*starts, end][1:], strict=True)]
    first[:], last[:], document[:] = np.array(found).reshape(-1, 3).T


def document_offsets(data, documents, document, positions, out):
    raw = data.tobytes()
    out[:] = [
        len(raw[documents[j] : position].decode("utf-8", "surrogatepass"))
        for j, position in zip(document, positions, strict=True)
    ]


def seams_after(distances, document, last, out):
    for c in range(len(out)):
        ended = c + 1 == len(out) or document[c + 1] != document[c]
        out[c] = np.nan if ended else distances[last[c]]
