"""``scission chunk``: documents in, chunks out."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from ..chunkers.base import Chunker
from ..errors import OptionError
from ..remote.ledger import Usage
from . import outputs, strategy
from .config import settle
from .inputs import STDIN, Documents, find


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
    strategy.add_options(parser)
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
    chosen = {**settle(options), **strategy.given(options)}
    chunker = strategy.chunker_of(options.strategy, chosen)
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
