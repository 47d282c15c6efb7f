"""Where the blocks of a section let it be cut."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from .outline import Block

#: The size of the text between two positions at which it was measured.
Measure = Callable[[int, int], int]


def block_borders(blocks: Sequence[Block]) -> Iterator[int]:
    """Yield the start of every block, on every level, in order; some of them twice."""
    for block in blocks:
        yield block.start
        yield from block_borders(block.children)


def measure_between(positions: Sequence[int], sizes: Sequence[int]) -> Measure:
    """Return a function for the size between any two of `positions`, from the sizes between neighbours."""
    totals = dict(
        zip(positions, [0, *np.cumsum(np.asarray(sizes, np.int64)).tolist()], strict=True)
    )
    return lambda start, end: totals[end] - totals[start]


def is_disturbed(cuts: Sequence[int], blocks: Sequence[Block]) -> bool:
    """Tell whether a cut falls inside a block that is to be kept whole."""
    return any(
        bool(_within(cuts, block)) if block.whole else is_disturbed(cuts, block.children)
        for block in blocks
    )


def pieces_of(blocks: Sequence[Block], size: Measure, limit: int) -> Iterator[tuple[Block, bool]]:
    """Yield the outermost blocks that need not be looked into, and whether each is to be kept whole."""
    for block in blocks:
        if block.whole and size(block.start, block.end) <= limit:
            yield block, True
        elif block.children:
            yield from pieces_of(block.children, size, limit)
        else:
            yield block, False


def agreed_cuts(
    start: int,
    end: int,
    suggested: Sequence[int],
    blocks: Sequence[Block],
    size: Measure,
    limit: int,
) -> list[int]:
    """Cut a section where a strategy suggests, but never inside a block that fits.

    Suggestions inside such a block are dropped; a piece that becomes too large for it is cut before a block, as late as
    possible. A piece without a block's border stays too large.

    Parameters
    ----------
    start, end : int
        The section.
    suggested : sequence of int
        Cuts within it, ascending.
    blocks : sequence of Block
        Its blocks.
    size : callable
        Measures between block borders, suggested cuts and the section's ends.
    limit : int
        The largest size of a piece.

    Returns
    -------
    list of int
        Ascending cuts within the section.
    """
    pieces = list(pieces_of(blocks, size, limit))
    dropped = {cut for block, whole in pieces if whole for cut in _within(suggested, block)}
    cuts = [cut for cut in suggested if cut not in dropped]
    borders = [block.start for block, _ in pieces]
    out: list[int] = []
    begin = start
    for cut in [*cuts, end]:
        out.extend(_filled(begin, cut, borders, size, limit))
        if cut < end:
            out.append(cut)
        begin = cut
    return out


def nested_cuts(
    blocks: Sequence[Block], size: Measure, limit: int, join_whole: bool
) -> Iterator[int]:
    """Yield where each piece of a row of blocks begins: neighbours are joined while they fit.

    A block above the limit is looked into. The pieces of one that was to be kept whole are joined with nothing outside
    it; unless `join_whole`, nor is such a block that fits.
    """
    begin: int | None = None  # of the piece that is being filled
    for block, is_apart in _row(blocks, size, limit):
        alone = block.whole and not join_whole
        if begin is None or is_apart or alone or size(begin, block.end) > limit:
            begin = block.start
            yield begin
        if alone:
            begin = None


def _row(blocks: Sequence[Block], size: Measure, limit: int) -> list[tuple[Block, bool]]:
    """Return the blocks to fill pieces with, and whether each is kept apart from the one before."""
    row: list[tuple[Block, bool]] = []
    is_apart = False
    for block in blocks:
        inside = [(block, is_apart)]
        is_divided = size(block.start, block.end) > limit and bool(block.children)
        if is_divided:
            inside = _row(block.children, size, limit)
            inside[0] = (inside[0][0], is_apart or block.whole or inside[0][1])
        is_apart = is_divided and block.whole
        row.extend(inside)
    return row


def _filled(
    start: int, end: int, borders: Sequence[int], size: Measure, limit: int
) -> Iterator[int]:
    """Yield cuts at borders, each as late as possible, until the pieces of a span fit."""
    if size(start, end) <= limit:
        return
    fitting = start
    for i in range(bisect_right(borders, start), bisect_left(borders, end)):
        if size(start, borders[i]) > limit and fitting > start:
            yield fitting
            start = fitting
        fitting = borders[i]
    if fitting > start and size(start, end) > limit:
        yield fitting


def _within(cuts: Sequence[int], block: Block) -> Sequence[int]:
    return cuts[bisect_right(cuts, block.start) : bisect_left(cuts, block.end)]
