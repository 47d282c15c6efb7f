"""Fixed and recursive chunkers: sizes, separators, overlap, vectors, languages, and what they refuse."""

import re
import time

import numpy as np
import pytest

import scission
from scission import FixedChunker, ModelError, OptionError, RecursiveChunker
from scission.chunkers.languages import LANGUAGES
from tests.helpers import PLAIN, hashed_words


def pieces(chunker, text):
    return [chunk.text for chunk in chunker.chunk(text)]


def test_a_section_survives_under_a_limit_that_holds_it_and_is_cut_under_one_that_does_not():
    section = ("The ship left the harbour at dawn. " * 40)[:1275] + "."
    text = "\n\n".join([section] * 3)
    for limit in (1300, 1500):
        chunks = pieces(RecursiveChunker(max_characters=limit), text)
        assert [chunk.strip() for chunk in chunks] == [section] * 3
        assert len(chunks[0]) == 1278
    chunks = pieces(RecursiveChunker(max_characters=700), text)
    assert len(chunks) == 6
    assert max(map(len, chunks)) <= 700
    assert all(chunk.rstrip().endswith(".") for chunk in chunks)


def test_fixed_chunks_are_windows_of_tokens():
    text = " ".join(f"word{'s' * (i % 2)}" for i in range(50))
    chunks = FixedChunker(max_tokens=10, overlap=3).chunk(text)
    words = [chunk.text.split() for chunk in chunks]
    assert words == [text.split()[i : i + 10] for i in range(0, 47, 7)]
    assert [chunk.token_count for chunk in chunks] == [10] * 6 + [8]


def test_fixed_chunks_are_windows_of_characters():
    text = "".join(chr(0x3B1 + i % 20) for i in range(100))
    chunks = FixedChunker(max_characters=30, overlap=0.1).chunk(text)
    assert [(chunk.start, chunk.end) for chunk in chunks] == [
        (0, 30),
        (27, 57),
        (54, 84),
        (81, 100),
    ]


def test_a_word_that_fits_the_limit_is_not_cut():
    for chunk in FixedChunker(max_tokens=12).chunk(
        "antidisestablishmentarianism internationalisation " * 9
    ):
        assert not chunk.text.strip() or chunk.text.endswith(" ")


def test_one_separator_and_a_piece_that_must_be_cut():
    text = "one, two, threefourfive, six"
    assert pieces(FixedChunker(max_characters=6, separator=", "), text) == [
        "one, ", "two, ", "threef", "ourfiv", "e, six",
    ]  # fmt: skip
    assert pieces(FixedChunker(max_characters=10, separator=", "), text) == [
        "one, two, ", "threefourf", "ive, six",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ("auto", ["class A:\n x\n", "class B:\n y\n"]),
        ("end", ["class A:\n x\nclass ", "B:\n y\n"]),
        ("start", ["class A:\n x", "\nclass B:\n y\n"]),
        ("none", ["class A:\n x", "B:\n y\n"]),
    ],
)
def test_where_separators_go(keep, expected):
    text = "class A:\n x\nclass B:\n y\n"
    for separator in ("\nclass ", re.compile("\nclass ")):
        chunker = RecursiveChunker(max_characters=20, separators=[separator], keep_separator=keep)
        assert pieces(chunker, text) == expected


def test_the_best_separator_within_reach_wins():
    text = "A short line\nand more. A sentence\n\nNext paragraph here"
    assert pieces(RecursiveChunker(max_characters=38), text)[0].endswith("\n\n")
    assert pieces(RecursiveChunker(max_characters=30), text)[0] == "A short line\n"
    assert pieces(RecursiveChunker(max_characters=10), text)[0] == "A short "
    assert pieces(RecursiveChunker(max_characters=30, separators=[" "]), text)[0].endswith(
        "more. A "
    )


def test_what_follows_the_empty_separator_is_ignored():
    text = "ab cd ef"
    assert pieces(RecursiveChunker(max_characters=5, separators=["", " "]), text) == [
        "ab cd",
        " ef",
    ]


def test_windows_line_ends_and_paragraphs():
    text = "one two\r\nthree\r\n\r\nfour five\r\n"
    assert pieces(RecursiveChunker(max_characters=20), text) == [
        "one two\r\nthree\r\n\r\n",
        "four five\r\n",
    ]
    assert pieces(RecursiveChunker(max_characters=10), text)[0] == "one two\r\n"


