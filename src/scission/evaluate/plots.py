"""What a report shows as plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .run import Report
from .shape import HISTOGRAM_EDGES
from .svg import COLOURS, Point, bars, histogram, scatter


def ordered(report: Report) -> list[Mapping[str, Any]]:
    """Return the configurations, the best first: their numbers in every plot and table."""
    metric = report.verdict.metric
    entries: list[Mapping[str, Any]] = report.results["configurations"]
    return sorted(entries, key=lambda entry: -(entry["scores"][metric] or 0.0))


def colours_of(entries: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Choose a colour for each strategy, by label."""
    kinds = sorted({_kind(entry) for entry in entries})
    return {entry["label"]: COLOURS[kinds.index(_kind(entry)) % len(COLOURS)] for entry in entries}


def score_plot(report: Report, against: str, label: str, *, legend: bool = False) -> str:
    """Plot the deciding score against a property of the chunks.

    Parameters
    ----------
    report : Report
        What `run_grid` returned.
    against : str
        An attribute of `Shape`.
    label : str
        What the axis says.
    legend : bool, default False
        Whether to name the numbered points beside the plot.
    """
    entries = ordered(report)
    colours = colours_of(entries)
    metric = report.verdict.metric
    points = [
        Point(
            x=max(1, entry["shape"][against]),
            y=100 * (entry["scores"][metric] or 0.0),
            number=number,
            colour=colours[entry["label"]],
            title=f"{entry['label']}: {100 * (entry['scores'][metric] or 0.0):.1f} %",
        )
        for number, entry in enumerate(entries, 1)
    ]
    return scatter(points, label, f"{metric}, %", legend=legend)


def histograms(report: Report) -> str:
    """Plot the sizes of each set of chunks (models and vectors do not change them), all over the same bins."""
    entries = ordered(report)
    colours = colours_of(entries)
    used = [i for entry in entries for i, n in enumerate(entry["shape"]["histogram"]) if n]
    bins = range(min(used, default=0), max(used, default=0) + 1)
    seen: dict[tuple[int, ...], str] = {}
    for entry in entries:
        counts = tuple(entry["shape"]["histogram"])
        if counts not in seen:
            colour = colours[entry["label"]]
            seen[counts] = histogram(counts, HISTOGRAM_EDGES, bins, colour, entry["label"])
    return "".join(seen.values())


def throughput(report: Report) -> str:
    """Plot how fast each configuration chunks, on one core."""
    entries = ordered(report)
    colours = colours_of(entries)
    rows = [
        (label, report.timings[label]["megabytes_per_second"], colours[label])
        for label in (entry["label"] for entry in entries)
    ]
    return bars(rows, "MB/s")


def _kind(entry: Mapping[str, Any]) -> tuple[str, str]:
    return entry["strategy"], entry["preset"] or ""
