"""What holds for every strategy, on any input."""

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from scission import SemanticChunker
from scission.tokens import default_vocabulary, tokenize
from scission.units import from_sentences, split_sentences
from tests.helpers import PLAIN, assert_tiles, hashed_words, needs_data, wild_files, wild_text

CHUNKERS = {
    "default": SemanticChunker(),
    "small": SemanticChunker(max_tokens=12),
    "target": SemanticChunker(target_tokens=60, max_tokens=120, min_tokens=20),
    "percentile": SemanticChunker(breakpoints="percentile", max_tokens=64, min_tokens=8),
    "gradient": SemanticChunker(breakpoints="gradient", distances="windows", buffer_size=1),
    "callable": SemanticChunker(model=hashed_words, embed="windows", max_tokens=40),
    "number": SemanticChunker(number_of_chunks=4, max_tokens=200),
}
LIMITS = {
    "default": 512,
    "small": 12,
    "target": 120,
    "percentile": 64,
    "gradient": 512,
    "callable": 40,
    "number": 200,
}

#: Scripts, marks, joiners, emoji, controls, Markdown and every kind of line end.
PIECES = [
    "The ship left the harbour. ", "Bread needs yeast! ", "Dr. J. Smith paid $3.50, e.g. at 5 p.m. ", "a", " ", "\n",
    "\n\n", "\r\n", "\r", "\t", "\u2028", "\f", "# Title\n", "- item\n",
    "```\ncode here\n```\n", "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "> quote\n", "海は広い。", "船が来た！", "यह एक वाक्य है। ", "هذا نص؟ ",
    "e\u0301", "\u0301", "\u200d", "👩‍🚀", "🇩🇪🇫🇷", "각", "\u1100\u1161",
    "\ufeff", "\x00", "\ud800", "\ufffd", "word" * 30, "x" * 200,
    "https://example.org/a?b=c ", "…", "“Quoted.” ", "(Aside.) ",
]  # fmt: skip

texts = st.one_of(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.text(max_size=80))


def count(text):
    buffer, units = from_sentences([text])
    return len(tokenize(buffer, units, default_vocabulary()).ids)


@pytest.mark.parametrize("name", CHUNKERS)
@given(text=texts)
def test_generated_text(name, text):
    chunks = CHUNKERS[name].chunk(text)
    assert_tiles(text, chunks)
    for chunk in chunks:
        assert chunk.token_count == count(chunk.text)
        assert chunk.token_count <= LIMITS[name]


@needs_data
@pytest.mark.parametrize("file", wild_files())
@pytest.mark.parametrize("name", CHUNKERS)
def test_wild_files(name, file):
    text = wild_text(file, 500 if PLAIN else 20_000 if name == "callable" else None)
    chunks = CHUNKERS[name].chunk(text)
    assert_tiles(text, chunks)
    assert max(chunk.token_count for chunk in chunks) <= LIMITS[name]
    for chunk in chunks[:: max(1, len(chunks) // 20)]:
        assert chunk.token_count == count(chunk.text)


@given(text=texts)
def test_cuts_keep_sentences_and_clusters_whole(text):
    inner = {i for start, end in split_sentences(text) for i in range(start + 1, end)}
    for chunk in CHUNKERS["default"].chunk(text)[1:]:
        assert chunk.start not in inner
    boundaries = {m.start() for m in regex.finditer(r"\X", text)} if "\ud800" not in text else None
    if boundaries is not None:
        for chunk in CHUNKERS["small"].chunk(text):
            assert chunk.start in boundaries


@given(st.lists(texts, min_size=1, max_size=6))
def test_batch_mates_and_threads_change_nothing(documents):
    chunker = CHUNKERS["small"]
    batch = chunker.chunk_batch(documents, threads=1, embeddings=True)
    again = chunker.chunk_batch(documents, threads=3, embeddings=True)
    np.testing.assert_array_equal(batch.vectors, again.vectors)
    assert list(batch) == list(again)
    for number, text in enumerate(documents):
        alone = chunker.chunk_batch([text], embeddings=True)
        assert batch.of_document(number) == list(alone) == chunker.chunk(text)
        np.testing.assert_array_equal(batch.vectors[batch.document == number], alone.vectors)


@pytest.mark.parametrize("name", CHUNKERS)
def test_empty_text_gives_no_chunks(name):
    assert CHUNKERS[name].chunk("") == []
    assert len(CHUNKERS[name].chunk_batch(["", ""])) == 0
    assert len(CHUNKERS[name].chunk_batch([])) == 0


@given(text=texts)
def test_trimmed_chunks_stay_verbatim(text):
    chunks = SemanticChunker(max_tokens=12, trim=True).chunk(text)
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end] == chunk.text.strip()
        assert chunk.token_count == count(chunk.text)
    kept = "".join(chunk.text for chunk in chunks)
    assert "".join(kept.split()) == "".join(text.split())


@given(text=texts)
def test_overlapping_chunks_stay_verbatim_and_within_limits(text):
    plain = SemanticChunker(max_tokens=40).chunk(text)
    chunks = SemanticChunker(max_tokens=40, overlap_sentences=2).chunk(text)
    assert [chunk.end for chunk in chunks] == [chunk.end for chunk in plain]
    for chunk, bare in zip(chunks, plain, strict=True):
        assert chunk.start <= bare.start
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.token_count == count(chunk.text) <= 40


@given(text=texts)
def test_bytes_give_the_chunks_of_their_text(text):
    if "\ud800" in text:
        return
    assert CHUNKERS["default"].chunk(text.encode()) == CHUNKERS["default"].chunk(text)
