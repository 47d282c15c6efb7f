"""What chunks look like: sizes, and what their ends cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..units import split_sentences
from .corpus import Corpus

#: Edges of the size histogram, in tokens: two bins to a doubling, the same for every strategy.
HISTOGRAM_EDGES = (0, *sorted({round(2 ** (i / 2)) for i in range(2, 29)}))


@dataclass(frozen=True)
class Shape:
    """What the chunks of a corpus look like.

    Attributes
    ----------
    chunks : int
        Number of chunks.
    mean_tokens, cv_tokens : float
        Mean size, and its coefficient of variation (standard deviation / mean).
    histogram : tuple of int
        Chunks of each size: bin i holds ``HISTOGRAM_EDGES[i] <= tokens < HISTOGRAM_EDGES[i + 1]``, the last one
        everything above.
    tokens_stored : int
        Tokens of all chunks.
    overlap_cost : float
        Tokens stored for each token of the documents; 1 without overlap.
    truncated_sentences : float
        Share of the sentences that no chunk holds whole.
    clean_endings : float
        Share of the chunks that end where a sentence or a block ends.
    cut_references : float
        Share of the references that no chunk holds whole; NaN without references.
    """

    chunks: int
    mean_tokens: float
    cv_tokens: float
    histogram: tuple[int, ...]
    tokens_stored: int
    overlap_cost: float
    truncated_sentences: float
    clean_endings: float
    cut_references: float


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans ``texts[document][start:end]``, one array per property, int64[n]."""

    document: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def of(cls, document: ArrayLike, start: ArrayLike, end: ArrayLike) -> Spans:
        """Take anything that can be an array of integers."""
        return cls(*(np.asarray(column, np.int64) for column in (document, start, end)))

    def __len__(self) -> int:
        return len(self.document)


def measure_shape(corpus: Corpus, chunks: Spans, sentences: Spans | None = None) -> Shape:
    """Measure the shape of a corpus's chunks.

    Sizes are counted in tokens of bert-base-uncased, and sentences are those of `scission.split_sentences`,
    whoever made the chunks: a chunker that shares these rules of sentences finds it easier to keep them.

    Parameters
    ----------
    corpus : Corpus
        The documents; its references are those that may be cut.
    chunks : Spans
        The chunks, in any order, overlapping or not.
    sentences : Spans, optional
        The sentences (`sentence_spans`), when they are at hand.

    Returns
    -------
    Shape
    """
    spans = corpus.token_spans
    first, last = spans.ranges(chunks.document, chunks.start, chunks.end)
    sizes = last - first
    whole = sentence_spans(corpus.texts) if sentences is None else sentences
    stored = int(sizes.sum())
    mean = float(sizes.mean()) if len(sizes) else 0.0
    return Shape(
        chunks=len(chunks),
        mean_tokens=mean,
        cv_tokens=float(sizes.std()) / mean if mean else 0.0,
        histogram=_histogram(sizes),
        tokens_stored=stored,
        overlap_cost=stored / max(1, len(spans)),
        truncated_sentences=_share_cut(whole, chunks),
        clean_endings=_clean_endings(whole, _bare(corpus.texts, chunks)),
        cut_references=_share_cut(_references(corpus), chunks),
    )


def sentence_spans(texts: Sequence[str]) -> Spans:
    """Return the sentences and blocks of all documents, without the white space around them."""
    document: list[int] = []
    start: list[int] = []
    end: list[int] = []
    for number, text in enumerate(texts):
        for begin, stop in split_sentences(text):
            document.append(number)
            start.append(begin)
            end.append(stop)
    return Spans.of(document, start, end)


def _histogram(sizes: NDArray[np.int64]) -> tuple[int, ...]:
    bins = np.searchsorted(HISTOGRAM_EDGES, sizes, side="right") - 1
    counts = np.bincount(bins, minlength=len(HISTOGRAM_EDGES))
    return tuple(int(count) for count in counts)


def _bare(texts: Sequence[str], chunks: Spans) -> Spans:
    """Chunks without the white space at their ends; blank ones are left out."""
    rows = []
    columns = (chunks.document.tolist(), chunks.start.tolist(), chunks.end.tolist())
    for document, start, end in zip(*columns, strict=True):
        bare = len(texts[document][start:end].rstrip())
        if bare:
            rows.append((document, start, start + bare))
    return Spans.of(*zip(*rows, strict=True)) if rows else Spans.of([], [], [])


def _references(corpus: Corpus) -> Spans:
    rows = [
        (reference.document, reference.start, reference.end)
        for question in corpus.questions
        for reference in question.references
    ]
    return Spans.of(*zip(*rows, strict=True)) if rows else Spans.of([], [], [])


def _share_cut(wanted: Spans, chunks: Spans) -> float:
    """Share of the wanted spans that no chunk holds whole; NaN when nothing is wanted.

    In order of their starts, the furthest end so far among the chunks that begin at or before a span tells whether one
    of them reaches its end.
    """
    if len(wanted) == 0:
        return float("nan")
    order = np.lexsort((chunks.start, chunks.document))
    document, start, end = chunks.document[order], chunks.start[order], chunks.end[order]
    width = 1 + int(max(end.max(initial=0), wanted.end.max()))
    reach = np.maximum.accumulate(document * width + end) if len(end) else end
    before = np.searchsorted(
        document * width + start, wanted.document * width + wanted.start, "right"
    )
    held = before > 0
    # A chunk of an earlier document reaches less far than any place of a later one.
    held[held] = reach[before[held] - 1] >= (wanted.document * width + wanted.end)[held]
    return float(1.0 - held.mean())


def _clean_endings(sentences: Spans, chunks: Spans) -> float:
    if len(chunks) == 0:
        return 1.0
    width = 1 + int(max(sentences.end.max(initial=0), chunks.end.max()))
    ends = sentences.document * width + sentences.end
    return float(np.isin(chunks.document * width + chunks.end, ends).mean())
