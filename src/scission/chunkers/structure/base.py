"""The journey that strategies of structure share: outline, inner strategy, whole blocks, chunks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import options
from ...chunks import ChunkBatch
from ...text import TextBuffer
from ..assemble import trimmed
from ..base import Chunker
from .inner import as_inner, check_nested
from .outline import Block, Outline, Section, around, joined_small, noted
from .pieces import Cutter, Piece, assembled


class StructureChunker(Chunker):
    """A strategy that follows a document's own structure, with another strategy inside its sections."""

    def __init__(self, inner: Any, max_tokens: int | None, min_tokens: int, trim: bool) -> None:
        self._inner = as_inner(inner, max_tokens)
        check_nested("inner", self._inner)
        self._min_tokens = options.integer("min_tokens", min_tokens, 0)
        self._trim = options.flag("trim", trim) or self._inner._trims

    @abstractmethod
    def _outline(self, text: str, metadata: Mapping[str, Any]) -> Outline:
        """Find the structure of a document."""

    def _section_metadata(self, section: Section) -> dict[str, Any]:
        """Return what all chunks of a section say."""
        return {"section_path": list(section.path)}

    def _chunk_metadata(
        self, outline: Outline, section: Section, start: int, end: int
    ) -> dict[str, Any]:
        """Return what a single chunk says besides."""
        del outline, section, start, end
        return {}

    @property
    def _parallel(self) -> bool:
        return self._inner._parallel

    @property
    def _limit(self) -> int:
        return self._inner._limit

    @property
    def _trims(self) -> bool:
        return self._trim

    def _sizes(self, buffer: TextBuffer) -> NDArray[np.int32]:
        return self._inner._sizes(buffer)

    def _counts(self, buffer: TextBuffer) -> NDArray[np.int32]:
        return self._inner._counts(buffer)

    def _vectors(self, buffer: TextBuffer) -> NDArray[np.float32]:
        return self._inner._vectors(buffer)

    def _chunk_group(self, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        notes = buffer.metadata or [{}] * len(buffer)
        outlines = [
            self._outline(text, note) for text, note in zip(buffer.texts, notes, strict=True)
        ]
        if self._min_tokens:
            self._join_small(outlines)
        pieces = self._cut(Cutter(self._inner, outlines, notes, embeddings))
        metadata = self._metadata(outlines, pieces)
        batch = assembled([outline.text for outline in outlines], pieces, metadata, embeddings)
        return trimmed(batch) if self._trim else batch

    def _cut(self, cutter: Cutter) -> list[Piece]:
        return cutter.by_inner()

    def _join_small(self, outlines: Sequence[Outline]) -> None:
        texts = [o.text[s.start : s.end] for o in outlines for s in o.sections]
        sizes = iter(self._inner._sizes(TextBuffer.from_texts(texts)).tolist())
        for outline in outlines:
            own = [next(sizes) for _ in outline.sections]
            outline.sections = joined_small(outline.sections, own, self._min_tokens, self._limit)

    def _metadata(
        self, outlines: Sequence[Outline], pieces: Sequence[Piece]
    ) -> list[dict[str, Any]]:
        out = []
        section: Section | None = None
        blocks: list[Block] = []
        starts: list[int] = []
        for piece in pieces:
            outline = outlines[piece.document]
            if outline.sections[piece.section] is not section:
                section = outline.sections[piece.section]
                blocks = noted(section.blocks)
                starts = [block.start for block in blocks]
            inside = around(blocks, starts, piece.start)
            out.append(
                {
                    **outline.metadata,
                    **self._section_metadata(section),
                    **(inside.metadata if inside is not None and inside.metadata else {}),
                    **self._chunk_metadata(outline, section, piece.start, piece.end),
                }
            )
        return out
