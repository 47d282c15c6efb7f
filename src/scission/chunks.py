"""What comes out: chunks one by one, or as columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from .errors import MissingExtra

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document.

    Attributes
    ----------
    text : str
        The piece, verbatim: ``document[start:end]``; or, where ``metadata["rewritten"]`` is True, what was made of it.
    start, end : int
        Where it lies in the document, in code points.
    token_count : int
        Tokens of `text`, without special tokens.
    index : int
        Its place among the chunks of the document, from 0.
    id : str
        A hash of the text alone (BLAKE2b, 128 bits, hex), so that a chunk keeps its id when the document changes
        elsewhere or the chunk moves; see `ChunkBatch.ids`.
    metadata : dict
        Whatever was given for the document, and on top of it what the strategy knows about the chunk.
    parent_id : str or None
        The id of the larger chunk that this one is part of, when there is one.
    """

    text: str
    start: int
    end: int
    token_count: int
    index: int
    id: str
    metadata: dict[str, Any] = field(default_factory=dict)
    parent_id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary that JSON can take; `parent_id` only where there is one."""
        fields = {
            "id": self.id,
            "index": self.index,
            "start": self.start,
            "end": self.end,
            "token_count": self.token_count,
            "text": self.text,
            "metadata": self.metadata,
        }
        return fields if self.parent_id is None else {**fields, "parent_id": self.parent_id}


@dataclass(frozen=True, eq=False)
class ChunkBatch:
    """Chunks of many documents, one array per property.

    Attributes
    ----------
    texts : sequence of str
        The documents; of HTML, the text extracted from them, which is what offsets count in.
    document : int64[N]
        The document of each chunk: its number in the input, from 0.
    start, end : int64[N]
        Code point offsets into the document.
    token_count : int32[N]
        Tokens of each chunk, without special tokens. Chunks limited in characters are counted when this is first
        read.
    distance : float32[N]
        Cosine distance across the seam that ends the chunk; NaN where none was measured: at a document's end, and
        wherever something else than meaning decided.
    vectors : float32[N, d] or None
        Chunk vectors of length 1, when they were asked for.
    metadata : sequence of mappings or None
        One for each document.
    first_document : int
        The number of ``texts[0]`` in the input; more than 0 in a stream.
    chunk_metadata : sequence of mappings or None
        One for each chunk: what the strategy knows about it, such as the headings it stands under.
    parent : int64[N] or None
        The chunk that each one is part of, as a row of `parents`; -1 for none.
    parents : ChunkBatch or None
        Where parents are; None when they are rows of this batch.
    contents : sequence of str or None
        The texts of chunks that were rewritten; None when they are slices of their documents.
    """

    texts: Sequence[str]
    document: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    token_count: NDArray[np.int32]
    distance: NDArray[np.float32]
    vectors: NDArray[np.float32] | None = None
    metadata: Sequence[Mapping[str, Any]] | None = None
    first_document: int = 0
    chunk_metadata: Sequence[Mapping[str, Any]] | None = None
    parent: NDArray[np.int64] | None = None
    parents: ChunkBatch | None = None
    contents: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.document)

    @overload
    def __getitem__(self, item: int) -> Chunk: ...
    @overload
    def __getitem__(self, item: slice) -> list[Chunk]: ...
    def __getitem__(self, item: int | slice) -> Chunk | list[Chunk]:
        if isinstance(item, slice):
            return [self._chunk(i) for i in range(*item.indices(len(self)))]
        position = item + len(self) if item < 0 else item
        if not 0 <= position < len(self):
            raise IndexError(f"chunk index must be in [0, {len(self)}), got {item}")
        return self._chunk(position)

    def __iter__(self) -> Iterator[Chunk]:
        columns = (self.document, self.start, self.end, self.token_count, self.index)
        rows = zip(*(column.tolist() for column in columns), self.ids, self.parent_ids, strict=True)
        for i, (document, start, end, tokens, index, name, parent) in enumerate(rows):
            text = self.texts[document - self.first_document][start:end]
            if self.contents is not None:
                text = self.contents[i]
            yield Chunk(text, start, end, tokens, index, name, self.chunk_notes(i), parent)

    def of_document(self, document: int) -> list[Chunk]:
        """Return the chunks of one document, by its number in the input."""
        first, last = np.searchsorted(self.document, [document, document + 1])
        return self[int(first) : int(last)]

    def text(self, index: int) -> str:
        """Return the text of one chunk."""
        if self.contents is not None:
            return self.contents[index]
        source = self.texts[int(self.document[index]) - self.first_document]
        return source[self.start[index] : self.end[index]]

    @property
    def token_count_source(self) -> Any:
        """The counts, or the function from texts to counts that is still to make them."""
        return self.__dict__["_token_count"]

    @cached_property
    def ids(self) -> list[str]:
        """Stable ids of the chunks: hashes of their texts.

        The rule for place: a text's first copy in a document has the hash of the text alone, wherever it stands;
        the n-th copy has the hash of the text and n. So ids are unique within a document, and moving,
        adding or removing other text leaves them alone. The same text in two documents has the same id: an index
        of several documents goes by document and id. Chunks with a parent are counted before
        those without, so that asking for parents changes no id of the small chunks.
        """
        ids = [""] * len(self)
        seen: dict[tuple[int, str], int] = {}
        documents = self.document.tolist()
        for i in self._children_first():
            text = self.text(i)
            plain = _stable_id(text, 0)
            copy = seen.get((documents[i], plain), 0)
            seen[documents[i], plain] = copy + 1
            ids[i] = _stable_id(text, copy) if copy else plain
        return ids

    @cached_property
    def parent_ids(self) -> list[str | None]:
        """The id of each chunk's parent, None where there is none."""
        if self.parent is None:
            return [None] * len(self)
        ids = self.ids if self.parents is None else self.parents.ids
        return [ids[row] if row >= 0 else None for row in self.parent.tolist()]

    @cached_property
    def index(self) -> NDArray[np.int64]:
        """int64[N]: the place of each chunk among those of its document."""
        firsts = np.searchsorted(self.document, self.document)
        return np.arange(len(self), dtype=np.int64) - firsts

    def to_arrow(self) -> pyarrow.Table:
        """Return the batch as an Arrow table: a row for each chunk, vectors as a fixed-size list.

        Raises
        ------
        MissingExtra
            pyarrow is not installed.
        """
        pa = _pyarrow()
        columns = {
            "id": pa.array(self.ids, pa.string()),
            "document": pa.array(self.document),
            "index": pa.array(self.index),
            "start": pa.array(self.start),
            "end": pa.array(self.end),
            "token_count": pa.array(self.token_count),
            "distance": pa.array(self.distance),
            "text": pa.array([_storable(self.text(i)) for i in range(len(self))], pa.string()),
        }
        if self.metadata is not None or self.chunk_metadata is not None:
            notes = [json.dumps(self.chunk_notes(i)) for i in range(len(self))]
            columns["metadata"] = pa.array(notes, pa.string())
        if self.parent is not None:
            columns["parent_id"] = pa.array(self.parent_ids, pa.string())
        if self.vectors is not None:
            flat = pa.array(np.ascontiguousarray(self.vectors).reshape(-1))
            columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, self.vectors.shape[1])
        return pa.table(columns)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write the batch to a Parquet file; needs pyarrow."""
        table = self.to_arrow()
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, path)

    def to_jsonl(self, file: IO[str]) -> None:
        """Write a JSON object for each chunk, a line each."""
        for i, chunk in enumerate(self):
            row: dict[str, Any] = {"document": int(self.document[i]), **chunk.to_dict()}
            if self.vectors is not None:
                row["vector"] = [round(float(value), 7) for value in self.vectors[i]]
            # Only \u escapes can carry a lone surrogate.
            line = json.dumps(row, ensure_ascii=False)
            file.write((line if _is_encodable(line) else json.dumps(row)) + "\n")

    @classmethod
    def concatenate(cls, batches: Sequence[ChunkBatch]) -> ChunkBatch:
        """Join batches of consecutive documents into one."""
        if len(batches) == 1:
            return batches[0]
        if not batches:
            return _empty_batch()
        return cls(
            texts=[text for batch in batches for text in batch.texts],
            document=np.concatenate([batch.document for batch in batches]),
            start=np.concatenate([batch.start for batch in batches]),
            end=np.concatenate([batch.end for batch in batches]),
            token_count=_joined_counts(batches),
            distance=np.concatenate([batch.distance for batch in batches]),
            vectors=_joined([batch.vectors for batch in batches]),
            metadata=_joined_metadata([(b.metadata, len(b.texts)) for b in batches]),
            first_document=batches[0].first_document,
            chunk_metadata=_joined_metadata([(b.chunk_metadata, len(b)) for b in batches]),
            parent=_joined_parents(batches),
            parents=_joined_parent_batches(batches),
            contents=_joined_contents(batches),
        )

    def changed(self, **changes: Any) -> ChunkBatch:
        """Return a batch with some of the columns replaced; tokens are not counted for it."""
        return replace(self, **{"token_count": self.token_count_source, **changes})

    def take(self, rows: NDArray[np.int64]) -> ChunkBatch:
        """Return a batch of some of the chunks, by row; a parent that is left out is gone."""
        parent = self.parent
        if parent is not None:
            parent = parent[rows]
            if self.parents is None:
                place = np.full(len(self) + 1, -1, np.int64)  # the last is for "none"
                place[rows] = np.arange(len(rows))
                parent = place[parent]
        notes = self.chunk_metadata
        count = self.token_count_source
        return self.changed(
            document=self.document[rows],
            start=self.start[rows],
            end=self.end[rows],
            token_count=count if callable(count) else count[rows],
            distance=self.distance[rows],
            vectors=None if self.vectors is None else self.vectors[rows],
            chunk_metadata=None if notes is None else [notes[i] for i in rows.tolist()],
            parent=parent,
            contents=None if self.contents is None else [self.contents[i] for i in rows.tolist()],
        )

    def chunk_notes(self, index: int) -> dict[str, Any]:
        """Return the metadata of one chunk: its document's, and its own on top."""
        notes: dict[str, Any] = {}
        if self.metadata is not None:
            notes.update(self.metadata[int(self.document[index]) - self.first_document])
        if self.chunk_metadata is not None:
            notes.update(self.chunk_metadata[index])
        return notes

    def _children_first(self) -> Sequence[int]:
        if self.parent is None or self.parents is not None:
            return range(len(self))
        order: list[int] = np.argsort(self.parent < 0, kind="stable").tolist()
        return order

    def _chunk(self, i: int) -> Chunk:
        return Chunk(
            text=self.text(i),
            start=int(self.start[i]),
            end=int(self.end[i]),
            token_count=int(self.token_count[i]),
            index=int(self.index[i]),
            id=self.ids[i],
            metadata=self.chunk_notes(i),
            parent_id=self.parent_ids[i],
        )


