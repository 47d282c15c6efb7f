"""Small chunks to search, each part of a larger one to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import options
from ..chunks import ChunkBatch
from ..errors import OptionError
from ..text import TextBuffer
from .base import Chunker
from .structure.inner import DEFAULT_INNER, as_inner, check_nested

#: Sizes of the two levels where they are given by name.
PARENT_TOKENS, CHILD_TOKENS = 1024, 200

ORDERS = ("parents_first", "interleaved", "joined")


class ParentChildChunker(Chunker):
    """Cut a document into large chunks, and these into small ones that point at them.

    Search the small chunks, and hand the large ones to the reader: a child's ``parent_id`` is the ``id`` of its parent,
    whose own ``parent_id`` is None. Children never straddle parents; parents tile the document as the parent
    strategy's chunks do, and children tile their parents.

    Parameters
    ----------
    parent : str, Chunker or mapping, default "recursive"
        The strategy of the large chunks: its name, a chunker with options of your own (`MarkdownChunker` for
        instance), or a mapping of options with the name under ``"strategy"``.
    child : str, Chunker or mapping, default "recursive"
        The strategy that cuts each of them, as if it were a document.
    parent_tokens : int, default 1024
        The limit of parents, when `parent` is a name.
    child_tokens : int, default 200
        The limit of children, when `child` is a name.
    order : {"parents_first", "interleaved", "joined"}, default "parents_first"
        What comes out of each document: all parents and then all children; each parent followed by its children; or
        children alone, each with ``parent_start``, ``parent_end`` and ``parent_text`` in its metadata. The last
        suits an index that has no store of documents beside it.

    Raises
    ------
    OptionError
        An option is out of its range, or two do not go together.

    Notes
    -----
    Chunk vectors are the child strategy's, and see no further than the parent. A parent's is the mean of its
    children's, weighted by tokens, with length 1.
    """

    def __init__(
        self,
        *,
        parent: Any = DEFAULT_INNER,
        child: Any = DEFAULT_INNER,
        parent_tokens: int | None = None,
        child_tokens: int | None = None,
        order: str = "parents_first",
    ) -> None:
        self._parent = as_inner(parent, parent_tokens, "parent", PARENT_TOKENS)
        self._child = as_inner(child, child_tokens, "child", CHILD_TOKENS)
        self._order = options.choice("order", order, ORDERS)
        check_nested("child", self._child)
        if self._parent._has_parents:
            raise OptionError(f"parent must have one level of chunks, got {self._parent!r}")

    @property
    def _has_parents(self) -> bool:
        return True

    @property
    def _extracts(self) -> bool:
        return self._parent._extracts

    @property
    def _parallel(self) -> bool:
        return self._parent._parallel and self._child._parallel

    def _chunk_group(self, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        parents = self._parent._chunk_group(buffer, False)
        children = self._children(parents, buffer, embeddings)
        if self._order == "joined":
            return children.changed(chunk_metadata=_with_parents(children, parents))
        return self._ordered_rows(_stacked(parents, children), len(parents))

    def _children(self, parents: ChunkBatch, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        """Cut every parent, as if it were a document; offsets are those of the document."""
        inside = TextBuffer.from_texts([parents.text(i) for i in range(len(parents))])
        if buffer.metadata is not None:
            given = [buffer.metadata[document] for document in parents.document.tolist()]
            inside = replace(inside, metadata=given)
        batch = self._child._chunk_group(inside, embeddings)
        rows = batch.document
        return batch.changed(
            texts=parents.texts,
            document=parents.document[rows],
            start=batch.start + parents.start[rows],
            end=batch.end + parents.start[rows],
            chunk_metadata=_merged(parents.chunk_metadata, batch.chunk_metadata, rows),
            parent=rows,
            parents=parents,
        )

    def _ordered_rows(self, batch: ChunkBatch, parents: int) -> ChunkBatch:
        level = np.arange(len(batch)) >= parents
        if self._order == "interleaved":
            family = np.where(level, np.asarray(batch.parent), np.arange(len(batch)))
            return batch.take(np.lexsort((level, family)))
        return batch.take(np.lexsort((level, batch.document)))


def _stacked(parents: ChunkBatch, children: ChunkBatch) -> ChunkBatch:
    """Put two levels into one batch, parents on top."""
    above = parents.changed(vectors=_pooled(parents, children))
    counts = children.token_count  # now, while the texts are there
    below = children.changed(texts=[], token_count=counts, parent=None, parents=None)
    both = ChunkBatch.concatenate([above, below])
    rows = np.concatenate([np.full(len(parents), -1, np.int64), np.asarray(children.parent)])
    return both.changed(parent=rows)


def _pooled(parents: ChunkBatch, children: ChunkBatch) -> NDArray[np.float32] | None:
    """float32[P, d]: the direction of the token-weighted mean of each parent's children."""
    if children.vectors is None:
        return None
    sums = np.zeros((len(parents), children.vectors.shape[1]), np.float64)
    weighted = children.vectors * children.token_count[:, None]
    np.add.at(sums, np.asarray(children.parent), weighted)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(np.divide(sums, norms, out=sums, where=norms > 0), np.float32)


def _merged(
    above: Sequence[Any] | None, own: Sequence[Any] | None, rows: NDArray[np.int64]
) -> list[dict[str, Any]] | None:
    """Let each child say what its parent says, and its own on top."""
    if above is None and own is None:
        return None
    return [
        {**(above[row] if above else {}), **(own[i] if own else {})}
        for i, row in enumerate(rows.tolist())
    ]


def _with_parents(children: ChunkBatch, parents: ChunkBatch) -> list[dict[str, Any]]:
    out = []
    for i, row in enumerate(np.asarray(children.parent).tolist()):
        own = {} if children.chunk_metadata is None else children.chunk_metadata[i]
        place = {"parent_start": int(parents.start[row]), "parent_end": int(parents.end[row])}
        out.append({**own, **place, "parent_text": parents.text(row)})
    return out
