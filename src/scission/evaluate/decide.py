"""Which configuration is best, and whether it could be chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .bootstrap import PairedDifference, holm, paired_bootstrap
from .corpus import Corpus
from .grid import Grid
from .retrieval import RANKS

#: A difference counts when it would come about by chance less often than this.
SIGNIFICANCE = 0.05

Scores = Mapping[str, Mapping[str, NDArray[np.float64]]]


@dataclass(frozen=True)
class Comparison:
    """The best configuration against another.

    Attributes
    ----------
    label : str
        The other.
    difference : PairedDifference
        Best minus other.
    adjusted_p_value : float
        Holm's, for as many comparisons as the grid has.
    """

    label: str
    difference: PairedDifference
    adjusted_p_value: float

    @property
    def larger_than_chance(self) -> bool:
        """Whether the difference counts."""
        return self.adjusted_p_value < SIGNIFICANCE


@dataclass(frozen=True)
class Verdict:
    """Which configuration is best.

    Attributes
    ----------
    metric : str
        What decided.
    best : str
        Label of the configuration with the highest mean.
    score : float
        Its mean.
    comparisons : tuple of Comparison
        With every other configuration, the nearest first.
    cheapest : str
        Of the best and those that it does not beat by more than chance, the one that stores the fewest tokens.
    """

    metric: str
    best: str
    score: float
    comparisons: tuple[Comparison, ...]
    cheapest: str

    def sentence(self) -> str:
        """Say it in words."""
        head = f"{self.best} is best: {self.metric} {100 * self.score:.1f} %"
        if not self.comparisons:
            return f"{head}; there is nothing to compare it with."
        level = [c.label for c in self.comparisons if not c.larger_than_chance]
        nearest = self.comparisons[0]
        lead = (
            f"{100 * nearest.difference.mean:.1f} points before {nearest.label} "
            f"(95 % interval {100 * nearest.difference.low:.1f} to {100 * nearest.difference.high:.1f})"
        )
        if not level:
            return f"{head}, {lead}; its lead over every other is larger than chance."
        others = f"{len(level)} of {len(self.comparisons)} others"
        advice = (
            ""
            if self.cheapest == self.best
            else f" Of those level with it, {self.cheapest} stores the fewest tokens."
        )
        return f"{head}, {lead}; its lead over {others} is not larger than chance.{advice}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return {
            "metric": self.metric,
            "best": self.best,
            "score": round(self.score, 9),
            "cheapest_of_the_level": self.cheapest,
            "sentence": self.sentence(),
            "comparisons": [
                {
                    "label": c.label,
                    **{
                        name: round(value, 9) if isinstance(value, float) else value
                        for name, value in asdict(c.difference).items()
                    },
                    "adjusted_p_value": round(c.adjusted_p_value, 9),
                    "larger_than_chance": c.larger_than_chance,
                }
                for c in self.comparisons
            ],
        }


def primary_metric(corpus: Corpus, grid: Grid) -> str:
    """Return the metric that decides.

    Raises
    ------
    OptionError
        The grid names one that this corpus does not have.
    """
    known = _metrics(corpus, grid)
    if grid.metric is None:
        if not corpus.has_references or not grid.budgets:
            return f"ndcg@{RANKS}"
        return f"recall@{sorted(grid.budgets)[len(grid.budgets) // 2]}t"
    if grid.metric not in known:
        raise OptionError(f"metric must be one of {', '.join(known)}, got {grid.metric!r}")
    return grid.metric


def _metrics(corpus: Corpus, grid: Grid) -> list[str]:
    names = [f"ndcg@{RANKS}", f"mrr@{RANKS}", *(f"document_recall@{k}" for k in grid.k)]
    if corpus.has_references:
        kinds = ["recall", "precision", "iou", "context_recall", "context_precision"]
        kinds += ["recall_any"] if corpus.has_copies else []
        labels = [*map(str, grid.k), *(f"{budget}t" for budget in grid.budgets)]
        names += [f"chunk_mrr@{RANKS}", *(f"{kind}@{label}" for kind in kinds for label in labels)]
    return names


def decide(metric: str, scores: Scores, stored: Mapping[str, int], seed: int = 0) -> Verdict:
    """Find the best configuration by a metric, and compare it with every other.

    The best of many is partly the luckiest of many. Holm's adjustment answers for the number of comparisons; that the
    best was chosen by the same questions it cannot undo.

    Parameters
    ----------
    metric : str
        What decides; higher is better.
    scores : mapping of str to mapping of str to float64[Q]
        Scores of each question, by label and metric.
    stored : mapping of str to int
        Tokens that each configuration stores.
    seed : int, default 0
        Of the bootstrap.

    Raises
    ------
    OptionError
        The metric is undefined for every question.
    """
    if not all(np.isfinite(columns[metric]).any() for columns in scores.values()):
        raise OptionError(f"metric {metric!r} is undefined for every question: choose another")
    means = {label: float(np.nanmean(columns[metric])) for label, columns in scores.items()}
    best = max(means, key=means.__getitem__)
    others = sorted((label for label in means if label != best), key=lambda x: -means[x])
    differences = [
        paired_bootstrap(scores[best][metric], scores[label][metric], seed=seed) for label in others
    ]
    adjusted = holm([difference.p_value for difference in differences])
    comparisons = tuple(map(Comparison, others, differences, adjusted))
    level = [best, *(c.label for c in comparisons if not c.larger_than_chance)]
    return Verdict(metric, best, means[best], comparisons, min(level, key=stored.__getitem__))
