"""From cuts between units to the columns of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..chunks import ChunkBatch
from ..group import Group
from ..units import BROKEN, Units, code_points


@dataclass(frozen=True, eq=False)
class Spans:
    """Chunks as runs of units.

    Attributes
    ----------
    first, last : int32[N]
        Chunk ``c`` holds the units ``first[c] <= i < last[c]``.
    document : int32[N]
        Its document in the group.
    """

    first: NDArray[np.int32]
    last: NDArray[np.int32]
    document: NDArray[np.int32]


def spans_of(cuts: NDArray[np.uint8], document_units: NDArray[np.int32]) -> Spans:
    """Read the runs between cuts; every document's first unit is one."""
    first = np.flatnonzero(cuts).astype(np.int32)
    last = np.append(first[1:], document_units[-1:]).astype(np.int32)
    document = np.searchsorted(document_units, first, side="right").astype(np.int32) - np.int32(1)
    return Spans(first, last[: len(first)], document)


def overlapped(
    spans: Spans, units: Units, sizes: NDArray[np.int32], count: int, limit: int
) -> Spans:
    """Let each chunk begin up to `count` units earlier, as far as it stays within `limit`."""
    first = spans.first.copy()
    gaps = units.gaps
    begins = units.document_units
    held = np.add.reduceat(sizes, spans.first) if len(first) else np.zeros(0, np.int64)
    for c in range(len(first)):
        size = int(held[c])
        begin = int(begins[spans.document[c]])
        for _ in range(count):
            i = int(first[c])
            if i <= begin or gaps[i] == BROKEN or size + int(sizes[i - 1]) > limit:
                break
            size += int(sizes[i - 1])
            first[c] = i - 1
    return Spans(first, spans.last, spans.document)


def assemble(
    group: Group,
    spans: Spans,
    distance: NDArray[np.float64],
    vectors: NDArray[np.float32] | None,
    trim: bool,
) -> ChunkBatch:
    """Build the columns: code point offsets, token counts and the distance at each chunk's end.

    `distance` holds, for each unit that starts a chunk, the distance across the gap before it.
    """
    buffer, tokens = group.buffer, group.tokens
    document = spans.document.astype(np.int64)
    points = unit_points(group)
    start = points[spans.first]
    end = unit_ends(group, points)[spans.last - 1]
    counts = tokens.unit_tokens[spans.last] - tokens.unit_tokens[spans.first]
    ending = np.full(len(start), np.nan, np.float32)
    inner = np.flatnonzero(document[1:] == document[:-1])
    ending[inner] = distance[spans.last[inner]]
    batch = ChunkBatch(
        texts=buffer.texts,
        document=document,
        start=start,
        end=end,
        token_count=counts.astype(np.int32),
        distance=ending,
        vectors=vectors,
    )
    return trimmed(batch) if trim else batch


def unit_points(group: Group) -> NDArray[np.int64]:
    """int64[M]: where each unit starts, in code points of its document."""
    units = group.units
    counts = np.diff(units.document_units)
    documents = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    return code_points(group.buffer, units.bounds[:-1], documents)


def unit_ends(group: Group, points: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[M]: where each unit ends: at the next one's start, or at the end of its document."""
    ends = np.append(points[1:], 0)
    lasts = group.units.document_units[1:] - 1
    filled = np.flatnonzero(np.diff(group.units.document_units))
    lengths = np.asarray([len(group.buffer.texts[j]) for j in filled], np.int64)
    ends[lasts[filled]] = lengths
    return ends


def trimmed(batch: ChunkBatch) -> ChunkBatch:
    """Take white space off both ends of every chunk, and drop chunks that were nothing else."""
    start, end = batch.start.copy(), batch.end.copy()
    for i in range(len(batch)):
        text = batch.text(i)
        start[i] += len(text) - len(text.lstrip())
        end[i] = start[i] + len(text.strip())
    kept = np.flatnonzero(end > start)
    return ChunkBatch(
        texts=batch.texts,
        document=batch.document[kept],
        start=start[kept],
        end=end[kept],
        token_count=batch.token_count[kept],
        distance=batch.distance[kept],
        vectors=None if batch.vectors is None else batch.vectors[kept],
    )
