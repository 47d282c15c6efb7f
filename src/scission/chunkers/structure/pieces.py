"""Sections in, chunks out: an inner strategy's cuts, with the blocks of the outline kept whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...chunks import ChunkBatch
from ...text import TextBuffer
from ..base import Chunker
from .outline import Outline, Section
from .pack import Measure, agreed_cuts, block_borders, is_disturbed, measure_between, nested_cuts


@dataclass(slots=True)
class Piece:
    """A chunk in the making.

    Attributes
    ----------
    document, section : int
        Where it belongs.
    start, end : int
        Its span in the text, in code points.
    cut : int
        Where the piece before it gives way: `start`, or later when the two overlap.
    token_count : int
        Tokens, -1 while not counted.
    distance : float
        Across the seam at its end; NaN when not known.
    vector : float32[d] or None
        Its vector, when one was made.
    """

    document: int
    section: int
    start: int
    end: int
    cut: int
    token_count: int = -1
    distance: float = nan
    vector: NDArray[np.float32] | None = None


class Cutter:
    """Cuts the sections of a group of documents.

    Parameters
    ----------
    inner : Chunker
        The strategy inside sections; its limit and its count of tokens hold.
    outlines : sequence of Outline
        The documents.
    metadata : sequence of mappings
        What was given for each of them.
    embeddings : bool
        Whether every piece gets a vector.
    """

    def __init__(
        self,
        inner: Chunker,
        outlines: Sequence[Outline],
        metadata: Sequence[Mapping[str, Any]],
        embeddings: bool,
    ) -> None:
        self._inner = inner
        self._outlines = outlines
        self._metadata = metadata
        self._embeddings = embeddings
        self._whole = [
            Piece(d, s, section.start, section.end, section.start)
            for d, outline in enumerate(outlines)
            for s, section in enumerate(outline.sections)
        ]

    def by_inner(self) -> list[Piece]:
        """Let the inner strategy cut every section, and mend what it did to blocks that fit."""
        groups = [group for group in self._recut(self._whole) if group]
        disturbed = [
            is_disturbed([piece.cut for piece in group[1:]], self._section(group[0]).blocks)
            for group in groups
        ]
        wrong = [group for group, is_wrong in zip(groups, disturbed, strict=True) if is_wrong]
        measures = iter(self._measured(wrong))
        out: list[Piece] = []
        for group, is_wrong in zip(groups, disturbed, strict=True):
            out.extend(self._mended(group, next(measures)) if is_wrong else group)
        return self._finished(out)

    def by_blocks(self, join_whole: bool) -> list[Piece]:
        """Cut sections at their blocks alone; the inner strategy cuts what has none and is too large.

        See `nested_cuts` for `join_whole`.
        """
        out: list[Piece] = []
        groups = [[piece] for piece in self._whole]
        for (piece,), size in zip(groups, self._measured(groups), strict=True):
            blocks = self._section(piece).blocks
            starts = nested_cuts(blocks, size, self._inner._limit, join_whole)
            out.extend(_between([*starts, piece.end], piece))
        return self._finished(out)

    def _recut(self, spans: Sequence[Piece]) -> list[list[Piece]]:
        """Return the chunks that the inner strategy makes of each span, a document to it."""
        out: list[list[Piece]] = [[] for _ in spans]
        if not spans:
            return out
        batch = self._inner._chunk_group(self._buffer(spans), self._embeddings)
        columns = (batch.document, batch.start, batch.end, batch.token_count, batch.distance)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for i, (number, start, end, tokens, distance) in enumerate(rows):
            span, before = spans[number], out[number]
            cut = max(before[-1].end, span.start + start) if before else span.start
            piece = Piece(
                span.document,
                span.section,
                span.start + start,
                span.start + end,
                cut,
                tokens,
                distance,
            )
            if batch.vectors is not None:
                piece.vector = batch.vectors[i]
            before.append(piece)
        return out

    def _mended(self, group: Sequence[Piece], size: Measure) -> Iterator[Piece]:
        """Yield the pieces of a section again, none of them cut inside a block that fits."""
        section = self._section(group[0])
        suggested = [piece.cut for piece in group[1:]]
        limit = self._inner._limit
        cuts = agreed_cuts(section.start, section.end, suggested, section.blocks, size, limit)
        ends = [*suggested, section.end]
        kept = {(piece.cut, end): piece for piece, end in zip(group, ends, strict=True)}
        seams = {end: piece.distance for piece, end in zip(group, ends, strict=True)}
        for piece in _between([section.start, *cuts, section.end], group[0]):
            unchanged = kept.get((piece.start, piece.end))
            yield unchanged or replace(piece, distance=seams.get(piece.end, nan))

    def _finished(self, pieces: list[Piece]) -> list[Piece]:
        """Count and embed what the inner strategy did not make, and cut again what is still too large."""
        new = [piece for piece in pieces if piece.token_count < 0]
        if not new:
            return pieces
        buffer = self._buffer(new)
        counts, sizes = self._inner._counts(buffer), self._inner._sizes(buffer)
        large = []
        for piece, count, size in zip(new, counts.tolist(), sizes.tolist(), strict=True):
            piece.token_count = count
            if size > self._inner._limit:
                large.append(piece)
        parts = {id(piece): cut for piece, cut in zip(large, self._recut(large), strict=True)}
        pieces = [part for piece in pieces for part in parts.get(id(piece), [piece])]
        bare = [piece for piece in pieces if piece.vector is None]
        if self._embeddings and bare:
            vectors = self._inner._vectors(self._buffer(bare))
            for piece, vector in zip(bare, vectors, strict=True):
                piece.vector = vector
        return pieces

    def _measured(self, groups: Sequence[Sequence[Piece]]) -> Iterator[Measure]:
        """Yield, for each group of pieces of a section, the sizes between its blocks' borders and its cuts."""
        places = []
        for group in groups:
            section = self._section(group[0])
            borders = {section.start, section.end, *block_borders(section.blocks)}
            places.append(sorted(borders.union(piece.cut for piece in group)))
        texts = [
            self._outlines[group[0].document].text[a:b]
            for group, positions in zip(groups, places, strict=True)
            for a, b in zip(positions, positions[1:], strict=False)
        ]
        sizes = self._inner._sizes(TextBuffer.from_texts(texts)).tolist() if texts else []
        begin = 0
        for positions in places:
            end = begin + len(positions) - 1
            yield measure_between(positions, sizes[begin:end])
            begin = end

    def _section(self, piece: Piece) -> Section:
        return self._outlines[piece.document].sections[piece.section]

    def _buffer(self, spans: Sequence[Piece]) -> TextBuffer:
        texts = [self._outlines[span.document].text[span.start : span.end] for span in spans]
        metadata = [self._metadata[span.document] for span in spans]
        return replace(TextBuffer.from_texts(texts), metadata=metadata)


def assembled(
    texts: Sequence[str],
    pieces: Sequence[Piece],
    metadata: Sequence[dict[str, Any]],
    embeddings: bool,
) -> ChunkBatch:
    """Build the columns of a batch."""
    vectors = None
    if embeddings:
        rows = [piece.vector for piece in pieces if piece.vector is not None]
        # Blank groups were never shown to the model: their zeros have no dimensions yet.
        vectors = np.zeros((len(pieces), max(map(len, rows), default=0)), np.float32)
        for row, vector in zip(vectors, rows, strict=True):
            row[: len(vector)] = vector
    return ChunkBatch(
        texts=texts,
        document=np.asarray([piece.document for piece in pieces], np.int64),
        start=np.asarray([piece.start for piece in pieces], np.int64),
        end=np.asarray([piece.end for piece in pieces], np.int64),
        token_count=np.asarray([piece.token_count for piece in pieces], np.int32),
        distance=np.asarray([piece.distance for piece in pieces], np.float32),
        vectors=vectors,
        chunk_metadata=metadata,
    )


def _between(limits: Sequence[int], where: Piece) -> Iterator[Piece]:
    for start, end in zip(limits, limits[1:], strict=False):
        yield Piece(where.document, where.section, start, end, start)
