"""From the distances of a document to the cuts that a threshold suggests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Distances: TypeAlias = NDArray[np.float64]

#: Smaller distances are rounding: float32 holds a component to 6e-8 of its size. They are never cut, whatever a
#: percentile of noise says.
NOISE = 1e-6


@dataclass(frozen=True)
class Kind:
    """A way to find a threshold.

    Attributes
    ----------
    default, low, high : float
        The parameter (``amount``) and its range.
    threshold : callable
        From the statistic and the amount to the threshold.
    gradient : bool
        Whether the statistic is the rise of the distances instead of the distances.
    """

    default: float
    low: float
    high: float
    threshold: Callable[[Distances, float], float]
    gradient: bool = False


def _percentile(values: Distances, amount: float) -> float:
    from ..kernels import thresholds

    return float(thresholds.percentile(values, amount, np.empty_like(values)))


def _deviations(values: Distances, amount: float) -> float:
    from ..kernels import thresholds

    return float(thresholds.mean_plus_deviations(values, amount))


def _interquartile(values: Distances, amount: float) -> float:
    from ..kernels import thresholds

    return float(thresholds.mean_plus_interquartile(values, amount, np.empty_like(values)))


def _absolute(values: Distances, amount: float) -> float:
    del values
    return 1.0 - amount


#: The kinds that compare distances with a threshold.
THRESHOLDS: dict[str, Kind] = {
    "percentile": Kind(90.0, 0.0, 100.0, _percentile),
    "standard_deviation": Kind(1.0, 0.0, np.inf, _deviations),
    "interquartile": Kind(1.5, 0.0, np.inf, _interquartile),
    "gradient": Kind(90.0, 0.0, 100.0, _percentile, gradient=True),
    "absolute": Kind(0.75, -1.0, 1.0, _absolute),
}


def statistic(kind: Kind, distances: Distances) -> Distances:
    """Return what the threshold is compared with: the distances, or their rises."""
    from ..kernels import thresholds

    if not kind.gradient or len(distances) == 0:
        return distances
    out = np.empty_like(distances)
    thresholds.rises(distances, out)
    return out


def suggest(
    values: Distances, distances: Distances, threshold: float, peaks: bool
) -> NDArray[np.bool_]:
    """Mark the gaps to cut: above the threshold and above noise.

    Parameters
    ----------
    values : float64[n]
        The statistic of each gap.
    distances : float64[n]
        Its distance.
    threshold : float
        Cut where the statistic is strictly above it.
    peaks : bool
        Cut at local maxima only. Blocks slide by one unit, so a single change of topic lifts several
        neighbouring distances; it is cut once.
    """
    wanted = (values > threshold) & (distances > NOISE)
    if peaks:
        wanted &= prominent(values)
    return wanted


def prominent(values: Distances) -> NDArray[np.bool_]:
    """Mark the local maxima; a single value is one."""
    from ..kernels import thresholds

    if len(values) < 2:
        return np.ones(len(values), np.bool_)
    out = np.empty_like(values)
    thresholds.prominences(values, out)
    return out > 0.0


def strongest(distances: Distances, count: int, peaks: bool) -> NDArray[np.bool_]:
    """Mark the `count` gaps with the largest distances, local maxima first when `peaks`."""
    order = np.lexsort((np.arange(len(distances)), -distances))
    if peaks:
        maxima = prominent(distances)
        order = np.concatenate([order[maxima[order]], order[~maxima[order]]])
    marked = np.zeros(len(distances), np.bool_)
    marked[order[: max(count, 0)]] = True
    return marked
