"""Source code to an outline, through tree-sitter."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...text import TextBuffer
from .code_languages import parser_of
from .code_nodes import CONTAINERS, definitions_within, is_attached, is_definition, name_of
from .outline import Block, Outline, Section, tiled

if TYPE_CHECKING:
    from tree_sitter import Node

#: Blocks deeper than this are not looked into.
_MAX_DEPTH = 40
_SPACES = b" \t"
#: What ends a definition after its last statement.
_CLOSERS = " \t\r\n\f;,)}]"
_END = re.compile(r"(?<!\w)end\Z")


@dataclass(slots=True)
class Definition:
    """Something with a name.

    Attributes
    ----------
    start, end : int
        Its span, with the comments and decorators before it.
    name : str
        Its own name.
    parent : int
        The number of the definition around it; -1 for none.
    """

    start: int
    end: int
    name: str
    parent: int


@dataclass(slots=True)
class CodeOutline(Outline):
    """The outline of source code, with its definitions in the order of their starts."""

    definitions: list[Definition] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    def scope(self, start: int, end: int) -> list[str]:
        """Return the names of the definitions around a span, outermost first."""
        piece = self.text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        finish = start + _last_statement(piece)
        i = bisect_right(self.starts, begin) - 1
        while i >= 0 and self.definitions[i].end < finish:
            i = self.definitions[i].parent
        return self._path(i)

    def begun(self, start: int, end: int) -> list[str]:
        """Return the full names, with dots, of the definitions that begin in a span."""
        first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
        return [".".join(self._path(i)) for i in range(first, last)]

    def _path(self, i: int) -> list[str]:
        names = []
        while i >= 0:
            names.append(self.definitions[i].name)
            i = self.definitions[i].parent
        return names[::-1]


def code_outline(text: str, language: str | None, limit: int) -> CodeOutline:
    """Find the definitions and statements of a source file.

    Parameters
    ----------
    text : str
        The file; syntax errors are no obstacle.
    language : str or None
        A key of `GRAMMARS`; None for a text without known structure.
    limit : int
        What is not longer than this, in bytes, is not looked into.
    """
    outline = CodeOutline(text, [Section(0, len(text))] if text else [], {"language": language})
    if not text:
        return outline
    outline.sections[0].blocks = [Block(0, len(text))]
    if language is None:
        return outline
    source = text.encode("utf-8", "surrogatepass")
    root = parser_of(language).parse(source).root_node
    blocks = _blocks(root, source, limit, 0)
    definitions = list(_definitions(root, source))
    places = _Places(text, source, blocks, definitions)
    places.move(blocks)
    for definition in definitions:
        definition.start = places[definition.start]
        definition.end = places[definition.end]
    outline.sections[0].blocks = tiled(blocks, 0, len(text)) or outline.sections[0].blocks
    outline.definitions = definitions
    outline.starts = [definition.start for definition in definitions]
    return outline


class _Places:
    """From bytes to code points, for every place of an outline at once."""

    def __init__(
        self, text: str, source: bytes, blocks: Sequence[Block], definitions: Sequence[Definition]
    ) -> None:
        self._points: dict[int, int] | None = None
        if len(source) == len(text):
            return
        from ...kernels import utf8

        found = {place for block in _every(blocks) for place in (block.start, block.end)}
        found.update(place for d in definitions for place in (d.start, d.end))
        places = np.asarray(sorted(found), np.int32)
        points = np.empty_like(places)
        utf8.code_point_offsets(TextBuffer.from_texts([text]).data, np.int64(0), places, points)
        self._points = dict(zip(places.tolist(), points.tolist(), strict=True))

    def __getitem__(self, place: int) -> int:
        return place if self._points is None else self._points[place]

    def move(self, blocks: Sequence[Block]) -> None:
        for block in _every(blocks):
            block.start, block.end = self[block.start], self[block.end]


def _every(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        yield from _every(block.children)


def _blocks(node: Node, source: bytes, limit: int, depth: int) -> list[Block]:
    """Return where a node may be cut, with what is inside those parts that are longer than the limit."""
    out = []
    for start, part in _parts(node, source):
        if not _may_cut(source, start):
            continue
        block = Block(start, part.end_byte, _defines(part))
        if part.end_byte - start > limit and depth < _MAX_DEPTH:
            block.children = _blocks(part, source, limit, depth + 1)
        out.append(block)
    return out


def _parts(node: Node, source: bytes) -> Iterator[tuple[int, Node]]:
    """Yield the statements or elements of the outermost containers in a node, and where each begins."""
    waiting = [node]
    is_first = True
    while waiting:
        current = waiting.pop()
        if current.type in CONTAINERS or (is_first and current.parent is None):
            yield from _grouped(current, source)
        else:
            waiting.extend(reversed(current.children))
        is_first = False


def _grouped(container: Node, source: bytes) -> Iterator[tuple[int, Node]]:
    """Yield the members of a container, each from the comments and decorators on the lines before it."""
    start = -1
    last: Node | None = None  # the member or comment before
    for child in container.children:
        if not child.is_named:
            continue
        is_apart = last is None or child.start_point[0] > last.end_point[0] + 1
        if start >= 0 and is_apart and last is not None:
            yield start, last  # a comment above a blank line stands alone
            start = -1
        if (
            is_attached(child)
            and last is not None
            and child.start_point[0] == last.end_point[0]
            and start < 0
        ):
            continue  # a comment at the end of a line belongs to that line
        if start < 0:
            start = _line_start(source, child.start_byte)
        last = child
        if not is_attached(child):
            yield start, child
            start = -1
    if start >= 0 and last is not None:
        yield start, last


def _defines(node: Node, depth: int = 3) -> bool:
    """Tell whether a node is a definition, or an export, decorated or declared one."""
    if is_definition(node):
        return True
    if depth == 0 or node.type in CONTAINERS or not definitions_within(node):
        return False
    return any(_defines(child, depth - 1) for child in node.children)


def _definitions(root: Node, source: bytes) -> Iterator[Definition]:
    """Yield the definitions of a tree in the order of their starts."""
    count = 0
    waiting: list[tuple[Node, int, int]] = [(root, 0, -1)]
    while waiting:
        node, start, parent = waiting.pop()
        if node is not root and is_definition(node):
            name = name_of(node, source)
            if name:
                yield Definition(start, node.end_byte, name, parent)
                parent = count
                count += 1
        inside: list[tuple[Node, int, int]] = []
        if node.type in CONTAINERS or node is root:
            inside = [(child, begin, parent) for begin, child in _grouped(node, source)]
        elif definitions_within(node):
            begin = start
            for child in node.children:
                if definitions_within(child) or is_definition(child):
                    inside.append((child, begin if not inside else child.start_byte, parent))
        waiting.extend(reversed(inside))


def _last_statement(piece: str) -> int:
    """Return where a piece ends without the closers of definitions; Ruby and Lua have a word for them."""
    bare = piece.rstrip(_CLOSERS)
    while _END.search(bare, len(bare) - 4 if len(bare) > 4 else 0):
        bare = bare[:-3].rstrip(_CLOSERS)
    return len(bare)


def _line_start(source: bytes, position: int) -> int:
    """Return the start of the line when nothing but blanks stands before a position, or the position."""
    begin = position
    while begin > 0 and source[begin - 1] in _SPACES:
        begin -= 1
    return begin if begin == 0 or source[begin - 1] in b"\r\n" else position


def _may_cut(source: bytes, position: int) -> bool:
    """Tell whether a place is certainly between grapheme clusters."""
    if position == 0 or source[position - 1] == 10:
        return True
    if position >= len(source):
        return False
    before, after = source[position - 1], source[position]
    return before < 128 and after < 128 and not (before == 13 and after == 10)
