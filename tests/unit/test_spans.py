"""Columns of chunks, against their definitions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scission.kernels import spans

from tests import naive


@st.composite
def cut_units(draw):
    """Units of a few documents, with cuts at least at their starts."""
    counts = draw(st.lists(st.integers(0, 6), min_size=1, max_size=5))
    document_units = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    cuts = draw(arrays(np.uint8, sum(counts), elements=st.integers(0, 1)))
    cuts[document_units[:-1][np.diff(document_units) > 0]] = 1
    return cuts, document_units


@given(cut_units(), st.data())
def test_runs_and_seams(units, data):
    cuts, _ = units
    fast = [np.empty(np.count_nonzero(cuts), np.int32) for _ in range(3)]
    slow = [column.copy() for column in fast]
    spans.runs(*units, *fast)
    naive.spans.runs(*units, *slow)
    assert [column.tolist() for column in fast] == [column.tolist() for column in slow]
    distances = data.draw(arrays(np.float64, len(cuts), elements=st.floats(0, 2)))
    got, wanted = (np.empty(len(fast[0]), np.float32) for _ in range(2))
    spans.seams_after(distances, fast[2], fast[1], got)
    naive.spans.seams_after(distances, fast[2], fast[1], wanted)
    np.testing.assert_array_equal(got, wanted)


@given(st.lists(st.text(max_size=12), min_size=1, max_size=5), st.data())
def test_document_offsets(texts, data):
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    documents = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    document, positions = [], []
    for j, text in enumerate(texts):
        points = data.draw(st.lists(st.integers(0, len(text)), max_size=4).map(sorted))
        document += [j] * len(points)
        positions += [
            documents[j] + len(text[:point].encode("utf-8", "surrogatepass")) for point in points
        ]
    columns = (np.array(document, np.int32), np.array(positions, np.int32))
    joined = np.frombuffer(b"".join(encoded), np.uint8)
    got, wanted = np.empty(len(document), np.int64), np.empty(len(document), np.int64)
    spans.document_offsets(joined, documents, *columns, got)
    naive.spans.document_offsets(joined, documents, *columns, wanted)
    np.testing.assert_array_equal(got, wanted)
