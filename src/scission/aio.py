"""Chunking for services: concurrent calls on an event loop share batches."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import options
from .chunkers.base import GROUP_BYTES, Chunker
from .chunks import Chunk, ChunkBatch
from .text import Text

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


class Batcher:
    """Merge concurrent ``await batcher.chunk(text)`` calls into batches of a chunker.

    A batch is sent off when it is full, when it is as large as the one before, or when its oldest call has waited for
    `deadline`; while one is worked on, the next gathers. So a steady number of callers does not wait, and nor does
    one who is alone. The work happens on threads of its own, so that the event loop goes on. What a caller
    gets does not depend on who shares its batch.

    Parameters
    ----------
    chunker : Chunker
        Any strategy. It may be shared with other batchers and threads.
    deadline : float, default 0.002
        Seconds that a call waits for company. With 0 a call leaves as soon as a worker is free, and batches form
        only from calls that arrive while the one before is worked on.
    max_batch : int, default 64
        Most documents in a batch. A batch is also full at half a megabyte of text, beyond which larger ones gain
        nothing.
    max_pending : int, default 1024
        Most calls that may be waiting or worked on; further ones wait for a place before their text is
        taken (back-pressure).
    concurrency : int, default 1
        Batches that are worked on at once.
    embeddings : bool, default False
        Whether `columns` holds chunk vectors.

    Raises
    ------
    OptionError
        An option is out of its range.

    Notes
    -----
    - A call that is cancelled leaves the queue, or its result is dropped; the others do not notice.
    - A text that cannot be chunked raises in its own call only: the batch is halved until the culprit stands alone.
      An `OSError` (a remote model that cannot be reached) is raised in every call of the batch instead, for
      trying again would only double the load on what is down.
    - Use it from one event loop, that of its first call.
    - ``async with`` closes it at the end, see `aclose`.

    Examples
    --------
    >>> async def serve(texts):
    ...     async with Batcher(SemanticChunker().warmup()) as batcher:
    ...         return await asyncio.gather(*map(batcher.chunk, texts))
    """

    def __init__(
        self,
        chunker: Chunker,
        *,
        deadline: float = 0.002,
        max_batch: int = 64,
        max_pending: int = 1024,
        concurrency: int = 1,
        embeddings: bool = False,
    ) -> None:
        self._chunker = chunker
        self._deadline = options.number("deadline", deadline, 0.0)
        places = options.integer("max_pending", max_pending, 1)
        self._max_batch = min(options.integer("max_batch", max_batch, 1), places)
        self._concurrency = options.integer("concurrency", concurrency, 1)
        self._embeddings = options.flag("embeddings", embeddings)
        self._places = asyncio.Semaphore(places)
        self._waiting: deque[_Call] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._closed = False
        self._last_size = 0
        self._pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="scission-batcher")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def chunk(self, text: Text, *, metadata: Mapping[str, Any] | None = None) -> list[Chunk]:
        """Cut one document into chunks, together with those of other callers.

        Parameters
        ----------
        text, metadata
            As for `Chunker.chunk`.

        Returns
        -------
        list of Chunk
            What ``chunker.chunk(text, metadata=metadata)`` returns.

        Raises
        ------
        TextError, EmbeddingError
            As for `Chunker.chunk`.
        RuntimeError
            The batcher is closed.
        """
        chunks: list[Chunk] = await self._ask(_Call(text, metadata))
        return chunks

    async def columns(self, text: Text, *, metadata: Mapping[str, Any] | None = None) -> ChunkBatch:
        """Cut one document into chunks and return their columns, vectors included if they were asked for.

        Parameters
        ----------
        text, metadata
            As for `Chunker.chunk`.

        Returns
        -------
        ChunkBatch
            What ``chunker.chunk_batch([text], ...)`` returns.

        Raises
        ------
        TextError, EmbeddingError, RuntimeError
            As for `chunk`.
        """
        batch: ChunkBatch = await self._ask(_Call(text, metadata, columns=True))
        return batch

    async def aclose(self) -> None:
        """Refuse new calls, finish those that have a place, and end the threads.

        Calls that still wait for a place are refused. May be called again.
        """
        self._closed = True
        try:
            while self._waiting or self._running:
                self._send()
                await asyncio.wait(list(self._running), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._pool.shutdown(wait=False)

    async def _ask(self, call: _Call) -> Any:
        self._check_open()
        async with self._places:
            self._check_open()  # it may have been closed while this call waited for its place
            loop = asyncio.get_running_loop()
            call.result, call.arrived = loop.create_future(), loop.time()
            self._waiting.append(call)
            self._schedule()
            try:
                return await call.result
            except asyncio.CancelledError:
                if call in self._waiting:
                    self._waiting.remove(call)
                raise

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("this Batcher is closed: make another one")

    def _schedule(self) -> None:
        """Send a batch off now if it is time, or see to it that one leaves in time."""
        if not self._waiting or len(self._running) >= self._concurrency:
            return
        loop = asyncio.get_running_loop()
        due = self._waiting[0].arrived + self._deadline
        if self._closed or due <= loop.time() or self._is_full():
            self._send()
        elif self._timer is None:
            self._timer = loop.call_at(due, self._send)

    def _is_full(self) -> bool:
        """Whether nothing would be gained by waiting: the batch may not grow, or as many are back as came last time."""
        if len(self._waiting) >= self._max_batch or self._places.locked():
            return True
        if 0 < self._last_size <= len(self._waiting):
            return True
        return sum(call.size for call in self._waiting) >= GROUP_BYTES

    def _send(self) -> None:
        """Start as many batches as may run at once."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiting and len(self._running) < self._concurrency:
            task = asyncio.get_running_loop().create_task(self._run(self._next_batch()))
            self._running.add(task)
            task.add_done_callback(self._finished)

    def _next_batch(self) -> list[_Call]:
        calls: list[_Call] = []
        size = 0
        while self._waiting and len(calls) < self._max_batch and size < GROUP_BYTES:
            calls.append(self._waiting.popleft())
            size += calls[-1].size
        self._last_size = len(calls)
        return calls

    async def _run(self, calls: list[_Call]) -> None:
        loop = asyncio.get_running_loop()
        try:
            results = await loop.run_in_executor(self._pool, self._work, calls)
        except asyncio.CancelledError:  # the loop is going down: nobody may be left waiting
            for call in calls:
                call.result.cancel()
            raise
        except Exception as error:  # no thread can be had
            results = [error] * len(calls)
        for call, result in zip(calls, results, strict=True):
            if call.result.done():  # cancelled meanwhile
                continue
            if isinstance(result, Exception):
                call.result.set_exception(result)
            else:
                call.result.set_result(result)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._schedule()

    def _work(self, calls: Sequence[_Call]) -> list[Any]:
        """Chunk on a worker's thread: a result, or what went wrong, for each call."""
        notes = [{} if call.metadata is None else call.metadata for call in calls]
        try:
            batch = self._chunker.chunk_batch(
                [call.text for call in calls],
                embeddings=self._embeddings,
                metadata=notes if any(call.metadata is not None for call in calls) else None,
            )
            return [_result(batch, i, call) for i, call in enumerate(calls)]
        except Exception as error:
            if len(calls) == 1 or isinstance(error, OSError):
                return [error] * len(calls)
        half = len(calls) // 2
        return [*self._work(calls[:half]), *self._work(calls[half:])]


@dataclass(eq=False)
class _Call:
    """A caller's document and where its result goes."""

    text: Text
    metadata: Mapping[str, Any] | None
    columns: bool = False
    arrived: float = 0.0
    result: asyncio.Future[Any] = field(init=False)

    @property
    def size(self) -> int:
        """Length of the text; 0 for what is none, which the chunker will refuse."""
        return len(self.text) if isinstance(self.text, str | bytes) else 0


def _result(batch: ChunkBatch, document: int, call: _Call) -> list[Chunk] | ChunkBatch:
    if not call.columns:
        return batch.of_document(document)
    first, last = np.searchsorted(batch.document, [document, document + 1])
    return batch.take(np.arange(first, last)).changed(
        texts=[batch.texts[document]],
        document=np.zeros(last - first, np.int64),
        metadata=None if call.metadata is None else [call.metadata],
    )
