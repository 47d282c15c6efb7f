"""What chunking and embedding a corpus will take, before it is done."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from ..chunkers.base import GROUP_BYTES
from ..embed.registry import resolve
from .calibrate import Calibration, Candidate, calibrate, candidates_of, resident_megabytes
from .grid import Grid
from .prices import Prices
from .tokenspans import TokenSpans

#: Documents that are chunked to find out, and how much of each, in characters.
SAMPLE_DOCUMENTS, SAMPLE_CHARACTERS = 64, 1 << 16


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
    candidates, skipped = candidates_of(grid)
    embedder = resolve(model)
    base = resident_megabytes()
    rows = [
        _scaled(candidate, calibrate(candidate, reader.sample, embedder), reader, table, base)
        for candidate in (candidates if reader.sample else ())
    ]
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


def _scaled(
    candidate: Candidate, found: Calibration, reader: _Reader, prices: Prices, base: float
) -> StrategyEstimate:
    """Scale what the sample took to the corpus."""
    scale = reader.tokens / max(1, found.sample_tokens)
    stored = round(scale * found.tokens_stored)
    boundary = round(scale * found.boundary_tokens)
    working = found.working_bytes_per_byte * max(GROUP_BYTES, reader.largest) / 1e6
    return StrategyEstimate(
        label=candidate.label,
        chunks=round(scale * found.chunks),
        tokens_stored=stored,
        boundary_tokens=boundary,
        prices=_prices(prices, stored),
        prices_with_boundaries=_prices(prices, stored + boundary),
        chunking_seconds=found.chunking_seconds_per_byte * reader.bytes,
        embedding_seconds=found.embedding_seconds_per_token * stored,
        peak_megabytes=base + working,
    )


def _prices(prices: Prices, tokens: int) -> dict[str, float]:
    return {name: prices.price(tokens, name) for name in prices.models}
