"""The batcher: concurrent calls share batches, and nobody notices the others."""

import asyncio
import threading
import time

import numpy as np
import pytest

from scission import EmbeddingError, OptionError, SemanticChunker, TextError
from scission.aio import Batcher
from scission.chunks import ChunkBatch
from tests.helpers import PLAIN, assert_tiles, hashed_words

TEXTS = [
    f"Ship {i} sails. The sea is wide.\n\nBread {i} rises. The oven is hot." for i in range(40)
]


class Recorder(SemanticChunker):
    """Notes the size of every batch; `gate` holds batches back until it is set."""

    def __init__(self, *, gate=None):
        super().__init__(min_tokens=0)
        self.sizes = []
        self.gate = gate

    def chunk_batch(self, texts, **options) -> ChunkBatch:
        texts = list(texts)
        self.sizes.append(len(texts))
        if self.gate is not None:
            assert self.gate.wait(30)
        return super().chunk_batch(texts, **options)


def run(work):
    return asyncio.run(asyncio.wait_for(work, 60))


async def until(condition):
    while not condition():
        await asyncio.sleep(0.001)


def test_calls_share_batches_and_get_what_they_would_get_alone():
    chunker = Recorder()

    async def work():
        async with Batcher(chunker, deadline=0.05, max_batch=16) as batcher:
            return await asyncio.gather(*map(batcher.chunk, TEXTS))

    results = run(work())
    assert chunker.sizes == [16, 16, 8]
    for text, chunks in zip(TEXTS, results, strict=True):
        assert chunks == SemanticChunker(min_tokens=0).chunk(text)
        assert_tiles(text, chunks)


def test_a_lone_call_leaves_after_the_deadline():
    """Without a deadline it leaves at once: nothing else would ever send it off."""

    async def work(deadline):
        loop = asyncio.get_running_loop()
        async with Batcher(Recorder(), deadline=deadline) as batcher:
            began = loop.time()
            await batcher.chunk(TEXTS[0])
            return loop.time() - began

    assert run(work(0.25)) >= 0.25
    run(work(0))


@pytest.mark.skipif(PLAIN, reason="a megabyte takes minutes as plain Python")
def test_a_batch_is_full_at_half_a_megabyte():
    chunker = Recorder()

    async def work():
        async with Batcher(chunker, deadline=30) as batcher:
            await asyncio.gather(*(batcher.chunk("One. Two. " * 20000) for _ in range(6)))

    run(work())
    assert chunker.sizes == [3, 3]


def test_the_next_batch_gathers_while_one_is_worked_on():
    gate = threading.Event()
    chunker = Recorder(gate=gate)

    async def work():
        async with Batcher(chunker, deadline=0) as batcher:
            first = asyncio.create_task(batcher.chunk(TEXTS[0]))
            await until(lambda: chunker.sizes)
            rest = [asyncio.create_task(batcher.chunk(text)) for text in TEXTS[1:10]]
            await asyncio.sleep(0.02)
            gate.set()
            await asyncio.gather(first, *rest)

    run(work())
    assert chunker.sizes == [1, 9]


def test_several_batches_run_at_once_if_asked():
    gate = threading.Event()
    chunker = Recorder(gate=gate)

    async def work():
        async with Batcher(chunker, deadline=0, concurrency=3, max_batch=2) as batcher:
            calls = [asyncio.create_task(batcher.chunk(text)) for text in TEXTS[:10]]
            await until(lambda: len(chunker.sizes) == 3)
            gate.set()
            await asyncio.gather(*calls)

    run(work())
    assert sum(chunker.sizes) == 10


def test_metadata_and_bytes():
    async def work():
        async with Batcher(SemanticChunker()) as batcher:
            return await asyncio.gather(
                batcher.chunk("One."),
                batcher.chunk("Two.", metadata={"source": "b"}),
                batcher.chunk("Drei: ß.".encode()),
                batcher.chunk(""),
            )

    one, two, three, empty = run(work())
    assert [c.metadata for c in (*one, *two)] == [{}, {"source": "b"}]
    assert three[0].text == "Drei: ß."
    assert empty == []


