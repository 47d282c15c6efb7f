"""Whether a difference between two strategies is larger than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import OptionError

#: Resamples are drawn in blocks of about so many indices, 32 MB.
_BLOCK = 1 << 22


@dataclass(frozen=True)
class PairedDifference:
    """What `paired_bootstrap` found.

    Attributes
    ----------
    mean : float
        Mean of the first minus mean of the second.
    low, high : float
        Confidence interval of the difference.
    p_value : float
        Two-sided: how often a resample falls on the other side of 0, twice; at least 2 / (resamples + 1).
    questions : int
        Pairs compared.
    """

    mean: float
    low: float
    high: float
    p_value: float
    questions: int


def paired_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> PairedDifference:
    """Compare two strategies on the same questions (Efron & Tibshirani 1993, chapter 16).

    Questions are drawn with replacement, and the difference of the means is taken each time. As both strategies
    answer the same questions, how hard the questions are cancels out.

    Parameters
    ----------
    first, second : float[n]
        Scores of the two, question by question; pairs with a NaN are left out.
    resamples : int, default 10000
        Number of resamples.
    confidence : float, default 0.95
        Of the interval.
    seed : int, default 0
        The same seed gives the same result.

    Returns
    -------
    PairedDifference

    Raises
    ------
    OptionError
        The two are not of one length, or no pair is left.
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise OptionError(
            f"first and second must be one score for each question, got shapes {a.shape} and {b.shape}"
        )
    differences = a - b
    differences = differences[np.isfinite(differences)]
    if len(differences) == 0:
        raise OptionError("first and second must have a question that both answer, got none")
    means = _resampled_means(differences, resamples, seed)
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    # A resample at exactly 0 speaks against neither side.
    beyond = min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0))
    p_value = min(1.0, 2.0 * (beyond + 1) / (resamples + 1))
    mean = float(differences.mean())
    return PairedDifference(mean, float(low), float(high), float(p_value), len(differences))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for the number of comparisons (Holm 1979), in the order given."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def _resampled_means(
    differences: NDArray[np.float64], resamples: int, seed: int
) -> NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    count = len(differences)
    means = np.empty(resamples)
    step = max(1, _BLOCK // count)
    for begin in range(0, resamples, step):
        end = min(begin + step, resamples)
        drawn = generator.integers(0, count, (end - begin, count))
        means[begin:end] = differences[drawn].mean(axis=1)
    return means
