"""The tokeniser against ``tokenizers`` itself, on every code point, on nasty text and on real files."""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scission.kernels import wordpiece
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from scission.embed.vocabulary import Vocabulary
from tests.naive import wordpiece as naive

COMPILED = not numba.config.DISABLE_JIT
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
Tokens = list[tuple[int, int, int]]

# Marks that canonical order moves and the accent filter keeps, composites made of such, and the rest of
# what once went wrong somewhere.
NASTY = [
    *"aA1,;[] \t\n\r\0\x07\x7f\x85\xa0\xad\u200b\u200d\u2028\u3000\ufeff\ufffd\ue000\U0010ffff",
    *"éÉıİßẞςΣǅﬁＡ中\uf900\U0002f800가힣\u1100\u1161\u11a8≠≮\u1fef\u037e、。！अ\u094dไทย😀☺\ufe0f",
    *"\u0300\u0301\u0323\u0345\u0334\u0344\u0f73\u0f75\u0f81\u05b0\u0618\u3099\u20dd",
    *"\u302e\u302f\u08d4\u08e0\u1b44\ua953\ua9c0\U0001134d\U00011235\U0001e000\U0001e944\U00016ff0",
    *"\U0001d157\U0001d165\U0001d166\U0001d16d\U0001d16e\U0001d15e\U0001d160\U0001d1bc\U0001d1c0",
]
PARTS = [
    *SPECIAL,
    "[mask]",
    "[",
    "##ing",
    "hello",
    "unaffable",
    "don't",
    "U.S.",
    "a" * 99,
    "é" * 50,
    "👨‍👩‍👧",
]


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary.bert_uncased()


