"""How well cuts match gold segments.

A segmentation of n sentences is the list of its *boundaries*: ``i`` means that a segment ends after sentence ``i``
(from 0; the end of the document is no boundary), as `SemanticChunker.breakpoints` returns them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError

#: From the sentences of a document to the boundaries among them.
Segmenter: TypeAlias = Callable[[list[str]], Sequence[int]]


def window_size(gold: Sequence[int], sentences: int) -> int:
    """Return half the mean length of the gold segments, at least 2: the usual window of Pk and WindowDiff."""
    return max(2, round(sentences / (len(gold) + 1) / 2))


def pk(
    gold: Sequence[int], found: Sequence[int], sentences: int, window: int | None = None
) -> float:
    """Pk (Beeferman, Berger & Lafferty 1999), lower is better.

    The share of pairs of sentences `window` apart for which the two segmentations disagree on whether they are in one
    segment.

    Parameters
    ----------
    gold, found : sequence of int
        Boundaries.
    sentences : int
        Number of sentences of the document.
    window : int, optional
        Distance of the pairs; by default `window_size`.

    Returns
    -------
    float
        In [0, 1]; 0 for a document no longer than the window.
    """
    pairs = _between_pairs(gold, found, sentences, window)
    return 0.0 if pairs is None else float(np.mean((pairs[0] == 0) != (pairs[1] == 0)))


def window_diff(
    gold: Sequence[int], found: Sequence[int], sentences: int, window: int | None = None
) -> float:
    """WindowDiff (Pevzner & Hearst 2002), lower is better.

    The share of pairs of sentences `window` apart between which the two segmentations have different numbers of
    boundaries. Parameters and result are those of `pk`.
    """
    pairs = _between_pairs(gold, found, sentences, window)
    return 0.0 if pairs is None else float(np.mean(pairs[0] != pairs[1]))


def boundary_similarity(gold: Sequence[int], found: Sequence[int], span: int = 2) -> float:
    """Boundary similarity B (Fournier 2013), higher is better.

    Boundaries that both have are matches (M). Of the others, two that are fewer than `span` sentences apart, one in
    each segmentation, are a near miss (T) of weight distance / span; what is left was added or omitted (A).
    ``B = 1 - (A + Σ weights) / (A + T + M)``.

    Parameters
    ----------
    gold, found : sequence of int
        Boundaries.
    span : int, default 2
        Near misses are fewer than so many sentences off; 1 for none.

    Returns
    -------
    float
        In [0, 1]; 1 when neither has a boundary.
    """
    ours, theirs = set(gold), set(found)
    matches = len(ours & theirs)
    misses = _near_misses(ours - theirs, theirs - ours, span)
    additions = len(ours ^ theirs) - 2 * len(misses)
    total = additions + len(misses) + matches
    return 1.0 if total == 0 else 1.0 - (additions + sum(misses) / span) / total


def boundary_f1(gold: Sequence[int], found: Sequence[int], tolerance: int = 0) -> float:
    """F1 of the boundaries, higher is better.

    Parameters
    ----------
    gold, found : sequence of int
        Boundaries.
    tolerance : int, default 0
        A found boundary counts when it is at most so many sentences off; each gold one counts once.

    Returns
    -------
    float
        In [0, 1]; 1 when neither has a boundary.
    """
    if not gold and not found:
        return 1.0
    return 2 * _hits(sorted(set(gold)), sorted(set(found)), tolerance) / (len(gold) + len(found))


@dataclass(frozen=True)
class SegmentationScores:
    """Means over the documents of a set.

    Attributes
    ----------
    pk, window_diff : float
        Lower is better.
    boundary_similarity, f1, f1_near : float
        Higher is better; `f1_near` accepts boundaries one sentence off.
    boundary_ratio : float
        Boundaries found for each gold one.
    documents : int
        Number of documents.
    """

    pk: float
    window_diff: float
    boundary_similarity: float
    f1: float
    f1_near: float
    boundary_ratio: float
    documents: int


def score_segmentation(
    documents: Iterable[tuple[Sequence[str], Sequence[int]]],
    segmenters: Mapping[str, Segmenter],
    *,
    draws: int = 10,
    seed: int = 0,
) -> dict[str, SegmentationScores]:
    """Score segmenters beside what needs no segmenter.

    Pk and WindowDiff reward caution: on some sets no cut at all beats many a method. Therefore three baselines
    always come first: ``none``, ``uniform`` (equal segments of the set's mean gold length) and ``random`` (as many cuts
    as uniform, anywhere; the mean of several draws).

    Parameters
    ----------
    documents : iterable of (sentences, boundaries)
        The set: the sentences of each document with its gold boundaries.
    segmenters : mapping of str to callable
        Each from the sentences of a document to its boundaries.
    draws : int, default 10
        Of ``random``, for each document.
    seed : int, default 0
        Of ``random``.

    Returns
    -------
    dict of str to SegmentationScores
        ``none``, ``uniform`` and ``random``, then the segmenters in their order.

    Raises
    ------
    OptionError
        There are no documents, a gold boundary lies outside its document, or a segmenter's does.
    """
    data = [
        (list(sentences), _checked(gold, len(sentences), "gold")) for sentences, gold in documents
    ]
    if not data:
        raise OptionError("documents must hold at least one document to score, got none")
    lengths = sum(len(sentences) for sentences, _ in data)
    mean_length = lengths / sum(len(gold) + 1 for _, gold in data)
    generator = np.random.default_rng(seed)
    guesses: dict[str, list[list[list[int]]]] = {
        "none": [[[]] for _ in data],
        "uniform": [[uniform_boundaries(len(sentences), mean_length)] for sentences, _ in data],
        "random": [
            [_random_boundaries(len(sentences), mean_length, generator) for _ in range(draws)]
            for sentences, _ in data
        ],
    }
    for name, segmenter in segmenters.items():
        guesses[name] = [
            [_checked(segmenter(sentences), len(sentences), name)] for sentences, _ in data
        ]
    return {name: _mean_scores(data, found) for name, found in guesses.items()}


def uniform_boundaries(sentences: int, length: float) -> list[int]:
    """Return the boundaries of segments of (on average) `length` sentences."""
    if length < 1:
        raise OptionError(f"length must be at least 1 sentence, got {length!r}")
    ends = (int(i * length) for i in range(1, int(sentences / length) + 1))
    return [end - 1 for end in ends if end < sentences]


def _random_boundaries(sentences: int, length: float, generator: np.random.Generator) -> list[int]:
    count = len(uniform_boundaries(sentences, length))
    chosen = generator.choice(max(sentences - 1, 0), size=count, replace=False)
    return sorted(int(i) for i in chosen)


def _mean_scores(
    data: Sequence[tuple[list[str], list[int]]], found: Sequence[Sequence[list[int]]]
) -> SegmentationScores:
    rows = [
        np.mean([_scores(gold, guess, len(sentences)) for guess in guesses], axis=0)
        for (sentences, gold), guesses in zip(data, found, strict=True)
    ]
    columns = np.mean(rows, axis=0).tolist()
    made = sum(float(np.mean([len(guess) for guess in guesses])) for guesses in found)
    wanted = sum(len(gold) for _, gold in data)
    return SegmentationScores(
        pk=columns[0],
        window_diff=columns[1],
        boundary_similarity=columns[2],
        f1=columns[3],
        f1_near=columns[4],
        boundary_ratio=made / wanted if wanted else float("nan"),
        documents=len(data),
    )


def _scores(gold: list[int], found: list[int], sentences: int) -> tuple[float, ...]:
    return (
        pk(gold, found, sentences),
        window_diff(gold, found, sentences),
        boundary_similarity(gold, found),
        boundary_f1(gold, found),
        boundary_f1(gold, found, tolerance=1),
    )


def _checked(boundaries: Sequence[int], sentences: int, name: str) -> list[int]:
    """Return the boundaries in order; refuse those that are not between two sentences."""
    found = sorted({int(i) for i in boundaries})
    if found and not 0 <= found[0] <= found[-1] < sentences - 1:
        raise OptionError(
            f"a boundary of {name!r} must lie in [0, {sentences - 2}], between two of {sentences} sentences: "
            f"got {found[0] if found[0] < 0 else found[-1]}"
        )
    return found


def _between_pairs(
    gold: Sequence[int], found: Sequence[int], sentences: int, window: int | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Boundaries between sentence i and i + window, for each i, in both segmentations."""
    k = window_size(gold, sentences) if window is None else window
    if k < 1:
        raise OptionError(f"window must be an integer of at least 1, got {window!r}")
    if k >= sentences:
        return None
    return _between(gold, sentences, k), _between(found, sentences, k)


def _between(boundaries: Sequence[int], sentences: int, k: int) -> NDArray[np.intp]:
    marks = np.zeros(sentences + 1, np.intp)
    marks[[b + 1 for b in boundaries]] = 1
    counts = np.cumsum(marks)
    return counts[k:sentences] - counts[: sentences - k]


def _near_misses(ours: set[int], theirs: set[int], span: int) -> list[int]:
    """Distances of the near misses: the nearest pairs first, each boundary in one pair only."""
    distances = []
    for distance in range(1, span):
        for i in sorted(ours | theirs):
            mine, yours = (ours, theirs) if i in ours else (theirs, ours)
            if i in mine and i + distance in yours:
                mine.discard(i)
                yours.discard(i + distance)
                distances.append(distance)
    return distances


def _hits(gold: list[int], found: list[int], tolerance: int) -> int:
    """Return the size of the largest matching: both in order, each takes the first that is near enough."""
    hits = position = 0
    for boundary in found:
        while position < len(gold) and gold[position] < boundary - tolerance:
            position += 1
        if position < len(gold) and gold[position] <= boundary + tolerance:
            hits += 1
            position += 1
    return hits
