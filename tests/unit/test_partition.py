"""The partition kernels against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scission.kernels import partition as kernels

from tests import naive
from tests.helpers import exposed

UNLIMITED = 2**31 - 1

centre = exposed(kernels._centre)
first_starts = exposed(kernels._first_starts)
segment_costs = exposed(kernels._segment_costs)
add_size_costs = exposed(kernels._add_size_costs)
solve = exposed(kernels._solve)
count_segments = exposed(kernels._count_segments)
mark_starts = exposed(kernels._mark_starts)
bounded_starts = exposed(kernels._bounded_starts)
scatter = exposed(kernels._scatter)
sides = exposed(kernels._sides)


@st.composite
def documents(draw, most=7):
    """One document of up to `most` units: unit vectors, tokens and gap factors."""
    m = draw(st.integers(1, most))
    raw = draw(arrays(np.float32, (m, 3), elements=st.integers(-3, 3).map(float)))
    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    vectors = np.divide(raw, lengths, out=np.zeros_like(raw), where=lengths > 0)
    tokens = draw(arrays(np.int32, m, elements=st.integers(0, 9)))
    factors = draw(arrays(np.float64, m, elements=st.sampled_from([1.0, 1.0, 0.8, 0.2, -1.0])))
    return vectors.astype(np.float32), tokens, factors


def prepared(vectors, tokens, factors, max_tokens):
    """Centred vectors, allowed starts and costs of one document, by the kernels."""
    m = len(tokens)
    centred = np.empty_like(vectors)
    weights = np.empty(m, np.float32)
    unit = centre(vectors, 0, m, weights, centred)
    starts = np.empty(m, np.int64)
    pairs = first_starts(tokens, factors, 0, m, max_tokens, m, starts)
    costs = np.empty(pairs, np.float32)
    segment_costs(centred, weights, starts, costs)
    return unit, starts, costs


def cut(
    vectors,
    tokens,
    factors,
    *,
    low=0,
    high=UNLIMITED,
    pairs=1 << 25,
    target=0.0,
    penalty=1.5,
    number=0,
):
    """Cut one document; where `number` is given, into so many segments."""
    cuts = np.empty(len(tokens), np.uint8)
    document_units = np.array([0, len(tokens)], np.int32)
    limits = np.array([low, high, pairs], np.int64)
    columns = (vectors, tokens, factors, document_units, limits, target, 1.0)
    if number:
        kernels.partition_into(*columns, np.array([number]), True, np.empty(1), cuts)
    else:
        kernels.partition(*columns, np.array([penalty, 0.0, 0.0]), np.empty(1), cuts)
    return np.flatnonzero(cuts).tolist()


@given(documents())
def test_centre(document):
    vectors = document[0]
    out, slow = np.empty_like(vectors), np.empty_like(vectors)
    weights, twin = np.empty(len(vectors), np.float32), np.empty(len(vectors), np.float32)
    got = centre(vectors, 0, len(vectors), weights, out)
    expected = naive.partition.centre(vectors, 0, len(vectors), twin, slow)
    assert got == pytest.approx(expected, abs=1e-5)
    assert weights.tolist() == twin.tolist()
    np.testing.assert_allclose(out, slow, atol=1e-6)


@given(documents(), st.integers(1, 30), st.integers(1, 7))
def test_first_starts(document, max_tokens, max_units):
    _, tokens, factors = document
    out, slow = np.empty(len(tokens), np.int64), np.empty(len(tokens), np.int64)
    arguments = (tokens, factors, 0, len(tokens), max_tokens, max_units)
    assert first_starts(*arguments, out) == naive.partition.first_starts(*arguments, slow)
    np.testing.assert_array_equal(out, slow)


@given(documents(), st.integers(5, 40), st.integers(0, 9), st.sampled_from([0.0, 12.0]))
def test_costs(document, max_tokens, low, target):
    vectors, tokens, _ = document
    _, starts, costs = prepared(*document, max_tokens)
    centred, weights = np.empty_like(vectors), np.empty(len(tokens), np.float32)
    centre(vectors, 0, len(tokens), weights, centred)
    slow = np.empty_like(costs)
    naive.partition.segment_costs(centred, weights, starts, slow)
    np.testing.assert_allclose(costs, slow, atol=1e-5)
    add_size_costs(tokens, 0, starts, low, target, 0.7, costs)
    naive.partition.add_size_costs(tokens, 0, starts, low, target, 0.7, slow)
    np.testing.assert_allclose(costs, slow, atol=1e-5, rtol=1e-6)


@given(documents(), st.integers(5, 40), st.floats(0, 3))
def test_solve_finds_the_cheapest_partition(document, max_tokens, penalty):
    _, _, factors = document
    _, starts, costs = prepared(*document, max_tokens)
    opened, previous = np.empty(len(starts)), np.empty(len(starts), np.int64)
    count = solve(costs, starts, factors, penalty, opened, previous)
    cuts = np.empty(len(starts), np.uint8)
    mark_starts(previous, 0, cuts)
    chosen = np.flatnonzero(cuts).tolist()
    assert count == len(chosen) == count_segments(previous)
    table = naive.partition.cost_table(costs, starts)
    best, _ = naive.partition.solve(costs, starts, factors, penalty, opened, previous)
    got = naive.partition.partition_cost(chosen, table, factors, penalty)
    assert got == pytest.approx(best, abs=1e-6)


@given(
    documents(),
    st.integers(5, 40),
    st.integers(0, 9),
    st.sampled_from([0.0, 12.0]),
    st.floats(0, 3),
)
def test_partition(document, high, low, target, penalty):
    vectors, tokens, factors = document
    limits, penalties = np.array([low, high, 1 << 20]), np.array([penalty, 0.1, 0.3])
    units = np.array([0, len(tokens)], np.int32)
    cuts = np.empty(len(tokens), np.uint8)
    used = np.empty(1)
    arguments = (vectors, tokens, factors, units, limits, target, 0.7, penalties, used)
    kernels.partition(*arguments, cuts)
    cost_of, best = naive.partition.partition(*arguments, cuts)
    assert cost_of(np.flatnonzero(cuts).tolist()) == pytest.approx(best, abs=1e-4, rel=1e-5)
    if len(tokens) > 2:
        assert used[0] == pytest.approx(max(penalty, 0.1 + 0.3 * np.log(len(tokens))))


@given(documents(), st.data())
def test_scatter(document, data):
    vectors = document[0]
    centred, weights = np.empty_like(vectors), np.empty(len(vectors), np.float32)
    centre(vectors, 0, len(vectors), weights, centred)
    first = data.draw(st.integers(0, len(vectors) - 1))
    last = data.draw(st.integers(first, len(vectors) - 1))
    slow = naive.partition.scatter(centred.astype(float), weights, first, last)
    assert scatter(centred, weights, first, last) == pytest.approx(slow, abs=1e-5)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=9), st.integers(0, 3))
def test_sides(marks, before):
    cuts = np.array([0] * before + [1, *marks], np.uint8)
    got, slow = np.empty((2, len(marks) + 1), np.int64), np.empty((2, len(marks) + 1), np.int64)
    sides(cuts, before, len(cuts), got[0], got[1])
    naive.partition.sides(cuts, before, len(cuts), slow[0], slow[1])
    np.testing.assert_array_equal(got, slow)


@given(
    documents(),
    st.integers(9, 40),
    st.integers(0, 9),
    st.sampled_from([0.0, 12.0]),
    st.floats(0, 3),
)
def test_gains(document, high, low, target, penalty):
    vectors, tokens, factors = document
    m = len(tokens)
    limits, units = np.array([low, high, 1 << 20]), np.array([0, m], np.int32)
    columns = (vectors, tokens, factors, units, limits, target, 0.7)
    cuts, used = np.empty(m, np.uint8), np.empty(1)
    kernels.partition(*columns, np.array([penalty, 0.0, 0.0]), used, cuts)
    topic, size, slow_topic, slow_size = np.zeros((4, m))
    kernels.gains(*columns, cuts, topic, size)
    naive.partition.gains(*columns, cuts, slow_topic, slow_size)
    np.testing.assert_allclose(topic, slow_topic, atol=1e-3, rtol=1e-4)
    np.testing.assert_allclose(size, slow_size, atol=1e-3, rtol=1e-4)
    net = (topic + size - used[0] * np.maximum(factors, 0.0))[1:]
    assert (net[cuts[1:] == 1] > -1e-3).all()
    assert (net[cuts[1:] == 0] < 1e-3).all()


@given(documents(), st.integers(1, 7), st.integers(9, 60))
def test_number_is_met_where_the_limits_allow(document, number, max_tokens):
    vectors, tokens, factors = document
    chosen = cut(vectors, tokens, factors, high=max_tokens, number=number)
    starts = np.empty(len(tokens), np.int64)
    first_starts(tokens, factors, 0, len(tokens), max_tokens, len(tokens), starts)
    possible = {
        len(option)
        for option in naive.partition.every_partition(len(tokens))
        if allowed(option, starts)
    }
    if number in possible:
        assert len(chosen) == number
    assert allowed(chosen, starts)


def allowed(chosen, starts):
    ends = [*[start - 1 for start in chosen[1:]], len(starts) - 1]
    return all(starts[end] <= start for start, end in zip(chosen, ends, strict=True))


@given(documents(), st.integers(0, 12), st.integers(9, 40), st.data())
def test_limit_cuts_changes_as_little_as_possible(document, low, high, data):
    _, tokens, factors = document
    m = len(tokens)
    suggested = data.draw(arrays(np.uint8, m, elements=st.integers(0, 1)))
    distances = data.draw(arrays(np.float64, m, elements=st.integers(0, 8).map(lambda k: k / 4)))
    cuts = np.empty(m, np.uint8)
    units = np.array([0, m], np.int32)
    arguments = (suggested, distances, tokens, factors, units, np.array([low, high, 1 << 20]))
    kernels.limit_cuts(*arguments, cuts)
    cost, _ = naive.partition.limit_cuts(*arguments, cuts)
    chosen = np.flatnonzero(cuts).tolist()
    ends = [*chosen[1:], m]
    sizes = [int(tokens[a:b].sum()) for a, b in zip(chosen, ends, strict=True)]
    got = sum(1e4 + 10.0 * (low - size) for size in sizes if size < low)
    for i in range(1, m):
        if i in chosen:
            got += 0 if suggested[i] else 1.5 - 0.25 * distances[i]
        elif suggested[i]:
            got += 4 + distances[i]
    assert got == pytest.approx(cost, rel=1e-5)


def two_topics(first, second):
    a, b = np.array([1, 0, 0], np.float32), np.array([0, 1, 0], np.float32)
    vectors = np.stack([a] * first + [b] * second)
    return vectors, np.full(len(vectors), 10, np.int32), np.ones(len(vectors))


def test_a_change_of_topic_is_cut():
    assert cut(*two_topics(4, 5)) == [0, 4]


def test_identical_units_are_not_cut():
    assert cut(*two_topics(9, 0)) == [0]


def test_two_units_stay_whole_unless_a_number_or_a_limit_says_otherwise():
    assert cut(*two_topics(1, 1)) == [0]
    assert cut(*two_topics(1, 1), number=2) == [0, 1]
    assert cut(*two_topics(1, 1), high=15) == [0, 1]


def test_cuts_prefer_blank_lines():
    vectors, tokens, factors = two_topics(6, 0)
    factors[2] = 0.2
    assert cut(vectors, tokens, factors, target=30.0, number=2) == [0, 2]


def test_the_target_evens_sizes_out():
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(60, 3)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    tokens = rng.integers(5, 30, 60).astype(np.int32)

    def spread(target):
        chosen = cut(vectors, tokens, np.ones(60), target=target, number=12)
        return np.std(np.add.reduceat(tokens, chosen))

    assert spread(tokens.sum() / 12) < 0.85 * spread(0.0)


def test_an_over_long_unit_stands_alone():
    vectors, tokens, factors = two_topics(5, 0)
    tokens[2] = 99
    assert cut(vectors, tokens, factors, high=50) == [0, 2, 3]


def test_pairs_are_bounded():
    vectors, tokens, factors = two_topics(100, 100)
    chosen = cut(vectors, tokens, factors, pairs=1000)
    assert max(np.diff([*chosen, 200])) <= 64
    starts = np.empty(200, np.int64)
    assert bounded_starts(tokens, factors, 0, 200, UNLIMITED, 1000, starts) <= 64 * 200


def test_documents_of_a_group_do_not_see_each_other():
    vectors, tokens, factors = two_topics(4, 5)
    alone, both = np.empty(9, np.uint8), np.empty(18, np.uint8)
    limits, penalties = np.array([0, 512, 1 << 20]), np.array([1.5, 0.0, 0.0])
    for copies, cuts in ((1, alone), (2, both)):
        kernels.partition(
            np.tile(vectors, (copies, 1)), np.tile(tokens, copies), np.tile(factors, copies),
            np.arange(0, 9 * copies + 1, 9, dtype=np.int32), limits, 0.0, 1.0, penalties, np.empty(copies), cuts,
        )  # fmt: skip
    np.testing.assert_array_equal(both, np.tile(alone, 2))
