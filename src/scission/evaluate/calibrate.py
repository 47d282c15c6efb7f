"""What strategies take on a sample: chunks, tokens, time and memory, measured here and now."""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..api import strategies
from ..chunkers.base import GROUP_BYTES, Chunker
from ..embed.static import StaticEmbedder
from ..errors import ScissionError
from .grid import Configuration, Grid
from .run import chunker_of, timed_chunks
from .tokenspans import TokenSpans

#: A local model is timed on more and more chunks until that took so long.
_CALIBRATION_SECONDS = 1.0


@dataclass(frozen=True)
class Candidate:
    """A strategy to be estimated.

    Attributes
    ----------
    label : str
        What reports call it.
    chunker : Chunker
        As it would be used.
    counting : (Chunker, Counter) or None
        The same with a model that counts what it reads, where the strategy takes a model.
    """

    label: str
    chunker: Chunker
    counting: tuple[Chunker, Counter] | None


@dataclass(frozen=True)
class Calibration:
    """What a strategy took on a sample.

    Attributes
    ----------
    sample_tokens, chunks, tokens_stored, boundary_tokens : int
        Tokens of the sample; chunks made of it, their tokens, and those that a model read to find the boundaries.
    chunking_seconds_per_byte, embedding_seconds_per_token : float
        CPU time.
    working_bytes_per_byte : float
        Memory at the peak, for each byte of the text that is worked on at once.
    """

    sample_tokens: int
    chunks: int
    tokens_stored: int
    boundary_tokens: int
    chunking_seconds_per_byte: float
    embedding_seconds_per_token: float
    working_bytes_per_byte: float


class Counter:
    """A model that counts the tokens it is shown."""

    def __init__(self) -> None:
        self.tokens = 0
        self._model = StaticEmbedder.load_embedded()

    def embed(self, texts: Sequence[str]) -> Any:
        """Count, and return vectors that will do."""
        self.tokens += len(TokenSpans.of(texts))
        return self._model.embed(texts)


def candidates_of(grid: Grid | None) -> tuple[list[Candidate], dict[str, str]]:
    """Make the chunkers of a grid, or of every strategy by its defaults.

    Of the latter, what cannot do without options of its own is left out: returned second, with the reason.
    """
    if grid is not None:
        return [_candidate(cell) for cell in grid.configurations], {}
    classes = strategies()
    skipped = {name: "asks a language model" for name, made_by in classes.items() if made_by.paid}
    tables: list[dict[str, str]] = [{"strategy": name} for name in classes if name not in skipped]
    tables.append({"strategy": "semantic", "preset": "reference"})
    made: list[Candidate] = []
    for cell in Grid.from_dict({"strategies": tables}).configurations:
        try:
            made.append(_candidate(cell))
        except (ScissionError, TypeError) as error:
            skipped[cell.label] = str(error)
    return made, skipped


def calibrate(candidate: Candidate, sample: Sequence[str], embedder: Any) -> Calibration:
    """Chunk a sample, embed some of the chunks, and say what it took."""
    spans = TokenSpans.of(sample)
    batch, timings = timed_chunks(candidate.chunker, sample, False, repeat=True)
    first, last = spans.ranges(batch.document, batch.start, batch.end)
    boundary_tokens = 0
    if candidate.counting is not None:
        chunker, counter = candidate.counting
        chunker.chunk_batch(sample, threads=1)
        boundary_tokens = counter.tokens
    return Calibration(
        sample_tokens=len(spans),
        chunks=len(batch),
        tokens_stored=int((last - first).sum()),
        boundary_tokens=boundary_tokens,
        chunking_seconds_per_byte=timings["chunking_cpu_seconds"] / sum(map(_size, sample)),
        embedding_seconds_per_token=_seconds_per_token(
            embedder, [batch.text(i) for i in range(len(batch))]
        ),
        working_bytes_per_byte=_working_bytes(candidate.chunker, sample),
    )


def resident_megabytes() -> float:
    """Peak memory of this process so far: Python, the kernels and their tables; 0 where it is not known."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def _candidate(cell: Configuration) -> Candidate:
    chunker = chunker_of(cell, cell.options)
    counter = Counter()
    try:
        counting = chunker_of(cell, {**cell.options, "model": counter})
    except ScissionError:  # the strategy takes no model
        return Candidate(cell.label, chunker, None)
    return Candidate(cell.label, chunker, (counting, counter))


def _seconds_per_token(embedder: Any, texts: Sequence[str]) -> float:
    """Time a model on more and more of the chunks, until it took long enough to tell."""
    embedder.embed(texts[:1])
    tokens = 0
    taken = 0.0
    for part in _doubling(texts):
        began = time.process_time()
        embedder.embed(part)
        taken += time.process_time() - began
        tokens += len(TokenSpans.of(part))
        if taken > _CALIBRATION_SECONDS:
            break
    return taken / max(1, tokens)


def _doubling(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    begin, size = 0, 8
    while begin < len(texts):
        yield texts[begin : begin + size]
        begin, size = begin + size, 2 * size


def _working_bytes(chunker: Chunker, sample: Sequence[str]) -> float:
    """Bytes of memory for each byte of a group of documents, as the chunker works on it."""
    group: list[str] = []
    size = 0
    for text in sample:
        group.append(text)
        size += _size(text)
        if size > GROUP_BYTES:
            break
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        chunker.chunk_batch(group, threads=1)
        return (tracemalloc.get_traced_memory()[1] - before) / size
    finally:
        if not tracing:
            tracemalloc.stop()


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
