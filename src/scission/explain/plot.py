"""The distances, threshold and cuts as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import MissingExtra, OptionError
from .explanation import Explanation

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(explanation: Explanation, ax: Axes | None) -> Axes:
    """Draw an explanation, see `Explanation.plot`."""
    if len(explanation.distances) == 0:
        raise OptionError(
            f"plot needs distances between sentences, got none from {explanation.chunker}: "
            "use a SemanticChunker and a document of at least two sentences"
        )
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtra(
            "plot() needs matplotlib, which is not installed: pip install 'scission[plot]'"
        ) from None
    below = None
    if ax is None:
        rows = 2 if explanation.score_name != "distance" else 1
        _, axes = plt.subplots(
            rows, 1, figsize=(10, 2.6 * rows), sharex=True, squeeze=False, layout="constrained"
        )
        ax = axes[0, 0]
        below = axes[1, 0] if rows == 2 else None
    gaps = np.arange(len(explanation.distances))
    ax.plot(gaps, explanation.distances, color="0.25", linewidth=0.9, label="distance")
    ax.set_ylabel("distance")
    ax.set_title(explanation.summary, fontsize="medium")
    if explanation.score_name == "distance" and explanation.threshold is not None:
        ax.axhline(explanation.threshold, color="C1", linestyle="--", label="threshold")
    if below is not None:
        # The sides of some cuts may not be one chunk at all: no finite figure says how good these are.
        scores = np.where(np.isfinite(explanation.scores), explanation.scores, np.nan)
        # A side below the minimum costs 10,000: the axis would show nothing else.
        below.plot(gaps, np.where(np.abs(scores) < 1e3, scores, np.nan), "0.25", linewidth=0.9)
        below.set_ylabel(explanation.score_name)
        if explanation.threshold is not None:
            below.axhline(explanation.threshold, color="C1", linestyle="--")
        _mark_cuts(explanation, below)
    _mark_cuts(explanation, ax)
    (below or ax).set_xlabel("gap after sentence")
    ax.legend(loc="upper right", fontsize="small")
    return ax


def _mark_cuts(explanation: Explanation, axes: Axes) -> None:
    """Draw a line at each cut: dotted where a limit forced it."""
    names = {False: "cut", True: "cut forced by a limit"}
    for gap in explanation.cuts:
        forced = explanation.decisions[gap].forced
        style = ":" if forced else "-"
        label = names.pop(forced, None)
        axes.axvline(gap, color="C3", linestyle=style, linewidth=0.8, alpha=0.7, label=label)
