"""The grids that the documentation quotes, over the evaluation data.

    python -m bench.matrix chroma -o DIR [--model FOLDER ...]
    python -m bench.matrix ten_thousand -o DIR [--model FOLDER ...]

Each writes a report as ``scission evaluate`` does; one that was stopped goes on from where it was.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from bench.data import DATA
from bench.models import load
from scission.api import strategies
from scission.evaluate import Corpus, Grid, Question, Reference, load_corpus, run_grid, write_report
from scission.evaluate.grid import read_toml

GRIDS = Path(__file__).parent / "grids"


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
    print(report.verdict.sentence())


if __name__ == "__main__":
    main()
