"""Tokens of a group of documents: what sizes are counted in, and what the static model sums."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .embed.vocabulary import Vocabulary
from .tables import character_tables
from .text import TextBuffer
from .units import BROKEN, Units, whole_documents

#: BERT counts a word of over 100 characters as one unknown token. A chunk may not hold more bytes than this
#: times its token limit, or a page of base64 would be a single, tiny chunk. English prose takes 4.5 bytes a token;
#: of 26 scripts only Khmer, whose words the tokenizer mostly gives up on, takes more than this (52; Sinhala 16).
BYTES_PER_TOKEN = 32


@dataclass(frozen=True, eq=False)
class Tokens:
    """WordPiece tokens of a group, unit by unit.

    Attributes
    ----------
    ids, starts, ends : int32[T]
        Ids, and the byte spans in the buffer that they stand for.
    unit_tokens : int32[M + 1]
        Tokens of unit ``i`` are ``ids[unit_tokens[i]:unit_tokens[i + 1]]``.
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    unit_tokens: NDArray[np.int32]

    @property
    def counts(self) -> NDArray[np.int32]:
        """int32[M]: tokens of each unit."""
        return np.diff(self.unit_tokens)


@cache
def default_vocabulary() -> Vocabulary:
    """Open the vocabulary of bert-base-uncased, which the built-in models share."""
    return Vocabulary.bert_uncased()


def tokenize(buffer: TextBuffer, units: Units, vocabulary: Vocabulary) -> Tokens:
    """Tokenise every unit on its own."""
    return tokenize_ranges(buffer, units.bounds, vocabulary)


def tokenize_ranges(
    buffer: TextBuffer, bounds: NDArray[np.int32], vocabulary: Vocabulary
) -> Tokens:
    """Tokenise every range of the buffer on its own: ``data[bounds[i]:bounds[i + 1]]``."""
    from .kernels import wordpiece

    size = len(buffer.data)
    capacity = size // 3 + 64  # English has a token every 4.5 bytes; the worst text has one a byte
    unit_tokens = np.empty(len(bounds), np.int32)
    while True:
        ids, starts, ends = (np.empty(capacity, np.int32) for _ in range(3))
        count = wordpiece.tokenize(
            buffer.data, bounds, *vocabulary.tables, ids, starts, ends, unit_tokens
        )
        if count >= 0:
            return Tokens(ids[:count], starts[:count], ends[:count], unit_tokens)
        capacity = size + 1


def fit_units(
    buffer: TextBuffer, units: Units, vocabulary: Vocabulary, max_tokens: int
) -> tuple[Units, Tokens]:
    """Tokenise, and cut the units that no chunk of `max_tokens` could hold.

    A long unit is cut between words (`kernels.sizes.split_long`). A stretch without a gap between words is
    cut between grapheme clusters, and tokenised again, since a part of a word has other tokens than
    the word; only a cluster that is itself above the limit is cut between code points.
    """
    tokens = tokenize(buffer, units, vocabulary)
    _break_words(buffer, units, tokens, vocabulary)
    if _largest(units, tokens) <= max_tokens:
        return units, tokens
    units, tokens = _split_between_words(buffer, units, tokens, vocabulary, max_tokens)
    while _largest(units, tokens) > max_tokens:
        units = _split_within_words(buffer, units, tokens, max_tokens)
        tokens = tokenize(buffer, units, vocabulary)
    return units, tokens


def unit_sizes(units: Units, tokens: Tokens) -> NDArray[np.int32]:
    """int32[M]: what each unit counts for against limits and targets."""
    return _sizes(units, tokens)[0]


def whole_counts(buffer: TextBuffer, vocabulary: Vocabulary) -> NDArray[np.int32]:
    """int32[D]: tokens of each document."""
    return tokenize(buffer, whole_documents(buffer), vocabulary).counts


def whole_sizes(buffer: TextBuffer, vocabulary: Vocabulary) -> NDArray[np.int32]:
    """int32[D]: what each document counts for against limits."""
    units = whole_documents(buffer)
    return unit_sizes(units, tokenize(buffer, units, vocabulary))


def _sizes(units: Units, tokens: Tokens) -> tuple[NDArray[np.int32], int]:
    from .kernels import sizes

    out = np.empty(len(units), np.int32)
    largest = sizes.unit_sizes(units.bounds, tokens.unit_tokens, BYTES_PER_TOKEN, out)
    return out, int(largest)


def _largest(units: Units, tokens: Tokens) -> int:
    return _sizes(units, tokens)[1]


