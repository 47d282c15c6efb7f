"""Running a grid: chunk, embed, retrieve, score, one configuration after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api import make_chunker
from ..chunkers.base import Chunker
from ..chunks import ChunkBatch
from ..embed.static import EMBEDDED, StaticEmbedder
from ..errors import OptionError
from .cache import Cache, model_fingerprint, result_key
from .corpus import Corpus
from .decide import Verdict, decide, primary_metric
from .grid import Configuration, Grid, Model, canonical
from .nearest import chosen_method
from .prices import Prices
from .retrieval import ChunkRanges, score_retrieval
from .shape import Spans, measure_shape, sentence_spans
from .vectors import WARM_UP, Vectors

#: Told how many of how many texts a configuration has embedded: (label, done, all).
Progress = Callable[[str, int, int], object]

#: Chunking faster than this is timed three times, and the median taken.
_SHORT_SECONDS = 1.0


@dataclass(frozen=True)
class Report:
    """What a grid came to.

    Attributes
    ----------
    results : dict
        Everything that follows from corpus and grid alone: the same every time it is made.
    timings : dict
        What this machine took, by label.
    scores : dict of str to dict of str to float64[Q]
        Score of each question, by label and metric.
    verdict : Verdict
        Which is best, and by how much.
    """

    results: dict[str, Any]
    timings: dict[str, dict[str, float]]
    scores: dict[str, dict[str, NDArray[np.float64]]]
    verdict: Verdict


def run_grid(
    corpus: Corpus,
    grid: Grid,
    *,
    cache: str | PathLike[str] | None = None,
    prices: Prices | None = None,
    progress: Progress | None = None,
    finished: Callable[[str], object] | None = None,
) -> Report:
    """Score every configuration of a grid on a corpus.

    Parameters
    ----------
    corpus : Corpus
        Documents and questions.
    grid : Grid
        What to compare.
    cache : path, optional
        A folder in which finished configurations, and vectors, are found again. A run that was stopped goes on from
        there, and ends with the same results.
    prices : Prices, optional
        Those of the package by default.
    progress : callable, optional
        Called with label, texts done and texts in all while a configuration's chunks are embedded.
    finished : callable, optional
        Called with the label of each configuration that is done.

    Returns
    -------
    Report

    Raises
    ------
    OptionError, ModelError
        A strategy, an option, a model or the metric does not exist; found out before anything is run.
    """
    table = prices or Prices.load()
    if grid.price is not None:
        table.price(0, grid.price)
    primary_metric(corpus, grid)
    runner = _Runner(corpus, grid, Cache(None if cache is None else Path(cache)), progress)
    chunkers = [runner.chunker(cell) for cell in grid.configurations]
    rows = []
    for cell, chunker in zip(grid.configurations, chunkers, strict=True):
        rows.append(runner.run(cell, chunker))
        if finished is not None:
            finished(cell.label)
    return _report(corpus, grid, rows, table)


class _Runner:
    """Holds what the configurations share."""

    def __init__(self, corpus: Corpus, grid: Grid, cache: Cache, progress: Progress | None) -> None:
        self._corpus = corpus
        self._grid = grid
        self._cache = cache
        self._progress = progress
        self._sentences: Spans | None = None
        self._models: dict[str, Vectors] = {}

    def chunker(self, cell: Configuration) -> Chunker:
        """Make the chunker of a configuration, and its model: what is wrong with them shows here."""
        embedder = self._vectors(cell.model).embedder
        given = dict(cell.options)
        if cell.vectors == "pooled":
            if "model" in given and given["model"] != cell.model.chunks:
                raise OptionError(
                    f"{cell.label}: pooled vectors come from the chunker's own model, so that 'model' must not be "
                    "given among its options; it is that of 'models'"
                )
            given["model"] = embedder
        return chunker_of(cell, given)

    def run(self, cell: Configuration, chunker: Chunker) -> dict[str, Any]:
        """Return the row of a configuration, from the cache when it is there."""
        grid = self._grid
        fingerprints = (self._vectors(cell.model).fingerprint, _option_models(cell))
        settings = (grid.k, grid.budgets, grid.search)
        key = result_key(
            [self._corpus.fingerprint, *map(canonical, (cell.described(), fingerprints, settings))]
        )
        return self._cache.result(key, lambda: self._measure(cell, chunker))

    def _measure(self, cell: Configuration, chunker: Chunker) -> dict[str, Any]:
        pooled = cell.vectors == "pooled"
        vectors = self._vectors(cell.model)
        reader = vectors.embedder if pooled else cell.options.get("model", EMBEDDED[0])
        repeat = reader in EMBEDDED or isinstance(reader, StaticEmbedder)  # others may cost money
        batch, timings = timed_chunks(chunker, self._corpus.texts, pooled, repeat=repeat)
        spans = Spans.of(batch.document, batch.start, batch.end)
        if batch.vectors is not None:
            chunk_vectors, seconds = batch.vectors, 0.0
        else:
            texts = [batch.text(i) for i in range(len(batch))]
            chunk_vectors, seconds = vectors.chunks(texts, self._advance(cell.label, len(texts)))
        timings["embedding_cpu_seconds"] = seconds
        questions = [question.text for question in self._corpus.questions]
        scores = score_spans(
            self._corpus, spans, chunk_vectors, vectors.questions(questions), self._grid
        )
        if self._sentences is None:
            self._sentences = sentence_spans(self._corpus.texts)
        return {
            "scores": {name: [_rounded(x) for x in column] for name, column in scores.items()},
            "shape": asdict(measure_shape(self._corpus, spans, self._sentences)),
            "search": chosen_method(self._grid.search, len(batch)),
            "timings": timings,
        }

    def _vectors(self, model: Model) -> Vectors:
        if model.name not in self._models:
            self._models[model.name] = Vectors(model, self._cache)
        return self._models[model.name]

    def _advance(self, label: str, total: int) -> Callable[[int], object]:
        done = 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            if self._progress is not None:
                self._progress(label, done, total)

        return advance


def chunker_of(cell: Configuration, options: Mapping[str, Any]) -> Chunker:
    """Make the chunker of a configuration's strategy and preset."""
    if cell.preset == "reference":
        from ..chunkers.semantic import SemanticChunker

        return SemanticChunker.reference(**options)
    return make_chunker(cell.strategy, **options)


