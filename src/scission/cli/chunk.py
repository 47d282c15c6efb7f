"""``scission chunk``: documents in, chunks out."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from ..api import make_chunker
from ..chunkers.base import Chunker
from ..errors import OptionError
from . import outputs
from .config import settle
from .inputs import STDIN, Documents, find

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
    "model": "minilm-static, or the folder of a distilled model",
    "breakpoints": "partition, percentile, standard_deviation, interquartile, gradient or absolute",
    "distances": "blocks or windows",
    "embed": "sentences or windows",
    "tokenizer": "wordpiece, tiktoken:NAME or a tokenizer.json; fixed and recursive",
    "keep-separator": "auto, start, end or none; fixed and recursive",
    "language": "python, js, markdown ...: its separators (recursive) or its grammar (code)",
    "inner": "the strategy inside sections (recursive); markdown, html and code",
    "parent": "the strategy of large chunks (recursive); parent_child",
    "child": "the strategy of small chunks (recursive); parent_child",
    "order": "parents_first, interleaved or joined; parent_child",
    "default": "the strategy for documents of no known kind (semantic); routing",
    "cheap": "the strategy for documents beyond the budget; routing",
}


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "chunk",
        help="cut documents into chunks",
        description="Cut documents into chunks and print them, or write them to a file.",
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE",
        help="files, directories or globs; - or nothing for standard input",
    )  # fmt: skip
    parser.add_argument(
        "-c", "--config", metavar="FILE",
        help="TOML: files, strategy, output and so on as here, options of the strategy under [options]",
    )  # fmt: skip
    parser.add_argument(
        "-s", "--strategy", metavar="NAME",
        help="semantic, recursive, fixed, markdown, html, code, parent_child or routing (semantic)",
    )  # fmt: skip
    for name, text in _WORDS.items():
        parser.add_argument(f"--{name}", metavar="NAME", help=text)
    parser.add_argument("--amount", type=float, metavar="X", help="the parameter of --breakpoints")
    for name, text in _NUMBERS.items():
        parser.add_argument(f"--{name}", type=int, metavar="N", help=text)
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
    parser.add_argument(
        "--pages", action="store_true", default=None, help="note pages, which form feeds begin"
    )
    parser.add_argument(
        "--embeddings",
        action="store_true",
        default=None,
        help="write chunk vectors too (not as text)",
    )
    parser.add_argument(
        "-f", "--format", choices=outputs.FORMATS, help="text, or by the ending of -o"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of printing")
    parser.add_argument("--encoding", help="of the files (utf-8)")
    parser.add_argument(
        "-j", "--threads", type=int, metavar="N", help="one for each core by default"
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", default=None, help="no progress and no summary"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    chosen = {**settle(options), **_chunker_options(options)}
    chunker = _chunker(options.strategy, chosen)
    paths = find(options.files)
    _check_encoding(options.encoding)
    _check_output(options.output, paths)
    form = outputs.chosen_format(options.format, options.output)
    documents = Documents(paths, options.encoding)
    began = time.perf_counter()
    chunks, tokens = _write(chunker, documents, form, options)
    if not options.quiet:
        seconds = time.perf_counter() - began
        print(summary(documents, chunks, tokens, seconds), file=sys.stderr)
    if not documents.failures:
        return 0
    return 1 if documents.sources else 2


def summary(documents: Documents, chunks: int, tokens: int, seconds: float) -> str:
    """Return the closing line."""
    megabytes = documents.bytes_read / 1e6
    failed = f", {len(documents.failures)} failed" if documents.failures else ""
    count = len(documents.sources)
    return (
        f"{count:,} document{'' if count == 1 else 's'}{failed}, {chunks:,} chunks, {tokens:,} tokens, "
        f"{megabytes:.3g} MB in {seconds:.2g} s ({megabytes / max(seconds, 1e-9):.3g} MB/s)"
    )


def _write(
    chunker: Chunker, documents: Documents, form: str, options: argparse.Namespace
) -> tuple[int, int]:
    from tqdm import tqdm

    chunks = tokens = 0
    progress = tqdm(
        total=len(documents.paths),
        unit="doc",
        delay=1.0,
        disable=options.quiet or not sys.stderr.isatty(),
        file=sys.stderr,
        leave=False,
    )
    with progress, outputs.opened(form, options.output) as writer:
        batches = chunker.stream(
            documents,
            threads=options.threads,
            embeddings=options.embeddings,
            metadata=_sources(documents),
            pages="form_feeds" if options.pages else None,
        )
        for batch in batches:
            writer.write(batch)
            chunks += len(batch)
            tokens += int(batch.token_count.sum())
            progress.update(len(batch.texts))
    return chunks, tokens


def _sources(documents: Documents) -> Iterator[dict[str, str]]:
    """Yield the metadata of each document; the chunker asks for it once it has read the document."""
    number = 0
    while True:
        yield {"source": documents.sources[number]}
        number += 1


def _chunker(strategy: str, options: dict[str, Any]) -> Chunker:
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


def _chunker_options(options: argparse.Namespace) -> dict[str, Any]:
    names = [name.replace("-", "_") for name in (*_WORDS, *_NUMBERS)]
    names += ["amount", "overlap", "separator", "trim", "boilerplate"]
    given = {name: getattr(options, name) for name in names}
    return {name: value for name, value in given.items() if value is not None}


def _check_encoding(name: str) -> None:
    try:
        "".encode(name)
    except LookupError:
        raise OptionError(f"--encoding must be one that Python knows, got {name!r}") from None


def _check_output(output: str | None, paths: list[str]) -> None:
    """Refuse to write over a document."""
    if output is None or not os.path.exists(output):
        return
    for path in paths:
        if path != STDIN and os.path.exists(path) and os.path.samefile(path, output):
            raise OptionError(f"-o must not name a document, got {output}")
