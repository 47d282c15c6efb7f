"""Any function from a text to a number."""

from __future__ import annotations

import numbers
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..text import TextBuffer
from .protocol import CountedAgain, Weights

_WORDS = re.compile(r"\s*\S+|\s+")


class Counter(CountedAgain):
    """A user's function that counts tokens.

    It is asked for each distinct word (with the white space before it), then for every chunk. Where the count of a
    text is not the sum of its words' counts, chunks stay within the limit all the same, but may
    be smaller than they could be.
    """

    bytes_per_token = 0
    parallel = False

    def __init__(self, function: Callable[[str], int]) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self._function: Callable[[str], Any] = function

    def weigh(self, buffer: TextBuffer) -> Weights:
        """Count every word; the count of a long one is spread over its characters."""
        from ..kernels import utf8

        places, weights = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        known: dict[str, int] = {}
        for number, text in enumerate(buffer.texts):
            begins: list[int] = []
            counts: list[int] = []
            for match in _WORDS.finditer(text):
                word = match[0]
                if word not in known:
                    known[word] = self._count(word)
                _spread(match.start(), len(word), known[word], begins, counts)
            bytes_at = np.empty(len(begins), np.int32)
            base = np.int64(buffer.documents[number])
            utf8.byte_offsets(buffer.data, base, np.array(begins, np.int32), bytes_at)
            places.append(bytes_at)
            weights.append(np.array(counts, np.int64))
        sums = np.cumsum(np.concatenate([[0], *weights]))
        if sums[-1] > np.iinfo(np.int32).max:
            raise OptionError(
                f"tokenizer {self.name} must count less than 2**31 in a document, got {sums[-1]}"
            )
        return Weights(np.concatenate(places), sums.astype(np.int32))

    def count(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """int32[N]: what the function says of each text."""
        return np.array([self._count(text) for text in texts], np.int32)

    def _count(self, text: str) -> int:
        count = self._function(text)
        if isinstance(count, bool) or not isinstance(count, numbers.Integral) or int(count) < 0:
            raise OptionError(
                f"tokenizer {self.name} must return an integer of at least 0 for each text, "
                f"got {count!r} for {text[:40]!r}"
            )
        return int(count)


def _spread(begin: int, length: int, count: int, begins: list[int], counts: list[int]) -> None:
    """Append the places of a word's tokens: as evenly over its characters as whole numbers allow."""
    parts = min(length, count)
    for k in range(parts):
        begins.append(begin + k * length // parts)
        counts.append((k + 1) * count // parts - k * count // parts)