def score_spans(
    corpus: Corpus,
    spans: Spans,
    chunk_vectors: NDArray[np.float32],
    question_vectors: NDArray[np.float32],
    grid: Grid,
) -> dict[str, NDArray[np.float64]]:
    """Score chunks given as spans of text; see `score_retrieval`."""
    if len(spans) and chunk_vectors.shape[1] != question_vectors.shape[1]:
        raise OptionError(
            f"chunk and question vectors must have the same dimensions, got {chunk_vectors.shape[1]} and "
            f"{question_vectors.shape[1]}: give the model that made the chunks' vectors"
        )
    first, last = corpus.token_spans.ranges(spans.document, spans.start, spans.end)
    ranges = ChunkRanges(spans.document, first, last)
    return score_retrieval(
        corpus, ranges, chunk_vectors, question_vectors,
        k=grid.k, budgets=grid.budgets, method=grid.search,
    )  # fmt: skip


def timed_chunks(
    chunker: Chunker, texts: Sequence[str], embeddings: bool, *, repeat: bool
) -> tuple[ChunkBatch, dict[str, float]]:
    """Chunk documents on one thread, and say what it took; compiling the kernels is not counted.

    With `repeat`, what is quickly done is done three times, and the median taken.
    """
    chunker.chunk_batch([WARM_UP], threads=1, embeddings=embeddings)
    seconds: list[float] = []
    while not seconds or (repeat and seconds[0] < _SHORT_SECONDS and len(seconds) < 3):
        began = time.process_time()
        batch = chunker.chunk_batch(texts, threads=1, embeddings=embeddings)
        seconds.append(time.process_time() - began)
    taken = max(median(seconds), 1e-9)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return batch, {
        "chunking_cpu_seconds": taken,
        "documents_per_second": len(texts) / taken,
        "megabytes_per_second": size / 1e6 / taken,
    }


def _option_models(cell: Configuration) -> str:
    """Tell a model among a chunker's options from others, like any model."""
    model = cell.options.get("model")
    return "" if model is None else model_fingerprint(model, repr(model))


def _rounded(score: float) -> float | None:
    """As JSON holds it: 9 decimals, and null for what is undefined."""
    return round(float(score), 9) if np.isfinite(score) else None


def _report(corpus: Corpus, grid: Grid, rows: Sequence[dict[str, Any]], prices: Prices) -> Report:
    scores = {
        cell.label: {
            name: np.asarray([np.nan if x is None else x for x in column], np.float64)
            for name, column in row["scores"].items()
        }
        for cell, row in zip(grid.configurations, rows, strict=True)
    }
    stored = {
        cell.label: row["shape"]["tokens_stored"]
        for cell, row in zip(grid.configurations, rows, strict=True)
    }
    verdict = decide(primary_metric(corpus, grid), scores, stored, grid.seed)
    entries = [
        {
            **cell.described(),
            "search": row["search"],
            "scores": {name: _mean(column) for name, column in scores[cell.label].items()},
            "shape": _finite(row["shape"]),
            "price": None
            if grid.price is None
            else round(prices.price(row["shape"]["tokens_stored"], grid.price), 9),
        }
        for cell, row in zip(grid.configurations, rows, strict=True)
    ]
    results = {
        "corpus": describe(corpus),
        "settings": {"k": grid.k, "budgets": grid.budgets, "seed": grid.seed},
        "price": None
        if grid.price is None
        else {"model": grid.price, "currency": prices.currency, "as_of": prices.as_of},
        "configurations": entries,
        "verdict": verdict.to_dict(),
    }
    timings = {
        cell.label: row["timings"] for cell, row in zip(grid.configurations, rows, strict=True)
    }
    return Report(results, timings, scores, verdict)


def describe(corpus: Corpus) -> dict[str, Any]:
    """Return what a corpus consists of."""
    return {
        "fingerprint": corpus.fingerprint,
        "documents": len(corpus.texts),
        "characters": sum(map(len, corpus.texts)),
        "tokens": len(corpus.token_spans),
        "questions": len(corpus.questions),
        "references": sum(len(question.references) for question in corpus.questions),
    }


def _mean(column: NDArray[np.float64]) -> float | None:
    known = column[np.isfinite(column)]
    return round(float(known.mean()), 9) if len(known) else None


def _finite(shape: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not np.isfinite(value) else value
        for name, value in shape.items()
    }
