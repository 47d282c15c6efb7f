"""Finding and reading the documents named on the command line."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import TextError
from ..files import files_below
from ..text import MAX_BUFFER_BYTES

STDIN = "-"


@dataclass
class Documents:
    """Documents read one by one; those that cannot be read are noted and passed over.

    Attributes
    ----------
    paths : sequence of str
        Files, or ``-`` for standard input.
    encoding : str
        How bytes become text.
    sources : list of str
        Names of the documents handed out so far, in order.
    failures : list of str
        What went wrong, a line for each document.
    bytes_read : int
        Bytes of all documents handed out so far.
    """

    paths: Sequence[str]
    encoding: str = "utf-8"
    sources: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    bytes_read: int = 0

    def __iter__(self) -> Iterator[str]:
        for path in self.paths:
            try:
                data = _read(path)
                text = _decode(path, data, self.encoding)
            except (OSError, TextError) as error:
                message = f"{path}: {error.strerror}" if isinstance(error, OSError) else str(error)
                self.failures.append(message)
                print(f"scission: {message}", file=sys.stderr)
                continue
            self.sources.append("<stdin>" if path == STDIN else path)
            self.bytes_read += len(data)
            yield text


def find(names: Iterable[str]) -> list[str]:
    """Expand directories (every file below that is not hidden, sorted) and globs.

    A name that matches nothing stays, so that reading it says that it does not exist.
    """
    found: list[str] = []
    for name in names:
        if name != STDIN and os.path.isdir(name):
            found.extend(map(str, files_below(Path(name))))
        elif name != STDIN and not os.path.lexists(name) and glob.has_magic(name):
            matches = sorted(
                path for path in glob.glob(name, recursive=True) if os.path.isfile(path)
            )
            found.extend(matches or [name])
        else:
            found.append(name)
    return found


def _read(path: str) -> bytes:
    if path == STDIN:
        return sys.stdin.buffer.read()
    size = os.path.getsize(path)
    if size > MAX_BUFFER_BYTES:
        raise TextError(
            f"{path}: a document must stay under {MAX_BUFFER_BYTES} bytes, got {size}: split it first"
        )
    return Path(path).read_bytes()


def _decode(path: str, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise TextError(
            f"{path}: not {encoding}: byte {data[error.start]:#04x} at offset {error.start} "
            f"({error.reason}); name the file's own encoding with --encoding"
        ) from None
