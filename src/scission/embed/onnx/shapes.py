"""Sessions of fixed shape, for devices that compile a graph for the one shape that they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Tokens of each shape, padding included: 64 rows of 16 tokens, 2 of 512.
TOKENS = 1024


class FixedShapes:
    """A session for each of a few shapes, opened when it is first needed, behind the face of a single one.

    Sequences are padded to the next of the lengths, and rows are added until a batch is full; what is computed for
    those is thrown away.

    Parameters
    ----------
    open_shape : callable
        From a number of rows and a length to a session.
    lengths : sequence of int
        Ascending. Anything longer gets a shape of its own.
    """

    def __init__(self, open_shape: Callable[[int, int], Any], lengths: Sequence[int]) -> None:
        self._open_shape, self._lengths = open_shape, tuple(lengths)
        self._sessions: dict[int, Any] = {}
        self._lock = Lock()

    def get_outputs(self) -> Any:
        """Return the outputs of the graph."""
        return self._session(self._lengths[0]).get_outputs()

    def get_providers(self) -> list[str]:
        """Return the providers of the sessions."""
        found: list[str] = self._session(self._lengths[0]).get_providers()
        return found

    def run(self, outputs: list[str], feeds: dict[str, NDArray[np.int32]]) -> list[NDArray[Any]]:
        """Run ``ids`` int32[B, width] and ``lengths`` int32[B]; see `encoder`."""
        ids, lengths = feeds["ids"], feeds["lengths"]
        width = next((size for size in self._lengths if size >= ids.shape[1]), ids.shape[1])
        rows = _rows(width)
        parts = []
        for begin in range(0, len(ids), rows):
            part = ids[begin : begin + rows]
            padded = np.zeros((rows, width), np.int32)
            padded[: len(part), : part.shape[1]] = part
            counts = np.ones(rows, np.int32)  # a row of padding alone would attend to nothing
            counts[: len(part)] = lengths[begin : begin + rows]
            found = self._session(width).run(outputs, {"ids": padded, "lengths": counts})
            parts.append([array[: len(part)] for array in found])
        return [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]

    def _session(self, width: int) -> Any:
        with self._lock:
            if width not in self._sessions:
                self._sessions[width] = self._open_shape(_rows(width), width)
            return self._sessions[width]


def _rows(width: int) -> int:
    return max(1, TOKENS // width)
