"""The sentence kernel against its slow twin, gold sentences and the promises that hold for any text."""

import gzip
import json
import re
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scission.kernels import sentences, utf8
from scission.kernels.sentences import (
    AFTER_HEADING,
    BLANK,
    DOCUMENT,
    FENCE,
    HEADING,
    LINE,
    LIST_ITEM,
    PROSE,
    SECTION,
    SENTENCE,
    TABLE,
)

from scission.tables import character_tables, sentence_tables
from tests.helpers import DATA, PLAIN, needs_data, wild_files, wild_text
from tests.naive import sentences as naive

TABLES = sentence_tables()
EXAMPLES = 150 if PLAIN else 1500


def find(kernel, texts):
    """Run `kernel` on a group of documents: (bounds, gaps, kinds, document_units, data)."""
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    documents = np.cumsum([0, *map(len, parts)]).astype(np.int32)
    documents.flags.writeable = False
    data = np.frombuffer(b"".join(parts), np.uint8)
    capacity = len(data) + 1
    units, document_units = np.zeros(capacity + 1, np.int32), np.zeros(len(documents), np.int32)
    gaps, kinds = np.zeros(capacity, np.uint8), np.zeros(capacity, np.uint8)
    count = kernel(data, documents, *TABLES, units, gaps, kinds, document_units)
    assert count >= 0
    return units[: count + 1], gaps[:count], kinds[:count], document_units, data


def split(text):
    """The units of one text, with gaps and kinds."""
    bounds, gaps, kinds, _, data = find(sentences.find_units, [text])
    raw = data.tobytes()
    pieces = [
        raw[a:b].decode("utf-8", "surrogatepass") for a, b in zip(bounds, bounds[1:], strict=False)
    ]
    return pieces, gaps.tolist(), kinds.tolist()


def stripped(text):
    return [re.sub(r"\s+", " ", piece.strip()) for piece in split(text)[0]]


# Pieces that meet the rules: words, terminators, closers, line starts, and characters of every width.
PIECES = [
    *"aAzIé中あ1٣.!?。？．…!,;:)(]['\"“”„’*_`-–#>|+=~•》《°/é\u0301\u200d\ufe0f😀\u0589ա;ω",
    *[
        "\n",
        "\n\n",
        "\r\n",
        "\r\r\n",
        "\r",
        "\u2028",
        "\x85",
        "\f",
        " ",
        "  ",
        "\t",
        "\xa0",
        "\u3000",
    ],
    *[
        "the ",
        "The ",
        "He said ",
        "word",
        "words.",
        "Dr. ",
        "No. ",
        "e.g. ",
        "U.S. ",
        "a.m. ",
        "etc. ",
        "Jan. ",
    ],
    *[
        "St. ",
        "Inc. ",
        "J. ",
        "12. ",
        "1) ",
        "2) ",
        "a. ",
        "b. ",
        "1. ",
        "2. ",
        "(a) ",
        "iv) ",
        "3.2 ",
        "x.y",
    ],
    *[
        ". . .",
        ". . . .",
        "[1]",
        "[...]",
        "</b>",
        "http://a.b/c.d",
        "Blvd. ",
        "world.The ",
        "end.12 The ",
    ],
    *[
        "\n- ",
        "\n* ",
        "\n> ",
        "\n# ",
        "\n## ",
        "\n```\n",
        "\n~~~\n",
        "\n|a|b|\n",
        "|---|:-:|",
        "\n---\n",
        "\n===\n",
    ],
    *[
        "\n1. ",
        "\n(b) ",
        "\n+--+\n",
        "* * *",
        "TITLE",
        "3.  Title",
        "॥",
        "।",
        "؟",
        "།",
        "\ud800",
        "\0",
        "\u200b",
    ],
    *[
        "lorem ipsum dolor sit amet consectetur ",
        "Lorem Ipsum Dolor Sit Amet Consectetur ",
        "\n    ",
        "\no  x",
    ],
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=200).map("".join),
    st.text(max_size=30),
)


@settings(max_examples=EXAMPLES)
@given(st.lists(TEXTS, min_size=1, max_size=3))
@example([""])
@example(["", " \n ", "a"])
def test_twin(texts):
    got, expected = find(sentences.find_units, texts), find(naive.find_units, texts)
    for name, a, b in zip(
        ["bounds", "gaps", "kinds", "document_units"], got, expected, strict=False
    ):
        assert a.tolist() == b.tolist(), name


