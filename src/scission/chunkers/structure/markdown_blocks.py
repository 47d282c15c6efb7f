"""Markdown to an outline, through markdown-it-py."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ...errors import MissingExtra
from .front_matter import front_matter
from .lines import line_starts
from .outline import Block, Outline, Section, tiled

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

#: Titles longer than this, in characters, keep their markup: reading it may take the square of their length.
_LONGEST_TITLE = 1000

#: Blocks that a chunk may end in: their sentences are the inner strategy's.
_DIVISIBLE = frozenset({"paragraph_open"})


@cache
def parser() -> MarkdownIt:
    """Return the parser: CommonMark with GFM's tables, block structure only.

    Raises
    ------
    MissingExtra
        markdown-it-py is not installed.
    """
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise MissingExtra(
            "MarkdownChunker needs markdown-it-py, which is not installed: "
            "pip install 'scission[markdown]'"
        ) from None
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


def markdown_outline(text: str, split_level: int) -> Outline:
    """Find the sections and blocks of a Markdown document.

    Parameters
    ----------
    text : str
        The document.
    split_level : int
        Headings down to this level begin a section; deeper ones are blocks of it.

    Returns
    -------
    Outline
        Sections tile the text; what stands before the first heading is one of its own. Front matter is in
        ``metadata["front_matter"]``.
    """
    if not text:
        return Outline(text, [])
    matter_end, matter = front_matter(text)
    body = text[matter_end:]
    lines = [matter_end + start for start in line_starts(body)]
    tokens = parser().parse(body)
    sections = [Section(0, len(text))]
    blocks = [Block(0, matter_end, True)] if matter_end else []
    headings: list[tuple[int, str]] = []
    for block, token, title in _top_level(tokens, text, lines):
        level = int(token.tag[1]) if token.type == "heading_open" else 7
        if level <= split_level:
            headings = [entry for entry in headings if entry[0] < level]
            headings.append((level, title))
            _close(sections, blocks, block.start)
            path = tuple(name for _, name in headings)
            sections.append(Section(block.start, len(text), path))
            blocks = []
        blocks.append(block)
    _close(sections, blocks, len(text))
    kept = [section for section in sections if section.start < section.end]
    return Outline(text, kept, {"front_matter": matter} if matter_end else {})


def _close(sections: Sequence[Section], blocks: Sequence[Block], end: int) -> None:
    last = sections[-1]
    last.end = end
    last.blocks = tiled(blocks, last.start, end) or [Block(last.start, end)]


def _top_level(
    tokens: Sequence[Token], text: str, lines: Sequence[int]
) -> list[tuple[Block, Token, str]]:
    """Return the blocks that lie in no other, with their tokens and the titles of headings."""
    out: list[tuple[Block, Token, str]] = []
    open_blocks: list[Block] = []
    for token in tokens:
        if token.nesting < 0:
            open_blocks.pop()
            continue
        if token.type == "inline":
            if len(open_blocks) == 1 and out[-1][1].type == "heading_open":
                out[-1] = (*out[-1][:2], _plain_title(token.content))
            continue
        block = _block(token, text, lines, open_blocks)
        if not open_blocks:
            out.append((block, token, ""))
        elif open_blocks[-1].metadata is None:  # the rows of a table it has already
            open_blocks[-1].children.append(block)
        if token.nesting > 0:
            open_blocks.append(block)
    return out


def _block(token: Token, text: str, lines: Sequence[int], open_blocks: Sequence[Block]) -> Block:
    if token.map is None:  # a body of a table has no lines of its own
        return Block(0, 0)
    first, last = token.map
    block = Block(lines[first], lines[last], token.type not in _DIVISIBLE)
    if token.type == "table_open":
        header = text[lines[first] : lines[min(first + 2, last)]].strip("\r\n")
        block.metadata = {"table_header": header}
        starts = [first, *range(first + 2, last)]
        ends = [*starts[1:], last]
        block.children = [
            Block(lines[a], lines[b], True) for a, b in zip(starts, ends, strict=True)
        ]
    return block


def _plain_title(markdown: str) -> str:
    """Return the text of a heading without its markup."""
    if len(markdown) > _LONGEST_TITLE:
        return " ".join(markdown.split())
    tokens = _inline_parser().parseInline(markdown)
    return " ".join("".join(_plain_parts(tokens[0].children or [])).split())


def _plain_parts(tokens: Sequence[Token]) -> list[str]:
    out = []
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            out.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            out.append(" ")
        elif token.type == "image":
            out.extend(_plain_parts(token.children or []))
    return out


@cache
def _inline_parser() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("strikethrough")
