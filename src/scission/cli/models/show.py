"""``scission models list``: what is there."""

from __future__ import annotations

import argparse
from typing import Any

from ...embed.cache import cache_folder
from ...embed.catalogue import CATALOGUE, KnownModel
from ...embed.static import EMBEDDED, embedded


def add_actions(actions: Any) -> None:
    """Declare the action."""
    listing = actions.add_parser(
        "list", help="show the models inside the package, and those that can be fetched"
    )
    listing.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List the models."""
    del options
    for name in EMBEDDED:
        model = embedded(name)
        size = (model.rows.nbytes + model.scales.nbytes) / 1e6
        teacher = model.recipe["teacher"]["name"]
        print(
            f"{name}  {len(model.rows):,} tokens x {model.dimensions}, {size:.1f} MB, "
            f"in the package, fitted to {teacher}"
        )
    for row in CATALOGUE.values():
        print(_line(row))
    print(f"fetched models are kept in {cache_folder()}")
    return 0


def _line(row: KnownModel) -> str:
    from ...embed.download import is_here

    state = "fetched" if is_here(row) else f"'scission models pull {row.name}'"
    note = f"; {row.note}" if row.note else ""
    return (
        f"{row.name}  {row.layers} layers x {row.dimensions}, {row.pooling} pooling, {row.max_tokens} tokens, "
        f"{row.megabytes} MB, {row.licence}, {state}{note}"
    )
