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

    def cut(self, measured: Measured) -> NDArray[np.uint8]:
        """uint8[M]: 1 where a chunk starts."""
        from ..kernels import partition

        suggested = np.zeros(len(measured.vectors), np.uint8)
        before = np.zeros(len(measured.vectors), np.float64)
        for begin, found in self._documents(measured):
            suggested[begin] = 1
            suggested[begin + 1 : begin + 1 + len(found)] = self._marked(found)
            before[begin + 1 : begin + 1 + len(found)] = found
        suggested[measured.factors < 0.0] = 1
        if not self.limits.bounded:
            return suggested
        cuts = np.empty_like(suggested)
        partition.limit_cuts(
            suggested,
            before,
            measured.sizes,
            measured.factors,
            measured.document_units,
            self.limits.array,
            cuts,
        )
        return cuts

    def fitted(self, groups: Sequence[Measured]) -> ThresholdRule:
        """Take the threshold from the distances of all documents together."""
        parts = [found for group in groups for _, found in self._documents(group) if len(found)]
        if not parts:
            raise OptionError("fit needs a document of at least two sentences, got none")
        kind = breakpoints.THRESHOLDS[self.kind]
        values = np.concatenate([breakpoints.statistic(kind, part) for part in parts])
        return replace(self, threshold=kind.threshold(values, self.amount))

    def _documents(self, measured: Measured) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield, for each document, its first unit and the distances across its gaps."""
        after = distances(measured, self.form, self.buffer_size, self.joined)
        limits = measured.document_units.tolist()
        for begin, end in zip(limits, limits[1:], strict=False):
            if end > begin:
                yield begin, after[begin : end - 1]

    def _marked(self, found: NDArray[np.float64]) -> NDArray[np.bool_]:
        peaks = self.form == "blocks"
        if self.limits.number:
            return breakpoints.strongest(found, self.limits.number - 1, peaks)
        if len(found) < 2 and self.threshold is None:
            return np.zeros(len(found), np.bool_)  # two sentences are no evidence of two topics
        kind = breakpoints.THRESHOLDS[self.kind]
        values = breakpoints.statistic(kind, found)
        threshold = self.threshold
        if threshold is None:
            threshold = kind.threshold(values, self.amount)
        return breakpoints.suggest(values, found, threshold, peaks)
