"""Compiling ahead of time what the first chunk would otherwise wait for."""

from __future__ import annotations

from collections.abc import Callable

#: A little of everything: headings, quotes, abbreviations, a fence, a list, other scripts.
SAMPLE = (
    "# Ships\n\nThe harbour lay still. Three ships came in at dawn, \u201claden with salt\u201d; their "
    "sails hung low. The crews slept.\n\nBread rises when yeast feeds on sugar. The oven must be hot. "
    "Bakers start early, e.g. at 3 a.m., and sell out by noon.\n\n```\ncode\n```\n\n- r\u00e9sum\u00e9 "
    "of antidisestablishmentarianism \u6d77\u306e\u8239\u3002\n"
)


def steps() -> list[tuple[str, Callable[[], object]]]:
    """Return what has to run once for every kernel to be compiled, with names for progress."""
    from .chunkers.breakpoints import THRESHOLDS
    from .chunkers.recursive import RecursiveChunker
    from .chunkers.semantic import SemanticChunker
    from .units import split_sentences

    def words(text: str) -> list[tuple[int, int]]:
        return [(at, at + 1) for at in range(0, len(text), 40)]

    def partition() -> object:
        return SemanticChunker().chunk_batch([SAMPLE], embeddings=True, threads=1)

    def explanation() -> object:
        return SemanticChunker().explain(SAMPLE)

    def small_chunks() -> object:
        return SemanticChunker(max_tokens=4).chunk(SAMPLE)

    def splitter() -> object:
        return SemanticChunker(splitter=words, number_of_chunks=3).chunk(SAMPLE)

    def windows() -> object:
        return SemanticChunker(distances="windows", breakpoints="percentile").chunk(SAMPLE)

    def threshold(kind: str) -> Callable[[], object]:
        return lambda: SemanticChunker(breakpoints=kind).chunk(SAMPLE)

    return [
        ("sentences", lambda: split_sentences(SAMPLE)),
        ("partition", partition),
        ("explanation", explanation),
        ("small chunks", small_chunks),
        ("splitter", splitter),
        ("windows", windows),
        *((kind, threshold(kind)) for kind in THRESHOLDS),
        ("separators", lambda: RecursiveChunker(max_tokens=4).chunk(SAMPLE)),
    ]


def warmup() -> None:
    """Compile every kernel, or load it from the disk cache, in this process.

    Call it when a service starts: the first document then takes as long as the thousandth.
    """
    for _, step in steps():
        step()
