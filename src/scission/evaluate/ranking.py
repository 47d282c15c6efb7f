"""How good a ranking of documents is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def ndcg(ranked: Sequence[int], grades: Mapping[int, int], k: int = 10) -> float:
    """Normalised discounted cumulative gain (Järvelin & Kekäläinen 2002), as trec_eval computes it.

    ``DCG = Σ grade_i / log2(i + 1)`` over the first `k`, divided by that of the best ranking possible.

    Parameters
    ----------
    ranked : sequence of int
        Document numbers, the best first, without repetition.
    grades : mapping of int to int
        Grade of each relevant document; others have 0.
    k : int, default 10
        How far down to look.

    Returns
    -------
    float
        In [0, 1]; NaN when nothing is relevant.
    """
    ideal = _dcg(sorted((g for g in grades.values() if g > 0), reverse=True)[:k])
    if ideal == 0:
        return float("nan")
    return _dcg([max(0, grades.get(document, 0)) for document in ranked[:k]]) / ideal


def recall(ranked: Sequence[int], grades: Mapping[int, int], k: int = 10) -> float:
    """Share of the relevant documents among the first `k`; NaN when nothing is relevant."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    if not relevant:
        return float("nan")
    return len(relevant.intersection(ranked[:k])) / len(relevant)


def reciprocal_rank(ranked: Sequence[int], grades: Mapping[int, int], k: int = 10) -> float:
    """1 / rank of the first relevant document among the first `k`, or 0; NaN when nothing is relevant."""
    if not any(grade > 0 for grade in grades.values()):
        return float("nan")
    for rank, document in enumerate(ranked[:k], 1):
        if grades.get(document, 0) > 0:
            return 1.0 / rank
    return 0.0


def average_precision(relevant: Sequence[bool]) -> float:
    """Context precision: the mean, over the relevant ones of a ranked list, of the precision down to each.

    0 when none is relevant. Chunks before the first relevant one count against it, those after the last do not.
    """
    hits, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant, 1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def _dcg(grades: Sequence[int]) -> float:
    return float(sum(grade / np.log2(rank + 1) for rank, grade in enumerate(grades, 1)))
