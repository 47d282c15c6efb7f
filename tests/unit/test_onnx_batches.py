"""Which sequences share a batch."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scission.embed.onnx.batches import plan
from scission.embed.onnx.tokenizers import Sequences

LENGTHS = arrays(np.int32, st.integers(0, 60), elements=st.integers(1, 40))


@given(LENGTHS, st.integers(1, 200), st.sampled_from([0.0, 0.05, 0.3]))
def test_every_sequence_is_in_one_batch_within_the_budget(lengths, budget, padding):
    batches = list(plan(lengths, budget, padding))
    rows = np.concatenate([[], *(batch.rows for batch in batches)])
    assert sorted(rows) == list(range(len(lengths)))
    widths = [batch.width for batch in batches]
    assert widths == sorted(widths, reverse=True)
    for batch in batches:
        held = lengths[batch.rows]
        assert batch.width == held.max()
        assert len(held) == 1 or len(held) * batch.width <= budget
        assert held.sum() >= (1 - padding) * len(held) * batch.width - 1e-9


def test_without_padding_a_batch_holds_one_length():
    lengths = np.array([3, 1, 3, 3, 2, 1])
    batches = [(batch.rows.tolist(), batch.width) for batch in plan(lengths, 6)]
    assert batches == [([0, 2], 3), ([3], 3), ([4], 2), ([1, 5], 1)]


def test_batches_are_filled():
    lengths = np.full(100, 10)
    assert [len(batch.rows) for batch in plan(lengths, 250, 0.05)] == [25] * 4


@given(
    arrays(np.uint8, 200, elements=st.integers(0, 1)),
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), max_size=8),
    st.integers(1, 30),
)
def test_long_sequences_are_split_evenly_and_whole(glued, spans, limit):
    starts = np.array([a for a, _ in spans], np.int64)
    ends = np.array([a + n for a, n in spans], np.int64)
    pieces, owners = Sequences(np.arange(200, dtype=np.int32), glued, starts, ends).split(limit)
    lengths = pieces.ends - pieces.starts
    assert np.all(lengths <= limit)
    for i, (begin, end) in enumerate(zip(starts, ends, strict=True)):
        mine = np.flatnonzero(owners == i)
        assert pieces.starts[mine[0]] == begin
        assert pieces.ends[mine[-1]] == end
        assert np.array_equal(pieces.starts[mine[1:]], pieces.ends[mine[:-1]])
        if not glued.any() and end > begin:
            assert len(mine) == -(-(end - begin) // limit)
            assert np.ptp(lengths[mine]) <= 1


def test_pieces_begin_between_words():
    glued = np.array([0, 1, 1, 0, 1, 1, 0, 1], np.uint8)
    whole = Sequences(np.arange(8, dtype=np.int32), glued, np.array([0]), np.array([8]))
    pieces, _ = whole.split(4)
    assert pieces.starts.tolist() == [0, 3, 6]
