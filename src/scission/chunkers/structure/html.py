"""Chunks of what an HTML document says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ... import options
from ...text import Text, TextBuffer
from .base import StructureChunker
from .html_reader import HTMLOutline, html_outline
from .inner import DEFAULT_INNER
from .outline import Outline, Section


class HTMLChunker(StructureChunker):
    """Cut HTML by its structure: headings, sections, paragraphs, lists, tables.

    Chunks are slices of the text that a reader sees, not of the source: ``start`` and ``end`` count in
    ``chunker.extract(html)``, which is also what ``ChunkBatch.texts`` holds, and chunks tile that text. Tags, comments,
    scripts and styles are dropped, entities decoded, white space is collapsed outside ``pre``; blocks stand on lines
    of their own, cells of a table are separated by tabs. No chunk crosses a heading or the limit of a ``section`` or
    ``article``. Inside them another strategy cuts, except within a list, table, ``pre`` or quotation that fits the
    limit.

    Every chunk's ``metadata`` has ``section_path``, the headings it stands under, and ``source_start`` and
    ``source_end``, the place in the source in bytes of UTF-8. A chunk that begins inside a table whose first row is a
    header has ``table_header``; a document with a title has ``title``.

    Broken HTML is read in some way, never refused.

    Parameters
    ----------
    inner : str, Chunker or mapping, default "recursive"
        The strategy inside sections: its name, a chunker with options of your own, or a mapping
        of options with the name under ``"strategy"``. Its count of tokens and its limit
        hold for all chunks; its overlap ends at headings.
    max_tokens : int, default 512
        The limit, when `inner` is a name.
    min_tokens : int, default 0
        Sections smaller than this are joined with their neighbours under the same heading, as far as the limit
        allows.
    split_level : int, default 6
        Headings down to this level, 1 to 6, begin a section.
    boilerplate : bool, default False
        Whether to keep ``nav``, ``aside``, ``search`` and, outside articles and sections, ``header`` and ``footer``.
    trim : bool, default False
        Whether to take white space off both ends of the chunks; they then no longer tile the text.

    Raises
    ------
    OptionError
        An option is out of its range, or two do not go together.
    """

    def __init__(
        self,
        *,
        inner: Any = DEFAULT_INNER,
        max_tokens: int | None = None,
        min_tokens: int = 0,
        split_level: int = 6,
        boilerplate: bool = False,
        trim: bool = False,
    ) -> None:
        super().__init__(inner, max_tokens, min_tokens, trim)
        self._split_level = options.integer("split_level", split_level, 1, 6)
        self._boilerplate = options.flag("boilerplate", boilerplate)

    def extract(self, html: Text) -> str:
        """Return the text of a document, which the offsets of its chunks count in.

        Parameters
        ----------
        html : str or bytes
            The source; bytes must be UTF-8.
        """
        source = TextBuffer.from_texts([html]).texts[0]
        return html_outline(source, self._split_level, self._boilerplate).text

    @property
    def _extracts(self) -> bool:
        return True

    def _outline(self, text: str, metadata: Mapping[str, Any]) -> Outline:
        del metadata
        return html_outline(text, self._split_level, self._boilerplate)

    def _chunk_metadata(
        self, outline: Outline, section: Section, start: int, end: int
    ) -> dict[str, Any]:
        del section
        assert isinstance(outline, HTMLOutline)  # noqa: S101 -- for the type checker
        begin, finish = outline.runs.source_bytes(start, end)
        return {"source_start": begin, "source_end": finish}