@cache
def reference() -> Tokenizer:
    tokens = Vocabulary.bert_uncased().tokens
    tokenizer = Tokenizer(
        models.WordPiece({token: i for i, token in enumerate(tokens)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(list(SPECIAL))
    return tokenizer


def buffers(texts: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    units = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum([len(text) for text in encoded], out=units[1:])
    units.flags.writeable = False
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), units


def tokenize(texts: list[str], vocabulary: Vocabulary) -> list[Tokens]:
    data, units = buffers(texts)
    tokens, starts, ends = (np.full(data.size, -7, dtype=np.int32) for _ in range(3))
    bounds = np.full(units.size, -7, dtype=np.int32)
    total = wordpiece.tokenize(data, units, *vocabulary.tables, tokens, starts, ends, bounds)
    assert bounds[0] == 0
    assert bounds[-1] == total
    rows = zip(tokens.tolist(), starts.tolist(), ends.tolist(), strict=True)
    found = list(rows)
    return [
        [(i, a - u, b - u) for i, a, b in found[first:last]]
        for u, first, last in zip(
            units.tolist(), bounds.tolist(), bounds.tolist()[1:], strict=False
        )
    ]


def by_reference(texts: list[str]) -> Iterator[Tokens]:
    for first in range(0, len(texts), 256):
        batch = texts[first : first + 256]
        encodings = reference().encode_batch(batch, add_special_tokens=False)
        for text, encoding in zip(batch, encodings, strict=True):
            sizes = [0, *np.cumsum([len(c.encode()) for c in text]).tolist()]
            yield [
                (i, sizes[a], sizes[b])
                for i, (a, b) in zip(encoding.ids, encoding.offsets, strict=True)
            ]


def assert_same(texts: list[str], vocabulary: Vocabulary) -> None:
    for text, found, expected in zip(
        texts, tokenize(texts, vocabulary), by_reference(texts), strict=True
    ):
        assert found == expected, ascii(text[:200])


nasty = st.lists(st.sampled_from(NASTY) | st.sampled_from(PARTS), max_size=14).map("".join)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@settings(max_examples=500 if COMPILED else 100, deadline=None)
@given(st.lists(nasty | anything, max_size=4))
def test_hugging_face(texts: list[str]) -> None:
    assert_same(texts, Vocabulary.bert_uncased())


@settings(max_examples=300 if COMPILED else 40, deadline=None)
@given(st.text(st.sampled_from(NASTY), min_size=90, max_size=130))
def test_hugging_face_around_the_longest_word(text: str) -> None:
    assert_same([text], Vocabulary.bert_uncased())


@settings(max_examples=300 if COMPILED else 80, deadline=None)
@given(st.lists(st.sampled_from(PARTS) | st.text(st.sampled_from(naive.stable()), max_size=9)))
def test_twin(parts: list[str]) -> None:
    vocabulary = Vocabulary.bert_uncased()
    ids = {token: i for i, token in enumerate(vocabulary.tokens)}
    text = "".join(parts)
    assert tokenize([text], vocabulary) == [naive.tokenize(text, ids, SPECIAL)]


@pytest.mark.skipif(not COMPILED, reason="1.1 million code points take minutes in plain Python")
def test_every_code_point(vocabulary: Vocabulary) -> None:
    # The middle of private use and the unassigned planes are all alike: one in 64 of those.
    points = [
        p
        for p in range(0x110000)
        if not 0xD800 <= p < 0xE000 and (p < 0x20000 or 0x2F000 <= p < 0x2FB00 or p % 64 in (0, 63))
    ]
    assert_same([f"a{chr(p)}b" for p in points], vocabulary)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from strings(item)


def read(path: Path) -> list[str]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = content.decode("utf-8", "replace")
    if ".jsonl" not in path.suffixes:
        return [text]
    return list(strings([json.loads(line) for line in text.split("\n") if line]))


def sample(texts: list[str]) -> list[str]:
    """About 500,000 characters, from everywhere; 1,500 where the kernel runs as plain Python."""
    limit = 500_000 if COMPILED else 1_500
    chosen = []
    for text in texts[:: 1 + sum(map(len, texts)) // limit]:
        chosen.append(text[:limit])
        limit = max(0, limit - len(text))
    return chosen


@pytest.mark.parametrize("folder", ["", "chroma/corpora", "retrieval", "sbd", "seg", "wild"])
def test_files(folder: str, vocabulary: Vocabulary) -> None:
    if not DATA.is_dir():
        pytest.skip("the evaluation data is not beside the repository (../shared/data)")
    paths = (DATA / folder).rglob("*") if folder else DATA.glob("*.gz")
    for path in sorted(path for path in paths if path.is_file()):
        assert_same(sample(read(path)), vocabulary)


def test_units_stand_alone(vocabulary: Vocabulary) -> None:
    texts = ["un", "", "affable", "e", "\u0301t\u302e\u0323", "[MA", "SK]", "\u1100", "\u1161"]
    assert_same(texts, vocabulary)
    assert tokenize(texts, vocabulary) == [tokenize([text], vocabulary)[0] for text in texts]


def test_the_spans_give_the_original_text(vocabulary: Vocabulary) -> None:
    # Published bugs of peers: text handed back lower-cased, emoji cut to U+FFFD.
    text = "Ünïcode 😀 İSTANBUL, (ΣΊΣΥΦΟΣ) 中文 cafe\u0301!"
    (tokens,) = tokenize([text], vocabulary)
    data = text.encode()
    spans = [data[a:b].decode() for _, a, b in tokens]
    assert "".join(spans) == text.replace(" ", "").replace("\u0301", "")
    assert spans[spans.index("😀")] == "😀"


def test_a_capacity_that_is_too_small(vocabulary: Vocabulary) -> None:
    data, units = buffers(["unaffable, 中文!", "hello"])
    expected = len(tokenize(["unaffable, 中文!", "hello"], vocabulary)[0]) + 1
    for capacity in range(expected + 1):
        out = [np.empty(capacity, dtype=np.int32) for _ in range(3)]
        bounds = np.empty(3, dtype=np.int32)
        found = wordpiece.tokenize(data, units, *vocabulary.tables, *out, bounds)
        assert found == (expected if capacity == expected else -1)


def test_an_unknown_word_needs_room_for_one_token_only(vocabulary: Vocabulary) -> None:
    text = "abcdefg" + "\u1a20"  # several pieces, then a letter that no piece holds
    data, units = buffers([text])
    out = [np.empty(1, dtype=np.int32) for _ in range(3)]
    found = wordpiece.tokenize(data, units, *vocabulary.tables, *out, np.empty(2, dtype=np.int32))
    assert found == 1
    assert [int(a[0]) for a in out] == [vocabulary.unk_id, 0, len(text.encode())]


def test_lone_surrogates_are_passed_over(vocabulary: Vocabulary) -> None:
    (tokens,) = tokenize(["hel\ud800lo \udfff!"], vocabulary)
    assert [(vocabulary.tokens[i], a, b) for i, a, b in tokens] == [("hello", 0, 8), ("!", 12, 13)]


@settings(max_examples=300 if COMPILED else 50, deadline=None)
@given(st.binary(max_size=30))
def test_broken_utf8_never_reads_beyond_the_unit(junk: bytes) -> None:
    vocabulary = Vocabulary.bert_uncased()
    data = np.frombuffer(junk, dtype=np.uint8)
    units = np.array([0, len(junk)], dtype=np.int32)
    units.flags.writeable = False
    out = [np.empty(4 * len(junk), dtype=np.int32) for _ in range(3)]
    total = wordpiece.tokenize(data, units, *vocabulary.tables, *out, np.empty(2, dtype=np.int32))
    assert total >= 0
    assert all(0 <= a < b <= len(junk) for a, b in zip(out[1][:total], out[2][:total], strict=True))


def test_a_word_without_end_costs_linear_time(vocabulary: Vocabulary) -> None:
    size = 500_000 if COMPILED else 3_000
    (tokens,) = tokenize(["x" * size + "\u0301\u302e" * (size // 10)], vocabulary)
    # In canonical order U+302E comes before U+0301, so the last one kept has a place half-way.
    assert tokens == [(vocabulary.unk_id, 0, size + size // 20 * 5)]


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["ab", "c", " ", ".", "\f", "\x85", "\n", "é", "\u0301", "海", "\u3000", "‐"]
            ),
            max_size=4,
        ).map("".join),
        max_size=5,
    )
)
def test_units_that_begin_inside_a_word(texts: list[str]) -> None:
    vocabulary = Vocabulary.bert_uncased()
    data, units = buffers(texts)
    tokens, starts, ends = (np.empty(data.size, dtype=np.int32) for _ in range(3))
    bounds = np.empty(units.size, dtype=np.int32)
    wordpiece.tokenize(data, units, *vocabulary.tables, tokens, starts, ends, bounds)
    joined = np.full(len(texts), 7, dtype=np.uint8)
    document_units = np.array([0, len(texts)], dtype=np.int32)
    wordpiece.joined_words(data, document_units, bounds, starts, ends, vocabulary.tables[1], joined)
    assert joined.tolist() == naive.joined_words(texts)
