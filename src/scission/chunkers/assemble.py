"""From cuts between units to the columns of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..chunks import ChunkBatch
from ..group import Group
from ..units import BROKEN, Units


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
    from ..kernels import spans

    columns = [np.empty(np.count_nonzero(cuts), np.int32) for _ in range(3)]
    spans.runs(cuts, document_units, *columns)
    return Spans(*columns)


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
    from ..kernels import spans as kernels

    bounds, unit_tokens = group.units.bounds, group.tokens.unit_tokens
    ending = np.empty(len(spans.first), np.float32)
    kernels.seams_after(distance, spans.document, spans.last, ending)
    batch = ChunkBatch(
        texts=group.buffer.texts,
        document=spans.document.astype(np.int64),
        start=_code_points(group, spans, bounds[spans.first]),
        end=_code_points(group, spans, bounds[spans.last]),
        token_count=unit_tokens[spans.last] - unit_tokens[spans.first],
        distance=ending,
        vectors=vectors,
    )
    return trimmed(batch) if trim else batch


def _code_points(group: Group, spans: Spans, positions: NDArray[np.int32]) -> NDArray[np.int64]:
    from ..kernels import spans as kernels

    buffer = group.buffer
    out = np.empty(len(positions), np.int64)
    kernels.document_offsets(buffer.data, buffer.documents, spans.document, positions, out)
    return out


def trimmed(batch: ChunkBatch) -> ChunkBatch:
    """Take white space off both ends of every chunk, and drop chunks that were nothing else."""
    start, end = batch.start.copy(), batch.end.copy()
    for i in range(len(batch)):
        text = batch.text(i)
        start[i] += len(text) - len(text.lstrip())
        end[i] = start[i] + len(text.strip())
    return batch.changed(start=start, end=end).take(np.flatnonzero(end > start))