def test_overlap_begins_at_a_separator():
    text = "".join(f"Sentence number {i} is here. " for i in range(20))
    chunks = RecursiveChunker(max_characters=120, overlap=60).chunk(text)
    for before, chunk in zip(chunks, chunks[1:], strict=False):
        assert chunk.text.startswith("Sentence")
        assert 30 <= before.end - chunk.start <= 60


def test_token_counts_are_there_when_sizes_are_characters():
    batch = RecursiveChunker(max_characters=20).chunk_batch(
        ["One two three. Four five six."] * 2, threads=1
    )
    assert callable(batch.token_count_source)
    assert batch.token_count.tolist() == [4, 4, 4, 4]
    assert not callable(batch.token_count_source)
    trimmed = RecursiveChunker(max_characters=20, trim=True).chunk("One two three. Four five six.")
    assert [chunk.token_count for chunk in trimmed] == [4, 4]


def test_counts_wait_while_batches_are_joined():
    texts = ["One two three. " * 30_000] * 3
    batch = RecursiveChunker(max_characters=500).chunk_batch(texts, threads=1)
    assert callable(batch.token_count_source)
    assert batch.token_count.sum() == 4 * 3 * 30_000


@pytest.mark.parametrize("model", ["minilm-static", hashed_words])
def test_vectors_are_those_of_the_chunks_texts(model):
    texts = ["Ships sail far. Bread rises slowly. ", "", "The oven is hot."]
    for make in (FixedChunker, RecursiveChunker):
        batch = make(max_tokens=5, model=model).chunk_batch(texts, embeddings=True)
        assert batch.vectors.shape[0] == len(batch)
        np.testing.assert_allclose(np.linalg.norm(batch.vectors, axis=1), 1, atol=1e-5)
        alone = make(max_tokens=5, model=model).chunk_batch([batch.text(1)], embeddings=True)
        np.testing.assert_array_equal(alone.vectors[0], batch.vectors[1])


def test_vectors_cost_nothing_until_they_are_asked_for():
    def broken(texts):
        raise RuntimeError

    assert FixedChunker(max_tokens=4, model=broken).chunk("One two three four five six")
    chunker = FixedChunker(max_tokens=4, model="no-such-model")
    with pytest.raises(ModelError, match="no-such-model"):
        chunker.chunk_batch(["One two"], embeddings=True)


def test_the_function_form_knows_the_strategies():
    text = "One two three. Four five six."
    assert scission.chunk(text, strategy="fixed", max_tokens=4)[0].text == "One two three. "
    chunks = scission.chunk(text, strategy="recursive", max_characters=9)
    assert [chunk.text for chunk in chunks] == ["One two ", "three. ", "Four ", "five six."]


PYTHON = """import os

def first(a):
    return a

class Second:
    def third(self):
        return 3

    def fourth(self):
        return 4
"""


def test_batches_of_several_chunkers_are_joined():
    characters = FixedChunker(max_characters=4).chunk_batch(["One two"], threads=1)
    tokens = FixedChunker(max_tokens=1).chunk_batch(["three four"], threads=1)
    joined = scission.ChunkBatch.concatenate([characters, tokens])
    assert joined.token_count.tolist() == [1, 1, 1, 1]


def test_a_heading_stays_with_its_text():
    text = "Heading\n\n" + "A sentence of the text. " * 20
    filled = pieces(RecursiveChunker(max_characters=200), text)
    assert filled[0].startswith("Heading\n\nA sentence")
    assert filled[0].endswith("text. ")
    assert pieces(RecursiveChunker(max_characters=200, fill=0.0), text)[0] == "Heading\n\n"


