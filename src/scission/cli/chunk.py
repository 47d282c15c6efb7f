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
from ..remote.ledger import Usage
from . import outputs
from .inputs import STDIN, Documents, find

_NUMBERS = {
    "min-tokens": "no chunk is smaller, where the document allows it",
    "max-tokens": "no chunk is larger, ever (512)",
    "target-tokens": "wanted mean size of the chunks",
    "number-of-chunks": "wanted number of chunks of each document",
    "overlap-sentences": "sentences that a chunk repeats from the one before it (0)",
    "buffer-size": "sentences in a block, or on each side of a window (3)",
}
_WORDS = {
    "model": "minilm-static, the folder of a distilled model, or a model's name at the service",
    "breakpoints": "partition, percentile, standard_deviation, interquartile, gradient or absolute",
    "distances": "blocks or windows",
    "embed": "sentences or windows",
}


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "chunk",
        help="cut documents into chunks",
        description="Cut documents into chunks and print them, or write them to a file.",
    )
    parser.add_argument(
        "files", nargs="*", default=[STDIN], metavar="FILE",
        help="files, directories or globs; - or nothing for standard input",
    )  # fmt: skip
    add_chunker_options(parser)
    parser.add_argument(
        "--embeddings", action="store_true", help="write chunk vectors too (not as text)"
    )
    parser.add_argument(
        "-f", "--format", choices=outputs.FORMATS, help="text, or by the ending of -o"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of printing")
    parser.add_argument("--encoding", default="utf-8", help="of the files (utf-8)")
    parser.add_argument(
        "-j", "--threads", type=int, metavar="N", help="one for each core by default"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
    parser.set_defaults(run=run)


def add_chunker_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say how to cut."""
    parser.add_argument("-s", "--strategy", default="semantic", help="how to cut (semantic)")
    for name, text in _WORDS.items():
        parser.add_argument(f"--{name}", metavar="NAME", help=text)
    parser.add_argument("--amount", type=float, metavar="X", help="the parameter of --breakpoints")
    for name, text in _NUMBERS.items():
        parser.add_argument(f"--{name}", type=int, metavar="N", help=text)
    parser.add_argument(
        "--max-cost", type=float, metavar="USD", help="stop before a model costs more than this"
    )
    parser.add_argument(
        "--trim", action="store_true", default=None, help="take white space off the ends of chunks"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    chunker = make_chunker(options.strategy, **chunker_options(options))
    paths = find(options.files)
    check_encoding(options.encoding)
    check_output(options.output, paths)
    form = outputs.chosen_format(options.format, options.output)
    documents = Documents(paths, options.encoding)
    began = time.perf_counter()
    chunks, tokens = _write(chunker, documents, form, options)
    if not options.quiet:
        seconds = time.perf_counter() - began
        print(summary(documents, chunks, tokens, seconds), file=sys.stderr)
        if hasattr(chunker, "usage"):
            print(spent(chunker.usage), file=sys.stderr)
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


def spent(usage: Usage) -> str:
    """Return what a model behind a network was asked for."""
    cost = "price unknown" if usage.cost is None else f"{usage.cost:.4f} USD"
    return (
        f"requests: {usage.requests:,}, answers from the cache: {usage.cached:,}, tokens sent: "
        f"{usage.input_tokens:,}, received: {usage.output_tokens:,}, cost: {cost}"
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


def chunker_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options given that say how to cut."""
    names = [name.replace("-", "_") for name in (*_WORDS, *_NUMBERS)]
    given = {name: getattr(options, name) for name in (*names, "amount", "max_cost", "trim")}
    return {name: value for name, value in given.items() if value is not None}


def check_encoding(name: str) -> None:
    """Refuse an encoding that does not exist."""
    try:
        "".encode(name)
    except LookupError:
        raise OptionError(f"--encoding must be one that Python knows, got {name!r}") from None


def check_output(output: str | None, paths: list[str]) -> None:
    """Refuse to write over a document."""
    if output is None or not os.path.exists(output):
        return
    for path in paths:
        if path != STDIN and os.path.exists(path) and os.path.samefile(path, output):
            raise OptionError(f"-o must not name a document, got {output}")
