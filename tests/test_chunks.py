"""Chunks and batches: columns, ids, and what they are written to."""

import builtins
import io
import json

import numpy as np
import pytest

from scission import Chunk, ChunkBatch, MissingExtra, SemanticChunker

TEXTS = ["Ships sail. They float. \U0001f6a2 Bread rises. Yeast eats.", "", "One more. And — two."]


@pytest.fixture(scope="module")
def batch():
    return SemanticChunker(max_tokens=6).chunk_batch(TEXTS, embeddings=True)


def test_columns_agree_with_chunks(batch):
    assert len(batch) == len(list(batch)) == len(batch.document)
    for i, chunk in enumerate(batch):
        assert isinstance(chunk, Chunk)
        assert chunk == batch[i]
        assert chunk.text == batch.text(i) == TEXTS[batch.document[i]][chunk.start : chunk.end]
        assert chunk.index == batch.index[i]
    assert batch[-1] == batch[len(batch) - 1]
    assert batch[1:3] == [batch[1], batch[2]]
    assert batch.of_document(1) == []
    with pytest.raises(IndexError, match="chunk index must be in"):
        batch[len(batch)]


def test_distance_is_of_the_seam_that_ends_the_chunk(batch):
    last = np.append(batch.document[1:] != batch.document[:-1], True)
    assert np.isnan(batch.distance[last]).all()
    assert (batch.distance[~last] >= 0).all()


def test_ids_depend_on_the_text_alone():
    chunker = SemanticChunker(max_tokens=6)
    before = chunker.chunk("Ships sail far. Bread rises fast.")
    after = chunker.chunk("A new start here. Ships sail far. Bread rises fast.")
    assert {chunk.id for chunk in before} <= {chunk.id for chunk in after}
    copies = chunker.chunk("Same words here now. " * 3)
    assert len({chunk.id for chunk in copies}) == 3
    assert copies[0].id == chunker.chunk("Same words here now. ")[0].id


def test_arrow(batch):
    table = batch.to_arrow()
    assert table.column("text").to_pylist() == [chunk.text for chunk in batch]
    assert table.column("id").to_pylist() == batch.ids
    np.testing.assert_array_equal(np.stack(table.column("vector").to_numpy()), batch.vectors)


def test_parquet(batch, tmp_path):
    import pyarrow.parquet

    batch.to_parquet(tmp_path / "chunks.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "chunks.parquet")
    assert table.column("start").to_pylist() == batch.start.tolist()


def test_jsonl(batch):
    file = io.StringIO()
    batch.to_jsonl(file)
    rows = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [row["text"] for row in rows] == [chunk.text for chunk in batch]
    assert rows[0]["document"] == 0


def test_lone_surrogates_survive_json():
    file = io.StringIO()
    SemanticChunker().chunk_batch(["broken \ud83d text"]).to_jsonl(file)
    file.getvalue().encode("utf-8")
    assert json.loads(file.getvalue())["text"] == "broken \ud83d text"


def test_arrow_columns_are_read_where_they_lie():
    import pyarrow as pa

    expected = list(SemanticChunker(max_tokens=6).chunk_batch(TEXTS))
    for column in (
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
        pa.array(["x", *TEXTS, "y"])[1:-1],
    ):
        assert list(SemanticChunker(max_tokens=6).chunk_batch(column)) == expected


def test_arrow_columns_of_other_types_are_refused():
    import pyarrow as pa

    with pytest.raises(ValueError, match="string or large_string, got int64"):
        SemanticChunker().chunk_batch(pa.array([1, 2]))
    with pytest.raises(ValueError, match="must not hold nulls, got 1"):
        SemanticChunker().chunk_batch(pa.array(["a", None]))


def test_a_missing_extra_says_what_to_type(batch, monkeypatch):
    real = builtins.__import__

    def without_pyarrow(name, *rest):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_pyarrow)
    with pytest.raises(MissingExtra, match=r"pip install 'scission\[arrow\]'"):
        batch.to_arrow()


def test_batches_of_other_models_with_blank_documents_join(monkeypatch):
    monkeypatch.setattr("scission.chunkers.base.GROUP_BYTES", 10)

    def embed(texts):
        return np.ones((len(texts), 3))

    texts = [" " * 600, "Words here. And there."]
    batch = SemanticChunker(model=embed, max_tokens=None).chunk_batch(texts, embeddings=True)
    assert batch.vectors.shape == (len(batch), 3)
    assert not batch.vectors[0].any()


def test_concatenate_nothing():
    assert len(ChunkBatch.concatenate([])) == 0
