"""What holds for every strategy of structure, on any input."""

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from scission import CodeChunker, MarkdownChunker, RecursiveChunker, SemanticChunker
from tests.helpers import PLAIN, assert_tiles, needs_data, wild_files, wild_text
from tests.test_invariants import PIECES, count

CHUNKERS = {
    "markdown-characters": MarkdownChunker(inner=RecursiveChunker(max_characters=50)),
    "markdown-semantic": MarkdownChunker(inner="semantic", max_tokens=24),
    "python": CodeChunker(language="python", max_tokens=24),
    "javascript": CodeChunker(language="javascript", max_tokens=24),
    "markdown": MarkdownChunker(max_tokens=24),
    "markdown-large": MarkdownChunker(inner=SemanticChunker(max_tokens=None), min_tokens=20),
}
LIMITS = {"markdown": 24, "markdown-semantic": 24, "python": 24, "javascript": 24}

#: More of what parsers look at, well-formed and not.
MARKUP = [
    "---\ntitle: x\n---\n", "===\n", "## Sub\n", "    code\n", "```", "1. one\n", "  - deep\n", "| a |\n", "|---|\n",
    "<div>\n", "<!-- ", "--> ", "[a]: b\n", "\r\n", "def f(x):\n", "{ a; }", "\\", "&amp;", "![x](y)",
]  # fmt: skip

texts = st.one_of(
    st.lists(st.sampled_from([*PIECES, *MARKUP]), max_size=40).map("".join), st.text(max_size=80)
)


@pytest.mark.parametrize("name", CHUNKERS)
@given(text=texts)
def test_generated_text(name, text):
    chunks = CHUNKERS[name].chunk(text)
    assert_tiles(text, chunks)
    for chunk in chunks:
        assert chunk.token_count == count(chunk.text) <= LIMITS.get(name, chunk.token_count)


@needs_data
@pytest.mark.parametrize("file", wild_files())
@pytest.mark.parametrize("name", CHUNKERS)
def test_wild_files(name, file):
    text = wild_text(file, 500 if PLAIN else None)
    chunks = CHUNKERS[name].chunk(text)
    assert_tiles(text, chunks)
    assert max(chunk.token_count for chunk in chunks) <= LIMITS.get(name, len(text))
    for chunk in chunks[:: max(1, len(chunks) // 20)]:
        assert chunk.token_count == count(chunk.text)


@pytest.mark.parametrize("name", LIMITS)
@given(text=texts)
def test_cuts_keep_clusters_whole(name, text):
    if "\ud800" not in text:
        boundaries = {m.start() for m in regex.finditer(r"\X", text)}
        assert {chunk.start for chunk in CHUNKERS[name].chunk(text)} <= boundaries


@pytest.mark.parametrize("name", LIMITS)
@given(documents=st.lists(texts, min_size=1, max_size=5))
def test_batch_mates_and_threads_change_nothing(name, documents):
    chunker = CHUNKERS[name]
    batch = chunker.chunk_batch(documents, threads=1, embeddings=True)
    again = chunker.chunk_batch(documents, threads=3, embeddings=True)
    np.testing.assert_array_equal(batch.vectors, again.vectors)
    assert list(batch) == list(again)
    for number, text in enumerate(documents):
        alone = chunker.chunk_batch([text], embeddings=True)
        assert batch.of_document(number) == list(alone) == chunker.chunk(text)
        width = alone.vectors.shape[1]
        np.testing.assert_array_equal(
            batch.vectors[batch.document == number][:, :width], alone.vectors
        )


@pytest.mark.parametrize("name", CHUNKERS)
def test_empty_text_gives_no_chunks(name):
    assert CHUNKERS[name].chunk("") == []
    assert len(CHUNKERS[name].chunk_batch(["", ""], embeddings=True)) == 0
    assert len(CHUNKERS[name].chunk_batch([])) == 0