def test_source_text_is_cut_at_definitions():
    chunks = pieces(RecursiveChunker.for_language("python", max_characters=60), PYTHON)
    assert chunks[0] == "import os\n\ndef first(a):\n    return a\n\n"
    assert chunks[1].startswith("class Second:")
    changed = RecursiveChunker.for_language("python", max_characters=60, keep_separator="start")
    assert pieces(changed, PYTHON)[1].startswith("\nclass Second:")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_makes_chunkers(language):
    chunks = RecursiveChunker.for_language(language, max_characters=40).chunk(PYTHON)
    assert "".join(chunk.text for chunk in chunks) == PYTHON
    assert RecursiveChunker.langchain(language=language, chunk_size=40, chunk_overlap=0).chunk(
        PYTHON
    )


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (FixedChunker, {"max_tokens": 0}, "max_tokens must be an integer of at least 1, got 0"),
        (FixedChunker, {"max_characters": 2.5}, "max_characters must be an integer of at least 1, got 2.5"),
        (FixedChunker, {"max_tokens": 5, "max_characters": 9}, "max_tokens and max_characters both set .* got 5 and 9"),
        (FixedChunker, {"max_tokens": 5, "overlap": 5}, r"overlap must be less than the limit .*\(5\).* got 5"),
        (FixedChunker, {"overlap": -1}, "overlap must be an integer of at least 0, got -1"),
        (FixedChunker, {"overlap": 1.5}, "overlap must be an integer of at least 0, got 1.5"),
        (FixedChunker, {"separator": ""}, "separator must .* not empty .* got ''"),
        (FixedChunker, {"separator": 3}, "separator must .* got 3"),
        (FixedChunker, {"keep_separator": True}, "keep_separator must be one of 'auto', .* got True"),
        (FixedChunker, {"trim": 1}, "trim must be True or False, got 1"),
        (FixedChunker, {"tokenizer": 5}, "tokenizer must be 'wordpiece', .* got int"),
        (FixedChunker, {"model": 5}, "model must be .* got int"),
        (RecursiveChunker, {"separators": "\n"}, "separators must be a list of .* got '\\\\n'"),
        (RecursiveChunker, {"separators": [5]}, "separators must hold strings, .* got 5"),
        (RecursiveChunker, {"separators": [[]]}, r"separators must hold strings, .* got \[\]"),
        (RecursiveChunker, {"separators": [["a", ""]]}, "separators must hold .* not empty .* got ''"),
        (RecursiveChunker, {"separators": [re.compile(b"a")]}, "separators must hold .* got re.compile"),
        (RecursiveChunker, {"fill": 2}, r"fill must be a number in \[0, 1\], got 2"),
        (RecursiveChunker, {"chunk_size": 5}, "RecursiveChunker has no option 'chunk_size': the options are"),
        (RecursiveChunker.for_language, {"language": "klingon"}, "language must be one of c, cobol.* got 'klingon'"),
        (RecursiveChunker.langchain, {"chunk_size": 0}, "chunk_size must be an integer of at least 1, got 0"),
        (RecursiveChunker.langchain, {"chunk_size": 5, "chunk_overlap": 6}, r"chunk_overlap must .* \(5\), got 6"),
        (RecursiveChunker.langchain, {"keep_separator": "no"}, "keep_separator must be one of .* got 'no'"),
        (RecursiveChunker.langchain, {"separators": []}, r"separators must not be empty, got \[\]"),
        (RecursiveChunker.langchain, {"separators": [1]}, "separators must hold strings, got 1"),
        (RecursiveChunker.langchain, {"length_function": 3}, "length_function must be a function .* got 3"),
        (RecursiveChunker.langchain, {"separators": ["("], "is_separator_regex": True}, "valid patterns, got '\\('"),
        (
            RecursiveChunker.langchain,
            {"separators": ["(a)"], "is_separator_regex": True},
            r"must not have groups that capture, got '\(a\)'",
        ),
    ],
)  # fmt: skip
def test_bad_options_are_named(make, options, message):
    with pytest.raises(OptionError, match=message):
        make(**options)


LINES = {
    "letters": "abcdefghij",
    "accents": "\u0301",
    "flags": "🇩🇪",
    "paragraphs": "a\n\n" * 9 + "b" * 60,
    "crlf": "\r\n",
}


@pytest.mark.skipif(PLAIN, reason="a hundred times slower as plain Python")
@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(
    "chunker",
    [
        RecursiveChunker(max_characters=300, overlap=50),
        RecursiveChunker(max_tokens=100),
        FixedChunker(max_tokens=100, overlap=20),
        FixedChunker(max_tokens=100, tokenizer=lambda text: len(text) // 4),
    ],
    ids=["characters", "tokens", "fixed", "counter"],
)
def test_cost_is_linear(line, chunker):
    times = []
    for size in (100_000, 800_000):
        text = LINES[line] * (size // len(LINES[line].encode()))
        chunker.chunk_batch([text], threads=1)
        began = time.process_time()
        chunker.chunk_batch([text], threads=1)
        times.append(time.process_time() - began)
    # Eight times the text: linear time is 8, quadratic 64.
    assert times[1] < 24 * max(times[0], 1e-3)
