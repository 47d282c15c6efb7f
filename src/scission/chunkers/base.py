"""The journey that all strategies share: documents in, groups through the kernels, chunks out."""

from __future__ import annotations

import inspect
import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..chunks import Chunk, ChunkBatch
from ..errors import OptionError
from ..text import Text, TextBuffer, buffers
from .options import check_known, optional_integer

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

    def chunk(self, text: Text, *, metadata: Mapping[str, Any] | None = None) -> list[Chunk]:
        """Cut one document into chunks.

        Parameters
        ----------
        text : str or bytes
            The document; bytes must be UTF-8.
        metadata : mapping, optional
            Copied into every chunk's ``metadata``.

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
        batch = self._chunk_group(TextBuffer.from_texts([text]), False)
        if metadata is not None:
            batch = _numbered(batch, 0, [metadata])
        return list(batch)

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
        chunks = self.chunk(text)
        seconds = {"chunk": perf_counter() - began}
        whole = text if isinstance(text, str) else bytes(text).decode("utf-8")
        return Explanation(repr(self), whole, chunks, seconds=seconds)

    def chunk_batch(
        self,
        texts: Iterable[Text],
        *,
        threads: int | None = None,
        embeddings: bool = False,
        metadata: Sequence[Mapping[str, Any]] | None = None,
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
            One for each document, copied into its chunks.

        Returns
        -------
        ChunkBatch
            Chunks in the order of the documents.
        """
        parts = self.stream(texts, threads=threads, embeddings=embeddings, metadata=metadata)
        return ChunkBatch.concatenate(list(parts))

    def stream(
        self,
        texts: Iterable[Text],
        *,
        threads: int | None = None,
        embeddings: bool = False,
        metadata: Iterable[Mapping[str, Any]] | None = None,
    ) -> Iterator[ChunkBatch]:
        """Cut a stream of documents in constant memory.

        `texts` is read only a few groups (of half a megabyte, or one larger document) ahead of what has been
        taken from the iterator.

        Parameters
        ----------
        texts, threads, embeddings, metadata
            As for `chunk_batch`.

        Yields
        ------
        ChunkBatch
            The chunks of the next documents, in order; ``document`` counts on from batch to batch.
        """
        workers = optional_integer("threads", threads, 1) or self._default_threads()
        entries = None if metadata is None else iter(metadata)
        first = 0
        for batch in self._ordered(buffers(texts, GROUP_BYTES), workers, embeddings):
            notes = None if entries is None else list(islice(entries, len(batch.texts)))
            if notes is not None and len(notes) < len(batch.texts):
                raise OptionError(
                    "metadata must have an entry for each document, "
                    f"got {first + len(notes)} for more documents than that"
                )
            yield _numbered(batch, first, notes)
            first += len(batch.texts)

    def _ordered(
        self, groups: Iterator[TextBuffer], workers: int, embeddings: bool
    ) -> Iterator[ChunkBatch]:
        if workers > 1:
            # A single group, the rule for one call among many, is not worth a pool.
            ahead = list(islice(groups, 2))
            groups = chain(ahead, groups)
            workers = workers if len(ahead) > 1 else 1
        if workers == 1:
            for group in groups:
                yield self._chunk_group(group, embeddings)
            return
        with ThreadPoolExecutor(workers, thread_name_prefix="scission") as pool:
            waiting: deque[Future[ChunkBatch]] = deque()
            try:
                for group in groups:
                    waiting.append(pool.submit(self._chunk_group, group, embeddings))
                    if len(waiting) > 2 * workers:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def _default_threads(self) -> int:
        return _cores() if self._parallel else 1


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _numbered(
    batch: ChunkBatch, first: int, metadata: Sequence[Mapping[str, Any]] | None
) -> ChunkBatch:
    if first == 0 and metadata is None:
        return batch
    return ChunkBatch(
        texts=batch.texts,
        document=batch.document + first,
        start=batch.start,
        end=batch.end,
        token_count=batch.token_count,
        distance=batch.distance,
        vectors=batch.vectors,
        metadata=metadata,
        first_document=first,
    )
