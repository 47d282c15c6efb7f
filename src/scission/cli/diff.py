"""``scission diff``: what changed between two runs."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from ..errors import OptionError, TextError

_DESCRIPTION = (
    "Compare two files that `scission chunk -o FILE.jsonl` wrote: which chunks are new, gone and kept, and "
    "what a re-index has to embed. A chunk is kept when the same document has a chunk with its id, "
    "wherever it stands. The exit status is 0 whether or not the files differ."
)


@dataclass(frozen=True)
class Row:
    """A chunk of a run.

    Attributes
    ----------
    document : str
        The source; empty when the run did not note any.
    id : str
        See `Chunk.id`.
    tokens : int
        Tokens of the text.
    content : bytes
        A hash of the text.
    start : int
        Where it begins.
    text : str
        How it begins, on one line.
    """

    document: str
    id: str
    tokens: int = field(compare=False)
    content: bytes = field(compare=False)
    start: int = field(compare=False)
    text: str = field(compare=False)


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "diff", help="what changed between two runs", description=_DESCRIPTION
    )
    parser.add_argument("old", metavar="OLD.jsonl", help="chunks of the run before")
    parser.add_argument("new", metavar="NEW.jsonl", help="chunks of this run")
    parser.add_argument("-l", "--list", action="store_true", help="name the chunks, - gone, + new")
    parser.add_argument("--json", action="store_true", help="the figures as a JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    old, new = list(read_rows(options.old)), list(read_rows(options.new))
    gone, added = missing_from(old, new), missing_from(new, old)
    if options.list:
        for sign, rows in (("-", gone), ("+", added)):
            for row in rows:
                print(f"{sign} {row.id} {row.document}@{row.start} {row.tokens} tokens: {row.text}")
    figures = {
        "new": _figures(added),
        "gone": _figures(gone),
        "kept": _figures(missing_from(new, added)),
        "to_embed": _figures(unseen(added, old)),
    }
    if options.json:
        print(json.dumps(figures))
        return 0
    for name, figure in figures.items():
        print(
            f"{name.replace('_', ' '):9}{figure['chunks']:>9,} chunks {figure['tokens']:>12,} tokens"
        )
    return 0


def read_rows(path: str) -> Iterator[Row]:
    """Read the chunks that a run wrote.

    Raises
    ------
    OptionError
        The file cannot be read.
    TextError
        A line is not a chunk.
    """
    try:
        with open(path, encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _row(path, number, line)
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TextError(f"{path} must hold JSON lines in UTF-8") from None


def missing_from(rows: Iterable[Row], others: Iterable[Row]) -> list[Row]:
    """Return the rows that the others do not have, as often as they do not have them."""
    left = Counter(others)
    out = []
    for row in rows:
        if left[row]:
            left[row] -= 1
        else:
            out.append(row)
    return out


def unseen(rows: Iterable[Row], known: Iterable[Row]) -> list[Row]:
    """Return a row for each text among `rows` that is not among `known`: vectors depend on texts alone."""
    seen = {row.content for row in known}
    out = []
    for row in rows:
        if row.content not in seen:
            seen.add(row.content)
            out.append(row)
    return out


def _row(path: str, number: int, line: str) -> Row:
    try:
        entry = json.loads(line)
        text = str(entry["text"])
        return Row(
            document=str((entry.get("metadata") or {}).get("source", "")),
            id=str(entry["id"]),
            tokens=int(entry["token_count"]),
            content=blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(),
            start=int(entry["start"]),
            text=ascii(" ".join(text[:60].split())),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise TextError(
            f"{path}: line {number} must be a chunk as `scission chunk -f jsonl` writes it, "
            f"got {line[:60].strip()!r}"
        ) from None


def _figures(rows: list[Row]) -> dict[str, int]:
    return {"chunks": len(rows), "tokens": sum(row.tokens for row in rows)}
