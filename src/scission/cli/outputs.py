"""Writing chunks as text, JSON lines or Parquet."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO, Any, Protocol

from ..chunks import ChunkBatch
from ..errors import MissingExtra, OptionError

FORMATS = ("text", "jsonl", "parquet")
_BY_SUFFIX = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


class Writer(Protocol):
    """Takes batches one after the other."""

    def write(self, batch: ChunkBatch) -> None:
        """Write the chunks of a batch."""
        ...


class TextWriter:
    """For people: each chunk under a line that says where it is from."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, batch: ChunkBatch) -> None:
        """Write the chunks of a batch."""
        for chunk in batch:
            source = chunk.metadata.get("source", "")
            head = f"{source}[{chunk.start}:{chunk.end}] · {chunk.token_count} tokens "
            print(f"── {head}".ljust(88, "─"), file=self._file)
            print(chunk.text.rstrip("\r\n"), file=self._file)


class JsonWriter:
    """A JSON object for each chunk, a line each."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, batch: ChunkBatch) -> None:
        """Write the chunks of a batch."""
        batch.to_jsonl(self._file)


class ParquetWriter:
    """A Parquet file, a row group for each batch."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._writer: Any = None

    def __enter__(self) -> ParquetWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, batch: ChunkBatch) -> None:
        """Write the chunks of a batch."""
        table = batch.to_arrow()
        if self._writer is None:
            import pyarrow.parquet

            self._writer = pyarrow.parquet.ParquetWriter(self._path, table.schema)
        self._writer.write_table(table)


def chosen_format(name: str | None, path: str | None) -> str:
    """Return the format: the one asked for, that of the file's ending, or text."""
    if name is not None:
        return name
    return _BY_SUFFIX.get(os.path.splitext(path or "")[1].lower(), "text")


@contextmanager
def opened(form: str, path: str | None) -> Iterator[Writer]:
    """Open the output, standard output by default."""
    if form == "parquet":
        if path is None:
            raise OptionError("--format parquet needs -o FILE: a Parquet file is no stream of text")
        _require_pyarrow()
        with ParquetWriter(path) as writer:
            yield writer
        return
    make = TextWriter if form == "text" else JsonWriter
    if path is None:
        # Whatever the terminal's encoding, a chunk must come out; errors become question marks.
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
        yield make(sys.stdout)
        sys.stdout.flush()
        return
    with _open(path) as file:
        yield make(file)


def write_text(path: str, text: str) -> None:
    """Write a text file."""
    with _open(path) as file:
        file.write(text)


def _open(path: str) -> IO[str]:
    try:
        return open(path, "w", encoding="utf-8", errors="replace", newline="")
    except OSError as error:
        raise OptionError(
            f"-o must name a file that can be written, got {path}: {error.strerror}"
        ) from None


def _require_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "--format parquet needs pyarrow, which is not installed: pip install 'scission[arrow]'"
        ) from None
