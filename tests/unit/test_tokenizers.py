"""Tokenizers: counts and places against the libraries themselves."""

import sys

import numpy as np
import pytest
from hypothesis import given

from scission import FixedChunker, MissingExtra, ModelError, OptionError
from scission.text import TextBuffer
from scission.tokenizers import resolve
from tests import tokenizer_objects as objects
from tests.test_invariants import texts

KINDS = {
    "wordpiece": resolve("wordpiece"),
    "byte_level": resolve(objects.byte_level()),
    "unigram": resolve(objects.unigram()),
    "tiktoken": resolve(objects.tiktoken_encoding()),
    "rough": resolve(objects.rough),
}


@pytest.mark.parametrize("name", KINDS)
@given(text=texts)
def test_weights_of_a_document(name, text):
    tokenizer = KINDS[name]
    buffer = TextBuffer.from_texts(["before", text, "after"])
    weights = tokenizer.weigh(buffer)
    assert weights.places.dtype == weights.sums.dtype == np.int32
    assert len(weights.sums) == len(weights.places) + 1
    assert (np.diff(weights.places) >= 0).all()
    assert (np.diff(weights.sums) >= 1).all()
    if name != "rough":  # whose counts do not add up from words
        found = weights.between(buffer.documents[:-1], buffer.documents[1:])
        assert found.tolist() == tokenizer.count(["before", text, "after"]).tolist()


@given(text=texts)
def test_tiktoken_places_are_where_its_bytes_begin(text):
    encoding = objects.tiktoken_encoding()
    readable = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    lengths = [
        len(encoding.decode_single_token_bytes(t)) for t in encoding.encode_ordinary(readable)
    ]
    weights = KINDS["tiktoken"].weigh(TextBuffer.from_texts([text]))
    assert weights.places.tolist() == [sum(lengths[:i]) for i in range(len(lengths))]


def test_a_file_that_truncates_and_pads_does_neither_here(tmp_path):
    tokenizer = objects.byte_level()
    assert len(tokenizer.encode("words " * 50).ids) == 8
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    for given_as in (tokenizer, tmp_path, tmp_path / "tokenizer.json", str(tmp_path)):
        assert resolve(given_as).count(["words " * 50, "a"]).tolist()[0] > 50
    assert tokenizer.truncation is not None  # the user's own is left alone


def test_a_fast_tokenizer_of_transformers_is_taken_by_its_backend():
    class Fast:
        backend_tokenizer = objects.byte_level()

    assert (
        resolve(Fast()).count(["words"]).tolist()
        == resolve(objects.byte_level()).count(["words"]).tolist()
    )


def test_counts_of_pieces_are_not_those_of_the_whole_and_chunks_have_their_own():
    """A space belongs to the token after it: a chunk's own count may differ from its share of the document's."""
    encoding = objects.tiktoken_encoding()
    text = "the words the words the words the words"
    chunks = FixedChunker(max_tokens=3, tokenizer=encoding).chunk(text)
    assert [chunk.token_count for chunk in chunks] == [
        len(encoding.encode_ordinary(c.text)) for c in chunks
    ]
    assert all(chunk.token_count <= 3 for chunk in chunks)


def test_special_tokens_in_a_text_are_text():
    assert resolve(objects.tiktoken_encoding()).count(["<|end|>"]).tolist() != [1]


def test_names_and_what_they_need(tmp_path, monkeypatch):
    with pytest.raises(ModelError, match=r"existing tokenizer.json, got 'nowhere'"):
        resolve("nowhere")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(
        ModelError, match=r"tokenizer must be a tokenizer.json .* got .*tokenizer.json"
    ):
        resolve(tmp_path)
    with pytest.raises(OptionError, match=r"tiktoken encodings are .*cl100k_base.*, got 'klingon'"):
        resolve("tiktoken:klingon")
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'scission\[tiktoken\]'"):
        resolve("tiktoken:cl100k_base")
    with pytest.raises(MissingExtra, match=r"pip install 'scission\[tokenizers\]'"):
        resolve(tmp_path)


def test_an_encoding_that_cannot_be_fetched(monkeypatch):
    import tiktoken

    def fails(name):
        raise ConnectionError(name)

    monkeypatch.setattr(tiktoken, "get_encoding", fails)
    with pytest.raises(
        ModelError, match=r"cannot fetch the encoding 'cl100k_base' .*TIKTOKEN_CACHE_DIR"
    ):
        resolve("tiktoken:cl100k_base")


def test_encodings_are_found_by_name(monkeypatch):
    import tiktoken

    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: objects.tiktoken_encoding())
    assert resolve("tiktoken:cl100k_base").name == "tiktoken tiny"


@pytest.mark.parametrize("result", [-1, 1.5, True, None])
def test_a_counter_must_count(result):
    with pytest.raises(OptionError, match=r"must return an integer of at least 0 .* for 'One'"):
        FixedChunker(max_tokens=4, tokenizer=lambda text: result).chunk("One two")


def test_a_counter_of_nothing_and_one_of_too_much():
    assert len(FixedChunker(max_tokens=4, tokenizer=lambda text: 0).chunk("One two " * 50)) == 1
    with pytest.raises(OptionError, match=r"less than 2\*\*31"):
        FixedChunker(max_tokens=4, tokenizer=lambda text: 2**30).chunk("One two three")
