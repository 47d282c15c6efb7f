"""Limits that every rule for cuts has to keep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Stands for "no limit"; as large as any buffer.
UNLIMITED = 2**31 - 1

#: Bound of a document's table of segment costs: 32 MB. Without a limit of size a document of 4,000 sentences
#: reaches it; with one of 512 tokens, about 20 sentences, one of 40 MB. Beyond, segments are held to
#: ``max(64, MAX_PAIRS / units)`` units.
MAX_PAIRS = 1 << 23


@dataclass(frozen=True)
class Limits:
    """Sizes of chunks.

    Attributes
    ----------
    min_tokens, max_tokens : int
        Of each chunk; the maximum wins.
    number : int
        Wanted chunks of each document; 0 for any.
    """

    min_tokens: int = 0
    max_tokens: int = UNLIMITED
    number: int = 0

    @property
    def array(self) -> NDArray[np.int64]:
        """int64[3]: minimum, maximum and the bound of the table, as the kernels take them."""
        return np.array([self.min_tokens, self.max_tokens, MAX_PAIRS], np.int64)

    @property
    def bounded(self) -> bool:
        """Whether a chunk can be too small or too large at all."""
        return self.min_tokens > 0 or self.max_tokens < UNLIMITED


def default_minimum(maximum: int | None, target: int | None) -> int:
    """Return the minimum of a partition's chunks: 16 tokens, less when the other sizes are small."""
    return min(16, (maximum or UNLIMITED) // 8, (target or UNLIMITED) // 4)
