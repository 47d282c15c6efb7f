"""``scission warmup``: compile every kernel into the cache."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from ..warmup import steps


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "warmup",
        help="compile every kernel into the disk cache",
        description="Compile every kernel into the disk cache, as the build of a container image would.",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    del options
    from tqdm import tqdm

    began = time.perf_counter()
    todo = steps()
    with tqdm(todo, disable=not sys.stderr.isatty(), leave=False, file=sys.stderr) as progress:
        for name, step in progress:
            progress.set_description(name)
            step()
    print(f"{len(todo)} steps in {time.perf_counter() - began:.1f} s: every kernel is compiled")
    return 0
