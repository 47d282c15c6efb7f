"""Finding the nearest chunks of each question."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import options
from ..errors import MissingExtra

#: Above so many chunks ``"auto"`` searches approximately: exact search of 300 questions among them, 384
#: dimensions, takes 0.7 s of one core, and grows with both numbers.
EXACT_LIMIT = 200_000

#: Graph degree and search width of HNSW (Malkov & Yashunin 2018).
CONNECTIVITY, EXPANSION = 32, 64

#: Scores are computed for blocks of so many at once, 32 MB.
_BLOCK = 1 << 23


def search(
    chunks: NDArray[np.float32],
    queries: NDArray[np.float32],
    depth: int,
    method: str = "auto",
) -> NDArray[np.int64]:
    """Find the nearest chunks by cosine similarity.

    Parameters
    ----------
    chunks : float32[N, d]
        Chunk vectors, of length 1 (or 0).
    queries : float32[Q, d]
        Question vectors, likewise.
    depth : int
        How many to find.
    method : {"auto", "exact", "hnsw"}, default "auto"
        Exact search; approximate search in an HNSW graph (M = 32, ef = 64, or the depth where that is more); or
        the second above 200,000 chunks.

    Returns
    -------
    int64[Q, min(depth, N)]
        Chunk numbers, the nearest first; equal ones in the order of the chunks.

    Raises
    ------
    MissingExtra
        HNSW needs usearch, which is not installed.
    """
    return Searcher(chunks, method).find(queries, depth)


class Searcher:
    """Chunk vectors that can be searched again and again; see `search`."""

    def __init__(self, chunks: NDArray[np.float32], method: str = "auto") -> None:
        self._chunks = chunks
        self._index: Any = None
        if chosen_method(method, len(chunks)) == "hnsw" and len(chunks):
            self._index = _graph(chunks)

    def find(self, queries: NDArray[np.float32], depth: int) -> NDArray[np.int64]:
        """Return the numbers of the nearest chunks, int64[Q, min(depth, N)]."""
        found = min(depth, len(self._chunks))
        if found == 0 or len(queries) == 0:
            return np.empty((len(queries), found), np.int64)
        if self._index is None:
            return _exact(self._chunks, queries, found)
        self._index.expansion_search = max(EXPANSION, found)
        matches = self._index.search(queries, found, threads=1)
        if int(np.min(matches.counts)) < found:
            # The graph does not reach so many; the rest of such a row would be keys that mean nothing.
            return _exact(self._chunks, queries, found)
        return np.asarray(matches.keys, np.int64).reshape(len(queries), found)


def chosen_method(method: str, chunks: int) -> str:
    """Return which search ``"auto"`` stands for."""
    if options.choice("search", method, ("auto", "exact", "hnsw")) != "auto":
        return method
    return "hnsw" if chunks > EXACT_LIMIT else "exact"


def _exact(
    chunks: NDArray[np.float32], queries: NDArray[np.float32], depth: int
) -> NDArray[np.int64]:
    out = np.empty((len(queries), depth), np.int64)
    step = max(1, _BLOCK // len(chunks))
    for begin in range(0, len(queries), step):
        scores = queries[begin : begin + step] @ chunks.T
        for i, row in enumerate(scores, begin):
            out[i] = _largest(row, depth)
    return out


def _largest(scores: NDArray[np.float32], depth: int) -> NDArray[np.int64]:
    """Numbers of the largest scores, in order; of equal ones the first."""
    if depth < len(scores):
        bound = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        candidates = np.flatnonzero(scores >= bound)
    else:
        candidates = np.arange(len(scores))
    order = np.argsort(-scores[candidates], kind="stable")
    return candidates[order[:depth]].astype(np.int64)


def _graph(chunks: NDArray[np.float32]) -> Any:
    index = _index_class()(
        ndim=chunks.shape[1], metric="ip", dtype="f32", connectivity=CONNECTIVITY
    )
    # One thread: with several, the graph depends on who comes first.
    index.add(np.arange(len(chunks)), chunks, threads=1)
    return index


def _index_class() -> Any:
    try:
        from usearch.index import Index
    except ImportError:
        raise MissingExtra(
            "search='hnsw' needs usearch, which is not installed: pip install 'scission[evaluate]', "
            "or use search='exact'"
        ) from None
    return Index
