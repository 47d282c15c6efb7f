"""Cuts at separators: the kernel against its twin."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scission.kernels import separators, utf8

from scission.chunkers.hierarchy import KEEP, Hierarchy
from scission.tables import character_tables
from scission.text import TextBuffer
from tests import naive
from tests.helpers import PLAIN

PIECES = [
    "a", "word ", "two words. ", "\n", "\n\n", "\r\n", "\r", " ", "  ", "long" * 5, "e\u0301", "👩‍🚀", "🇩🇪🇫🇷", "日本。",
    "e" + "\u0301" * 9, "\ud800", "class ", "\nclass A:\n", ", ", "x" * 70,
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
LEVELS = [
    (),
    (("\n\n",), ("\n",), (" ",)),
    (("\n\n", "\r\n\r\n"), ("\n", "\r"), (". ", "。"), (" ",)),
    (("\nclass ",), (re.compile(r"\n+"), " "), ("word",)),
    ((re.compile(r"(?<=\s)(?=w)"),), ("aa", "o")),
]


@settings(max_examples=40 if PLAIN else 400)
@given(
    st.lists(texts, min_size=1, max_size=3),
    st.sampled_from(LEVELS),
    st.sampled_from(KEEP),
    st.integers(1, 40),
    st.integers(0, 20),
    st.sampled_from([0.0, 0.25, 0.6]),
    st.sampled_from([0, 1, 2]),
    st.sampled_from([0, 3]),
    st.data(),
)
def test_cut_ranges(documents, levels, keep, limit, overlap, fill, unit, bytes_per_weight, data):
    buffer = TextBuffer.from_texts(documents)
    size = len(buffer.data)
    inside = np.zeros(size + 1, np.uint8)
    utf8.interiors(buffer.data, buffer.documents, *character_tables(), inside)
    places = np.zeros(0, np.int32)
    weights = np.zeros(0, np.int64)
    glued = np.zeros(0, np.uint8)
    if unit == separators.WEIGHTS and size:
        chosen = data.draw(st.lists(st.integers(0, size - 1), max_size=40))
        places = np.array(sorted(chosen), np.int32)
        weights = np.array(
            data.draw(st.lists(st.integers(1, 3), min_size=len(places), max_size=len(places))),
            np.int64,
        )
        if data.draw(st.booleans()):
            glued = (places % 3 == 1).astype(np.uint8)
    sums = np.concatenate([[0], np.cumsum(weights)]).astype(np.int32)
    begins, stops = buffer.documents[:-1], buffer.documents[1:]
    limits = np.full(len(buffer), limit, np.int64)
    most = limits + data.draw(st.integers(0, 20))
    outputs = []
    for function in (separators.cut_ranges, naive.separators.cut_ranges):
        out = [np.zeros(3 * size + 10, np.int32) for _ in range(3)]
        firsts = np.zeros(len(buffer) + 1, np.int32)
        count = function(
            buffer.data, inside, begins, stops, limits, most, min(overlap, limit - 1), fill, unit, places, sums, glued,
            bytes_per_weight, *Hierarchy(levels, keep).tables(buffer), *out, firsts,
        )  # fmt: skip
        outputs.append((count, firsts.tolist(), [column[:count].tolist() for column in out]))
    assert outputs[0] == outputs[1]


def test_a_cluster_above_the_limit_stays_whole_up_to_its_own_bound():
    buffer = TextBuffer.from_texts(["\r\n"])
    inside = np.array([0, 1, 0], np.uint8)
    places, sums = np.zeros(2, np.int32), np.arange(3, dtype=np.int32)
    for most, expected in ((1, [1, 2]), (2, [2])):
        one, bound = np.ones(1, np.int64), np.full(1, most, np.int64)
        sizes = [one, bound, 0, 0.0, separators.WEIGHTS, places, sums, np.zeros(0, np.uint8), 0]
        arguments = [buffer.data, inside, buffer.documents[:-1], buffer.documents[1:], *sizes]
        out = [np.zeros(4, np.int32) for _ in range(3)]
        count = separators.cut_ranges(
            *arguments, *Hierarchy(()).tables(buffer), *out, np.zeros(2, np.int32)
        )
        assert out[1][:count].tolist() == expected


def test_too_small_a_capacity_is_said():
    buffer = TextBuffer.from_texts(["a b c d e f"])
    inside = np.zeros(len(buffer.data) + 1, np.uint8)
    none, one = np.zeros(0, np.int32), np.ones(1, np.int64)
    sizes = [
        one,
        one,
        0,
        0.0,
        separators.BYTES,
        none,
        np.zeros(1, np.int32),
        np.zeros(0, np.uint8),
        0,
    ]
    arguments = [buffer.data, inside, buffer.documents[:-1], buffer.documents[1:], *sizes]
    arguments += Hierarchy(()).tables(buffer)
    out = [np.zeros(4, np.int32) for _ in range(3)]
    assert separators.cut_ranges(*arguments, *out, np.zeros(2, np.int32)) == -1
