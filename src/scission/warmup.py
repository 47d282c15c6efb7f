"""Compiling ahead of time what the first chunk would otherwise wait for."""

from __future__ import annotations

from collections.abc import Callable

from .sample import SAMPLE


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
