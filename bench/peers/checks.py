"""Whether an output may be compared at all: what it keeps, how large its chunks are, whether its offsets hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import mean

from bench.peers.case import Piece


@dataclass(frozen=True)
class Quality:
    """Figures of one output; shares are of 1.

    Attributes
    ----------
    lossless : float
        Documents whose chunks, joined, are the document.
    kept : float
        Documents whose characters other than white space are all there, once and in order.
    exact : float or None
        Chunks that stand in the document where their offset says; None without offsets.
    over : float
        Chunks above the limit.
    mean_size, chunks : float, int
        Mean size of a chunk in the task's unit, and their number.
    """

    lossless: float
    kept: float
    exact: float | None
    over: float
    mean_size: float
    chunks: int

    def faults(self, reference: Quality) -> list[str]:
        """Say what stands in the way of comparing speeds with `reference`."""
        found = []
        if self.kept < 0.99:
            found.append(f"loses or repeats text in {1 - self.kept:.0%} of documents")
        if self.over > 0.01:
            found.append(f"{self.over:.0%} of chunks above the limit")
        if not 0.5 <= self.mean_size / reference.mean_size <= 2:
            found.append(f"mean size {self.mean_size:.0f} against {reference.mean_size:.0f}")
        return found

    def to_dict(self) -> dict[str, float | int | None]:
        """Return the fields."""
        return asdict(self)


def quality(
    texts: Sequence[str],
    outputs: Sequence[Sequence[Piece]],
    limit: int | None,
    size: Callable[[str], int],
) -> Quality:
    """Judge the chunks of some documents."""
    sizes = [size(piece.text) for output in outputs for piece in output]
    located = [
        text.startswith(piece.text, piece.start)
        for text, output in zip(texts, outputs, strict=True)
        for piece in output
        if piece.start is not None
    ]
    joined = ["".join(piece.text for piece in output) for output in outputs]
    return Quality(
        lossless=_share([a == b for a, b in zip(joined, texts, strict=True)]),
        kept=_share([_bare(a) == _bare(b) for a, b in zip(joined, texts, strict=True)]),
        exact=_share(located) if located else None,
        over=_share([limit is not None and count > limit for count in sizes]),
        mean_size=mean(sizes),
        chunks=len(sizes),
    )


def _bare(text: str) -> str:
    return "".join(text.split())


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)
