"""Parents and children: ids, orders, tiles on both levels."""

import io
import json

import numpy as np
import pytest
from hypothesis import given

from scission import (
    ChunkBatch,
    HTMLChunker,
    MarkdownChunker,
    OptionError,
    ParentChildChunker,
    RoutingChunker,
    SemanticChunker,
)
from tests.helpers import PLAIN, assert_tiles, needs_data, wild_files, wild_text
from tests.structure.test_invariants import texts

SHIPS = "Ships sail at dawn, laden with salt. The crews slept below. Their sails hung low. "
TEXT = f"# A\n{SHIPS * 12}\n# B\nBread rises with yeast. The oven must be hot.\n"
PARENT = MarkdownChunker(max_tokens=80)
CHILD = SemanticChunker(max_tokens=24)
CHUNKERS = {
    order: ParentChildChunker(parent=PARENT, child=CHILD, order=order)
    for order in ("parents_first", "interleaved", "joined")
}


def check(text, chunks):
    """Both levels tile the document; children lie in their parents."""
    parents = [chunk for chunk in chunks if chunk.parent_id is None]
    children = [chunk for chunk in chunks if chunk.parent_id is not None]
    for level, limit in ((parents, 80), (children, 24)):
        assert "".join(chunk.text for chunk in level) == text
        assert all(chunk.text == text[chunk.start : chunk.end] for chunk in level)
        assert all(chunk.token_count <= limit for chunk in level)
    by_id = {chunk.id: chunk for chunk in parents}
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for child in children:
        parent = by_id[child.parent_id]
        assert parent.start <= child.start <= child.end <= parent.end


@pytest.mark.parametrize("order", ["parents_first", "interleaved"])
@given(text=texts)
def test_generated_text(order, text):
    check(text, CHUNKERS[order].chunk(text))


@needs_data
@pytest.mark.parametrize("file", wild_files())
def test_wild_files(file):
    text = wild_text(file, 500 if PLAIN else 20_000)
    check(text, CHUNKERS["parents_first"].chunk(text))


def test_parents_are_the_parent_strategy_s_chunks():
    chunks = CHUNKERS["parents_first"].chunk(TEXT)
    alone = PARENT.chunk(TEXT)
    spans = [(chunk.start, chunk.end, chunk.metadata) for chunk in alone]
    assert [(c.start, c.end, c.metadata) for c in chunks[: len(alone)]] == spans
    assert all(chunk.parent_id for chunk in chunks[len(alone) :])
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))


def test_interleaved_children_follow_their_parent():
    parent = None
    for chunk in CHUNKERS["interleaved"].chunk(TEXT):
        if chunk.parent_id is None:
            parent = chunk
        else:
            assert chunk.parent_id == parent.id
            assert chunk.metadata["section_path"] == parent.metadata["section_path"]


def test_joined_children_carry_their_parent():
    chunks = CHUNKERS["joined"].chunk(TEXT)
    assert_tiles(TEXT, chunks)
    ids = {chunk.id for chunk in PARENT.chunk(TEXT)}
    for chunk in chunks:
        start, end = chunk.metadata["parent_start"], chunk.metadata["parent_end"]
        assert chunk.metadata["parent_text"] == TEXT[start:end]
        assert start <= chunk.start <= chunk.end <= end
        assert chunk.parent_id in ids


@pytest.mark.parametrize("order", CHUNKERS)
def test_batches_streams_and_threads(order, monkeypatch):
    documents = [TEXT, "", "One. Two.", SHIPS * 9, TEXT]
    whole = CHUNKERS[order].chunk_batch(documents, embeddings=True)
    monkeypatch.setattr("scission.chunkers.base.GROUP_BYTES", 300)
    parts = list(CHUNKERS[order].stream(documents, threads=3, embeddings=True))
    assert len(parts) > 1
    again = ChunkBatch.concatenate(parts)
    assert list(again) == list(whole) == [c for part in parts for c in part]
    np.testing.assert_array_equal(again.document, whole.document)
    np.testing.assert_array_equal(again.vectors, whole.vectors)
    np.testing.assert_allclose(np.linalg.norm(whole.vectors, axis=1), 1, atol=1e-5)
    for number, text in enumerate(documents):
        assert whole.of_document(number) == CHUNKERS[order].chunk(text)


def test_children_keep_the_ids_they_have_alone():
    text = "Bread rises with yeast."
    alone = CHILD.chunk(text)[0]
    parent, child = ParentChildChunker(child=CHILD).chunk(text)
    assert child.id == alone.id != parent.id == child.parent_id


def test_rows_that_are_written():
    batch = CHUNKERS["parents_first"].chunk_batch([TEXT])
    file = io.StringIO()
    batch.to_jsonl(file)
    rows = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [row.get("parent_id") for row in rows] == batch.parent_ids
    assert batch.to_arrow().column("parent_id").to_pylist() == batch.parent_ids
    children = batch.take(np.flatnonzero(np.asarray(batch.parent) >= 0))
    assert children.parent_ids == [None] * len(children)
    assert batch.take(np.arange(len(batch))).parent_ids == batch.parent_ids


def test_parents_extracted_from_html():
    html = f"<h1>A</h1><p>{SHIPS * 4}</p><h1>B</h1><p>{SHIPS}"
    chunker = ParentChildChunker(parent="html", child_tokens=24)
    text = HTMLChunker().extract(html)
    batch = chunker.chunk_batch([html])
    assert batch.texts[0] == text
    children = [chunk for chunk in batch if chunk.parent_id]
    assert "".join(chunk.text for chunk in children) == text
    assert all(chunk.metadata["section_path"] for chunk in children)


def test_parents_are_the_mean_of_their_children():
    batch = CHUNKERS["parents_first"].chunk_batch([TEXT], embeddings=True)
    first = np.flatnonzero(np.asarray(batch.parent) == 0)
    mean = (batch.vectors[first] * batch.token_count[first, None]).sum(axis=0)
    np.testing.assert_allclose(batch.vectors[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_bad_options():
    with pytest.raises(OptionError, match="order must be one of 'parents_first'"):
        ParentChildChunker(order="up")
    with pytest.raises(OptionError, match="child must have one level of chunks"):
        ParentChildChunker(child=ParentChildChunker())
    with pytest.raises(OptionError, match="parent must have one level of chunks"):
        ParentChildChunker(parent=RoutingChunker(routes={".a": ParentChildChunker()}))
    with pytest.raises(OptionError, match="child must cut the text that it is given"):
        ParentChildChunker(child=HTMLChunker())
    with pytest.raises(OptionError, match="inner must have one level of chunks"):
        MarkdownChunker(inner="parent_child")
    with pytest.raises(OptionError, match="inner must cut the text that it is given"):
        MarkdownChunker(inner=RoutingChunker())
    with pytest.raises(OptionError, match="parent_tokens goes with the name of a strategy"):
        ParentChildChunker(parent=SemanticChunker(), parent_tokens=8)