@needs_data
@pytest.mark.parametrize("name", wild_files())
def test_twin_on_real_files(name):
    text = wild_text(name, 1500 if PLAIN else 20_000)
    got, expected = find(sentences.find_units, [text]), find(naive.find_units, [text])
    for a, b in zip(got[:4], expected[:4], strict=True):
        assert a.tolist() == b.tolist()


@settings(max_examples=EXAMPLES)
@given(st.lists(TEXTS, min_size=1, max_size=4))
@example([". . . . \u0301"])
def test_promises(texts):
    bounds, gaps, kinds, document_units, data = find(sentences.find_units, texts)
    documents = np.cumsum([0, *(len(t.encode("utf-8", "surrogatepass")) for t in texts)])
    assert bounds[0] == 0
    assert bounds[-1] == len(data)
    assert (np.diff(bounds) > 0).all()
    assert set(kinds.tolist()) <= {PROSE, HEADING, LIST_ITEM, FENCE, TABLE}
    for j, text in enumerate(texts):
        first, last = document_units[j], document_units[j + 1]
        assert (first == last) == (text == "")
        if text:
            assert bounds[first] == documents[j]
            assert gaps[first] == DOCUMENT
            assert DOCUMENT not in gaps[first + 1 : last]
        # A document does not notice its neighbours.
        alone = find(sentences.find_units, [text])
        assert (alone[0][:-1] + documents[j]).tolist() == bounds[first:last].tolist()
        assert alone[1].tolist() == gaps[first:last].tolist()
        # No boundary lies inside a grapheme cluster.
        for boundary in alone[0][1:-1].tolist():
            part, size = alone[4], len(alone[4])
            assert (
                utf8.last_grapheme_boundary(part, 0, boundary, size, *character_tables())
                == boundary
            )
        if text.strip():
            # White space belongs to the unit before, the indentation of a line to the line.
            for piece in split(text)[0]:
                assert piece.strip() or not piece.isspace()


def test_too_little_room_is_reported():
    data = np.frombuffer(b"One. Two. Three.", np.uint8)
    documents = np.array([0, 16], np.int32)
    documents.flags.writeable = False
    for capacity in range(4):
        units, gaps = np.zeros(capacity + 1, np.int32), np.zeros(capacity, np.uint8)
        count = sentences.find_units(
            data, documents, *TABLES, units, gaps, gaps.copy(), np.zeros(2, np.int32)
        )
        assert count == (3 if capacity == 3 else -1)


@pytest.mark.parametrize(
    "text",
    [
        "At noon Dr. J. Smith and Mrs. W. E. B. Jones left.|They came back.",
        "He works for the U.S. Government.|I live in the U.S.|It is large.",
        "See Fig. 3 and pp. 4-5, e.g. Smith et al. on No. 7.|No.|I will not.",
        "Version 1.2.3 of foo.py is at www.example.com/a.b?c=d.|Get it!",
        'She asked, "Really?"|He nodded.|(It was true.)|Then "yes!" she said.',
        "The train leaves at 5 p.m.|Passengers should be early.",
        "It rose 3.5 percent to $1.50.|Nobody knew...|Maybe so.",
        "“Wait!”|They did not.|What?!|Why??|So be it.",
        "Das war am 12. Juni.|Er sagte: „Gut.“|Dann ging er, z. B. nach Hause.",
        "他来了。|你是谁？|《什么！》是书。|好！",
        "「何だ！」と彼は言った。|終わり。",
        "यह एक वाक्य है।|यह दूसरा है॥",
        "كيف حالك؟|أنا بخير.",
        "Բարև։|Ինչպես ես:|Լավ:",
        "Τι κάνεις;|Καλά.",
        "ሰላም ነው።|እንዴት ነህ፧",
        "Wow.[3]|The end.|It slows (type 2).10|This is why.",
        "i went home. |then i slept. |ok?? |fine",
    ],
)
def test_sentences(text):
    expected = [part.strip() for part in text.split("|")]
    joined = text.replace("|", "" if ord(text[0]) > 0x3000 or text[0] == "「" else " ")
    assert stripped(joined) == [re.sub(r"\s+", " ", part) for part in expected]


