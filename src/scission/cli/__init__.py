"""The command line: ``scission chunk`` and its companions."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from .. import __version__
from ..errors import ScissionError
from . import chunk, diff, estimate, evaluate, explain, models, warmup

#: Exit statuses: all done; some documents failed; nothing could be done.
DONE, SOME_FAILED, FAILED = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the program's name; those of the process by default.

    Returns
    -------
    int
        0 when all is done, 1 when some documents failed, 2 when nothing could be done.
    """
    parser = argparse.ArgumentParser(
        prog="scission", description="Cut documents into retrieval chunks where the topic changes."
    )
    parser.add_argument("--version", action="version", version=f"scission {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (chunk, diff, estimate, evaluate, explain, models, warmup):
        module.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        status: int = options.run(options)
    except ScissionError as error:
        print(f"scission: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # the reader (head, say) has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        print("scission: interrupted", file=sys.stderr)
        return 130
    return status
