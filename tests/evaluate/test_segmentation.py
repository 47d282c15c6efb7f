"""Segmentation scores: worked by hand, against published implementations, and as laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scission import OptionError
from scission.evaluate import (
    boundary_f1,
    boundary_similarity,
    pk,
    score_segmentation,
    uniform_boundaries,
    window_diff,
    window_size,
)

#: gold, found, sentences, then Pk, WindowDiff and boundary similarity (n_t = 2) as segeval 2.0.11 gives them.
PUBLISHED = [
    ([3, 7, 11], [3, 8, 13], 16, 0.42857142857142855, 0.42857142857142855, 0.375),
    ([2, 5, 9, 14], [5, 6, 10], 20, 0.3888888888888889, 0.4444444444444444, 0.3),
    ([4], [], 10, 0.25, 0.25, 0.0),
    ([1, 2, 3], [2], 8, 0.3333333333333333, 0.6666666666666666, 0.3333333333333333),
]


@pytest.mark.parametrize(("gold", "found", "sentences", "p", "w", "b"), PUBLISHED)
def test_published_values(gold, found, sentences, p, w, b):
    assert pk(gold, found, sentences) == pytest.approx(p)
    assert window_diff(gold, found, sentences) == pytest.approx(w)
    assert boundary_similarity(gold, found) == pytest.approx(b)


def test_by_hand():
    # 8 sentences, gold after 3, found after 4; pairs two apart: (0,2) … (5,7). They disagree at (2,4): gold says apart;
    # and at (4,6): found says apart.
    assert window_size([3], 8) == 2
    assert pk([3], [4], 8) == pytest.approx(2 / 6)
    # Two boundaries for one inside a window: Pk does not see it where both say apart, WindowDiff does.
    assert pk([3], [2, 3], 8) == pytest.approx(1 / 6)
    assert window_diff([3], [2, 3], 8) == pytest.approx(2 / 6)
    # A near miss costs half of what an addition and an omission cost.
    assert boundary_similarity([3], [4]) == pytest.approx(0.5)
    assert boundary_similarity([3], [5]) == 0.0
    assert boundary_similarity([3], [5], span=3) == pytest.approx(1 - 2 / 3)
    assert boundary_f1([3, 6], [4, 6]) == pytest.approx(0.5)
    assert boundary_f1([3, 6], [4, 6], tolerance=1) == 1.0
    assert boundary_f1([3], [2, 4], tolerance=1) == pytest.approx(2 / 3)  # one gold counts once


boundaries = st.lists(st.integers(0, 18), unique=True).map(sorted)


@given(boundaries, boundaries)
def test_laws(gold, found):
    for score in (pk, window_diff):
        assert score(gold, gold, 20) == 0.0
        assert 0.0 <= score(gold, found, 20) <= 1.0
    assert window_diff(gold, found, 20) >= pk(gold, found, 20)
    for score in (boundary_similarity, boundary_f1):
        assert score(gold, gold) == 1.0
        assert 0.0 <= score(gold, found) <= 1.0
        assert score(gold, found) == score(found, gold)
    assert boundary_f1(gold, found, 1) >= boundary_f1(gold, found)


def test_the_baselines_come_first():
    documents = [(["s"] * 12, [2, 5, 8]), (["s"] * 6, [2])]
    scores = score_segmentation(documents, {"gold": lambda s: [2, 5, 8] if len(s) == 12 else [2]})
    assert list(scores) == ["none", "uniform", "random", "gold"]
    assert scores["none"].boundary_ratio == 0.0
    assert scores["uniform"].f1 == 1.0  # the segments are all of the mean length
    assert scores["gold"].pk == 0.0
    assert scores["gold"].documents == 2
    assert 0 < scores["random"].f1 < 1
    again = score_segmentation(documents, {"gold": lambda s: []})
    assert again["random"] == scores["random"]


def test_uniform():
    assert uniform_boundaries(10, 2.5) == [1, 4, 6]
    assert uniform_boundaries(3, 5) == []
    with pytest.raises(OptionError, match="at least 1 sentence"):
        uniform_boundaries(3, 0.5)


def test_short_documents_and_nonsense():
    assert pk([], [], 1) == 0.0
    assert pk([0], [], 2) == 0.0  # no pair is two sentences apart
    assert np.isfinite(score_segmentation([(["s"], [])], {})["random"].pk)
    with pytest.raises(OptionError, match="at least one document"):
        score_segmentation([], {})
    with pytest.raises(OptionError, match=r"'mine' must lie in \[0, 1\].*got 2"):
        score_segmentation([(["s"] * 3, [1])], {"mine": lambda s: [2]})
    with pytest.raises(OptionError, match="window"):
        pk([1], [1], 5, window=0)
