"""The grids that the documentation quotes, over the evaluation data.

    python -m bench.matrix chroma -o DIR [--model FOLDER ...]
    python -m bench.matrix ten_thousand -o DIR [--model FOLDER ...]

Each writes a report as ``scission evaluate`` does; one that was stopped goes on from where it was. What the
documentation shows of it goes to ``bench/matrix-NAME.json`` and ``docs/plots/``; `bench.report` makes the tables.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from bench.data import DATA
from bench.models import load
from scission.api import strategies
from scission.evaluate import (
    Corpus,
    Grid,
    Question,
    Reference,
    Report,
    load_corpus,
    run_grid,
    write_report,
)
from scission.evaluate.grid import read_toml

ROOT = Path(__file__).resolve().parents[1]
GRIDS = ROOT / "bench" / "grids"


def ten_thousand() -> Corpus:
    """Join scifact and msmarco5k into one corpus: each question is asked of all documents."""
    return joined(load_corpus(DATA / "retrieval" / name) for name in ("scifact", "msmarco5k"))


def joined(corpora: Any) -> Corpus:
    """Put corpora into one; ids begin with the number of their own."""
    whole = Corpus([], [], [])
    for number, corpus in enumerate(corpora):
        first = len(whole.texts)
        whole.ids.extend(f"{number}/{name}" for name in corpus.ids)
        whole.texts.extend(corpus.texts)
        whole.questions.extend(
            Question(
                f"{number}/{question.id}",
                question.text,
                tuple(
                    Reference(first + r.document, r.start, r.end, r.copies)
                    for r in question.references
                ),
                {first + document: grade for document, grade in question.relevant.items()},
            )
            for question in corpus.questions
        )
    return whole


CORPORA = {"chroma": lambda: load_corpus(DATA / "chroma"), "ten_thousand": ten_thousand}


def grid(name: str, models: list[str]) -> Grid:
    """Read the grid of a corpus, with models put in, and without strategies that are not installed."""
    table = read_toml(GRIDS / f"{name}.toml")
    known = strategies()
    absent = {entry["strategy"] for entry in table["strategies"]} - set(known)
    if absent:
        print(f"left out, not there: {', '.join(sorted(absent))}", file=sys.stderr)
    table["strategies"] = [e for e in table["strategies"] if e["strategy"] in known]
    table["models"] = [{"name": model, "chunks": load(model)} for model in models]
    return Grid.from_dict(table)


def main() -> None:
    """Run a grid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=tuple(CORPORA))
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--model", action="append", help="of chunks and questions; may be repeated")
    options = parser.parse_args()
    report = run_grid(
        CORPORA[options.name](),
        grid(options.name, options.model or ["minilm-static"]),
        cache=options.output / "cache",
        finished=lambda label: print(f"done: {label}", file=sys.stderr),
    )
    write_report(report, options.output)
    keep(options.name, report, options.output)
    print(report.verdict.sentence())


def keep(name: str, report: Report, folder: Path) -> None:
    """Put what the documentation shows where it is looked for."""
    rows = [
        {
            "label": entry["label"],
            "scores": entry["scores"],
            "shape": {key: value for key, value in entry["shape"].items() if key != "histogram"},
            "cpu_seconds": {
                work: report.timings[entry["label"]].get(f"{work}_cpu_seconds", 0.0)
                for work in ("chunking", "embedding")
            },
        }
        for entry in report.results["configurations"]
    ]
    kept = {
        "corpus": report.results["corpus"],
        "verdict": report.verdict.sentence(),
        "rows": rows,
    }
    target = ROOT / "bench" / f"matrix-{name}.json"
    target.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    plots = ROOT / "docs" / "plots"
    plots.mkdir(parents=True, exist_ok=True)
    for plot in ("score_by_size", "throughput"):
        shutil.copyfile(folder / f"{plot}.svg", plots / f"{name}-{plot.replace('_', '-')}.svg")


if __name__ == "__main__":
    main()
