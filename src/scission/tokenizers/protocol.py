"""What the chunkers ask of a tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..text import TextBuffer
from ..tokens import Tokens

_EMPTY = np.zeros(0, np.uint8)


@dataclass(frozen=True, eq=False)
class Weights:
    """How many tokens each stretch of a group counts for.

    Attributes
    ----------
    places : int32[T]
        Bytes of the buffer at which tokens begin, ascending; several may begin at one byte.
    sums : int32[T + 1]
        Tokens before each place, and in all.
    glued : uint8[T] or uint8[0]
        1 at the tokens that continue a word which is not to be cut; empty where there is nothing of the kind.
    tokens : Tokens, optional
        What the built-in tokenizer found.
    """

    places: NDArray[np.int32]
    sums: NDArray[np.int32]
    glued: NDArray[np.uint8] = field(default_factory=lambda: _EMPTY)
    tokens: Tokens | None = None

    @classmethod
    def of_tokens(cls, places: NDArray[np.int32]) -> Weights:
        """Return the weights of tokens that count for one each."""
        # A tokenizer may hand out the parts of a rearranged character in any order.
        return cls(np.maximum.accumulate(places), np.arange(len(places) + 1, dtype=np.int32))

    def between(self, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.int32]:
        """int32[N]: the tokens that begin in each span."""
        first, last = (np.searchsorted(self.places, positions) for positions in (starts, ends))
        return self.sums[last] - self.sums[first]


class Tokenizer(Protocol):
    """A way to count tokens."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    @property
    def bytes_per_token(self) -> int:
        """Bytes that a chunk may hold for each token of its limit; 0 for any number.

        Vocabularies with an unknown token count whole pages of what they do not know as one.
        """
        ...

    @property
    def parallel(self) -> bool:
        """Whether several threads may count at once and gain from it."""
        ...

    def weigh(self, buffer: TextBuffer) -> Weights:
        """Tokenise every document, without special tokens."""
        ...

    def count(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """int32[N]: the tokens of each text on its own, without special tokens."""
        ...

    def doubtful(
        self,
        buffer: TextBuffer,
        weights: Weights,
        starts: NDArray[np.int32],
        ends: NDArray[np.int32],
    ) -> NDArray[np.bool_]:
        """bool[N]: spans that, on their own, may have another number of tokens than begin in them."""
        ...


class CountedAgain:
    """A tokenizer whose tokens of a piece need not be those that the piece has within its document."""

    def doubtful(
        self,
        buffer: TextBuffer,
        weights: Weights,
        starts: NDArray[np.int32],
        ends: NDArray[np.int32],
    ) -> NDArray[np.bool_]:
        """bool[N]: every span."""
        del buffer, weights, ends
        return np.ones(len(starts), np.bool_)
