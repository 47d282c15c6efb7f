"""The rule that needs no threshold: the cheapest partition of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .limits import MAX_PAIRS, Limits
from .measure import Measured

#: Penalty of a cut without a target size, in units of the document's variance: the first of these, or
#: base + growth * ln(units) where that is larger. Pk (static vectors) of choi / choi_style_ewt / wiki50: a constant
#: 1.4 gives 8.3 / 23.8 / 41.8, a constant 1.5 gives 8.2 / 25.0 / 40.0, this 6.9 / 24.1 / 39.3. Below 1.4, half of
#: all documents of eight sentences about one thing are cut.
DEFAULT_PENALTY, PENALTY_BASE, PENALTY_GROWTH = 1.4, 0.4, 0.27
#: Weight of the size term.
SIZE_WEIGHT = 1.0

_FOUND_PER_DOCUMENT = -1.0


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
    """

    limits: Limits
    target_tokens: int = 0
    penalty: float | None = None

    def cut(self, measured: Measured) -> NDArray[np.uint8]:
        """uint8[M]: 1 where a chunk starts."""
        from ..kernels import partition

        penalty, base, growth = self._penalty()
        cuts = np.empty(len(measured.vectors), np.uint8)
        partition.partition(
            measured.vectors,
            measured.sizes,
            measured.factors,
            measured.document_units,
            self.limits.min_tokens,
            self.limits.max_tokens,
            MAX_PAIRS,
            float(self.target_tokens),
            SIZE_WEIGHT,
            penalty,
            base,
            growth,
            self.limits.number,
            cuts,
        )
        return cuts

    def _penalty(self) -> tuple[float, float, float]:
        if self.penalty is not None:
            return self.penalty, 0.0, 0.0
        if self.target_tokens:
            return _FOUND_PER_DOCUMENT, 0.0, 0.0
        return DEFAULT_PENALTY, PENALTY_BASE, PENALTY_GROWTH

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
            if sum(int(rule.cut(group).sum()) for group in groups) > wanted:
                low = middle
            else:
                high = middle
        return replace(self, penalty=float(np.sqrt(low * high)))
