"""The pages that chunks stand on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from ..chunks import ChunkBatch
from ..errors import OptionError

FORM_FEEDS = "form_feeds"

#: How pages of a document are told apart: ``"form_feeds"``, or the offsets (or spans) of its pages.
Pages: TypeAlias = str | Sequence[int] | Sequence[tuple[int, int]]


def with_pages(batch: ChunkBatch, pages: Sequence[Pages]) -> ChunkBatch:
    """Write ``page`` and ``last_page``, counted from 1, into the metadata of every chunk.

    The white space at the ends of a chunk is on no page of its own.

    Parameters
    ----------
    batch : ChunkBatch
        The chunks.
    pages : sequence
        One entry for each document of the batch, see `Pages`.

    Raises
    ------
    OptionError
        Offsets descend, or are no integers.
    """
    starts = [
        np.asarray(_starts(text, entry), np.int64)
        for text, entry in zip(batch.texts, pages, strict=True)
    ]
    notes: list[dict[str, Any]] = []
    for i in range(len(batch)):
        text = batch.text(i)
        start = int(batch.start[i])
        bare = len(text.strip())
        begin = start + len(text) - len(text.lstrip()) if bare else start
        end = max(begin + bare - 1, begin)
        found = starts[int(batch.document[i]) - batch.first_document]
        first, last = np.searchsorted(found, [begin, end], side="right").tolist()
        own = {} if batch.chunk_metadata is None else batch.chunk_metadata[i]
        notes.append({**own, "page": max(first, 1), "last_page": max(last, 1)})
    return batch.changed(chunk_metadata=notes)


def _starts(text: str, pages: Pages) -> list[int]:
    if isinstance(pages, str):
        if pages != FORM_FEEDS:
            raise OptionError(
                f"pages must be {FORM_FEEDS!r}, or offsets or spans for each document, got {pages!r}"
            )
        return [0, *(match.end() for match in re.finditer("\f", text))]
    starts: list[int] = []
    for entry in cast("Sequence[Any]", pages):
        start = entry[0] if isinstance(entry, tuple | list) and len(entry) == 2 else entry
        if isinstance(start, bool) or not isinstance(start, int) or start < max(starts[-1:] or [0]):
            raise OptionError(
                "pages must be ascending offsets, or (start, end) spans, of one document, "
                f"got {entry!r} as number {len(starts)}"
            )
        starts.append(start)
    return starts
