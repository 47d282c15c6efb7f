"""Rankings, search and the bootstrap: worked by hand and against published implementations."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scission import MissingExtra, OptionError
from scission.evaluate import (
    average_precision,
    holm,
    ndcg,
    nearest,
    paired_bootstrap,
    recall,
    reciprocal_rank,
    search,
)

RANKED = [26, 21, 9, 14, 10, 5, 1, 22, 6, 12, 13, 16]
GRADES = {21: 0, 24: 2, 2: 3, 5: 3, 28: 3, 18: 3, 1: 3, 9: 1}


def test_values_of_trec_eval():
    # pytrec_eval 0.5 on the same ranking and grades.
    assert ndcg(RANKED, GRADES, 10) == pytest.approx(0.25968952415981306)
    assert ndcg(RANKED, GRADES, 3) == pytest.approx(0.07821312100379275)
    assert recall(RANKED, GRADES, 5) == pytest.approx(0.14285714285714285)
    assert reciprocal_rank(RANKED, GRADES) == pytest.approx(1 / 3)


def test_by_hand():
    assert ndcg([7, 8], {8: 1}) == pytest.approx(1 / math.log2(3))
    assert ndcg([8, 7], {8: 1, 7: 2}) == pytest.approx(
        (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    )
    assert reciprocal_rank([1, 2], {2: 1}, k=1) == 0.0
    assert average_precision([True, False, True]) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision([False, False]) == 0.0
    for score in (ndcg, recall, reciprocal_rank):
        assert math.isnan(score([1, 2], {3: 0}))


def unit_rows(count, dimensions, seed):
    rows = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_exact_search_keeps_the_order_of_equals():
    chunks = np.eye(3, dtype=np.float32)[[0, 1, 0, 2, 0]]
    assert search(chunks, chunks[:1], 4).tolist() == [[0, 2, 4, 1]]
    assert search(chunks, chunks[:1], 2).tolist() == [[0, 2]]
    assert search(chunks, chunks[:0], 2).shape == (0, 2)
    assert search(chunks, chunks[:2], 9).shape == (2, 5)


@given(st.integers(1, 40), st.integers(1, 50), st.integers(0, 5))
def test_exact_search_is_a_stable_sort(count, depth, seed):
    chunks, queries = unit_rows(count, 3, seed).round(1), unit_rows(4, 3, seed + 9)
    wanted = np.argsort(-(queries @ chunks.T), axis=1, kind="stable")[:, :depth]
    assert search(chunks, queries, depth).tolist() == wanted.tolist()


def test_hnsw_finds_nearly_the_same():
    chunks = unit_rows(2000, 24, 0)
    queries = unit_rows(20, 24, 1)
    exact, graph = search(chunks, queries, 10, "exact"), search(chunks, queries, 10, "hnsw")
    found = [len(set(a) & set(b)) for a, b in zip(exact.tolist(), graph.tolist(), strict=True)]
    assert sum(found) >= 190
    assert search(chunks, queries, 10, "hnsw").tolist() == graph.tolist()


def test_which_search(monkeypatch):
    assert nearest.chosen_method("auto", nearest.EXACT_LIMIT) == "exact"
    assert nearest.chosen_method("auto", nearest.EXACT_LIMIT + 1) == "hnsw"
    with pytest.raises(OptionError, match="search must be one of"):
        search(np.ones((1, 2), np.float32), np.ones((1, 2), np.float32), 1, "best")
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    with pytest.raises(MissingExtra, match=r"scission\[evaluate\]"):
        search(np.ones((2, 2), np.float32), np.ones((1, 2), np.float32), 1, "hnsw")


def test_bootstrap():
    generator = np.random.default_rng(0)
    base = generator.random(200)
    better = base + 0.05 + 0.1 * generator.normal(size=200)
    found = paired_bootstrap(better, base)
    assert found == paired_bootstrap(better, base)
    assert found.low < found.mean < found.high
    assert found.mean == pytest.approx((better - base).mean())
    assert found.low > 0
    assert found.p_value < 0.001
    # The interval of a mean is the normal one, nearly.
    error = (better - base).std() / math.sqrt(200)
    assert found.high - found.mean == pytest.approx(1.96 * error, rel=0.1)
    same = paired_bootstrap(base, base)
    assert (same.mean, same.p_value) == (0.0, 1.0)
    reverse = paired_bootstrap(base, better)
    assert reverse.high == pytest.approx(-found.low)
    assert paired_bootstrap([1.0, np.nan, 0.0], [0.0, 1.0, 0.0]).questions == 2


def test_bootstrap_refuses():
    with pytest.raises(OptionError, match="one score for each question"):
        paired_bootstrap([1.0], [1.0, 2.0])
    with pytest.raises(OptionError, match="got none"):
        paired_bootstrap([np.nan], [1.0])


def test_holm():
    # The example of Holm's paper in the form of R's p.adjust(c(0.01, 0.04, 0.03), "holm").
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    assert holm([0.6, 0.7]) == [1.0, 1.0]
