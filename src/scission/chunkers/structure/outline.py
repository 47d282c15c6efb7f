"""The structure of a document: sections that tile it, and in them blocks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Block:
    """A paragraph, table, list, definition: what a section consists of.

    Attributes
    ----------
    start, end : int
        Where it lies in the text, in code points. The blocks of a section, and the children of a block
        that has any, tile it: blank lines belong to the block before them.
    whole : bool
        Whether it is kept in one piece while it fits; a paragraph is not.
    children : list of Block
        Where it is cut if it does not fit: rows, list items, statements.
    metadata : dict or None
        What a chunk has to know that begins inside it, for instance a table's header.
    """

    start: int
    end: int
    whole: bool = False
    children: list[Block] = field(default_factory=list)
    metadata: dict[str, Any] | None = None


@dataclass(slots=True)
class Section:
    """A part of a document that no chunk crosses.

    Attributes
    ----------
    start, end : int
        Where it lies in the text, in code points.
    path : tuple of str
        The headings it stands under, outermost first, its own last.
    blocks : list of Block
        What it consists of, in order; they tile it.
    """

    start: int
    end: int
    path: tuple[str, ...] = ()
    blocks: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Outline:
    """What a parser found in a document.

    Attributes
    ----------
    text : str
        The text that chunks are slices of: the document, or what was extracted from it.
    sections : list of Section
        In order; they tile the text.
    metadata : dict
        What holds for the whole document: its front matter, its language.
    """

    text: str
    sections: list[Section]
    metadata: dict[str, Any] = field(default_factory=dict)


def tiled(blocks: Sequence[Block], start: int, end: int) -> list[Block]:
    """Stretch blocks, in order, until they and their children tile the span from `start` to `end`."""
    kept: list[Block] = []
    for (
        block
    ) in blocks:  # a parser may report an empty block, or one that begins where another does
        if start <= block.start < end and (not kept or block.start > kept[-1].start):
            kept.append(block)
    starts = [start, *(block.start for block in kept[1:]), end]
    for block, begin, finish in zip(kept, starts, starts[1:], strict=False):
        block.start, block.end = begin, finish
        block.children = tiled(block.children, block.start, block.end)
    return kept


def noted(blocks: Sequence[Block]) -> list[Block]:
    """Return the outermost blocks that have something to say to chunks inside them, in order."""
    return list(_noted(blocks))


def _noted(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.metadata is not None:
            yield block
        else:
            yield from _noted(block.children)


def around(blocks: Sequence[Block], starts: Sequence[int], position: int) -> Block | None:
    """Return the block in which `position` lies, not at its start; `starts` are those of `blocks`."""
    i = bisect_right(starts, position - 1) - 1
    return blocks[i] if i >= 0 and position < blocks[i].end else None


def joined_small(
    sections: Sequence[Section], sizes: Sequence[int], minimum: int, limit: int
) -> list[Section]:
    """Join sections below `minimum` with their neighbours under the same heading, up to `limit`.

    Sections are joined when the later one stands under the heading that the earlier one stands under; the path of
    the result is what their paths have in common. A small section goes with the one after it if it can, otherwise
    with the one before.
    """
    out: list[Section] = []
    held: list[int] = []
    for section, size in zip(sections, sizes, strict=True):
        small = bool(out) and min(held[-1], size) < minimum and held[-1] + size <= limit
        if small and section.path[: len(out[-1].path[:-1])] == out[-1].path[:-1]:
            out[-1] = _join(out[-1], section)
            held[-1] += size
        else:
            out.append(section)
            held.append(size)
    return out


def _join(first: Section, second: Section) -> Section:
    common = 0
    for one, other in zip(first.path, second.path, strict=False):
        if one != other:
            break
        common += 1
    return Section(first.start, second.end, first.path[:common], [*first.blocks, *second.blocks])
