"""What a cut costs in each gap, relative to the document."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scission.kernels import gaps as kernels
from scission.kernels import sentences

from scission import SemanticChunker
from scission.chunkers.measure import measure
from scission.text import TextBuffer
from scission.units import GAP_FACTORS, RELATED_GAPS
from tests import naive

PIECES = [
    "One two. ",
    "Three: ",
    "four\n",
    "Five.\n\n",
    "Lead in:\n\n",
    "# Head\n\n",
    "",
    "- item\n",
]


def factors(*texts):
    chunker = SemanticChunker()
    group = chunker._group(TextBuffer.from_texts(texts))
    return measure(group, chunker._embedder, 0).factors, group


def test_the_kinds_are_those_of_the_sentence_kernel():
    names = (sentences.LINE, sentences.BLANK, sentences.AFTER_HEADING, sentences.DOCUMENT)
    assert RELATED_GAPS.tolist() == list(names)


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), max_size=4))
def test_twin(texts):
    found, group = factors(*texts)
    expected = np.empty_like(found)
    naive.gaps.gap_factors(
        group.buffer.data, group.tokens.ends, group.tokens.unit_tokens, group.units.gaps,
        group.units.document_units, GAP_FACTORS, RELATED_GAPS, expected,
    )  # fmt: skip
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_single_kind_of_gap_says_nothing():
    for separator in (" ", "\n", "\n\n"):
        found, _ = factors(separator.join(["It is so."] * 5))
        assert found[1:].tolist() == pytest.approx([1.0] * 4)


def test_a_blank_line_among_sentences_is_the_place_to_cut():
    found, _ = factors("One is. Two is. Three is.\n\nFour is. Five is.")
    assert found[3] < 0.3
    assert found[1] == found[2] == found[4] > 1.0
    assert np.mean(found[1:]) == pytest.approx(1.0)


def test_a_colon_leads_in_what_follows():
    found, _ = factors("First it was so.\n\nThese are left:\n\n- an item\n- another\n")
    assert found[2] == max(found)


def test_a_must_stays_a_must():
    table = np.array([1.0, -1.0, 0.5, 1.0, 2.0, 1.0])
    gaps = np.array([5, 0, 1, 2], np.uint8)
    out = np.empty(4)
    tokens = np.arange(1, 5, dtype=np.int32)
    data = np.frombuffer(b"abcd", np.uint8)
    kinds = np.array([3, 2, 4, 5], np.uint8)
    kernels.gap_factors(
        data, tokens, np.arange(5, dtype=np.int32), gaps, np.array([0, 4], np.int32), table, kinds, out
    )  # fmt: skip
    assert out[2] == -1.0
    assert out[1] == pytest.approx(1.0 / 0.75)
    assert out[3] == pytest.approx(0.5 / 0.75)
