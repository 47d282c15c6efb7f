"""Pooling, windows and distances against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scission.kernels import distances, pooling, windows

from tests import naive
from tests.helpers import PLAIN


@st.composite
def groups(draw):
    """Vectors of a few documents, with the documents' units."""
    counts = draw(st.lists(st.integers(0, 6), min_size=1, max_size=4))
    vectors = draw(arrays(np.float32, (sum(counts), 3), elements=st.integers(-4, 4).map(float)))
    return vectors, np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def assert_twins(kernel, twin, arguments, *outputs, tolerance=1e-5):
    """Run both on copies of the outputs and compare."""
    fast = [np.full_like(out, 7) for out in outputs]
    slow = [np.full_like(out, 7) for out in outputs]
    kernel(*arguments, *fast)
    twin(*arguments, *slow)
    for a, b in zip(fast, slow, strict=True):
        np.testing.assert_allclose(a, b, atol=tolerance, rtol=tolerance)


@given(st.lists(st.lists(st.integers(0, 4), max_size=5), max_size=5))
def test_sum_rows(units):
    rows = np.random.default_rng(1).integers(-127, 128, (5, 4)).astype(np.int8)
    scales = np.array([0.1, 0.02, 0.003, 1.0, 0.5], np.float32)
    rows.flags.writeable = scales.flags.writeable = False
    tokens = np.array([token for unit in units for token in unit], np.int32)
    unit_tokens = np.cumsum([0, *map(len, units)]).astype(np.int32)
    out = np.empty((len(units), 4), np.float32)
    for unit_length in (False, True):
        arguments = (tokens, unit_tokens, rows, scales, unit_length)
        assert_twins(pooling.sum_rows, naive.pooling.sum_rows, arguments, out)


@given(groups())
def test_normalise_rows(group):
    assert_twins(pooling.normalise_rows, naive.pooling.normalise_rows, group[:1], group[0])


@given(groups(), st.sampled_from([0.0, 0.5, 2.0]), st.integers(0, 20), st.data())
def test_chunk_vectors(group, share, context, data):
    raw, document_units = group
    vectors = np.empty_like(raw)
    pooling.normalise_rows(raw, vectors)
    count = len(vectors)
    weights = data.draw(arrays(np.int32, count, elements=st.integers(0, 5)))
    starts = data.draw(arrays(np.bool_, count))
    starts[document_units[:-1][np.diff(document_units) > 0]] = True
    first = np.flatnonzero(starts).astype(np.int32)
    last = np.append(first[1:], count)[: len(first)].astype(np.int32)
    document = (np.searchsorted(document_units, first, side="right") - 1).astype(np.int32)
    encoded = np.empty((0, 3), np.float32)
    if data.draw(st.booleans()):
        encoded = data.draw(
            arrays(np.float32, (len(first), 3), elements=st.floats(-1, 1, width=16))
        )
    arguments = (vectors, weights, document_units, first, last, document, encoded, share, context)
    out = np.empty((len(first), 3), np.float32)
    # A sum that cancels to nothing but rounding has no direction to compare.
    sums = [(vectors[a:b] * weights[a:b, None]).sum(0) for a, b in zip(first, last, strict=True)]
    own = encoded if len(encoded) else np.array(sums)
    fast, slow = np.empty_like(out), np.empty_like(out)
    pooling.chunk_vectors(*arguments, fast)
    naive.pooling.chunk_vectors(*arguments, slow)
    clear = np.linalg.norm(own.reshape(len(first), 3), axis=1) > 1e-3
    if share == 0.0:
        np.testing.assert_allclose(fast[clear], slow[clear], atol=1e-4)
    lengths = np.linalg.norm(fast, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0))