def _break_words(buffer: TextBuffer, units: Units, tokens: Tokens, vocabulary: Vocabulary) -> None:
    """Make the start of a unit inside a word a cut that is always made, so that token counts add up."""
    from .kernels import wordpiece

    joined = np.empty(len(units), np.uint8)
    wordpiece.joined_words(
        buffer.data,
        units.document_units,
        tokens.unit_tokens,
        tokens.starts,
        tokens.ends,
        vocabulary.tables[1],
        joined,
    )
    units.gaps[joined != 0] = BROKEN


def _split_between_words(
    buffer: TextBuffer, units: Units, tokens: Tokens, vocabulary: Vocabulary, max_tokens: int
) -> tuple[Units, Tokens]:
    from .kernels import sentences, sizes

    glued = continuations(vocabulary)[tokens.ids]
    capacity = len(units) + len(tokens.ids)  # every cut lies before a token
    bounds, unit_tokens = (np.empty(capacity + 1, np.int32) for _ in range(2))
    gaps, kinds = (np.empty(capacity, np.uint8) for _ in range(2))
    document_units = np.empty_like(units.document_units)
    count = sizes.split_long(
        buffer.data,
        units.bounds,
        units.gaps,
        units.kinds,
        units.document_units,
        tokens.unit_tokens,
        tokens.starts,
        tokens.ends,
        glued,
        max_tokens,
        max_tokens * BYTES_PER_TOKEN,
        sentences.FORCED,
        sentences.FENCE,
        bounds,
        gaps,
        kinds,
        document_units,
        unit_tokens,
    )
    pieces = Units(bounds[: count + 1], gaps[:count], kinds[:count], document_units)
    return pieces, Tokens(tokens.ids, tokens.starts, tokens.ends, unit_tokens[: count + 1])


@cache
def continuations(vocabulary: Vocabulary) -> NDArray[np.uint8]:
    """uint8[V]: 1 for the tokens that continue a word, written with ## in front."""
    flags = [token.startswith("##") and len(token) > 2 for token in vocabulary.tokens]
    return np.asarray(flags, np.uint8)


def _split_within_words(buffer: TextBuffer, units: Units, tokens: Tokens, max_tokens: int) -> Units:
    """Cut every unit above the limit at grapheme clusters; the pieces may still be too long."""
    over = np.flatnonzero(unit_sizes(units, tokens) > max_tokens)
    pieces = [_inner_cuts(buffer, units, tokens, int(i), max_tokens) for i in over]
    counts = np.zeros(len(units), np.int64)
    counts[over] = [len(cuts) for cuts in pieces]
    places = np.repeat(over + 1, counts[over])
    cuts = np.concatenate([np.asarray(cuts, np.int32) for cuts in pieces])
    before = np.concatenate([[0], np.cumsum(counts)])
    return Units(
        bounds=np.insert(units.bounds, places, cuts),
        gaps=np.insert(units.gaps, places, np.uint8(BROKEN)),
        kinds=np.insert(units.kinds, places, units.kinds[places - 1]),
        document_units=(units.document_units + before[units.document_units]).astype(np.int32),
    )


def _inner_cuts(
    buffer: TextBuffer, units: Units, tokens: Tokens, unit: int, max_tokens: int
) -> list[int]:
    """Byte offsets at which one unit is cut, by its present tokens."""
    begin, end = int(units.bounds[unit]), int(units.bounds[unit + 1])
    first, last = int(tokens.unit_tokens[unit]), int(tokens.unit_tokens[unit + 1])
    starts = tokens.starts[first:last]
    max_bytes = max_tokens * BYTES_PER_TOKEN
    cuts: list[int] = []
    token = 0
    while len(starts) - token > max_tokens or (end - begin) // BYTES_PER_TOKEN > max_tokens:
        limit = int(starts[token + max_tokens]) if len(starts) - token > max_tokens else end
        begin = _cluster_boundary(buffer, begin, min(limit, begin + max_bytes), end)
        if begin >= end:
            break
        cuts.append(begin)
        token = int(np.searchsorted(starts, begin))
    return cuts


def _cluster_boundary(buffer: TextBuffer, begin: int, limit: int, end: int) -> int:
    """Find the last grapheme boundary in (begin, limit], or else the last code point boundary there.

    `begin` is a boundary. Where not even one code point fits, its end is returned.
    """
    from .kernels import utf8

    if limit < end:
        # A cluster may go on for megabytes; only the character at the limit still matters.
        near = min(end, limit + 4)
        found = int(
            utf8.last_grapheme_boundary(buffer.data, begin, limit, near, *character_tables())
        )
        if found > begin:
            return found
        while limit > begin and _continues(buffer, limit):
            limit -= 1
    if limit <= begin:
        limit = begin + 1
        while limit < end and _continues(buffer, limit):
            limit += 1
    return limit


def _continues(buffer: TextBuffer, position: int) -> bool:
    return int(buffer.data[position]) & 0xC0 == 0x80
