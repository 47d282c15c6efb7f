"""What chunking and embedding a corpus will take, before it is done."""

from __future__ import annotations

import random
import sys
import time
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..api import strategies
from ..chunkers.base import GROUP_BYTES, Chunker
from ..embed.registry import resolve
from ..errors import ScissionError
from .grid import Configuration, Grid
from .prices import Prices
from .run import chunker_of, timed_chunks
from .tokenspans import TokenSpans

#: Documents that are chunked to find out, and how much of each, in characters.
SAMPLE_DOCUMENTS, SAMPLE_CHARACTERS = 64, 1 << 16

#: A local model is timed on the sample's chunks for about so long.
_CALIBRATION_SECONDS = 2.0


@dataclass(frozen=True)
class StrategyEstimate:
    """What one strategy will take.

    Attributes
    ----------
    label : str
        The strategy, with the options that tell it from others.
    chunks : int
        About how many chunks it makes.
    tokens_stored : int
        Tokens of these, to be embedded and stored; more than the documents' own with overlap.
    boundary_tokens : int
        Tokens that a model reads to find the boundaries; 0 for a strategy that asks no model. With the embedded
        model they cost next to nothing, with an API model they are paid for too.
    prices : dict of str to float
        What each API model charges for the stored tokens.
    prices_with_boundaries : dict of str to float
        The same where the API model finds the boundaries as well.
    chunking_seconds : float
        CPU time of one core of this machine, compiling the kernels left out.
    embedding_seconds : float
        CPU time of embedding the chunks with the local model.
    peak_megabytes : float
        Memory of a process that chunks the documents as a stream on one thread.
    """

    label: str
    chunks: int
    tokens_stored: int
    boundary_tokens: int
    prices: dict[str, float]
    prices_with_boundaries: dict[str, float]
    chunking_seconds: float
    embedding_seconds: float
    peak_megabytes: float


@dataclass(frozen=True)
class Estimate:
    """What a corpus is, and what each strategy will take.

    Attributes
    ----------
    documents, characters, bytes, tokens : int
        Of the corpus, counted; tokens are those of bert-base-uncased.
    largest_bytes : int
        Size of the largest document.
    strategies : list of StrategyEstimate
        By strategy; figures are scaled up from a sample.
    skipped : dict of str to str
        Strategies that could not be made, and why.
    price_currency, price_as_of : str
        Of the prices.
    """

    documents: int
    characters: int
    bytes: int
    tokens: int
    largest_bytes: int
    strategies: list[StrategyEstimate]
    skipped: dict[str, str]
    price_currency: str
    price_as_of: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return asdict(self)


def estimate(
    texts: Iterable[str],
    *,
    grid: Grid | None = None,
    model: Any = "minilm-static",
    prices: Prices | None = None,
    seed: int = 0,
) -> Estimate:
    """Estimate tokens, prices, time and memory before anything is run.

    The documents are read once and their tokens counted, in constant memory. Up to 64 of them, drawn at random,
    are chunked here and now, at most 65,536 characters of each; what comes out is scaled up.

    Parameters
    ----------
    texts : iterable of str
        The documents.
    grid : Grid, optional
        Configurations to estimate; by default each strategy with its own defaults.
    model : str, path, callable or object, default "minilm-static"
        The local model that would embed the chunks.
    prices : Prices, optional
        Those of the package by default.
    seed : int, default 0
        Of the sample.

    Returns
    -------
    Estimate
    """
    table = prices or Prices.load()
    reader = _Reader(random.Random(seed))  # noqa: S311 -- a sample, no secret
    for text in texts:
        reader.read(text)
    reader.count()
    makers, skipped = _chunkers(grid)
    embedder = resolve(model)
    rows = []
    base = _resident_megabytes()
    for label, chunker, counting in makers:
        if reader.sample:
            rows.append(_estimate(label, chunker, counting, reader, embedder, table, base))
    return Estimate(
        documents=reader.documents,
        characters=reader.characters,
        bytes=reader.bytes,
        tokens=reader.tokens,
        largest_bytes=reader.largest,
        strategies=rows,
        skipped=skipped,
        price_currency=table.currency,
        price_as_of=table.as_of,
    )


