"""Writing a report: JSON, CSV and a page."""

from __future__ import annotations

import csv
import io
import json
import platform
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from .cache import write_whole
from .page import html_page
from .plots import score_plot, throughput
from .run import Report
from .svg import standalone


def write_report(report: Report, folder: str | PathLike[str]) -> list[Path]:
    """Write a report into a folder, each file whole or not at all.

    - ``results.json``: everything that follows from corpus and grid alone; byte for byte the same every time.
    - ``timings.json``: what this machine took.
    - ``results.csv``: a row for each configuration, with both.
    - ``report.html``: a page that needs nothing else.
    - ``score_by_tokens.svg``, ``score_by_size.svg``, ``throughput.svg``: plots to show elsewhere.

    Parameters
    ----------
    report : Report
        What `run_grid` returned.
    folder : path
        Made when it is not there.

    Returns
    -------
    list of Path
        The files.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    timings = {
        "machine": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scission": __version__,
            "processor": platform.machine(),
        },
        "configurations": report.timings,
    }
    contents = {
        "results.json": _json(report.results),
        "timings.json": _json(timings),
        "results.csv": results_csv(report),
        "report.html": html_page(report),
        "score_by_tokens.svg": standalone(
            score_plot(report, "tokens_stored", "tokens stored", legend=True)
        ),
        "score_by_size.svg": standalone(
            score_plot(report, "mean_tokens", "mean tokens of a chunk", legend=True)
        ),
        "throughput.svg": standalone(throughput(report)),
    }
    for name, content in contents.items():
        write_whole(target / name, content.encode("utf-8", "backslashreplace"))
    return [target / name for name in contents]


def results_csv(report: Report) -> str:
    """Return a table, a row for each configuration."""
    rows = list(_rows(report))
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _rows(report: Report) -> Iterator[dict[str, Any]]:
    for entry in report.results["configurations"]:
        shape = {name: value for name, value in entry["shape"].items() if name != "histogram"}
        timings = report.timings[entry["label"]]
        yield {
            "label": entry["label"],
            "strategy": entry["strategy"],
            "preset": entry["preset"],
            "options": json.dumps(entry["options"], sort_keys=True, default=repr),
            "vectors": entry["vectors"],
            "model": entry["model"],
            **entry["scores"],
            **shape,
            "price": entry["price"],
            **{name: round(value, 6) for name, value in timings.items()},
        }


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, default=repr, ensure_ascii=False) + "\n"
