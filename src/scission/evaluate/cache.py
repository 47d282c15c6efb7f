"""Results and vectors on disk, found again by what they were made from."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from .. import __version__

#: Texts that go to the model, and into a file, together: what an interruption costs at most.
SLICE = 1024

_PACKAGE = Path(__file__).resolve().parent.parent


class Cache:
    """A folder of results; without one, everything is forgotten.

    Names of files are hashes of what the content was made from, the code among it. A file appears whole or not at
    all, so that any process may be stopped at any time.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def result(self, key: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return a result that JSON can hold, made now or found."""
        path = self._path("results", f"{key}.json")
        if path is not None and path.is_file():
            try:
                found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            except ValueError:  # a disk that was full, say
                path.unlink()
            else:
                return found
        # Through JSON in either case: a result that was found must not differ from one just made.
        text = json.dumps(make())
        if path is not None:
            write_whole(path, text.encode())
        made: dict[str, Any] = json.loads(text)
        return made

    def vectors(
        self,
        texts: Sequence[str],
        model: str,
        embed: Callable[[Sequence[str]], NDArray[np.float32]],
        advance: Callable[[int], object],
    ) -> tuple[NDArray[np.float32], float]:
        """Embed texts slice by slice; `model` tells models apart, `advance` is told what is done.

        Also returned is the CPU time that it took, now or when the vectors were made.
        """
        parts = []
        seconds = 0.0
        for begin in range(0, len(texts), SLICE):
            part = texts[begin : begin + SLICE]
            vectors, taken = self._slice(part, model, embed)
            parts.append(vectors)
            seconds += taken
            advance(len(part))
        return (np.concatenate(parts) if parts else np.zeros((0, 1), np.float32)), seconds

    def _slice(
        self,
        texts: Sequence[str],
        model: str,
        embed: Callable[[Sequence[str]], NDArray[np.float32]],
    ) -> tuple[NDArray[np.float32], float]:
        path = self._path("vectors", f"{digest([_code('embed'), model, *texts])}.npz")
        if path is not None and path.is_file():
            try:
                with np.load(path, allow_pickle=False) as found:
                    return found["vectors"], float(found["seconds"])
            except (ValueError, KeyError, BadZipFile):  # a disk that was full, say
                path.unlink()
        began = time.process_time()
        vectors = np.ascontiguousarray(embed(texts), np.float32)
        seconds = time.process_time() - began
        if path is not None:
            write_whole(path, lambda file: np.savez(file, vectors=vectors, seconds=seconds))
        return vectors, seconds

    def _path(self, kind: str, name: str) -> Path | None:
        if self._folder is None:
            return None
        folder = self._folder / kind
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name


def write_whole(path: Path, content: bytes | Callable[[Any], object]) -> None:
    """Write a file so that it is there whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                content(file)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def digest(parts: Iterable[str]) -> str:
    """Hash a list of strings."""
    state = blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        state.update(len(encoded).to_bytes(8, "little") + encoded)
    return state.hexdigest()


def result_key(parts: Iterable[str]) -> str:
    """Hash what a result was made from: all of the package's code, and the parts."""
    return digest([_code(""), *parts])


@cache
def _code(below: str) -> str:
    """Hash the package's version and sources: other code makes other results."""
    from .. import kernels

    parts = [__version__]
    for folder in (_PACKAGE / below, *map(Path, kernels.__path__)):
        for path in sorted(folder.rglob("*.py")):
            parts += [path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")]
    return digest(parts)


def model_fingerprint(model: Any, name: str) -> str:
    """Tell a model from others: by the files of a folder, or by its name."""
    if isinstance(model, str | os.PathLike) and Path(model).is_dir():
        parts = []
        for path in sorted(Path(model).rglob("*")):
            if path.is_file():
                content = blake2b(path.read_bytes(), digest_size=16).hexdigest()
                parts += [path.relative_to(model).as_posix(), content]
        return digest(parts)
    return model if isinstance(model, str) else name