def test_columns_are_those_of_the_document_alone():
    chunker = SemanticChunker(model=hashed_words, min_tokens=0, number_of_chunks=2)

    async def work():
        async with Batcher(chunker, embeddings=True, deadline=0.02) as batcher:
            return await asyncio.gather(*(batcher.columns(t, metadata={"n": t}) for t in TEXTS[:5]))

    for text, got in zip(TEXTS[:5], run(work()), strict=True):
        alone = chunker.chunk_batch([text], embeddings=True, metadata=[{"n": text}])
        assert list(got) == list(alone)
        assert got.vectors is not None
        np.testing.assert_array_equal(got.vectors, alone.vectors)
        np.testing.assert_array_equal(got.distance, alone.distance)
        assert got.to_arrow().schema == alone.to_arrow().schema


@pytest.mark.parametrize("bad", [b"\xff", None, 7])
def test_a_bad_text_hurts_only_its_own_caller(bad):
    texts = [*TEXTS[:11], bad, *TEXTS[11:20]]

    async def work():
        async with Batcher(SemanticChunker(), deadline=0.02) as batcher:
            return await asyncio.gather(*map(batcher.chunk, texts), return_exceptions=True)

    results = run(work())
    assert isinstance(results[11], TextError)
    good = results[:11] + results[12:]
    for text, chunks in zip(TEXTS[:20], good, strict=True):
        assert_tiles(text, chunks)


def test_a_text_that_the_model_cannot_take_hurts_only_its_own_caller():
    def model(texts):
        vectors = hashed_words(texts)
        vectors[[i for i, text in enumerate(texts) if "cursed" in text]] = np.nan
        return vectors

    texts = [*TEXTS[:5], "A cursed text. And more of it. And more."]

    async def work():
        async with Batcher(SemanticChunker(model=model), deadline=0.02) as batcher:
            return await asyncio.gather(*map(batcher.chunk, texts), return_exceptions=True)

    results = run(work())
    assert [type(result) for result in results] == [list] * 5 + [EmbeddingError]


def test_a_model_that_is_down_is_not_asked_again():
    calls = []

    def model(texts):
        calls.append(len(texts))
        raise ConnectionError("no route")

    async def work():
        async with Batcher(SemanticChunker(model=model), deadline=0.02) as batcher:
            return await asyncio.gather(*map(batcher.chunk, TEXTS[:8]), return_exceptions=True)

    results = run(work())
    assert [type(result) for result in results] == [ConnectionError] * 8
    assert len(calls) == 1


def test_back_pressure():
    gate = threading.Event()
    chunker = Recorder(gate=gate)

    async def work():
        async with Batcher(chunker, deadline=0, max_pending=4, max_batch=100) as batcher:
            calls = [asyncio.create_task(batcher.chunk(text)) for text in TEXTS]
            await until(lambda: chunker.sizes)
            await asyncio.sleep(0.02)
            gate.set()
            results = await asyncio.gather(*calls)
            assert max(chunker.sizes) <= 4
            return results

    for text, chunks in zip(TEXTS, run(work()), strict=True):
        assert_tiles(text, chunks)


def test_a_batch_does_not_wait_for_calls_that_have_no_place():
    """With a deadline of half a minute only a full batch leaves: one that no further call can join."""
    chunker = Recorder()

    async def work():
        async with Batcher(chunker, deadline=30, max_pending=3) as batcher:
            await asyncio.wait_for(asyncio.gather(*map(batcher.chunk, TEXTS[:3])), 20)

    run(work())
    assert chunker.sizes == [3]


def test_no_thread_can_be_had():
    async def work():
        async with Batcher(SemanticChunker(), deadline=0) as batcher:
            batcher._pool.shutdown()
            await batcher.chunk("One.")

    with pytest.raises(RuntimeError, match="cannot schedule"):
        run(work())


def test_a_cancelled_call_leaves_the_others_alone():
    gate = threading.Event()
    chunker = Recorder(gate=gate)

    async def work():
        async with Batcher(chunker, deadline=0) as batcher:
            running = [asyncio.create_task(batcher.chunk(TEXTS[0]))]
            await until(lambda: chunker.sizes)
            queued = [asyncio.create_task(batcher.chunk(text)) for text in TEXTS[1:6]]
            await asyncio.sleep(0.01)
            queued[2].cancel()
            await asyncio.sleep(0)
            running[0].cancel()  # its batch is being worked on
            await asyncio.sleep(0)
            gate.set()
            return await asyncio.gather(*running, *queued, return_exceptions=True)

    results = run(work())
    lost = [i for i, result in enumerate(results) if isinstance(result, asyncio.CancelledError)]
    assert lost == [0, 3]
    assert chunker.sizes == [1, 4]  # what was cancelled in the queue was not worked on
    for i in (1, 2, 4, 5):
        assert_tiles(TEXTS[i], results[i])


