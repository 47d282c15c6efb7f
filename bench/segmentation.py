"""How well cuts match gold segments: Pk, WindowDiff and boundary F1.

    python -m bench.segmentation [--model FOLDER] [--breakpoints KIND] [--amount X]

Pk (Beeferman, Berger & Lafferty 1999) is the share of pairs of sentences k apart for which the two
segmentations disagree on whether they are in one segment; k is half the mean length of the document's gold
segments. WindowDiff (Pevzner & Hearst 2002) compares the number of boundaries between them. Lower is better.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from statistics import mean

import numpy as np

from bench.data import rows

SETS = ("choi", "choi_style_ewt", "wiki50")
#: The bars of static vectors; Pk in per cent.
BARS = {"choi": 9.0, "choi_style_ewt": 25.0, "wiki50": 40.0}

Segmenter = Callable[[list[str]], Sequence[int]]


def window(gold: Sequence[int], sentences: int) -> int:
    """Half the mean gold segment, at least 2."""
    return max(2, round(sentences / (len(gold) + 1) / 2))


def _between(boundaries: Sequence[int], sentences: int, k: int) -> np.ndarray:
    """Boundaries between sentence i and i + k, for each i."""
    marks = np.zeros(sentences + 1, int)
    marks[[b + 1 for b in boundaries]] = 1
    counts = np.cumsum(marks)
    return counts[k:sentences] - counts[: sentences - k]


def pk(gold: Sequence[int], found: Sequence[int], sentences: int) -> float:
    """Pk of one document, 0 to 1."""
    k = window(gold, sentences)
    if k >= sentences:
        return 0.0
    a, b = _between(gold, sentences, k), _between(found, sentences, k)
    return float(np.mean((a == 0) != (b == 0)))


def window_diff(gold: Sequence[int], found: Sequence[int], sentences: int) -> float:
    """Compute WindowDiff of one document, 0 to 1."""
    k = window(gold, sentences)
    if k >= sentences:
        return 0.0
    return float(np.mean(_between(gold, sentences, k) != _between(found, sentences, k)))


def f1(gold: Sequence[int], found: Sequence[int]) -> float:
    """Exact boundary F1 of one document; 1 when both are empty."""
    if not gold and not found:
        return 1.0
    return 2 * len(set(gold) & set(found)) / (len(gold) + len(found))


def score(name: str, segment: Segmenter) -> tuple[float, float, float, float]:
    """Mean Pk, WindowDiff, F1 (per cent) and the ratio of found to gold boundaries."""
    parts = []
    for row in rows(f"seg/{name}.jsonl.gz"):
        sentences, gold = row["sentences"], row["boundaries"]
        found = segment(sentences)
        parts.append(
            (
                100 * pk(gold, found, len(sentences)),
                100 * window_diff(gold, found, len(sentences)),
                100 * f1(gold, found),
                len(found),
                len(gold),
            )
        )
    pks, diffs, f1s, found_counts, gold_counts = zip(*parts, strict=True)
    return mean(pks), mean(diffs), mean(f1s), sum(found_counts) / sum(gold_counts)


def uniform(name: str) -> Segmenter:
    """Segments of equal length, as many as the set has on average for its length."""
    data = rows(f"seg/{name}.jsonl.gz")
    size = sum(len(row["sentences"]) for row in data) / sum(
        len(row["boundaries"]) + 1 for row in data
    )
    return lambda sentences: [
        int(i * size) - 1
        for i in range(1, int(len(sentences) / size) + 1)
        if int(i * size) < len(sentences)
    ]


def main() -> None:
    """Print the table."""
    from scission import SemanticChunker

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="minilm-static")
    parser.add_argument("--breakpoints", default="partition")
    parser.add_argument("--amount", type=float)
    options = parser.parse_args()
    chunker = SemanticChunker(
        model=options.model, breakpoints=options.breakpoints, amount=options.amount, max_tokens=None
    )
    reference = SemanticChunker.reference(model=options.model)
    print(f"{'set':<16}{'segmenter':<12}{'Pk':>7}{'WD':>7}{'F1':>7}{'cuts/gold':>11}{'bar':>6}")
    for name in SETS:
        segmenters: dict[str, Segmenter] = {
            "none": lambda sentences: [],
            "uniform": uniform(name),
            "reference": reference.breakpoints,
            "scission": chunker.breakpoints,
        }
        for label, segment in segmenters.items():
            figures = score(name, segment)
            bar = f"{BARS[name]:6.0f}" if label == "scission" else ""
            print(
                f"{name:<16}{label:<12}{figures[0]:7.1f}{figures[1]:7.1f}{figures[2]:7.1f}{figures[3]:11.2f}{bar}"
            )


if __name__ == "__main__":
    main()
