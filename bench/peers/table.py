"""The comparison as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HEAD = (
    "| library | MB/s | time | mean size | lossless | offsets exact | above limit | not comparable |\n"
    "|---|---:|---:|---:|---:|---:|---:|---|"
)


def tables(results: Mapping[str, Any]) -> str:
    """Return a table for each task, the rows in the order in which they were measured."""
    parts = []
    for task in results["tasks"]:
        parts += [f"### {task['title'][0].upper()}{task['title'][1:]}", "", _HEAD]
        parts += [_row(row) for row in task["rows"]]
        parts.append("")
    parts.append(
        f"Python {results['python']}; one thread; CPU time, interleaved, medians of ratios."
    )
    return "\n".join(parts) + "\n"


def quality_table(results: Mapping[str, Any]) -> str:
    """Return the table of Pk on gold segments, and of boundaries found for each gold one."""
    sets = list(results["rows"][0]["pk"])
    lines = ["| library | " + " | ".join(sets) + " |", "|---|" + "---:|" * len(sets)]
    for row in results["rows"]:
        cells = [f"{row['pk'][name]:.1f} ({row['cuts_per_gold'][name]:.2f})" for name in sets]
        lines.append(f"| {row['name']} {row['version']} | " + " | ".join(cells) + " |")
    lines += ["", f"Embedder of all: {results['model']}."]
    return "\n".join(lines) + "\n"


def retrieval_table(results: Mapping[str, Any]) -> str:
    """Return the table of recall at equal budgets of retrieved tokens, in per cent."""
    lines = ["| library | mean tokens | recall at 400 / 800 / 1,600 tokens |", "|---|---:|---:|"]
    for row in results["rows"]:
        recalls = " / ".join(f"{recall:.1f}" for recall in row["recall"])
        lines.append(f"| {row['name']} {row['version']} | {row['mean_tokens']:.0f} | {recalls} |")
    lines += ["", f"Embedder of all: {results['model']}."]
    return "\n".join(lines) + "\n"


def _row(row: Mapping[str, Any]) -> str:
    exact = "none" if row["exact"] is None else f"{row['exact']:.0%}"
    speed = f"{row['speed']:,.0f}" if row["speed"] >= 100 else f"{row['speed']:.1f}"
    return (
        f"| {row['name']} {row['version']} | {speed} | {row['times_slower']:.2f} x | {row['mean_size']:.0f} "
        f"| {row['lossless']:.0%} | {exact} | {row['over']:.0%} | {'; '.join(row['faults'])} |"
    )