def test_a_timeout_frees_the_place():
    gate = threading.Event()

    async def work():
        async with Batcher(Recorder(gate=gate), deadline=0, max_pending=1) as batcher:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(batcher.chunk(TEXTS[0]), 0.02)
            gate.set()
            assert_tiles(TEXTS[1], await asyncio.wait_for(batcher.chunk(TEXTS[1]), 30))

    run(work())


def test_closing_finishes_what_was_accepted_and_refuses_the_rest():
    gate = threading.Event()
    chunker = Recorder(gate=gate)

    async def work():
        batcher = Batcher(chunker, deadline=30, max_pending=5)
        calls = [asyncio.create_task(batcher.chunk(text)) for text in TEXTS[:7]]
        await asyncio.sleep(0.01)
        gate.set()
        await batcher.aclose()
        await batcher.aclose()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(r) for r in results] == [list] * 5 + [RuntimeError] * 2
        with pytest.raises(RuntimeError, match="closed"):
            await batcher.chunk("One.")

    run(work())
    deadline = time.monotonic() + 10
    while any(thread.name.startswith("scission-batcher") for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "a thread outlived its batcher"
        time.sleep(0.01)


def test_an_error_in_the_block_does_not_lose_calls():
    async def block(calls):
        async with Batcher(SemanticChunker(), deadline=30) as batcher:
            calls.append(asyncio.create_task(batcher.chunk(TEXTS[0])))
            await asyncio.sleep(0)
            raise ZeroDivisionError

    async def work():
        calls = []
        with pytest.raises(ZeroDivisionError):
            await block(calls)
        return await calls[0]

    assert_tiles(TEXTS[0], run(work()))


def test_a_loop_that_ends_leaves_nobody_waiting():
    gate = threading.Event()

    async def work():
        batcher = Batcher(Recorder(gate=gate), deadline=0)
        call = asyncio.create_task(batcher.chunk(TEXTS[0]))
        await asyncio.sleep(0.05)
        return call

    try:
        call = asyncio.run(work())  # cancels what still runs
        assert call.cancelled()
    finally:
        gate.set()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deadline": -1}, "deadline must be a number of at least 0, got -1"),
        ({"max_batch": 0}, "max_batch must be an integer of at least 1, got 0"),
        ({"max_pending": 0}, "max_pending must be an integer"),
        ({"concurrency": 1.5}, "concurrency must be an integer"),
        ({"embeddings": 1}, "embeddings must be True or False"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(OptionError, match=message):
        Batcher(SemanticChunker(), **options)


def test_the_event_loop_goes_on():
    gate = threading.Event()

    async def work():
        async with Batcher(Recorder(gate=gate), deadline=0) as batcher:
            call = asyncio.create_task(batcher.chunk(TEXTS[0]))
            for _ in range(5):
                await asyncio.sleep(0.001)
            assert not call.done()
            gate.set()
            await call

    run(work())


def test_a_steady_number_of_callers_does_not_wait_for_the_deadline():
    """Each round would take half a minute, and `run` gives up after one."""
    chunker = Recorder()

    async def work():
        async with Batcher(chunker, deadline=30, max_batch=40) as batcher:
            await asyncio.gather(*map(batcher.chunk, TEXTS))  # full
            batcher._last_size = 3
            for _ in range(20):
                await asyncio.gather(*map(batcher.chunk, TEXTS[:3]))

    run(work())
    assert chunker.sizes == [40, *[3] * 20]


def test_columns_keep_what_a_strategy_knows_about_its_chunks():
    pytest.importorskip("markdown_it")
    from scission import MarkdownChunker

    chunker = MarkdownChunker()
    texts = ["# A\n\nOne.\n\n# B\n\nTwo.\n", "# C\n\nThree.\n"]

    async def work():
        async with Batcher(chunker, deadline=0.02) as batcher:
            return await asyncio.gather(*map(batcher.columns, texts))

    for text, batch in zip(texts, run(work()), strict=True):
        assert list(batch) == chunker.chunk(text)
