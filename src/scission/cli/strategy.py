"""The options of the command line that say how to cut."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from ..api import STRATEGIES, make_chunker
from ..chunkers.base import Chunker

_NUMBERS = {
    "min-tokens": "no chunk is smaller, where the document allows it",
    "max-tokens": "no chunk is larger, ever (512)",
    "max-characters": "the same in characters; fixed and recursive",
    "target-tokens": "wanted mean size of the chunks",
    "number-of-chunks": "wanted number of chunks of each document",
    "overlap-sentences": "sentences that a chunk repeats from the one before it (0)",
    "split-level": "headings down to this level begin a section (6); markdown and html",
    "parent-tokens": "limit of large chunks (1024); parent_child",
    "child-tokens": "limit of small chunks (200); parent_child",
    "budget-tokens": "tokens that other strategies than the cheap one may have; routing",
    "buffer-size": "sentences in a block, or on each side of a window (3)",
}
_WORDS = {
    "model": "minilm-static, a name of 'scission models list', a folder, or a name at a service (openai:NAME)",
    "precision": "of a transformer: fp32, fp16 or int8",
    "device": "of a transformer: auto, cpu, cuda or coreml",
    "fallback": "minilm-static: what to take, with a warning, when the model cannot be had",
    "breakpoints": "partition, percentile, standard_deviation, interquartile, gradient or absolute",
    "distances": "blocks or windows",
    "embed": "sentences or windows",
    "tokenizer": "wordpiece, tiktoken:NAME or a tokenizer.json; fixed and recursive",
    "keep-separator": "auto, start, end or none; fixed and recursive",
    "language": "separators of python, js, markdown ...; recursive; the grammar; code",
    "inner": "the strategy inside sections (recursive); markdown, html and code",
    "parent": "the strategy of large chunks (recursive); parent_child",
    "child": "the strategy of small chunks (recursive); parent_child",
    "order": "parents_first, interleaved or joined; parent_child",
    "default": "the strategy for documents of no known kind (semantic); routing",
    "cheap": "the strategy for documents beyond the budget; routing",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "-s", "--strategy", metavar="NAME",
        help=f"{', '.join(STRATEGIES)} (semantic)",
    )  # fmt: skip
    for name, text in _WORDS.items():
        parser.add_argument(f"--{name}", metavar="NAME", help=text)
    parser.add_argument("--amount", type=float, metavar="X", help="the parameter of --breakpoints")
    for name, text in _NUMBERS.items():
        parser.add_argument(f"--{name}", type=int, metavar="N", help=text)
    parser.add_argument(
        "--max-cost", type=float, metavar="USD", help="stop before a model costs more than this"
    )
    parser.add_argument(
        "--overlap", type=_number, metavar="N",
        help="what a chunk repeats of the one before it, or a share below 1.0; fixed and recursive",
    )  # fmt: skip
    parser.add_argument(
        "--separator", action="append", type=_unescaped, metavar="TEXT",
        help="where to cut, with \\n, \\r and \\t as usual; recursive takes several, the best first",
    )  # fmt: skip
    parser.add_argument(
        "--trim", action="store_true", default=None, help="take white space off the ends of chunks"
    )
    parser.add_argument(
        "--boilerplate",
        action="store_true",
        default=None,
        help="keep navigation and the like; html",
    )


def given(options: argparse.Namespace) -> dict[str, Any]:
    """Return those that were given."""
    names = [name.replace("-", "_") for name in (*_WORDS, *_NUMBERS)]
    names += ["amount", "max_cost", "overlap", "separator", "trim", "boilerplate"]
    values = {name: getattr(options, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def chunker_of(strategy: str, options: Mapping[str, Any]) -> Chunker:
    """Make the chunker of a strategy, with options as the command line or a file names them."""
    options = dict(options)
    separators = options.pop("separator", None)
    if separators and strategy == "recursive":
        options["separators"] = separators
    elif separators:
        options["separator"] = separators[0] if len(separators) == 1 else separators
    if strategy == "recursive" and "language" in options:
        from ..chunkers.recursive import RecursiveChunker

        return RecursiveChunker.for_language(**options)
    return make_chunker(strategy, **options)


def _number(text: str) -> int | float:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None


def _unescaped(text: str) -> str:
    for escape, character in (("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t")):
        text = text.replace(escape, character)
    return text
