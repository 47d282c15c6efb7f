"""Thresholds against numpy, the sources' worked figures, and their reported failures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scission.kernels import thresholds

from scission.chunkers.breakpoints import THRESHOLDS, statistic, strongest, suggest
from tests import naive

#: The worked example of the sources: a change after sentence 3, and a weaker one after 6.
WORKED = np.array([0.05, 0.06, 0.04, 0.90, 0.05, 0.06, 0.35, 0.05, 0.06, 0.04])

values_of = st.lists(st.integers(0, 20).map(lambda k: k / 16), min_size=1, max_size=40).map(
    np.array
)


def cuts(kind, amount, distances=WORKED, peaks=False):
    rule = THRESHOLDS[kind]
    values = statistic(rule, distances)
    return np.flatnonzero(
        suggest(values, distances, rule.threshold(values, amount), peaks)
    ).tolist()


@given(values_of, st.data())
def test_select(values, data):
    rank = data.draw(st.integers(0, len(values) - 1))
    assert thresholds.select(values.copy(), rank) == naive.thresholds.select(values, rank)


@given(values_of, st.floats(0, 100))
def test_percentile_is_numpys(values, percent):
    got = thresholds.percentile(values, percent, np.empty_like(values))
    assert got == pytest.approx(naive.thresholds.percentile(values, percent, None), abs=1e-12)


@given(values_of, st.floats(0, 4))
def test_means_and_spreads(values, count):
    scratch = np.empty_like(values)
    assert thresholds.mean_plus_deviations(values, count) == pytest.approx(
        naive.thresholds.mean_plus_deviations(values, count)
    )
    assert thresholds.mean_plus_interquartile(values, count, scratch) == pytest.approx(
        naive.thresholds.mean_plus_interquartile(values, count, scratch)
    )


@given(values_of)
def test_rises_and_prominences(values):
    for name in ("rises", "prominences"):
        fast, slow = np.empty_like(values), np.empty_like(values)
        getattr(thresholds, name)(values, fast)
        getattr(naive.thresholds, name)(values, slow)
        np.testing.assert_array_equal(fast, slow)


def test_worked_standard_deviation():
    assert thresholds.mean_plus_deviations(WORKED, 1.0) == pytest.approx(0.426, abs=5e-4)
    assert cuts("standard_deviation", 1.0) == [3]


def test_worked_interquartile():
    scratch = np.empty_like(WORKED)
    assert thresholds.percentile(WORKED, 25.0, scratch) == pytest.approx(0.050)
    assert thresholds.percentile(WORKED, 75.0, scratch) == pytest.approx(0.060)
    assert thresholds.mean_plus_interquartile(WORKED, 1.5, scratch) == pytest.approx(0.181)
    assert cuts("interquartile", 1.5) == [3, 6]


def test_gradient_is_not_one_sentence_early():
    assert cuts("gradient", 85.0) == [3, 6]


def test_gradient_sees_the_first_seam():
    assert cuts("gradient", 80.0, np.array([0.9, 0.05, 0.05, 0.06, 0.05, 0.05])) == [0]


def test_absolute_is_a_similarity():
    assert cuts("absolute", 0.75) == [3, 6]
    assert cuts("absolute", 0.2) == [3]


@pytest.mark.parametrize("kind", ["percentile", "standard_deviation", "interquartile", "gradient"])
@pytest.mark.parametrize("noise", [0.0, 1e-7])
def test_identical_sentences_are_not_cut(kind, noise):
    distances = noise * np.random.default_rng(3).random(30)
    assert cuts(kind, THRESHOLDS[kind].default, distances) == []


def test_default_deviations_can_fire_on_a_short_document():
    # The largest of n values is at most sqrt(n - 1) deviations above the mean: more than 3 are out of
    # reach below 11 distances, the default is not from 3 on.
    assert cuts("standard_deviation", 3.0, np.array([0.1] * 8 + [0.9])) == []
    assert cuts("standard_deviation", 3.0, np.array([0.1] * 11 + [0.9])) == [11]
    assert cuts(
        "standard_deviation", THRESHOLDS["standard_deviation"].default, np.array([0.1, 0.1, 0.9])
    ) == [2]


def test_peaks_cut_a_broad_rise_once():
    rise = np.array([0.1, 0.1, 0.5, 0.7, 0.5, 0.1, 0.1])
    assert cuts("absolute", 0.6, rise) == [2, 3, 4]
    assert cuts("absolute", 0.6, rise, peaks=True) == [3]


def test_ends_can_be_peaks():
    out = np.empty(4)
    thresholds.prominences(np.array([0.9, 0.1, 0.2, 0.8]), out)
    np.testing.assert_allclose(out, [0.8, 0.0, 0.0, 0.7])


def test_strongest_takes_the_largest_first_of_equals():
    assert np.flatnonzero(strongest(np.array([0.2, 0.5, 0.5, 0.1]), 2, False)).tolist() == [1, 2]
    assert np.flatnonzero(strongest(np.array([0.5, 0.5, 0.5]), 1, False)).tolist() == [0]
