"""``scission explain``: where a document is cut, and why."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import OptionError, TextError
from ..explain import Explanation
from ..explain.page import page
from . import chunk, strategy
from .inputs import STDIN, Documents
from .outputs import write_text


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "explain",
        help="show where a document is cut, and why",
        description="Show where a document is cut, and why: in the terminal, or with -o as a page of its own.",
    )
    parser.add_argument(
        "file", nargs="?", default=STDIN, metavar="FILE", help="- or nothing for standard input"
    )
    strategy.add_options(parser)
    parser.add_argument(
        "--compare", nargs="+", metavar="OPTION=VALUE",
        help="put a second chunker beside the first: its options where they differ, or, with strategy=NAME, "
        "all of them",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", help="write an HTML page there")
    parser.add_argument("--encoding", default="utf-8", help="of the file (utf-8)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    chunk.check_encoding(options.encoding)
    chunk.check_output(options.output, [options.file])
    given = {"strategy": options.strategy or "semantic", **strategy.given(options)}
    wanted = [given] if options.compare is None else [given, _changed(given, options.compare)]
    chunkers = [_chunker(settings) for settings in wanted]
    documents = list(Documents([options.file], options.encoding))
    if not documents:
        return 2
    for settings in wanted:
        _load_kernels(settings)
    explanations = [chunker.explain(documents[0]) for chunker in chunkers]
    if options.output is None:
        _print(explanations)
    else:
        write_text(options.output, page(explanations))
        for explanation in explanations:
            print(f"{explanation.chunker}: {explanation.summary}", file=sys.stderr)
    return 0


def _chunker(settings: Mapping[str, Any]) -> Any:
    options = dict(settings)
    return strategy.chunker_of(options.pop("strategy"), options)


def _load_kernels(settings: Mapping[str, Any]) -> None:
    """Run the kernels once on a few words, without a model that costs: what is timed comes after."""
    if settings["strategy"] == "semantic":
        free = {name: value for name, value in settings.items() if name != "model"}
        _chunker(free).explain("One ship. Two ships. Three loaves of bread. " * 3)


def _changed(given: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Return the options of the second chunker."""
    new: dict[str, Any] = {}
    for change in changes:
        name, equals, value = change.partition("=")
        if not equals or not name:
            raise OptionError(f"--compare must be followed by OPTION=VALUE, got {change!r}")
        new[name.replace("-", "_")] = _value(value)
    return new if "strategy" in new else {**given, **new}


def _value(word: str) -> Any:
    """Read an option's value: None, True, False, a number, or else a string."""
    constants = {"None": None, "True": True, "False": False}
    if word in constants:
        return constants[word]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def _print(explanations: Sequence[Explanation]) -> None:
    if any(not explanation.chunks for explanation in explanations):
        raise TextError("the document must hold text, got an empty one")
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    width = shutil.get_terminal_size((88, 24)).columns
    print("\n".join(explanation.to_text(width, colour) for explanation in explanations), end="")
    if len(explanations) == 2:
        print(_agreement(*explanations))


def _agreement(first: Explanation, second: Explanation) -> str:
    ends = [{chunk.end for chunk in explanation.chunks[:-1]} for explanation in (first, second)]
    both = len(ends[0] & ends[1])
    return f"\n{both} cuts in common, {len(ends[0]) - both} of the first alone, {len(ends[1]) - both} of the second"
