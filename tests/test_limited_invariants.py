"""What holds for fixed and recursive chunkers, on any input, whatever counts."""

import re

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scission import FixedChunker, RecursiveChunker, TextError
from scission.tokenizers import resolve
from tests import tokenizer_objects as objects
from tests.helpers import PLAIN, assert_tiles, needs_data, wild_files, wild_text
from tests.test_invariants import texts

WORDS = ["\n\n", re.compile(r"(?<=[.!?])\s+"), " "]
TOKENIZERS = {
    "wordpiece": resolve("wordpiece"),
    "byte_level": resolve(objects.byte_level()),
    "unigram": resolve(objects.unigram()),
    "tiktoken": resolve(objects.tiktoken_encoding()),
    "rough": resolve(objects.rough),
    "words": resolve(lambda text: len(text.split())),
}
CASES = {
    "characters": (RecursiveChunker, {"max_characters": 60}),
    "few characters": (RecursiveChunker, {"max_characters": 3}),
    "fixed characters": (FixedChunker, {"max_characters": 25}),
    "separator": (FixedChunker, {"max_characters": 40, "separator": " ", "keep_separator": "start"}),
    "patterns": (RecursiveChunker, {"max_characters": 50, "separators": WORDS}),
    "python": (RecursiveChunker.for_language, {"language": "python", "max_characters": 80}),
    **{name: (RecursiveChunker, {"max_tokens": 12, "tokenizer": t}) for name, t in TOKENIZERS.items()},
    **{
        f"fixed {name}": (FixedChunker, {"max_tokens": 9, "tokenizer": t})
        for name, t in TOKENIZERS.items()
    },
}  # fmt: skip


def made(name, **changes):
    """The chunker of a case, how its sizes are measured, and its limit."""
    make, options = CASES[name]
    tokenizer = options.get("tokenizer", TOKENIZERS["wordpiece"])
    if "max_characters" in options:
        return make(**options, **changes), len, options["max_characters"]
    return (
        make(**options, **changes),
        lambda text: int(tokenizer.count([text])[0]),
        options["max_tokens"],
    )


def assert_within(chunks, size, limit):
    for chunk in chunks:
        assert size(chunk.text) <= limit
        if size is not len:
            assert chunk.token_count == size(chunk.text)


def assert_clusters_whole(text, chunks, size, limit):
    """A cluster is cut only where it exceeds the limit alone."""
    if "\ud800" in text:
        return
    clusters = {m.start(): m[0] for m in regex.finditer(r"\X", text)}
    for chunk in chunks:
        if chunk.start not in clusters:
            around = max(start for start in clusters if start < chunk.start)
            assert size(clusters[around]) > limit


@pytest.mark.parametrize("name", CASES)
@given(text=texts)
def test_generated_text(name, text):
    chunker, size, limit = made(name)
    chunks = chunker.chunk(text)
    assert_tiles(text, chunks)
    assert_within(chunks, size, limit)
    assert_clusters_whole(text, chunks, size, limit)


@needs_data
@pytest.mark.parametrize("file", wild_files())
@pytest.mark.parametrize("name", list(CASES)[: 7 if PLAIN else None])
def test_wild_files(name, file):
    fast = CASES[name][1].get("tokenizer", TOKENIZERS["wordpiece"]) is TOKENIZERS["wordpiece"]
    text = wild_text(file, 300 if PLAIN else None if fast else 5_000)
    chunker, size, limit = made(name)
    chunks = chunker.chunk(text)
    assert_tiles(text, chunks)
    assert_within(chunks[:: max(1, len(chunks) // 50)], size, limit)


@pytest.mark.parametrize("name", CASES)
@given(text=texts, share=st.sampled_from([0.3, 0.7, 0.99]))
@example(
    text="The ship left the harbour. ", share=0.99
)  # parts of a chunk that was cut again, out of order
def test_overlap_repeats_and_loses_nothing(name, text, share):
    chunker, size, limit = made(name, overlap=share)
    chunks = chunker.chunk(text)
    assert_within(chunks, size, limit)
    begun, reached = -1, 0
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert begun < chunk.start <= reached < chunk.end
        begun, reached = chunk.start, chunk.end
    assert reached == len(text)


@pytest.mark.parametrize("name", CASES)
@given(text=texts)
def test_trimmed_and_separated_chunks_stay_verbatim(name, text):
    for changes in ({"trim": True}, {"keep_separator": "none"}):
        if "keep_separator" in CASES[name][1] and "keep_separator" in changes:
            continue
        chunker, size, limit = made(name, **changes)
        chunks = chunker.chunk(text)
        assert_within(chunks, size, limit)
        reached = 0
        for chunk in chunks:
            assert chunk.start >= reached
            assert chunk.text == text[chunk.start : chunk.end] != ""
            reached = chunk.end
        if "trim" in changes:
            assert "".join("".join(c.text for c in chunks).split()) == "".join(text.split())


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=30)
@given(documents=st.lists(texts, min_size=1, max_size=5), overlap=st.sampled_from([0, 2]))
def test_batch_mates_and_threads_change_nothing(name, documents, overlap):
    chunker, _, _ = made(name, overlap=overlap)
    batch = chunker.chunk_batch(documents, threads=3)
    for number, text in enumerate(documents):
        assert batch.of_document(number) == chunker.chunk(text)


@pytest.mark.parametrize("name", CASES)
def test_empty_text_gives_no_chunks(name):
    chunker, _, _ = made(name)
    assert chunker.chunk("") == []
    assert len(chunker.chunk_batch(["", ""])) == 0
    assert len(chunker.chunk_batch([])) == 0


def test_a_character_above_the_limit_is_an_error_that_says_so():
    with pytest.raises(
        TextError, match=r"max_tokens=2 can hold the character '\\U0001f469', which takes 3 tokens"
    ):
        FixedChunker(max_tokens=2, tokenizer=objects.tiktoken_encoding()).chunk("a 👩")
