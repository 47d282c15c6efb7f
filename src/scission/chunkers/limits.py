"""Limits that every rule for cuts has to keep."""

from __future__ import annotations

from dataclasses import dataclass

#: Stands for "no limit"; as large as any buffer.
UNLIMITED = 2**31 - 1

#: Bound of a document's table of segment costs: 128 MB. With the default limit of 512 tokens it takes a document
#: of 5 MB... of some 300 MB to reach it; without limits one of 8,000 sentences.
MAX_PAIRS = 1 << 25


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
    def bounded(self) -> bool:
        """Whether a chunk can be too small or too large at all."""
        return self.min_tokens > 0 or self.max_tokens < UNLIMITED
