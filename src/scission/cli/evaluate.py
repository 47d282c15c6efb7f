"""``scission evaluate``: which strategy is best on your own documents."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from ..errors import CorpusError, OptionError


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "evaluate",
        help="compare strategies on your own documents and questions",
        description="Run every configuration of a grid on documents and questions, and write a report; or compare two "
        "files of ready-made chunks. What is done is kept in DIR/cache: a run that was stopped goes on from there.",
    )
    parser.add_argument(
        "--corpus", required=True, metavar="PATH",
        help="a folder of text files, a BEIR folder, or Chroma's form",
    )  # fmt: skip
    parser.add_argument("--queries", metavar="FILE", help="questions (JSONL), for a folder of text")
    parser.add_argument(
        "--form", choices=("folder", "beir", "chroma"), help="found out from the files by default"
    )
    parser.add_argument("--split", default="test", help="of a BEIR folder (test)")
    parser.add_argument("--grid", metavar="FILE", help="the grid (TOML); needs -o")
    parser.add_argument(
        "--compare", nargs=2, metavar=("OLD", "NEW"), help="two files of chunks (JSONL)"
    )
    parser.add_argument(
        "--model", default="minilm-static", metavar="NAME", help="with --compare (minilm-static)"
    )
    parser.add_argument(
        "--query-model",
        metavar="NAME",
        help="with --compare, when another model reads the questions",
    )
    parser.add_argument("--prices", metavar="FILE", help="your own prices (JSON)")
    parser.add_argument("-o", "--output", metavar="DIR", help="the report's folder")
    parser.add_argument("--cache", metavar="DIR", help="in place of DIR/cache")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    if (options.grid is None) == (options.compare is None):
        raise OptionError("evaluate needs either --grid FILE or --compare OLD NEW")
    if options.grid is not None and options.output is None:
        raise OptionError("--grid needs -o DIR, where the report is written")
    from ..evaluate import load_corpus

    corpus = load_corpus(options.corpus, options.queries, form=options.form, split=options.split)
    if options.compare is not None:
        return _compare(options, corpus)
    return _grid(options, corpus)


def _grid(options: argparse.Namespace, corpus: Any) -> int:
    from ..evaluate import Grid, Prices, run_grid, write_report

    grid = Grid.load(options.grid)
    output = Path(options.output)
    if output.exists() and not output.is_dir():
        raise OptionError(f"-o must name a folder, got the file {output}")
    prices = Prices.load(options.prices)
    cache = options.cache or output / "cache"
    with _Bar(len(grid.configurations), options.quiet) as bar:
        report = run_grid(
            corpus, grid, cache=cache, prices=prices, progress=bar.embedded, finished=bar.finished
        )
    paths = write_report(report, output)
    print(report.verdict.sentence())
    print("wrote " + ", ".join(map(str, paths)))
    return 0


def _compare(options: argparse.Namespace, corpus: Any) -> int:
    from ..evaluate import Model, compare_chunks, read_chunks

    old, new = (read_chunks(path, corpus) for path in options.compare)
    model = Model(options.model, options.model, options.query_model or options.model)
    comparison = compare_chunks(corpus, old, new, model=model)
    print(comparison.table())
    print(comparison.sentence())
    if options.output is not None:
        _write(Path(options.output), comparison.to_dict())
    return 0


def _write(folder: Path, content: dict[str, Any]) -> None:
    from ..evaluate.cache import write_whole

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CorpusError(f"-o must name a folder, got {folder}: {error.strerror}") from None
    path = folder / "comparison.json"
    write_whole(path, (json.dumps(content, indent=2) + "\n").encode())
    print(f"wrote {path}")


class _Bar:
    """Progress over the configurations, with how far the present one is."""

    def __init__(self, configurations: int, quiet: bool) -> None:
        from tqdm import tqdm

        self._bar = tqdm(
            total=configurations, unit="configuration", file=sys.stderr, leave=False,
            disable=quiet or not sys.stderr.isatty(),
        )  # fmt: skip

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def embedded(self, label: str, done: int, total: int) -> None:
        """Show how many chunks of a configuration have their vectors."""
        self._bar.set_postfix_str(f"{label}: {done:,}/{total:,} chunks")

    def finished(self, label: str) -> None:
        """Count a configuration as done."""
        self._bar.set_postfix_str(label)
        self._bar.update()
