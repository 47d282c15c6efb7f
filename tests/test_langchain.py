"""Chunks as LangChain makes them; `python -m bench.parity` compares a million with its own."""

import pytest

from scission import FixedChunker, RecursiveChunker


def pieces(chunker, text):
    chunks = chunker.chunk(text)
    assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)
    return [chunk.text for chunk in chunks]


def test_the_documented_example():
    # What RecursiveCharacterTextSplitter(chunk_size=10, chunk_overlap=1) 1.1.3 returns.
    text = (
        "Hi.\n\nI'm Harrison.\n\nHow? Are? You?\nOkay then f f f f.\nThis is a weird text to write."
    )
    chunker = RecursiveChunker.langchain(chunk_size=10, chunk_overlap=1)
    assert pieces(chunker, text) == [
        "Hi.", "I'm", "Harrison.", "How? Are?", "You?", "Okay then", "f f f f.", "This is a", "weird",
        "text to", "write.",
    ]  # fmt: skip


def test_overlap_repeats_whole_pieces():
    chunker = FixedChunker.langchain(separator=" ", chunk_size=7, chunk_overlap=3)
    assert pieces(chunker, "foo bar baz 123") == ["foo bar", "bar baz", "baz 123"]


def test_a_piece_without_separator_exceeds_the_limit():
    chunker = FixedChunker.langchain(separator=" ", chunk_size=3, chunk_overlap=0)
    assert pieces(chunker, "a longword b") == ["a", "longword", "b"]


def test_empty_pieces_between_thrown_away_separators_stay_in_the_slice():
    chunker = FixedChunker.langchain(separator="\n", chunk_size=20, chunk_overlap=0)
    assert pieces(chunker, "one\n\n\ntwo") == ["one\n\n\ntwo"]


def test_a_length_function_and_kept_white_space():
    chunker = RecursiveChunker.langchain(
        chunk_size=2,
        chunk_overlap=0,
        length_function=lambda t: len(t.split()),
        strip_whitespace=False,
    )
    chunks = pieces(chunker, "a b c d e")
    assert "".join(chunks) == "a b c d e"
    assert max(len(chunk.split()) for chunk in chunks) <= 2


@pytest.mark.parametrize("keep", [True, "start", "end", False])
def test_patterns(keep):
    chunker = RecursiveChunker.langchain(
        chunk_size=12,
        chunk_overlap=0,
        separators=[r"\d+", ""],
        is_separator_regex=True,
        keep_separator=keep,
    )
    expected = {
        "start": ["abcdef", "12ghijkl", "345mnop"], "end": ["abcdef12", "ghijkl345", "mnop"],
        "none": ["abcdef", "ghijkl", "mnop"],
    }[{True: "start", False: "none"}.get(keep, keep)]  # fmt: skip
    assert pieces(chunker, "abcdef12ghijkl345mnop") == expected


def test_empty_text_and_many_documents():
    chunker = RecursiveChunker.langchain(chunk_size=5, chunk_overlap=0)
    assert chunker.chunk("") == []
    batch = chunker.chunk_batch(["one two", "", "three"], embeddings=True)
    assert [chunk.text for chunk in batch] == ["one", "two", "three"]
    assert batch.document.tolist() == [0, 0, 2]
    assert batch.token_count.tolist() == [1, 1, 1]
    assert batch.vectors.shape[0] == 3