class _TokenCounts:
    """The column ``token_count``: an array, or a tokenizer's ``count`` until somebody reads it."""

    def __get__(self, batch: ChunkBatch, owner: type[ChunkBatch]) -> NDArray[np.int32]:
        value = batch.__dict__["_token_count"]
        if callable(value):
            value = value([batch.text(i) for i in range(len(batch))])
            batch.__dict__["_token_count"] = value
        counts: NDArray[np.int32] = value
        return counts

    def __set__(self, batch: ChunkBatch, value: Any) -> None:
        batch.__dict__["_token_count"] = value


ChunkBatch.token_count = _TokenCounts()  # type: ignore[assignment]


def _stable_id(text: str, copy: int) -> str:
    content = text.encode("utf-8", "surrogatepass")
    if copy:
        # No UTF-8 text holds 0xFF: a copy's id can't be that of another text.
        content += b"\xff" + str(copy).encode()
    return blake2b(content, digest_size=16).hexdigest()


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _storable(text: str) -> str:
    """Replace lone surrogates, which no UTF-8 file can hold, one for one."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _empty_batch() -> ChunkBatch:
    whole = np.zeros(0, np.int64)
    return ChunkBatch([], whole, whole, whole, np.zeros(0, np.int32), np.zeros(0, np.float32))


def _joined(vectors: Sequence[NDArray[np.float32] | None]) -> NDArray[np.float32] | None:
    present = [rows for rows in vectors if rows is not None]
    # A group of blank documents was never shown to the model: its zeros have no dimensions yet.
    width = max((rows.shape[1] for rows in present), default=0)
    widened = [np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) for rows in present]
    return np.concatenate(widened) if widened else None


def _joined_counts(batches: Sequence[ChunkBatch]) -> Any:
    sources = [batch.token_count_source for batch in batches]
    if all(callable(source) and source == sources[0] for source in sources):
        return sources[0]  # none was counted yet: it can wait
    return np.concatenate([batch.token_count for batch in batches])


def _joined_metadata(
    parts: Sequence[tuple[Sequence[Mapping[str, Any]] | None, int]],
) -> Sequence[Mapping[str, Any]] | None:
    """Join the metadata of batches; one that has none, for so many rows, fills in empty entries."""
    if all(part is None for part, _ in parts):
        return None
    return [entry for part, count in parts for entry in (part or [{}] * count)]


def _joined_contents(batches: Sequence[ChunkBatch]) -> Sequence[str] | None:
    if all(batch.contents is None for batch in batches):
        return None
    return [batch.text(i) for batch in batches for i in range(len(batch))]


def _joined_parents(batches: Sequence[ChunkBatch]) -> NDArray[np.int64] | None:
    """Join the rows of parents, each batch's counted on from those before it."""
    if all(batch.parent is None for batch in batches):
        return None
    elsewhere = any(batch.parents is not None for batch in batches)
    parts = []
    before = 0
    for batch in batches:
        none = np.full(len(batch), -1, np.int64)
        rows = none if batch.parent is None else batch.parent
        parts.append(np.where(rows >= 0, rows + before, -1))
        above = batch.parents if elsewhere else batch
        before += 0 if above is None else len(above)
    return np.concatenate(parts)


def _joined_parent_batches(batches: Sequence[ChunkBatch]) -> ChunkBatch | None:
    parents = [batch.parents for batch in batches if batch.parents is not None]
    return ChunkBatch.concatenate(parents) if parents else None


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra(
            "Arrow and Parquet output need pyarrow, which is not installed: "
            "pip install 'scission[arrow]'"
        ) from None
    return pyarrow