class _Reader:
    """Counts documents as they go by, and keeps a sample of them (Vitter 1985, algorithm R)."""

    def __init__(self, generator: random.Random) -> None:
        self.documents = self.characters = self.bytes = self.tokens = self.largest = 0
        self.sample: list[str] = []
        self._generator = generator
        self._waiting: list[str] = []
        self._held = 0

    def read(self, text: str) -> None:
        """Take the next document."""
        size = len(text.encode("utf-8", "surrogatepass"))
        self.documents += 1
        self.characters += len(text)
        self.bytes += size
        self.largest = max(self.largest, size)
        self._keep(text[:SAMPLE_CHARACTERS])
        self._waiting.append(text)
        self._held += size
        if self._held > GROUP_BYTES:
            self.count()

    def count(self) -> None:
        """Count the tokens of the documents read since the last time."""
        self.tokens += len(TokenSpans.of(self._waiting))
        self._waiting, self._held = [], 0

    def _keep(self, text: str) -> None:
        if not text:
            return
        if len(self.sample) < SAMPLE_DOCUMENTS:
            self.sample.append(text)
            return
        place = self._generator.randrange(self.documents)
        if place < SAMPLE_DOCUMENTS:
            self.sample[place] = text


class _Counter:
    """A model that counts the tokens it is shown."""

    def __init__(self) -> None:
        self.tokens = 0
        self._model = resolve("minilm-static")

    def embed(self, texts: Sequence[str]) -> Any:
        """Count, and return vectors that will do."""
        self.tokens += len(TokenSpans.of(texts))
        return self._model.embed(texts)  # type: ignore[attr-defined]


#: Label, chunker, and the same chunker around a counting model when it takes one.
_Maker = tuple[str, Chunker, tuple[Chunker, _Counter] | None]


def _chunkers(grid: Grid | None) -> tuple[list[_Maker], dict[str, str]]:
    """Make the chunkers; a strategy that cannot do without options of its own is skipped."""
    if grid is not None:
        return [
            (cell.label, chunker_of(cell, dict(cell.options)), _counting(cell))
            for cell in grid.configurations
        ], {}
    made: list[_Maker] = []
    skipped = {}
    cells = [{"strategy": name} for name in strategies()]
    for cell in Grid.from_dict(
        {"strategies": [*cells, {"strategy": "semantic", "preset": "reference"}]}
    ).configurations:
        try:
            made.append((cell.label, chunker_of(cell, {}), _counting(cell)))
        except (ScissionError, TypeError) as error:
            skipped[cell.label] = str(error)
    return made, skipped


def _counting(cell: Configuration) -> tuple[Chunker, _Counter] | None:
    counter = _Counter()
    try:
        return chunker_of(cell, {**cell.options, "model": counter}), counter
    except ScissionError:  # the strategy asks no model
        return None


def _estimate(
    label: str,
    chunker: Chunker,
    counting: tuple[Chunker, _Counter] | None,
    reader: _Reader,
    embedder: Any,
    prices: Prices,
    base: float,
) -> StrategyEstimate:
    sample = reader.sample
    sample_bytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in sample)
    spans = TokenSpans.of(sample)
    batch, timings = timed_chunks(chunker, sample, False, repeat=True)
    first, last = spans.ranges(batch.document, batch.start, batch.end)
    scale = reader.tokens / max(1, len(spans))
    stored = round(scale * int((last - first).sum()))
    boundary = 0
    if counting is not None:
        counter = counting[1]
        counting[0].chunk_batch(sample, threads=1)
        boundary = round(scale * counter.tokens)
    per_token = _seconds_per_token(embedder, [batch.text(i) for i in range(len(batch))])
    return StrategyEstimate(
        label=label,
        chunks=round(scale * len(batch)),
        tokens_stored=stored,
        boundary_tokens=boundary,
        prices=_prices(prices, stored),
        prices_with_boundaries=_prices(prices, stored + boundary),
        chunking_seconds=timings["chunking_cpu_seconds"] * reader.bytes / sample_bytes,
        embedding_seconds=per_token * stored,
        peak_megabytes=base + _working_megabytes(chunker, sample, reader.largest),
    )


def _prices(prices: Prices, tokens: int) -> dict[str, float]:
    return {name: prices.price(tokens, name) for name in prices.models}


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
        if taken > _CALIBRATION_SECONDS / 2:
            break
    return taken / max(1, tokens)


def _doubling(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    begin, size = 0, 8
    while begin < len(texts):
        yield texts[begin : begin + size]
        begin, size = begin + size, 2 * size


def _working_megabytes(chunker: Chunker, sample: Sequence[str], largest: int) -> float:
    """Memory of the arrays of one group: what a group of the sample needs, scaled to the largest."""
    group: list[str] = []
    size = 0
    for text in sample:
        group.append(text)
        size += len(text.encode("utf-8", "surrogatepass"))
        if size > GROUP_BYTES:
            break
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        chunker.chunk_batch(group, threads=1)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        if not tracing:
            tracemalloc.stop()
    return peak / size * max(GROUP_BYTES, largest) / 1e6


def _resident_megabytes() -> float:
    """Peak memory of this process so far: Python, the kernels and their tables; 0 where it is not known."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3
