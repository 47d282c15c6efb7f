"""The journey that all strategies share: documents in, groups through the kernels, chunks out."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, islice, repeat
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..chunks import Chunk, ChunkBatch
from ..cores import cores
from ..errors import OptionError
from ..options import check_known, optional_integer
from ..text import Text, TextBuffer, buffers
from ..tokens import default_vocabulary, whole_counts, whole_sizes
from .limits import UNLIMITED
from .pages import Pages, with_pages

if TYPE_CHECKING:
    from typing_extensions import Self

    from ..explain import Explanation

#: Bytes of text that go through the kernels together. Large enough that Python's share per group (0.2 ms) vanishes,
#: small enough for the group's arrays to stay in the second-level cache's reach.
GROUP_BYTES = 1 << 19


class Chunker(ABC):
    """A strategy: cuts documents into chunks.

    Chunkers hold no state that chunking changes; threads may share one.
    """

    _given: dict[str, Any]

    def __new__(cls, *_: Any, **options: Any) -> Self:
        """Refuse options that do not exist, naming those that do."""
        known = list(inspect.signature(cls.__init__).parameters)[1:]
        check_known(options, known, cls.__name__)
        self = super().__new__(cls)
        self._given = options
        return self

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._given.items())
        return f"{type(self).__name__}({given})"

    @abstractmethod
    def _chunk_group(self, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        """Chunk the documents of one buffer, numbered from 0."""

    @property
    def _parallel(self) -> bool:
        """Whether `chunk_batch` uses several threads unless told otherwise."""
        return True

    def _prepared(self, groups: Iterator[TextBuffer]) -> Iterator[TextBuffer]:
        """See all groups in order, before they go to threads."""
        return groups

    #: Whether chunking asks a service that may cost money.
    paid: ClassVar[bool] = False

    # What a strategy that nests this one asks of it.

    @property
    def _has_parents(self) -> bool:
        """Whether chunks are part of larger ones."""
        return False

    @property
    def _extracts(self) -> bool:
        """Whether chunks are slices of a text that is extracted from the document."""
        return False

    @property
    def _limit(self) -> int:
        """The largest size of a chunk, in what `_sizes` counts."""
        return UNLIMITED

    @property
    def _trims(self) -> bool:
        """Whether chunks lose the white space at their ends."""
        return False

    def _sizes(self, buffer: TextBuffer) -> NDArray[np.int32]:
        """int32[D]: each document's size, were it a single chunk."""
        return whole_sizes(buffer, default_vocabulary())

    def _counts(self, buffer: TextBuffer) -> NDArray[np.int32]:
        """int32[D]: each document's ``token_count``, were it a single chunk."""
        return whole_counts(buffer, default_vocabulary())

    def _vectors(self, buffer: TextBuffer) -> NDArray[np.float32]:
        """float32[D, d]: each document's vector, were it a single chunk."""
        raise OptionError(
            f"embeddings must be False for a {type(self).__name__}, got True: it has no model; "
            "give it, or the strategy inside it, one"
        )

    def warmup(self) -> Self:
        """Chunk a sample, so that the first document of a service takes as long as the thousandth.

        Opens the model, and compiles the kernels that this chunker's options need or loads them from
        the disk cache. A model that is a callable, or remote, is called.

        Returns
        -------
        Chunker
            This chunker.
        """
        from ..sample import SAMPLE

        # A line without a full stop and a word without an end go where over-long sentences are cut.
        texts = [SAMPLE, "word " * 2000, "x" * 20000]
        self.chunk_batch(texts, threads=1, embeddings=True)
        return self

    def chunk(
        self,
        text: Text,
        *,
        metadata: Mapping[str, Any] | None = None,
        pages: Pages | None = None,
    ) -> list[Chunk]:
        """Cut one document into chunks.

        Parameters
        ----------
        text : str or bytes
            The document; bytes must be UTF-8.
        metadata : mapping, optional
            Copied into every chunk's ``metadata``. Strategies that depend on the kind of document (`CodeChunker`,
            `RoutingChunker`) read its ``source``, a file's name, and ``mime_type``.
        pages : "form_feeds" or sequence, optional
            Where pages begin, for ``page`` and ``last_page`` (from 1) in every chunk's ``metadata``: after each form
            feed, or at given offsets, or with given (start, end) spans, in code points.

        Returns
        -------
        list of Chunk
            In order. Without overlap and trimming they tile the document:
            ``"".join(c.text for c in chunks) == text``. Empty for an empty text.

        Raises
        ------
        TextError
            The text is not ``str`` or UTF-8 ``bytes``, or larger than 2 GiB.
        EmbeddingError
            The model returned something unusable.
        """
        buffer = TextBuffer.from_texts([text])
        if metadata is not None:
            buffer = replace(buffer, metadata=[_checked(metadata)])
        (buffer,) = self._prepared(iter([buffer]))
        batch = self._chunk_group(buffer, False)
        batch = batch.changed(metadata=buffer.metadata)
        return list(batch if pages is None else with_pages(batch, [pages]))

    def explain(self, text: Text) -> Explanation:
        """Cut one document, for a look at where and why.

        Parameters
        ----------
        text : str or bytes
            The document; bytes must be UTF-8.

        Returns
        -------
        Explanation
            The chunks that `chunk` returns. It shows itself in a notebook and has ``to_html()``; strategies that
            weigh distances add these, and why each gap was cut or not.
        """
        from ..explain import Explanation

        began = perf_counter()
        batch = self.chunk_batch([text], threads=1)
        seconds = {"chunk": perf_counter() - began}
        return Explanation(repr(self), batch.texts[0], list(batch), seconds=seconds)

    def chunk_batch(
        self,
        texts: Iterable[Text],
        *,
        threads: int | None = None,
        embeddings: bool = False,
        metadata: Sequence[Mapping[str, Any]] | None = None,
        pages: str | Sequence[Pages] | None = None,
    ) -> ChunkBatch:
        """Cut many documents into chunks.

        Parameters
        ----------
        texts : iterable of str or bytes, or Arrow column
            The documents.
        threads : int, optional
            Documents are worked on by so many threads; by default one for each core (one in all for a
            model that is a Python callable). The chunks are the same, whatever the number.
        embeddings : bool, default False
            Whether to return chunk vectors, pooled from the pass that found the boundaries.
        metadata : sequence of mappings, optional
            One for each document, copied into its chunks; see `chunk`.
        pages : "form_feeds" or sequence, optional
            How pages are told apart in all documents, or in each; see `chunk`.

        Returns
        -------
        ChunkBatch
            Chunks in the order of the documents.
        """
        parts = self.stream(
            texts, threads=threads, embeddings=embeddings, metadata=metadata, pages=pages
        )
        return ChunkBatch.concatenate(list(parts))

    def stream(
        self,
        texts: Iterable[Text],
        *,
        threads: int | None = None,
        embeddings: bool = False,
        metadata: Iterable[Mapping[str, Any]] | None = None,
        pages: str | Iterable[Pages] | None = None,
    ) -> Iterator[ChunkBatch]:
        """Cut a stream of documents in constant memory.

        `texts` is read only a few groups (of half a megabyte, or one larger document) ahead of what has been
        taken from the iterator.

        Parameters
        ----------
        texts, threads, embeddings, metadata, pages
            As for `chunk_batch`.

        Yields
        ------
        ChunkBatch
            The chunks of the next documents, in order; ``document`` counts on from batch to batch.
        """
        workers = optional_integer("threads", threads, 1) or self._default_threads()
        groups = buffers(texts, GROUP_BYTES)
        if metadata is not None:
            groups = _annotated(groups, iter(metadata))
        places = repeat(pages) if pages is None or isinstance(pages, str) else iter(pages)
        first = 0
        for group, batch in self._ordered(self._prepared(groups), workers, embeddings):
            batch = _numbered(batch.changed(metadata=group.metadata), first)
            if pages is not None:
                batch = with_pages(batch, _entries(places, len(group), first, "pages"))
            yield batch
            first += len(group)

    def _ordered(
        self, groups: Iterator[TextBuffer], workers: int, embeddings: bool
    ) -> Iterator[tuple[TextBuffer, ChunkBatch]]:
        if workers > 1:
            # A single group, the rule for one call among many, is not worth a pool.
            ahead = list(islice(groups, 2))
            groups = chain(ahead, groups)
            workers = workers if len(ahead) > 1 else 1
        if workers == 1:
            for group in groups:
                yield group, self._chunk_group(group, embeddings)
            return
        with ThreadPoolExecutor(workers, thread_name_prefix="scission") as pool:
            waiting: deque[tuple[TextBuffer, Future[ChunkBatch]]] = deque()
            try:
                for group in groups:
                    waiting.append((group, pool.submit(self._chunk_group, group, embeddings)))
                    if len(waiting) > 2 * workers:
                        done, future = waiting.popleft()
                        yield done, future.result()
                while waiting:
                    done, future = waiting.popleft()
                    yield done, future.result()
            finally:
                for _, future in waiting:
                    future.cancel()

    def _default_threads(self) -> int:
        return cores() if self._parallel else 1


def _annotated(
    groups: Iterator[TextBuffer], metadata: Iterator[Mapping[str, Any]]
) -> Iterator[TextBuffer]:
    """Give each group the metadata of its documents, read once these have been."""
    first = 0
    for group in groups:
        notes = _entries(metadata, len(group), first, "metadata")
        yield replace(group, metadata=[_checked(entry) for entry in notes])
        first += len(group)


def _entries(entries: Iterator[Any], count: int, first: int, name: str) -> list[Any]:
    found = list(islice(entries, count))
    if len(found) < count:
        raise OptionError(
            f"{name} must have an entry for each document, "
            f"got {first + len(found)} for more documents than that"
        )
    return found


def _checked(metadata: Any) -> Mapping[str, Any]:
    if isinstance(metadata, Mapping):
        return metadata
    raise OptionError(f"metadata of a document must be a mapping, got {type(metadata).__name__}")


def _numbered(batch: ChunkBatch, first: int) -> ChunkBatch:
    """Count documents from `first`, those of parents too."""
    if first == 0:
        return batch
    parents = None if batch.parents is None else _numbered(batch.parents, first)
    return batch.changed(document=batch.document + first, first_document=first, parents=parents)
