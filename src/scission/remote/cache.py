"""Answers on disk, so that nothing is paid for twice."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any

from ..errors import OptionError

_FILE = "answers.sqlite3"


def default_folder() -> Path:
    """Return where answers are kept unless told otherwise: ``SCISSION_CACHE``, or the user's cache folder."""
    chosen = os.environ.get("SCISSION_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "scission"


def open_cache(cache: bool | str | os.PathLike[str] | None) -> DiskCache | None:
    """Open a cache: True for the default folder, a folder, or None or False for none."""
    if cache is None or cache is False:
        return None
    if cache is True:
        try:
            folder = default_folder()
        except RuntimeError:
            raise OptionError(
                "cache must be a folder where there is no home: name one, set SCISSION_CACHE, or give cache=None"
            ) from None
        return DiskCache(folder)
    if isinstance(cache, str | os.PathLike):
        return DiskCache(Path(cache))
    raise OptionError(f"cache must be True, False, None or a folder, got {type(cache).__name__}")


def cache_key(*parts: Any) -> str:
    """Hash what an answer depends on; `parts` are what JSON can hold."""
    content = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return blake2b(content.encode(), digest_size=24).hexdigest()


class DiskCache:
    """A table of keys and bytes in one SQLite file; threads and processes may share it.

    Each entry is on disk before the next request goes out: a run that is killed loses nothing. The folder is
    readable by its owner only, since answers tell what the documents are about.

    Parameters
    ----------
    folder : path
        Made when it is not there.

    Raises
    ------
    OptionError
        The folder cannot be written, or its file is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _FILE
        self._lock = Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._connection = sqlite3.connect(self._path, check_same_thread=False, timeout=60.0)
            with self._lock, self._connection as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"
                )
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None

    def __repr__(self) -> str:
        return f"DiskCache({str(self._path.parent)!r})"

    def get(self, key: str) -> bytes | None:
        """Return what was put under a key, None when nothing was."""
        try:
            with self._lock:
                row = self._connection.execute(
                    "SELECT value FROM answers WHERE key = ?", (key,)
                ).fetchone()
        except sqlite3.Error as error:
            raise self._unusable(error) from None
        return None if row is None else bytes(row[0])

    def put(self, entries: dict[str, bytes]) -> None:
        """Keep entries, all of them or, when the process dies now, none."""
        try:
            with self._lock, self._connection as connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?)", list(entries.items())
                )
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __del__(self) -> None:
        connection = getattr(self, "_connection", None)
        if connection is not None:
            connection.close()

    def _unusable(self, error: Exception) -> OptionError:
        return OptionError(
            f"cache must be a folder that can be written, got {self._path.parent}: {error}; name another, "
            f"delete {_FILE} there if it is damaged, or give cache=None"
        )