def test_blocks_of_markdown():
    text = (
        "Title\n=====\nSome text. More\n\n## Part\n\n- one\n- two\n  goes on\n\n"
        "```py\nx = 1. \n\n# no heading\n```\nAfter.\n| a | b |\n|---|---|\n| 1. | 2. |\n\na | b\n--|--\n1 | 2\n"
    )
    pieces, gaps, kinds = split(text)
    assert list(zip(pieces, gaps, kinds, strict=True)) == [
        ("Title\n=====\n", DOCUMENT, HEADING),
        ("Some text. ", AFTER_HEADING, PROSE),
        ("More\n\n", SENTENCE, PROSE),
        ("## Part\n\n", SECTION, HEADING),
        ("- one\n", AFTER_HEADING, LIST_ITEM),
        ("- two\n  goes on\n\n", LINE, LIST_ITEM),
        ("```py\nx = 1. \n\n# no heading\n```\n", BLANK, FENCE),
        ("After.\n", LINE, PROSE),
        ("| a | b |\n|---|---|\n| 1. | 2. |\n\n", LINE, TABLE),
        ("a | b\n--|--\n1 | 2\n", BLANK, TABLE),
    ]


def test_line_breaks():
    wrapped = (
        "The quick brown fox jumps over the lazy dog and runs away from it\n"
        "because the dog, which was asleep, has woken up. Then the Grand\n"
        "Duke came. He had heard of Dr.\nSmith and of the dog before, and so on.\n"
    )
    assert len(split(wrapped)[0]) == 3
    for verse in (
        "Roses are red\nViolets are blue\nSugar is sweet",
        "one\ntwo three\nfour five six\n",
    ):
        assert split(verse)[1] == [DOCUMENT, LINE, LINE]
    log = "".join(f"2024-05-0{i} 12:00:0{i} daemon[12{i}]: started job {i}\n" for i in range(1, 9))
    assert len(split(log)[0]) == 8
    assert stripped("It was a cold \nnight in the city.") == ["It was a cold night in the city."]
    for ending in ("\r\n", "\r", "\r\r\n", "\x85", "\u2028", "\u2029", "\f", "\v"):
        pieces, gaps, _ = split(f"One{ending}{ending}  Two")
        assert pieces == [f"One{ending}{ending}", "  Two"]
        assert gaps == [DOCUMENT, BLANK]


def test_an_unclosed_fence_runs_to_the_end():
    assert len(split("```\na.\n\n# b\nC. D.\n")[0]) == 1


def gold(name):
    with gzip.open(DATA / "sbd" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@needs_data
def test_golden_rules():
    rows = gold("golden_en")
    right = sum(
        stripped(r["text"]) == [re.sub(r"\s+", " ", s.strip()) for s in r["sentences"]]
        for r in rows
    )
    assert right >= 50, f"{right} of {len(rows)}"


@needs_data
@pytest.mark.parametrize(
    ("name", "least"),
    [("ud_zh_gsd_test", 0.985), ("ud_ja_gsd_test", 0.95), ("ud_hi_pud_test", 0.99)],
)
def test_gold_boundaries(name, least):
    both = found = wanted = 0
    for row in gold(name):
        text, position, ends = row["text"], 0, set()
        for piece in split(text)[0]:
            position += len(piece)
            ends.add(len(text[:position].rstrip()))
        expected, position = set(), 0
        for sentence in row["sentences"]:
            position = text.index(sentence.strip(), position) + len(sentence.strip())
            expected.add(position)
        both, found, wanted = both + len(ends & expected), found + len(ends), wanted + len(expected)
    assert 2 * both / (found + wanted) >= least


@pytest.mark.parametrize(
    "unit", ["a", "a. ", "A. ", "(", "\n", "|\n", "```\n", "1) ", "。", "> a\n", "é", "\u0301"]
)
def test_cost_is_linear(unit):
    seconds = []
    for size in (200, 1600) if PLAIN else (20_000, 160_000):
        began = time.perf_counter()
        find(sentences.find_units, [unit * size])
        seconds.append(time.perf_counter() - began)
    assert seconds[1] < 24 * seconds[0] + 0.5
