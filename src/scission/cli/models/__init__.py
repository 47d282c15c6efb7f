"""``scission models``: what is there, how to fetch it, and how to make more."""

from __future__ import annotations

from typing import Any

from . import build, check, distill, fetch, show


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("models", help="list, fetch, build, check or distill models")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for module in (show, fetch, build, check, distill):
        module.add_actions(actions)
