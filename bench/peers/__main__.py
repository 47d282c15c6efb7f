"""Run the comparisons and print them; see the package."""

from __future__ import annotations

import argparse
import json
import platform
import warnings
from pathlib import Path
from statistics import median
from typing import Any

from bench.data import megabytes, prose
from bench.peers import characters, semantic, tokens
from bench.peers.case import Task
from bench.peers.checks import quality
from bench.timing import interleaved

TASKS = {
    task.name: task for task in (semantic.TASK, characters.TASK, tokens.RECURSIVE, tokens.FIXED)
}
#: Documents whose chunks are checked.
_CHECKED = 100


def compared(task: Task, texts: list[str]) -> list[dict[str, Any]]:
    """Check, then time, every contender that is installed."""
    present = [contender for contender in task.contenders if contender.version is not None]
    works = {contender.name: contender.make() for contender in present}
    some = texts[:: max(1, len(texts) // _CHECKED)]
    found = {
        contender.name: quality(
            some, contender.pieces(works[contender.name](some)), task.limit, task.size
        )
        for contender in present
    }
    samples = {contender.name: texts[:: contender.every] for contender in present}
    times = interleaved(
        {name: lambda name=name: works[name](samples[name]) for name in works}  # type: ignore[misc]
    )
    per_megabyte = {name: [t / megabytes(samples[name]) for t in times[name]] for name in works}
    first = present[0].name
    return [
        {
            "name": contender.name,
            "version": contender.version,
            "speed": 1 / min(per_megabyte[contender.name]),
            "times_slower": _ratio(per_megabyte[contender.name], per_megabyte[first]),
            **found[contender.name].to_dict(),
            "faults": found[contender.name].faults(found[first]),
        }
        for contender in present
    ]


def _ratio(slow: list[float], fast: list[float]) -> float:
    return median(a / b for a, b in zip(slow, fast, strict=True))


def shown(row: dict[str, Any]) -> str:
    """Return one line of the table on the terminal."""
    exact = "-" if row["exact"] is None else f"{row['exact']:.1%}"
    name = f"{row['name']} {row['version']}"
    return (
        f"  {name:<48}{row['speed']:9.2f} MB/s{row['times_slower']:9.2f} x"
        f"{row['mean_size']:8.0f}{row['lossless']:9.1%}{exact:>9}{row['over']:8.1%}  {'; '.join(row['faults'])}"
    )


def main() -> None:
    """Compare, print, and write the figures."""
    parser = argparse.ArgumentParser(description="other libraries at the same tasks")
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {', '.join(TASKS)}")
    parser.add_argument("-o", "--out", type=Path, help="JSON file to put the figures into")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tasks = {}
    if options.out and options.out.exists():
        tasks = {task["name"]: task for task in json.loads(options.out.read_text())["tasks"]}
    for name in options.tasks or TASKS:
        task = TASKS[name]
        print(task.title)
        print(f"  {'':<48}{'':>14}{'time':>11}{'size':>8}{'lossless':>9}{'exact':>9}{'over':>8}")
        rows = compared(task, prose())
        for row in rows:
            print(shown(row), flush=True)
        tasks[name] = {"name": name, "title": task.title, "rows": rows}
    if options.out:
        kept = [tasks[name] for name in TASKS if name in tasks]
        results = {"python": platform.python_version(), "tasks": kept}
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
