"""The rules that cut where a distance exceeds a threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from . import breakpoints
from .limits import Limits
from .measure import Measured, distances
from .verdict import ThresholdVerdict


@dataclass(frozen=True)
class ThresholdRule:
    """Cuts where a statistic of the distances exceeds a threshold.

    Attributes
    ----------
    limits : Limits
        Sizes of chunks.
    kind : str
        A key of `breakpoints.THRESHOLDS`.
    amount : float
        Its parameter.
    form : {"blocks", "windows"}
        What a distance compares.
    buffer_size : int
        Units in a block, or on each side of a window.
    joined : bool
        Whether each vector already stands for a window.
    threshold : float or None
        A fixed threshold; None to find one for each document.
    """

    limits: Limits
    kind: str
    amount: float
    form: str
    buffer_size: int
    joined: bool
    threshold: float | None = None

    def decide(self, measured: Measured) -> ThresholdVerdict:
        """Find the cuts, and what they were found by."""
        count = len(measured.vectors)
        suggested = np.zeros(count, np.uint8)
        before, scores = np.zeros((2, count), np.float64)
        thresholds = np.full(len(measured.document_units) - 1, np.nan)
        for document, begin, found in self._documents(measured):
            values, threshold, marked = self._marked(found)
            gaps = slice(begin + 1, begin + 1 + len(found))
            suggested[begin] = 1
            suggested[gaps], before[gaps], scores[gaps] = marked, found, values
            thresholds[document] = threshold
        suggested[measured.factors < 0.0] = 1
        cuts = keep_limits(self.limits, measured, suggested, before)
        return ThresholdVerdict(cuts, thresholds, before, scores, suggested)

    def fitted(self, groups: Sequence[Measured]) -> ThresholdRule:
        """Take the threshold from the distances of all documents together."""
        parts = [found for group in groups for _, _, found in self._documents(group) if len(found)]
        if not parts:
            raise OptionError("fit needs a document of at least two sentences, got none")
        kind = breakpoints.THRESHOLDS[self.kind]
        values = np.concatenate([breakpoints.statistic(kind, part) for part in parts])
        return replace(self, threshold=kind.threshold(values, self.amount))

    def _documents(self, measured: Measured) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
        """Yield, for each document, its number, its first unit and the distances across its gaps."""
        after = distances(measured, self.form, self.buffer_size, self.joined)
        limits = measured.document_units.tolist()
        for number, (begin, end) in enumerate(zip(limits, limits[1:], strict=False)):
            if end > begin:
                yield number, begin, after[begin : end - 1]

    def _marked(
        self, found: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float, NDArray[np.bool_]]:
        """Return the score of each gap of a document, the threshold, and which gaps it marks."""
        peaks = self.form == "blocks"
        if self.limits.number:
            return found, np.nan, breakpoints.strongest(found, self.limits.number - 1, peaks)
        if len(found) < 2 and self.threshold is None:
            # Two sentences are no evidence of two topics.
            return found, np.nan, np.zeros(len(found), np.bool_)
        kind = breakpoints.THRESHOLDS[self.kind]
        values = breakpoints.statistic(kind, found)
        threshold = self.threshold
        if threshold is None:
            threshold = kind.threshold(values, self.amount)
        return values, threshold, breakpoints.suggest(values, found, threshold, peaks)


def keep_limits(
    limits: Limits,
    measured: Measured,
    suggested: NDArray[np.uint8],
    before: NDArray[np.float64],
) -> NDArray[np.uint8]:
    """Return suggested cuts, changed as little as the limits of size allow.

    Parameters
    ----------
    limits : Limits
        Sizes of chunks.
    measured : Measured
        The group.
    suggested : uint8[M]
        1 where a chunk is to start.
    before : float64[M]
        Distance across the gap before each unit; cuts are added where it is largest.
    """
    from ..kernels import partition

    if not limits.bounded:
        return suggested
    cuts = np.empty_like(suggested)
    partition.limit_cuts(
        suggested,
        before,
        measured.sizes,
        measured.factors,
        measured.document_units,
        limits.array,
        cuts,
    )
    return cuts
