"""``scission models``: what is there, and how to make more."""

from __future__ import annotations

import argparse
from typing import Any

from ..embed.registry import EMBEDDED, embedded


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("models", help="list models, or distill one")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="show the models inside the package")
    listing.set_defaults(run=run_list)


def run_list(options: argparse.Namespace) -> int:
    """List the embedded models."""
    del options
    for name in EMBEDDED:
        model = embedded(name)
        size = (model.rows.nbytes + model.scales.nbytes) / 1e6
        print(
            f"{name}  {len(model.rows):,} tokens x {model.dimensions}, {size:.1f} MB, in the package"
        )
    return 0
