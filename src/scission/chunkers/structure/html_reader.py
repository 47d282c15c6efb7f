"""HTML to text and an outline of it: what a reader sees, block by block."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from . import html_elements as elements
from .html_runs import Runs
from .html_tokens import Token, Tokenizer, attributes
from .html_writer import TextWriter
from .outline import Block, Outline, Section, tiled

#: Blocks deeper than this are part of the one around them.
_MAX_DEPTH = 40
_NOWHERE = -1


@dataclass(slots=True)
class HTMLOutline(Outline):
    """The outline of a text that was extracted, with its places in the source."""

    runs: Runs = field(default_factory=lambda: Runs(""))


@dataclass(slots=True)
class _Open:
    """An element whose end tag is awaited."""

    tag: str
    unseen: bool
    block: Block | None
    headings: list[tuple[int, Block]]  # what a section goes back to
    is_header: bool = True  # of a row: whether all its cells are headers
    rows: int = 0  # of a table


@dataclass(slots=True)
class _Part:
    """A section in the making."""

    headings: list[tuple[int, Block]]
    blocks: list[Block] = field(default_factory=list)
    start: int = _NOWHERE


def html_outline(source: str, split_level: int, boilerplate: bool) -> HTMLOutline:
    """Extract the text of an HTML document and find its sections and blocks.

    Parameters
    ----------
    source : str
        The document; anything goes.
    split_level : int
        Headings down to this level begin a section.
    boilerplate : bool
        Whether to keep navigation, asides, and the header and footer of the page.

    Returns
    -------
    HTMLOutline
        Its sections tile the extracted text.
    """
    reader = _Reader(source, split_level, boilerplate)
    for token in Tokenizer(source):
        if not token.tag:
            reader.text(token.start, token.end)
        elif token.tag in elements.TRACKED:
            reader.tag(token)
    return reader.outline()


class _Reader:
    def __init__(self, source: str, split_level: int, boilerplate: bool) -> None:
        self._source = source
        self._split_level = split_level
        self._boilerplate = boilerplate
        self._stack: list[_Open] = []
        self._open_tags: dict[str, int] = {}
        self._unseen = 0  # open elements that hide their content
        self._blocks: list[tuple[str, Block]] = []  # open ones, outermost first
        self._cells: list[int] = []  # open cells of each open table
        self._loose: Block | None = None  # a paragraph without a tag
        self._fresh: list[Block] = []  # blocks without text so far
        self._headings: list[tuple[int, Block]] = []
        self._sections = [_Part([])]
        self._header_rows: list[tuple[Block, Block]] = []  # tables and their first rows
        self._title = ""
        self._writer = TextWriter(source, self._text_begins)
        self._after_pre = False

    def tag(self, token: Token) -> None:
        """Read a start or end tag."""
        name = token.tag
        if token.closing:
            # Elements that are not open, however many, cost nothing; nor does any close twice.
            while self._open_tags.get(name) and self._pop() != name:
                pass
            return
        ends = elements.ended_by(name)
        while self._stack and self._stack[-1].tag in ends:
            self._pop()
        self._separate(name)
        if name not in elements.VOID:
            self._push(name, self._source[token.start : token.end])

    def text(self, start: int, end: int) -> None:
        """Read a stretch of text."""
        if self._unseen:
            if self._stack[-1].tag == "title" and not self._title:
                self._title = " ".join(html.unescape(self._source[start:end]).split())
            return
        if self._after_pre and self._source.startswith("\n", start):
            start += 1  # the first line end of a <pre> is none of its text
        self._after_pre = False
        self._writer.write(start, end, verbatim=bool(self._open_tags.get("pre")))

    def outline(self) -> HTMLOutline:
        """Close what is open, and return what was read."""
        while self._stack:
            self._pop()
        text = self._writer.text
        for table, row in self._header_rows:
            if len(table.children) > 1:
                table.metadata = {"table_header": text[row.start : row.end].strip()}
        parts = [part for part in self._sections if part.start != _NOWHERE]
        starts = [0, *(part.start for part in parts[1:]), len(text)]
        sections = [
            Section(start, end, _path(part.headings, text), part.blocks)
            for part, start, end in zip(parts, starts, starts[1:], strict=False)
        ]
        for section in sections:  # only now: stretching blocks changes where headings end
            section.blocks = tiled(section.blocks, section.start, section.end)
        metadata: dict[str, Any] = {"title": self._title} if self._title else {}
        return HTMLOutline(text, sections, metadata, self._writer.runs)

    def _push(self, name: str, source: str) -> None:
        block = None
        unseen = self._is_unseen(name, source)
        if not (unseen or self._unseen):
            before = list(self._headings)
            block = self._begin(name)
        else:
            before = self._headings
        if name in elements.CELLS and self._cells:
            self._cells[-1] += 1
        elif name == "table":
            self._cells.append(0)
        self._stack.append(_Open(name, unseen, block, before))
        self._open_tags[name] = self._open_tags.get(name, 0) + 1
        self._unseen += unseen
        self._after_pre = name == "pre"

    def _pop(self) -> str:
        """Close the innermost element."""
        element = self._stack.pop()
        name = element.tag
        self._open_tags[name] -= 1
        self._unseen -= element.unseen
        self._separate(name)
        if name in elements.CELLS and self._cells:
            self._cells[-1] -= 1
        elif name == "table":
            self._cells.pop()
        if element.block is not None:
            element.block.end = self._writer.length
            self._blocks.pop()
            if element.block.start == _NOWHERE:
                self._fresh.pop()  # it has no text, and gets none now
            if name == "tr":
                self._row(element)
        if name in elements.SECTIONS and not self._unseen and not self._blocks:
            self._headings = element.headings
            self._sections.append(_Part(list(self._headings)))
        return name

    def _is_unseen(self, name: str, source: str) -> bool:
        if name in elements.UNSEEN:
            return True
        # Attributes are read where they can matter only.
        marked = "hidden" in source or "role" in source
        given = attributes(source) if marked else {}
        if "hidden" in given:
            return True
        in_content = any(self._open_tags.get(tag) for tag in elements.SECTIONS)
        return not self._boilerplate and elements.is_boilerplate(name, given, in_content)

    def _begin(self, name: str) -> Block | None:
        """Begin a block, and a section where the element does that too."""
        level = elements.HEADINGS.get(name, 7)
        block = Block(_NOWHERE, _NOWHERE, name in elements.WHOLE)
        if not self._blocks:
            if level <= self._split_level:
                self._headings = [entry for entry in self._headings if entry[0] < level]
                self._headings.append((level, block))
            if level <= self._split_level or name in elements.SECTIONS:
                self._sections.append(_Part(list(self._headings)))
        if name in elements.CELLS:
            self._cell(name)
        if name == "tr" and not self._in_cell():
            self._writer.tabs = -1  # no tab before the first cell
        if name not in elements.BLOCKS or len(self._blocks) >= _MAX_DEPTH:
            return None
        if self._in_cell() and name not in elements.KEPT_IN_CELLS:
            return None
        self._add(block)
        self._blocks.append((name, block))
        return block

    def _cell(self, name: str) -> None:
        if not self._in_cell():
            self._writer.tabs += 1
        if name == "td":
            row = next((entry for entry in reversed(self._stack[-3:]) if entry.tag == "tr"), None)
            if row is not None:
                row.is_header = False

    def _row(self, row: _Open) -> None:
        """Note a table's first row if it is a header."""
        table = next((entry for entry in reversed(self._stack[-3:]) if entry.tag == "table"), None)
        if table is None or table.block is None or row.block is None:
            return
        if table.rows == 0 and row.is_header and row.block.start != _NOWHERE:
            self._header_rows.append((table.block, row.block))
        table.rows += 1

    def _in_cell(self) -> bool:
        return bool(self._cells) and self._cells[-1] > 0

    def _add(self, block: Block) -> None:
        self._fresh.append(block)
        siblings = self._blocks[-1][1].children if self._blocks else self._sections[-1].blocks
        siblings.append(block)

    def _separate(self, name: str) -> None:
        """Ask for a separator before the next word; a longer one wins."""
        if self._unseen:
            return
        separator = elements.SEPARATORS.get(name, "")
        if not separator:
            return
        self._loose = None
        if self._in_cell():
            kept = name in elements.KEPT_IN_CELLS
            separator = elements.LINE if kept else " "
            self._writer.tabs = 0 if kept else self._writer.tabs
        elif self._open_tags.get("li") or self._open_tags.get("dd"):
            separator = elements.LINE
        self._writer.separate(separator)

    def _text_begins(self) -> None:
        """Begin the section and the blocks that waited for a text."""
        position = self._writer.length
        if self._sections[-1].start == _NOWHERE:
            self._sections[-1].start = position
        if self._loose is None and not self._takes_text():
            self._loose = Block(_NOWHERE, _NOWHERE)
            self._add(self._loose)
        for block in self._fresh:
            block.start = position
        self._fresh.clear()

    def _takes_text(self) -> bool:
        return bool(self._blocks) and self._blocks[-1][0] in elements.LEAVES


def _path(headings: Sequence[tuple[int, Block]], text: str) -> tuple[str, ...]:
    titles = (text[block.start : block.end] for _, block in headings if block.start != _NOWHERE)
    # Documentation generators end headings with a link to themselves.
    return tuple(" ".join(title.removesuffix("¶").split()) for title in titles)
