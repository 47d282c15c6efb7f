"""The built-in tokenizer: BERT's uncased WordPiece, in a kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..text import TextBuffer, buffers
from ..tokens import BYTES_PER_TOKEN, Tokens, continuations, default_vocabulary, tokenize_ranges
from .protocol import Weights

#: Bytes that are counted at once; as many as go through the kernels together elsewhere.
_GROUP_BYTES = 1 << 19


class WordPiece:
    """Tokens of bert-base-uncased.

    A word is the same tokens wherever it stands, so that the tokens of a chunk add up from those of the document
    wherever its ends are not inside a word.
    """

    name = "wordpiece"
    bytes_per_token = BYTES_PER_TOKEN
    parallel = True

    def weigh(self, buffer: TextBuffer) -> Weights:
        """Tokenise every document, without special tokens."""
        tokens = tokenize_ranges(buffer, buffer.documents, default_vocabulary())
        sums = np.arange(len(tokens.ids) + 1, dtype=np.int32)
        return Weights(tokens.starts, sums, continuations(default_vocabulary())[tokens.ids], tokens)

    def count(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """int32[N]: the tokens of each text on its own."""
        groups = buffers(
            texts, _GROUP_BYTES
        )  # all texts together may be more than one buffer holds
        counts = [tokenize_ranges(g, g.documents, default_vocabulary()).counts for g in groups]
        return np.concatenate([np.zeros(0, np.int32), *counts])

    def doubtful(
        self,
        buffer: TextBuffer,
        weights: Weights,
        starts: NDArray[np.int32],
        ends: NDArray[np.int32],
    ) -> NDArray[np.bool_]:
        """bool[N]: spans with an end inside a word."""
        assert weights.tokens is not None  # noqa: S101 - our own weights
        return _breaks(buffer, weights.tokens, starts) | _breaks(buffer, weights.tokens, ends)


def _breaks(buffer: TextBuffer, tokens: Tokens, positions: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[N]: whether a cut at each position goes through a word, as BERT sees words."""
    from ..kernels import wordpiece

    index = np.searchsorted(tokens.starts, positions)
    if len(tokens.ids) == 0:
        return np.zeros(len(positions), np.bool_)
    # As units: the tokens from one cut to the next, of a single document.
    firsts = np.union1d(index, [0]).astype(np.int32)
    joined = np.empty(len(firsts), np.uint8)
    wordpiece.joined_words(
        buffer.data,
        np.array([0, len(firsts)], np.int32),
        np.append(firsts, np.int32(len(tokens.ids))),
        tokens.starts,
        tokens.ends,
        default_vocabulary().tables[1],
        joined,
    )
    within: NDArray[np.bool_] = (index > 0) & (tokens.ends[index - 1] > positions)
    broken: NDArray[np.bool_] = within | (joined[np.searchsorted(firsts, index)] != 0)
    return broken & ~np.isin(positions, buffer.documents)
