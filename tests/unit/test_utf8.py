"""UTF-8 kernels against Python's codec, the `regex` package and the slow twin."""

import time

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from scission.kernels import utf8

from scission.tables import character_tables
from tests.helpers import PLAIN
from tests.naive import utf8 as naive

TABLES = character_tables()
EXAMPLES = 60 if PLAIN else 300

# One or two characters of each grapheme class, so that short random strings meet every rule.
CLUSTERING = [
    *"a1 \r\n\t\x00\u200b\u0300\u0903\u200d\u200c\ufe0f\u0600\u094d\u0915\u0937\u09cd\u0995",
    *"\u1100\u1161\u11a8\uac00\uac01🇩🇪👩👧🏽☺©中\u1cf5\U00011a3a\U0001f468\ud800",
]
PIECES = st.lists(st.sampled_from(CLUSTERING), max_size=12).map("".join)
TEXTS = st.one_of(PIECES, st.text(max_size=20), st.text(st.characters(codec=None), max_size=8))
LEADS = [0, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF]
BYTES = st.one_of(
    st.binary(max_size=200),
    st.lists(st.sampled_from([*LEADS, 0x90, 0x8F, 0x9F, 0xA0]), max_size=8).map(bytes),
    st.builds(bytes.__add__, TEXTS.map(lambda t: t.encode("utf-8", "surrogatepass")), st.binary(max_size=3)),
    st.builds(lambda n, tail: b"x" * n + tail, st.integers(50, 140), st.binary(max_size=5)),
)  # fmt: skip


def array(data):
    return np.frombuffer(bytes(data), np.uint8)


def encoded(text):
    return array(text.encode("utf-8", "surrogatepass"))


def offsets(values):
    result = np.array(values, np.int32)
    result.flags.writeable = False
    return result


@settings(max_examples=EXAMPLES)
@given(BYTES, st.integers(0, 5), st.integers(0, 1))
def test_validate_gives_the_verdict_and_offset_of_the_codec(data, start, surrogates):
    text = array(data)
    start = min(start, len(text))
    expected = naive.validate(text, start, len(text), surrogates)
    assert utf8.validate(text, start, len(text), surrogates) == expected


@pytest.mark.parametrize("at", [0, 1, 62, 63, 64, 65, 127, 128])
def test_validate_finds_one_bad_byte_anywhere(at):
    data = bytearray(b"a" * 129)
    data[at] = 0xFF
    assert utf8.validate(array(data), 0, 129, 0) == at
    assert utf8.validate(array(data), 0, at, 0) == -1


@settings(max_examples=EXAMPLES)
@given(TEXTS, st.data())
def test_offsets_map_both_ways(text, draw):
    data = encoded(text)
    base = len(encoded(text[: draw.draw(st.integers(0, len(text)))]))
    wanted = draw.draw(st.lists(st.integers(base, len(data)), max_size=6).map(sorted))
    got, expected = np.zeros(len(wanted), np.int32), np.zeros(len(wanted), np.int32)
    utf8.code_point_offsets(data, base, offsets(wanted), got)
    naive.code_point_offsets(data, base, offsets(wanted), expected)
    assert got.tolist() == expected.tolist()
    assert utf8.count_code_points(data, base, len(data)) == naive.count_code_points(
        data, base, len(data)
    )
    total = naive.count_code_points(data, base, len(data))
    wanted = draw.draw(st.lists(st.integers(0, total), max_size=6).map(sorted))
    got, expected = np.zeros(len(wanted), np.int32), np.zeros(len(wanted), np.int32)
    utf8.byte_offsets(data, base, offsets(wanted), got)
    naive.byte_offsets(data, base, offsets(wanted), expected)
    assert got.tolist() == expected.tolist()


@settings(max_examples=EXAMPLES)
@given(TEXTS.filter(bool), st.data())
def test_grapheme_boundaries_follow_the_rules(text, draw):
    data = encoded(text)
    size = len(data)
    boundaries = list(naive._byte_boundaries(data, 0, size, *TABLES))
    found = [0]
    while found[-1] < size:
        found.append(utf8.next_grapheme_boundary(data, found[-1], size, *TABLES))
    assert found == boundaries
    start = draw.draw(st.sampled_from(boundaries))
    limit = draw.draw(st.integers(start, size))
    expected = naive.last_grapheme_boundary(data, start, limit, size, *TABLES)
    assert utf8.last_grapheme_boundary(data, start, limit, size, *TABLES) == expected


@settings(max_examples=EXAMPLES)
@given(PIECES)
def test_the_twin_agrees_with_regex(text):
    # A linker at the start of a text joins in Unicode 18 only; older releases of regex differ there.
    if (
        "\u094d" not in text
        and "\u09cd" not in text
        and "\u1cf5" not in text
        and "\U00011a3a" not in text
    ):
        ends = np.cumsum([len(cluster) for cluster in regex.findall(r"\X", text)]).tolist()
        assert list(naive._boundaries(text, *TABLES)) == [0, *ends]


@pytest.mark.parametrize(
    "cluster",
    [
        "e\u0301",
        "👨‍👩‍👧‍👦",
        "🏳️‍🌈",
        "🇩🇪",
        "\r\n",
        "각",
        "\u1100\u1161\u11a8",
        "नि",
        "क्षि",
        "👍🏽",
        "\u06001",
    ],
)
def test_known_clusters_stay_whole(cluster):
    data = encoded(f"a{cluster}b")
    end = len(data) - 1
    assert utf8.next_grapheme_boundary(data, 1, len(data), *TABLES) == end
    for limit in range(1, end):
        assert utf8.last_grapheme_boundary(data, 0, limit, len(data), *TABLES) == 1


@pytest.mark.parametrize("unit", ["🇩", "\u0301", "👩\u200d", "क\u094d", "\u1100"])
def test_cutting_a_run_that_hangs_together_is_linear(unit):
    # Look-back is bounded; cut after cut costs what lies between the cuts.
    sizes = (4000, 16000) if not PLAIN else (40, 160)
    seconds = []
    for size in sizes:
        data = encoded("a" + unit * size)
        began = time.perf_counter()
        start = 0
        while start < len(data):
            cut = utf8.last_grapheme_boundary(
                data, start, min(start + 500, len(data)), len(data), *TABLES
            )
            start = (
                cut if cut > start else utf8.next_grapheme_boundary(data, start, len(data), *TABLES)
            )
        seconds.append(time.perf_counter() - began)
    assert seconds[1] < 40 * seconds[0] + 0.5


def test_tables_are_mapped_and_read_only():
    for table in TABLES:
        assert type(table) is np.ndarray
        assert not table.flags.writeable
    assert character_tables() is TABLES


@settings(max_examples=EXAMPLES)
@given(
    st.lists(
        st.one_of(TEXTS, st.builds(lambda n, t: "x" * n + t, st.integers(50, 140), PIECES)),
        max_size=4,
    )
)
def test_interiors(documents):
    parts = [text.encode("utf-8", "surrogatepass") for text in documents]
    data, bounds = array(b"".join(parts)), offsets(np.cumsum([0, *map(len, parts)]))
    found = []
    for function in (utf8.interiors, naive.interiors):
        inside = np.zeros(len(data) + 1, np.uint8)
        found.append((function(data, bounds, *TABLES, inside), inside.tolist()))
    assert found[0] == found[1]
