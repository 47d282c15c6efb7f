"""Chunks that respect Markdown: headings, fences, tables, lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ... import options
from .base import StructureChunker
from .inner import DEFAULT_INNER
from .markdown_blocks import markdown_outline, parser
from .outline import Outline


class MarkdownChunker(StructureChunker):
    """Cut Markdown at its headings, and sections between their blocks.

    A document is parsed as CommonMark with GFM's tables. No chunk crosses a heading; inside a section another strategy
    cuts, except within a fence, table, list, block quote or HTML block that fits the limit. One that does not is cut
    between its rows, items or paragraphs, and inside those only if they do not fit either.

    Every chunk's ``metadata`` has ``section_path``, the headings it stands under, outermost first. A chunk that begins
    inside a table has ``table_header``, the table's first two lines; one that begins inside a fence has ``fence``, what
    stands behind its opening mark (``"python"``); a document with YAML or TOML front matter has
    ``front_matter``.

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
        allows; ``section_path`` is then what the joined sections have in common.
    split_level : int, default 6
        Headings down to this level, 1 to 6, begin a section.
    trim : bool, default False
        Whether to take white space off both ends of the chunks; they then no longer tile the document.

    Raises
    ------
    MissingExtra
        markdown-it-py is not installed.
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
        trim: bool = False,
    ) -> None:
        super().__init__(inner, max_tokens, min_tokens, trim)
        self._split_level = options.integer("split_level", split_level, 1, 6)
        parser()  # a missing package is said here, not at the first document

    def _outline(self, text: str, metadata: Mapping[str, Any]) -> Outline:
        del metadata
        return markdown_outline(text, self._split_level)
