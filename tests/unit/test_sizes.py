"""Forced splits: the kernels against their twins, and what they promise."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scission.kernels import sentences, sizes

from scission.embed.vocabulary import Vocabulary
from scission.text import TextBuffer
from scission.tokens import BYTES_PER_TOKEN, fit_units, tokenize, unit_sizes
from scission.units import BROKEN, from_sentences
from tests import naive

VOCABULARY = Vocabulary.bert_uncased()
pieces_of = st.lists(
    st.sampled_from(["a", "word", "of", ", ", "; ", " ", "\n", "   ", "，", "日", "é", "x" * 12]),
    max_size=30,
).map("".join)


def tokens_of(text):
    """Words and marks as tokens; the third and fourth letter of a word continue it."""
    spans = [m.span() for m in re.finditer(r"\w{1,2}|[^\w\s]", text)]
    offsets = [len(text[:i].encode()) for i in range(len(text) + 1)]
    glued = [int(i > 0 and text[i - 1 : i].isalnum() and text[i].isalnum()) for i, _ in spans]
    starts, ends = ([offsets[span[k]] for span in spans] for k in (0, 1))
    return np.array(starts, np.int32), np.array(ends, np.int32), np.array(glued, np.uint8)


@given(
    st.lists(pieces_of, min_size=1, max_size=4), st.integers(2, 9), st.integers(8, 40), st.data()
)
def test_split_long(texts, max_tokens, max_bytes, data):
    encoded = [text.encode() for text in texts]
    joined = np.frombuffer(b"".join(encoded), np.uint8)
    units = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    parts = [tokens_of(text) for text in texts]
    unit_tokens = np.cumsum([0, *(len(part[0]) for part in parts)]).astype(np.int32)
    starts = np.concatenate(
        [part[0] + base for part, base in zip(parts, units, strict=False)]
    ).astype(np.int32)
    ends = np.concatenate(
        [part[1] + base for part, base in zip(parts, units, strict=False)]
    ).astype(np.int32)
    glued = np.concatenate([part[2] for part in parts])
    kinds = np.array(
        data.draw(st.lists(st.integers(0, 4), min_size=len(texts), max_size=len(texts))), np.uint8
    )
    gaps = np.zeros(len(texts), np.uint8)
    document_units = np.array([0, len(texts) // 2, len(texts)], np.int32)
    capacity = len(texts) + len(starts)
    outputs = []
    for function in (sizes.split_long, naive.sizes.split_long):
        out = [np.zeros(capacity + 1, np.int32), np.zeros(capacity, np.uint8), np.zeros(capacity, np.uint8),
               np.zeros(3, np.int32), np.zeros(capacity + 1, np.int32)]  # fmt: skip
        count = function(
            joined, units, gaps, kinds, document_units, unit_tokens, starts, ends, glued,
            max_tokens, max_bytes, 6, 3, *out,
        )  # fmt: skip
        outputs.append((count, *(part.tolist() for part in out)))
    assert outputs[0] == outputs[1]


def test_a_group_that_does_not_fit_is_refused():
    out = [
        np.zeros(2, np.int32),
        np.zeros(1, np.uint8),
        np.zeros(1, np.uint8),
        np.zeros(2, np.int32),
        np.zeros(2, np.int32),
    ]
    starts, ends, glued = tokens_of("a b c d")
    data = np.frombuffer(b"a b c d", np.uint8)
    one = np.array([0, 1], np.int32)
    columns = (np.array([0, 7], np.int32), np.zeros(1, np.uint8), np.zeros(1, np.uint8), one)
    assert (
        sizes.split_long(
            data, *columns, np.array([0, 4], np.int32), starts, ends, glued, 2, 99, 6, 3, *out
        )
        == -1
    )


def test_unit_sizes():
    units, unit_tokens = np.array([0, 10, 330], np.int32), np.array([0, 3, 4], np.int32)
    fast, slow = np.empty(2, np.int32), np.empty(2, np.int32)
    largest = sizes.unit_sizes(units, unit_tokens, 32, fast)
    assert largest == naive.sizes.unit_sizes(units, unit_tokens, 32, slow) == 10
    assert fast.tolist() == slow.tolist() == [3, 10]


def fitted(text, max_tokens):
    buffer, units = from_sentences([text])
    units, tokens = fit_units(buffer, units, VOCABULARY, max_tokens)
    data = buffer.data.tobytes()
    bounds = units.bounds.tolist()
    pieces = [
        data[a:b].decode("utf-8", "surrogatepass") for a, b in zip(bounds, bounds[1:], strict=False)
    ]
    assert "".join(pieces) == text
    assert max(unit_sizes(units, tokens)) <= max_tokens
    return pieces, units


def test_clauses_come_before_words():
    pieces, units = fitted("one two three, four five six seven eight", 6)
    assert pieces == ["one two three, ", "four five six seven eight"]
    assert units.gaps.tolist() == [sentences.DOCUMENT, sentences.FORCED]


def test_words_come_before_letters():
    pieces, units = fitted("the cat sat on the mat and the dog lay by the door", 5)
    assert all(piece.endswith(" ") for piece in pieces[:-1])
    assert set(units.gaps[1:].tolist()) == {sentences.FORCED}


def test_a_word_above_the_limit_is_cut_inside():
    pieces, units = fitted("antidisestablishmentarianism", 4)
    assert len(pieces) > 1
    assert set(units.gaps[1:].tolist()) == {BROKEN}


def test_a_page_without_blanks_is_cut_by_its_bytes():
    pieces, _ = fitted("A" * 100_000, 64)
    assert max(len(piece) for piece in pieces) <= 64 * BYTES_PER_TOKEN + BYTES_PER_TOKEN
    assert len(pieces) < 60


def test_clusters_are_kept_whole():
    family = "\U0001f468‍\U0001f469‍\U0001f467‍\U0001f466"
    pieces, _ = fitted(family * 400, 4)
    assert all(len(piece) % len(family) == 0 for piece in pieces)


def test_a_cluster_above_the_limit_is_cut_between_code_points():
    pieces, _ = fitted("e" + "\u0903" * 500, 4)
    assert len(pieces) > 1


@given(st.text(max_size=60), st.integers(4, 12))
def test_any_text_can_be_fitted(text, max_tokens):
    if not text:
        return
    pieces, units = fitted(text, max_tokens)
    for piece, size in zip(pieces, np.diff(units.bounds), strict=True):
        assert len(piece.encode("utf-8", "surrogatepass")) == size


@given(st.text(alphabet="ab -,;.\n", max_size=300), st.integers(4, 20))
def test_fitted_units_count_what_their_text_counts(text, max_tokens):
    buffer = TextBuffer.from_texts([text])
    _, units = from_sentences([text])
    units, tokens = fit_units(buffer, units, VOCABULARY, max_tokens)
    bounds = units.bounds.tolist()
    for i, (a, b) in enumerate(zip(bounds, bounds[1:], strict=False)):
        alone, one = from_sentences([buffer.data[a:b].tobytes().decode()])
        assert len(tokenize(alone, one, VOCABULARY).ids) == tokens.counts[i]
