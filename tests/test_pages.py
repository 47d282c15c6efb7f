"""Pages, and metadata handed through."""

import pytest

from scission import OptionError, SemanticChunker

CHUNKER = SemanticChunker(max_tokens=8)
TEXT = "One page here now.\fA second page is this.\n\fThird one. It goes on."


def pages(chunks):
    return [(chunk.metadata["page"], chunk.metadata["last_page"]) for chunk in chunks]


def test_form_feeds():
    chunks = CHUNKER.chunk(TEXT, pages="form_feeds")
    for chunk in chunks:
        bare = TEXT.index(chunk.text.strip(), chunk.start)
        assert chunk.metadata["page"] == 1 + TEXT[:bare].count("\f")
        end = chunk.start + len(chunk.text.rstrip())
        assert chunk.metadata["last_page"] == 1 + TEXT[:end].count("\f")
    assert pages(SemanticChunker().chunk(TEXT, pages="form_feeds")) == [(1, 3)]


def test_offsets_and_spans():
    chunker = SemanticChunker(number_of_chunks=2)
    text = "Ships sail. Bread rises."
    cut = chunker.chunk(text)[1].start
    for given in ([0, cut], [(0, cut), (cut, 30)], [(0, cut - 1), (cut, 30)]):
        assert pages(chunker.chunk(text, pages=given)) == [(1, 1), (2, 2)]
    assert pages(chunker.chunk(text, pages=[])) == [(1, 1), (1, 1)]
    assert pages(chunker.chunk(text, pages=[5])) == [(1, 1), (1, 1)]


def test_batches_and_streams(monkeypatch):
    monkeypatch.setattr("scission.chunkers.base.GROUP_BYTES", 20)
    notes = [{"source": f"{i}.txt"} for i in range(3)]
    batch = CHUNKER.chunk_batch([TEXT] * 3, metadata=notes, pages="form_feeds", threads=2)
    for i in range(3):
        expected = CHUNKER.chunk(TEXT, metadata=notes[i], pages="form_feeds")
        assert batch.of_document(i) == expected
        assert expected[0].metadata["source"] == f"{i}.txt"
    given = [[0, 10], [0], [0, 5]]
    parts = list(CHUNKER.stream([TEXT] * 3, pages=iter(given)))
    assert [pages(part)[-1] for part in parts] == [(2, 2), (1, 1), (2, 2)]
    with pytest.raises(OptionError, match="pages must have an entry for each document, got 1"):
        CHUNKER.chunk_batch([TEXT] * 3, pages=[[0]])


@pytest.mark.parametrize("given", ["sheets", [3, 1], [0.5], [True], [(0, 1, 2)], [-1]])
def test_bad_pages(given):
    with pytest.raises(OptionError, match="pages must be"):
        CHUNKER.chunk(TEXT, pages=given)


def test_metadata_must_be_a_mapping():
    with pytest.raises(OptionError, match="metadata of a document must be a mapping, got str"):
        CHUNKER.chunk(TEXT, metadata="a.txt")
    with pytest.raises(OptionError, match="metadata must have an entry for each document, got 1"):
        CHUNKER.chunk_batch([TEXT] * 2, metadata=[{}])


def test_moved_text_keeps_its_id():
    chunker = SemanticChunker(max_tokens=6)
    ids = {
        chunk.text.strip(): chunk.id
        for chunk in chunker.chunk("Ships sail far.\n\nBread rises fast.\n\n")
    }
    moved = {
        chunk.text.strip(): chunk.id
        for chunk in chunker.chunk("Bread rises fast.\n\nShips sail far.\n\n")
    }
    assert ids == moved
