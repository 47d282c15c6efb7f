"""The rule that needs no threshold: the cheapest partition of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..embed.penalties import STATIC, Penalties
from ..errors import OptionError
from .limits import Limits
from .measure import Measured
from .verdict import Gains, Verdict

#: Weight of the size term.
SIZE_WEIGHT = 1.0


@dataclass(frozen=True)
class PartitionRule:
    """Cuts by `scission.kernels.partition`.

    Attributes
    ----------
    limits : Limits
        Sizes of chunks.
    target_tokens : int
        Wanted mean size; 0 for none.
    penalty : float or None
        Penalty of a cut; None to take the default, or with a target to find it for each document.
    penalties : Penalties
        The default.
    """

    limits: Limits
    target_tokens: int = 0
    penalty: float | None = None
    penalties: Penalties = STATIC

    def decide(self, measured: Measured) -> Verdict:
        """Find the cuts, and the penalty that each document had."""
        from ..kernels import partition

        cuts = np.empty(len(measured.vectors), np.uint8)
        used = np.empty(len(measured.document_units) - 1, np.float64)
        columns = self._columns(measured)
        numbers = self._numbers(measured)
        if numbers is not None:
            partition.partition_into(*columns, numbers, self.limits.number > 0, used, cuts)
        else:
            given = (
                Penalties(self.penalty, 0.0, 0.0) if self.penalty is not None else self.penalties
            )
            partition.partition(*columns, np.array(given), used, cuts)
        return Verdict(cuts, used)

    def gains(self, measured: Measured, verdict: Verdict) -> Gains:
        """Weigh a cut at every gap by the costs that the partition was found with."""
        from ..kernels import partition

        topic, size = np.empty((2, len(measured.vectors)), np.float64)
        partition.gains(*self._columns(measured), verdict.cuts, topic, size)
        penalties = np.repeat(verdict.thresholds, np.diff(measured.document_units))
        return Gains(topic, size, penalties * np.maximum(measured.factors, 0.0))

    def _columns(self, measured: Measured) -> tuple[Any, ...]:
        """Return what every kernel of a partition takes first."""
        return (
            measured.vectors,
            measured.sizes,
            measured.factors,
            measured.document_units,
            self.limits.array,
            float(self.target_tokens),
            SIZE_WEIGHT,
        )

    def _numbers(self, measured: Measured) -> NDArray[np.int64] | None:
        """int64[D]: the wanted number of chunks of each document, where there is one."""
        document_units = measured.document_units
        if self.limits.number:
            return np.full(len(document_units) - 1, self.limits.number, np.int64)
        if not self.target_tokens or self.penalty is not None:
            return None
        totals = np.concatenate([[0], np.cumsum(measured.sizes, dtype=np.int64)])[document_units]
        wanted = np.rint(np.diff(totals) / self.target_tokens).astype(np.int64)
        # Two sentences are no evidence of two topics.
        return np.where(np.diff(document_units) <= 2, 1, np.maximum(wanted, 1))

    def fitted(self, groups: Sequence[Measured]) -> PartitionRule:
        """Bisect the penalty until the mean size over the groups is the target."""
        if not self.target_tokens:
            raise OptionError(
                "fit needs target_tokens for breakpoints='partition': it finds the penalty that gives "
                "chunks of that mean size; without a target there is nothing to fit"
            )
        tokens = sum(int(group.sizes.sum()) for group in groups)
        wanted = tokens / self.target_tokens
        low, high = 2.0**-10, 2.0**6
        for _ in range(16):  # to a ratio of 1.0002
            middle = float(np.sqrt(low * high))
            rule = replace(self, penalty=middle)
            if sum(int(rule.decide(group).cuts.sum()) for group in groups) > wanted:
                low = middle
            else:
                high = middle
        return replace(self, penalty=float(np.sqrt(low * high)))
