"""From code points to tokens: the common measure of chunks, references and budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..chunkers.base import GROUP_BYTES
from ..text import TextBuffer, buffers
from ..tokens import default_vocabulary, tokenize
from ..units import Units


@dataclass(frozen=True, eq=False)
class TokenSpans:
    """Where the tokens of a corpus lie.

    Every chunk, reference and budget is counted in the same tokens (bert-base-uncased, over whole documents),
    whoever made the chunks and whatever they counted in. Tokens are numbered through the corpus, so that a span of
    text is a range of token numbers, and spans of different documents never meet.

    Attributes
    ----------
    starts, ends : int64[T]
        Code point offsets of each token, counted through the corpus, with one extra between documents.
    bases : int64[D + 1]
        Where each document begins in that count.
    tokens : int64[D + 1]
        The first token of each document.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    bases: NDArray[np.int64]
    tokens: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> TokenSpans:
        """Tokenise the documents of a corpus."""
        bases = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(text) + 1 for text in texts], out=bases[1:])
        starts, ends, counts = [], [], []
        first = 0
        for buffer in buffers(texts, GROUP_BYTES):
            begin, end, tokens = _tokens(buffer)
            shift = np.repeat(bases[first] + np.arange(len(buffer)), tokens)
            starts.append(begin + shift)
            ends.append(end + shift)
            counts.append(tokens)
            first += len(buffer)
        total = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(np.concatenate([np.zeros(0, np.int64), *counts]), out=total[1:])
        empty = np.zeros(0, np.int64)
        return cls(np.concatenate([empty, *starts]), np.concatenate([empty, *ends]), bases, total)

    def __len__(self) -> int:
        return len(self.starts)

    def ranges(
        self, document: ArrayLike, start: ArrayLike, end: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the tokens that spans of text touch.

        Parameters
        ----------
        document, start, end : int[n]
            Spans ``texts[document][start:end]``.

        Returns
        -------
        first, last : int64[n]
            The tokens ``first <= t < last``. A token that two spans share belongs to both.
        """
        base = self.bases[np.asarray(document, np.int64)]
        first = np.searchsorted(self.ends, base + np.asarray(start, np.int64), side="right")
        last = np.searchsorted(self.starts, base + np.asarray(end, np.int64), side="left")
        return first.astype(np.int64), np.maximum(first, last).astype(np.int64)


def _tokens(
    buffer: TextBuffer,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Code point offsets in the buffer, and how many tokens each document has."""
    from ..kernels import utf8

    count = len(buffer)
    nothing = np.zeros(count, np.uint8)
    documents = np.arange(count + 1, dtype=np.int32)
    tokens = tokenize(
        buffer, Units(buffer.documents, nothing, nothing, documents), default_vocabulary()
    )
    offsets = []
    for places in (tokens.starts, tokens.ends):
        out = np.empty(len(places), np.int32)
        utf8.code_point_offsets(buffer.data, np.int64(0), places, out)
        offsets.append(out.astype(np.int64))
    return offsets[0], offsets[1], tokens.counts.astype(np.int64)
