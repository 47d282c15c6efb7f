"""What a rule decided, with what it decided by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .measure import Measured


@dataclass(frozen=True, eq=False)
class Verdict:
    """The cuts of a group.

    Attributes
    ----------
    cuts : uint8[M]
        1 where a chunk starts.
    thresholds : float64[D]
        What each document was cut by: the threshold of its scores, or the penalty of a cut in units of its
        variance; NaN where it had none.
    """

    cuts: NDArray[np.uint8]
    thresholds: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ThresholdVerdict(Verdict):
    """Cuts by a threshold.

    Attributes
    ----------
    distances, scores : float64[M]
        For the gap before each unit, its distance and what was compared with the threshold.
    suggested : uint8[M]
        1 where the threshold wanted a chunk to start, before the limits of size.
    """

    distances: NDArray[np.float64]
    scores: NDArray[np.float64]
    suggested: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Gains:
    """What a cut in the gap before each unit saves and costs, in units of the document's variance.

    Attributes
    ----------
    topic : float64[M]
        Drop of the scatter within segments.
    size : float64[M]
        Drop of what sizes off the target, or below the minimum, cost; infinite where the sides may not be
        one chunk.
    penalty : float64[M]
        What the cut costs.
    """

    topic: NDArray[np.float64]
    size: NDArray[np.float64]
    penalty: NDArray[np.float64]

    @property
    def net(self) -> NDArray[np.float64]:
        """float64[M]: savings less penalty; a cheapest partition is cut where this is positive."""
        return self.topic + self.size - self.penalty


@dataclass(frozen=True, eq=False)
class Decided:
    """A group all of whose cuts are found.

    Attributes
    ----------
    measured : Measured
        The group with its vectors.
    verdict : Verdict
        The cuts.
    seconds : dict
        Wall-clock seconds of each step.
    """

    measured: Measured
    verdict: Verdict
    seconds: dict[str, float]
