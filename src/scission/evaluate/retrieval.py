"""What the retrieved chunks hold of what answers the question.

At *equal k* every strategy may show so many chunks, and large chunks win; at an *equal budget* every strategy may show
so many tokens. The last chunk that the budget reaches is taken as far as the budget goes, and a token that two
chunks repeat is paid for twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .corpus import Corpus, Question
from .nearest import Searcher
from .ranking import average_precision, ndcg, recall, reciprocal_rank

#: Tokens ``first <= t < last`` of a corpus.
Range: TypeAlias = tuple[int, int]

#: How far down the rankings of documents are scored, and the chunks for the reciprocal rank.
RANKS = 10


@dataclass(frozen=True, eq=False)
class ChunkRanges:
    """The chunks of a strategy, as ranges of the corpus's tokens.

    Attributes
    ----------
    document, first, last : int64[N]
        Document of each chunk; its tokens are ``first <= t < last``.
    """

    document: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.document)


def score_retrieval(
    corpus: Corpus,
    chunks: ChunkRanges,
    chunk_vectors: NDArray[np.float32],
    question_vectors: NDArray[np.float32],
    *,
    k: Sequence[int] = (1, 3, 5, 10),
    budgets: Sequence[int] = (400, 800, 1600),
    method: str = "auto",
) -> dict[str, NDArray[np.float64]]:
    """Retrieve chunks for every question, and score them.

    Parameters
    ----------
    corpus : Corpus
        Documents and questions.
    chunks : ChunkRanges
        The chunks.
    chunk_vectors : float32[N, d]
        One for each chunk, of length 1 (or 0).
    question_vectors : float32[Q, d]
        One for each question, likewise.
    k : sequence of int
        Numbers of chunks (and documents) to score at.
    budgets : sequence of int
        Numbers of retrieved tokens to score at.
    method : {"auto", "exact", "hnsw"}
        See `search`.

    Returns
    -------
    dict of str to float64[Q]
        A score for each question, NaN where it is undefined. With documents that are relevant: ``ndcg@10``,
        ``mrr@10``, ``document_recall@k``, where a document ranks as its best chunk does. With references, at each
        k and (as ``…@800t``) each budget: token ``recall``, ``precision`` and ``iou`` (Smith & Troynikov 2024),
        ``context_recall``, the share of the references that are there whole, and ``context_precision``, the
        average precision of the chunks that hold any of one; ``chunk_mrr@10``. With references that occur
        several times: ``recall_any``, which takes the copy that was found best.
    """
    rankings = _deep_enough(
        chunks, chunk_vectors, question_vectors, max(*k, RANKS), max(budgets, default=0), method
    )
    scorer = _Scorer(corpus, chunks, tuple(k), tuple(budgets))
    rows = [
        scorer.scores(question, ranked)
        for question, ranked in zip(corpus.questions, rankings, strict=True)
    ]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: np.asarray([row.get(name, np.nan) for row in rows], np.float64) for name in names}


def _deep_enough(
    chunks: ChunkRanges,
    chunk_vectors: NDArray[np.float32],
    question_vectors: NDArray[np.float32],
    count: int,
    budget: int,
    method: str,
) -> NDArray[np.int64]:
    """Rank until every question has `count` documents (and so chunks) and `budget` tokens, or all chunks."""
    depth = 2 * count
    documents = min(count, len(np.unique(chunks.document)))
    searcher = Searcher(chunk_vectors, method)
    while True:
        rankings = searcher.find(question_vectors, depth)
        if depth >= len(chunks) or rankings.size == 0:
            return rankings
        sizes = (chunks.last - chunks.first)[rankings].sum(axis=1)
        if sizes.min() >= budget:
            found = np.sort(chunks.document[rankings], axis=1)
            distinct = 1 + np.count_nonzero(np.diff(found, axis=1), axis=1)
            if distinct.min() >= documents:
                return rankings
        depth *= 2


@dataclass(frozen=True)
class _Scorer:
    """Scores one question after the other."""

    corpus: Corpus
    chunks: ChunkRanges
    k: tuple[int, ...]
    budgets: tuple[int, ...]

    def scores(self, question: Question, ranked: NDArray[np.int64]) -> dict[str, float]:
        """Return every score of a question."""
        row = self._document_scores(question, ranked)
        if question.references:
            row.update(self._reference_scores(question, ranked))
        return row

    def _document_scores(self, question: Question, ranked: NDArray[np.int64]) -> dict[str, float]:
        documents = list(dict.fromkeys(self.chunks.document[ranked].tolist()))
        grades = question.relevant
        row = {
            f"ndcg@{RANKS}": ndcg(documents, grades, RANKS),
            f"mrr@{RANKS}": reciprocal_rank(documents, grades, RANKS),
        }
        row.update({f"document_recall@{k}": recall(documents, grades, k) for k in self.k})
        return row

    def _reference_scores(self, question: Question, ranked: NDArray[np.int64]) -> dict[str, float]:
        copies = self._reference_ranges(question)
        gold = [ranges[0] for ranges in copies]
        retrieved = list(
            zip(self.chunks.first[ranked].tolist(), self.chunks.last[ranked].tolist(), strict=True)
        )
        hits = [_overlaps(span, gold) for span in retrieved]
        first = next((rank for rank, hit in enumerate(hits[:RANKS], 1) if hit), 0)
        row = {f"chunk_mrr@{RANKS}": 1.0 / first if first else 0.0}
        for label, spans in self._selections(retrieved):
            row.update(_span_scores(label, spans, gold, hits))
            if self.corpus.has_copies and _total(gold):
                merged = merge(spans)
                best = [max(ranges, key=lambda span: _covered(span, merged)) for ranges in copies]
                row[f"recall_any@{label}"] = _share(merge(best), merged)
        return row

    def _reference_ranges(self, question: Question) -> list[list[Range]]:
        """Token ranges of each reference and its copies."""
        spans = self.corpus.token_spans
        ranges = []
        for reference in question.references:
            starts, ends = zip((reference.start, reference.end), *reference.copies, strict=True)
            first, last = spans.ranges([reference.document] * len(starts), starts, ends)
            ranges.append(list(zip(first.tolist(), last.tolist(), strict=True)))
        return ranges

    def _selections(self, retrieved: list[Range]) -> Iterator[tuple[str, list[Range]]]:
        for k in self.k:
            yield str(k), retrieved[:k]
        for budget in self.budgets:
            yield f"{budget}t", within_budget(retrieved, budget)


def within_budget(retrieved: Sequence[Range], budget: int) -> list[Range]:
    """Return the ranges that a budget of tokens pays for, the last one as far as it goes."""
    chosen = []
    for first, last in retrieved:
        if budget <= 0:
            break
        chosen.append((first, min(last, first + budget)))
        budget -= last - first
    return chosen


def merge(ranges: Sequence[Range]) -> list[Range]:
    """Return the union of ranges: in order, apart from each other."""
    merged: list[Range] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _span_scores(
    label: str, spans: list[Range], gold: list[Range], hits: list[bool]
) -> dict[str, float]:
    merged, wanted = merge(spans), merge(gold)
    if not _total(wanted):  # of characters that the tokenizer drops
        return {}
    shared = sum(_covered(span, merged) for span in wanted)
    wanted_tokens, retrieved_tokens = _total(wanted), _total(spans)
    whole = sum(_covered(span, merged) == span[1] - span[0] for span in gold)
    return {
        f"recall@{label}": _share(wanted, merged),
        f"precision@{label}": shared / retrieved_tokens if retrieved_tokens else 0.0,
        f"iou@{label}": shared / (wanted_tokens + retrieved_tokens - shared),
        f"context_recall@{label}": whole / len(gold),
        f"context_precision@{label}": average_precision(hits[: len(spans)]),
    }


def _share(wanted: Sequence[Range], merged: Sequence[Range]) -> float:
    return sum(_covered(span, merged) for span in wanted) / _total(wanted)


def _total(ranges: Sequence[Range]) -> int:
    return sum(last - first for first, last in ranges)


def _covered(span: Range, merged: Sequence[Range]) -> int:
    """Tokens of a range that lie in a union."""
    first, last = span
    return sum(max(0, min(last, b) - max(first, a)) for a, b in merged)


def _overlaps(span: Range, ranges: Sequence[Range]) -> bool:
    return any(span[0] < last and first < span[1] for first, last in ranges)
