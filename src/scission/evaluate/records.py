"""Reading lines of JSON and tables, with a message that names file and line when one is malformed."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import CorpusError


@dataclass(frozen=True)
class Record:
    """A line of a file.

    Attributes
    ----------
    path : Path
        The file.
    line : int
        The line's number, from 1.
    fields : mapping
        What it says.
    """

    path: Path
    line: int
    fields: Mapping[str, Any]

    def error(self, message: str) -> CorpusError:
        """Make the error that says what is wrong with this line."""
        return CorpusError(f"{self.path}:{self.line}: {message}")

    def text(self, *names: str) -> str:
        """Return the first of the named fields that is there; it must be a string that says something."""
        for name in names:
            if name in self.fields:
                value = self.fields[name]
                if isinstance(value, str) and value.strip():
                    return value
                raise self.error(f"{name!r} must be a string that is not blank, got {value!r:.80}")
        raise self.error(
            f"{' or '.join(map(repr, names))} is missing: the line has {_names(self.fields)}"
        )

    def name(self, *names: str) -> str:
        """Return the first of the named fields that is there, an id: a string or an integer."""
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
            if value is not None:
                return self.text(name)
        return self.text(*names)

    def part(self, value: Any, what: str) -> Record:
        """Return an object inside this line as a record of the same place."""
        if not isinstance(value, Mapping):
            raise self.error(f"{what} must be an object, got {value!r:.80}")
        return Record(self.path, self.line, value)

    def items(self, name: str) -> list[Any]:
        """Return a list, empty when it is not there."""
        value = self.fields.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(f"{name!r} must be a list, got {value!r:.80}")
        return value


def json_lines(path: Path) -> Iterator[Record]:
    """Read the objects of a JSONL file, gzipped or not; blank lines are passed over."""
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise CorpusError(f"{path}:{number}: not JSON ({error})") from None
        yield Record(path, number, {}).part(value, "a line")


def table(path: Path, delimiter: str) -> Iterator[Record]:
    """Read the rows of a table whose first line names the columns; a field may hold line ends."""
    reader = csv.reader(io.StringIO("".join(_lines(path)), newline=""), delimiter=delimiter)
    try:
        header = next(reader, [])
        begin = reader.line_num + 1
        for row in reader:
            record = Record(path, begin, dict(zip(header, row, strict=False)))
            begin = reader.line_num + 1
            if not row:
                continue
            if len(row) != len(header):
                raise record.error(
                    f"a row must have {len(header)} fields like the header, got {len(row)}"
                )
            yield record
    except csv.Error as error:
        raise CorpusError(f"{path}:{reader.line_num}: not a table ({error})") from None


def _lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file, with their ends; split at line feeds only, as JSONL is."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise CorpusError(f"{path}: cannot be read: {reason}") from None
    try:
        return io.StringIO(data.decode("utf-8-sig"), newline="\n").readlines()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            f"{path}:{line}: not UTF-8: byte {data[error.start]:#04x} ({error.reason})"
        ) from None


def _names(fields: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, fields)) or "no fields"
