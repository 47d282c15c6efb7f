"""``scission estimate``: what chunking and embedding will take, before it is done."""

from __future__ import annotations

import argparse
import json
from typing import Any

from .inputs import Documents, find


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "estimate",
        help="tokens, price, time and memory before anything is run",
        description="Count documents and tokens, chunk a sample of them, and say what each strategy would cost.",
    )
    parser.add_argument("files", nargs="+", metavar="PATH", help="files, directories or globs")
    parser.add_argument("--grid", metavar="FILE", help="configurations (TOML), as for evaluate")
    parser.add_argument(
        "--model", default="minilm-static", metavar="NAME",
        help="the local model that would embed the chunks (minilm-static)",
    )  # fmt: skip
    parser.add_argument("--prices", metavar="FILE", help="your own prices (JSON)")
    parser.add_argument("--encoding", default="utf-8", help="of the files (utf-8)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from ..evaluate import Grid, Prices, estimate

    prices = Prices.load(options.prices)
    grid = None if options.grid is None else Grid.load(options.grid)
    documents = Documents(find(options.files), options.encoding)
    found = estimate(documents, grid=grid, model=options.model, prices=prices)
    print(json.dumps(found.to_dict(), indent=2) if options.json else summary(found, options.model))
    if not documents.failures:
        return 0
    return 1 if documents.sources else 2


def summary(found: Any, model: str) -> str:
    """Return the estimate for people."""
    lines = [
        f"{found.documents:,} documents, {found.characters:,} characters, {found.bytes / 1e6:,.3g} MB, "
        f"{found.tokens:,} tokens (bert-base-uncased), the largest {found.largest_bytes / 1e6:,.3g} MB"
    ]
    for row in found.strategies:
        lines += [
            "",
            f"{row.label}: about {row.chunks:,} chunks, {row.tokens_stored:,} tokens to embed and store",
        ]
        lines.append(
            f"  here, one core: {row.chunking_seconds:,.2g} s to chunk, {row.embedding_seconds:,.2g} s to embed "
            f"with {model}, {row.peak_megabytes:,.0f} MB at the peak"
        )
        lines += [f"  {line}" for line in _price_lines(row, found.price_currency)]
    lines += [f"\n{name}: left out ({reason})" for name, reason in found.skipped.items()]
    lines += [
        "",
        f"Prices of {found.price_as_of}; their own tokens may be some ten per cent more or fewer.",
        "A model that finds boundaries from single sentences has then read the chunks too: pooled from its vectors,",
        "they cost the first price and not the second.",
    ]
    return "\n".join(lines)


def _price_lines(row: Any, currency: str) -> list[str]:
    lines = []
    for name, price in row.prices.items():
        line = f"{name}: {price:,.4f} {currency}"
        if row.boundary_tokens:
            line += f", {row.prices_with_boundaries[name]:,.4f} if it finds the boundaries too"
        lines.append(line)
    return lines