def test_chunk_vectors_add_their_neighbourhood():
    vectors = np.eye(4, dtype=np.float32)
    weights = np.array([10, 10, 10, 10], np.int32)
    arguments = (
        vectors, weights, np.array([0, 4], np.int32), np.array([1], np.int32), np.array([2], np.int32),
        np.array([0], np.int32),
    )  # fmt: skip
    pooled = np.empty((0, 4), np.float32)
    out = np.empty((1, 4), np.float32)
    pooling.chunk_vectors(*arguments, pooled, 0.5, 30, out)
    # One unit before; after it one that begins at 0 and one that begins at 10 tokens: all within 15.
    expected = np.array([0.25, 1.25, 0.25, 0.25])
    np.testing.assert_allclose(out[0], expected / np.linalg.norm(expected), atol=1e-6)
    pooling.chunk_vectors(*arguments, pooled, 0.0, 30, out)
    np.testing.assert_array_equal(out[0], vectors[1])
    pooling.chunk_vectors(*arguments, vectors[3:], 0.5, 30, out)
    expected = np.array([0.25, 0.25, 0.25, 1.25])
    np.testing.assert_allclose(out[0], expected / np.linalg.norm(expected), atol=1e-6)


@given(groups(), st.integers(0, 7))
def test_window_sums(group, radius):
    arguments = (*group, radius)
    assert_twins(windows.window_sums, naive.windows.window_sums, arguments, group[0])


@given(groups(), st.integers(1, 7))
def test_block_sums(group, size):
    arguments = (*group, size)
    assert_twins(windows.block_sums, naive.windows.block_sums, arguments, group[0], group[0])


@given(groups())
def test_cosine_distances(group):
    left = group[0]
    arguments = (left, np.ascontiguousarray(left[::-1]))
    out = np.empty(len(left))
    assert_twins(distances.cosine_distances, naive.distances.cosine_distances, arguments, out)


@given(groups(), st.integers(1, 4), st.data())
def test_seam_distances(group, size, data):
    cuts = data.draw(arrays(np.uint8, len(group[0]), elements=st.integers(0, 1)))
    arguments = (*group, cuts, size)
    out = np.empty(len(cuts))
    assert_twins(distances.seam_distances, naive.distances.seam_distances, arguments, out)


@given(groups(), st.integers(1, 4))
def test_seams_are_the_distances_of_blocks(group, size):
    vectors, document_units = group
    before, after = np.empty_like(vectors), np.empty_like(vectors)
    windows.block_sums(vectors, document_units, size, before, after)
    every, seams = np.empty(len(vectors)), np.empty(len(vectors))
    distances.cosine_distances(before, after, every)
    cuts = np.ones(len(vectors), np.uint8)
    distances.seam_distances(vectors, document_units, cuts, size, seams)
    inner = ~np.isnan(seams)
    np.testing.assert_allclose(seams[inner], every[np.flatnonzero(inner) - 1], atol=1e-6)


def test_a_row_of_zeros_is_at_no_distance():
    zeros, ones = np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32)
    out = np.full(1, np.nan)
    distances.cosine_distances(zeros, ones, out)
    assert out[0] == 0.0


def test_distances_stay_within_0_and_2():
    row = np.full((1, 384), 0.1, np.float32)
    out = np.empty(1)
    distances.cosine_distances(row, row, out)
    assert 0.0 <= out[0] < 1e-9
    distances.cosine_distances(row, -row, out)
    assert out[0] == pytest.approx(2.0)
    assert out[0] <= 2.0


@pytest.mark.skipif(PLAIN, reason="plain Python has one way to multiply")
@pytest.mark.parametrize("dimensions", [16, 24, 40, 128, 384])
def test_unit_rows_do_not_depend_on_where_they_lie(dimensions):
    row = np.random.default_rng(dimensions).normal(size=(1, dimensions)).astype(np.float32)
    size = row.nbytes
    memory = np.zeros(4 * size + 16384, np.uint8)
    base = -memory.ctypes.data % 64
    found = set()
    for gap in [*range(size, size + 256, 4), size + 8192]:
        given = memory[base : base + size].view(np.float32).reshape(1, -1)
        given[:] = row
        out = memory[base + gap : base + gap + size].view(np.float32).reshape(1, -1)
        pooling.normalise_rows(given, out)
        found.add(out.tobytes())
    assert len(found) == 1
