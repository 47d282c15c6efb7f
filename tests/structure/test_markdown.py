"""Markdown: sections, blocks kept whole, tables between rows, front matter."""

import builtins
import cProfile
import json
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scission import (
    FixedChunker,
    MarkdownChunker,
    MissingExtra,
    OptionError,
    RecursiveChunker,
    SemanticChunker,
)
from scission.chunkers.structure.front_matter import front_matter
from scission.chunkers.structure.markdown_blocks import markdown_outline
from tests.helpers import PLAIN, assert_tiles, needs_data, wild_files, wild_text

PROSE = "Ships sail at dawn, laden with salt. The crews slept below. Their sails hung low. "
FENCE = "```python\n" + "x = call(1, 2)\n\n" * 6 + "```\n"
TABLE = "| name | size |\n|---|---:|\n" + "".join(f"| row {i} | {i} |\n" for i in range(30))


def paths(chunks):
    return [chunk.metadata["section_path"] for chunk in chunks]


def test_headings_are_limits_and_paths():
    text = f"Before.\n\n# One *big*\n\n{PROSE}\n\n## `Two`\n\n{PROSE}\n\n### Four\n# Three\n{PROSE}"
    chunks = MarkdownChunker().chunk(text)
    assert_tiles(text, chunks)
    assert paths(chunks) == [
        [],
        ["One big"],
        ["One big", "Two"],
        ["One big", "Two", "Four"],
        ["Three"],
    ]
    assert chunks[1].text.startswith("# One *big*\n")


def test_setext_headings_and_every_line_end():
    for end in ("\n", "\r\n", "\r"):
        text = end.join(["Title", "=====", "", "é 👩‍🚀 text.", "", "Sub", "---", "more", ""])
        chunks = MarkdownChunker().chunk(text)
        assert_tiles(text, chunks)
        assert paths(chunks) == [["Title"], ["Title", "Sub"]]
        assert chunks[1].start == text.index("Sub")


def test_hashes_inside_fences_and_lists_are_no_headings():
    text = "# A\n```\n# not\n```\n- # item\n> # quoted\n"
    assert paths(MarkdownChunker().chunk(text)) == [["A"]]


def test_split_level():
    text = f"# A\n{PROSE}\n## B\n{PROSE}\n### C\n{PROSE}\n"
    chunks = MarkdownChunker(split_level=2).chunk(text)
    assert paths(chunks) == [["A"], ["A", "B"]]


@pytest.mark.parametrize("block", [FENCE, "<div>\n" + "<b>x</b> y.\n" * 10 + "</div>\n"])
@pytest.mark.parametrize("words", [0, 5, 11, 17])
def test_blocks_that_fit_are_kept_whole(block, words):
    text = PROSE * words + "\n\n" + block + "\n" + PROSE * 9
    chunks = MarkdownChunker(max_tokens=160).chunk(text)
    assert_tiles(text, chunks)
    assert max(chunk.token_count for chunk in chunks) <= 160
    assert sum(block.strip() in chunk.text for chunk in chunks) == 1


def test_an_inner_strategy_that_would_cut_a_list_does_not():
    items = "".join(f"- {PROSE}\n" for _ in range(4))
    text = f"{PROSE * 3}\n\n{items}\n{PROSE * 3}\n"
    inner = SemanticChunker(max_tokens=100, number_of_chunks=12)
    assert not any(items.strip() in chunk.text for chunk in inner.chunk(text))
    chunks = MarkdownChunker(inner=inner).chunk(text)
    assert_tiles(text, chunks)
    assert any(items.strip() in chunk.text for chunk in chunks)


def test_a_large_list_is_cut_between_items():
    items = [f"- {i}: {PROSE}\n  - nested {i}. {PROSE}\n" for i in range(12)]
    text = "".join(items)
    chunks = MarkdownChunker(max_tokens=60).chunk(text)
    assert_tiles(text, chunks)
    assert all(any(chunk.text.count(item) for chunk in chunks) for item in items)


def test_a_large_table_is_cut_between_rows_and_says_its_header():
    text = f"# T\n\n{PROSE}\n\n{TABLE}\n{PROSE}"
    chunks = MarkdownChunker(max_tokens=64).chunk(text)
    assert_tiles(text, chunks)
    begin, end = text.index(TABLE), text.index(TABLE) + len(TABLE)
    inside = [chunk for chunk in chunks if begin < chunk.start < end]
    assert len(inside) > 2
    for chunk in inside:
        assert chunk.metadata["table_header"] == "| name | size |\n|---|---:|"
        assert chunk.text.startswith("| row ")
    assert all("table_header" not in c.metadata for c in chunks if c not in inside)


def test_a_fence_above_the_limit_is_cut_at_lines():
    text = "```\n" + "value = compute(alpha, beta)\n" * 60 + "```\n"
    chunks = MarkdownChunker(max_tokens=40).chunk(text)
    assert_tiles(text, chunks)
    assert max(chunk.token_count for chunk in chunks) <= 40
    assert all(chunk.text.endswith("\n") for chunk in chunks)


def test_small_sections_are_joined_under_one_heading():
    text = f"# A\n## B\nb\n## C\nc\n# D\n{PROSE * 5}\n## E\ne\n"
    apart = MarkdownChunker().chunk(text)
    assert paths(apart) == [["A"], ["A", "B"], ["A", "C"], ["D"], ["D", "E"]]
    limit = apart[3].token_count + apart[4].token_count
    chunks = MarkdownChunker(min_tokens=40, max_tokens=limit).chunk(text)
    assert_tiles(text, chunks)
    assert [key for key, _ in groupby(paths(chunks))] == [["A"], ["D"]]
    assert paths(MarkdownChunker(min_tokens=40).chunk("# A\n## B\nb\n### C\nc\n# D\nd")) == [[]]
    chunks = MarkdownChunker(min_tokens=40).chunk(f"## B\nb\n### C\nc\n# D\n{PROSE * 5}")
    assert [key for key, _ in groupby(paths(chunks))] == [[]]
    chunks = MarkdownChunker(min_tokens=40).chunk(f"# A\n{PROSE * 5}\n## B\nb\n# D\n{PROSE * 5}")
    assert paths(chunks) == [["A"], ["D"]]


def test_overlap_and_trim_of_the_inner_strategy():
    text = f"# A\n{PROSE * 6}\n# B\n{PROSE * 6}"
    inner = SemanticChunker(max_tokens=60, overlap_sentences=1, trim=True)
    chunks = MarkdownChunker(inner=inner).chunk(text)
    starts = {text.index("# A"), text.index("# B")}
    assert any(a.end > b.start for a, b in zip(chunks, chunks[1:], strict=False))
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end] == chunk.text.strip()
        assert not any(chunk.start < start < chunk.end for start in starts)


def test_chunk_vectors_come_from_the_inner_strategy():
    text = f"# A\n{PROSE * 9}\n\n{FENCE}\n{PROSE}\n# B\n{PROSE}"
    chunker = MarkdownChunker(inner=SemanticChunker(max_tokens=100, number_of_chunks=6))
    batch = chunker.chunk_batch([text, "", "\n"], embeddings=True)
    assert list(batch)[:3] == chunker.chunk(text)[:3]
    np.testing.assert_allclose(np.linalg.norm(batch.vectors[:3], axis=1), 1, atol=1e-5)


def test_front_matter():
    text = "---\ntitle: Ships\ntags: [a, b]\ndate: 2024-01-02\n---\n# One\nText.\n"
    chunks = MarkdownChunker().chunk(text)
    assert_tiles(text, chunks)
    matter = {"title": "Ships", "tags": ["a", "b"], "date": "2024-01-02"}
    assert [chunk.metadata["front_matter"] for chunk in chunks] == [matter, matter]
    assert json.dumps(chunks[0].metadata)
    assert front_matter('+++\ntitle = "x"\n+++\nText') == (20, {"title": "x"})
    assert front_matter("---\r\na: 1\r\n...\r\nText")[1] == {"a": 1}
    assert front_matter("---\n---\n") == (8, {})


@pytest.mark.parametrize("content", ["a: [", "a: &x [1]\nb: *x", "\t- :", "a: !!python/object x"])
def test_front_matter_that_cannot_be_read_is_kept_as_it_is(content):
    assert front_matter(f"---\n{content}\n---\n")[1] == content + "\n"


@given(st.text(alphabet="-+=: \n\r\tab[]{}&*!'\"\\.#1\ufeff", max_size=60))
def test_front_matter_never_raises(content):
    for fence in ("---", "+++"):
        end, _ = front_matter(f"{fence}\n{content}\n{fence}\n")
        assert end > 0


@pytest.mark.parametrize(
    ("limit", "is_whole"), [(1500, True), (1300, True), (1277, True), (1276, False), (700, False)]
)
@pytest.mark.parametrize("inner", [RecursiveChunker, FixedChunker])
def test_a_section_is_cut_only_when_it_exceeds_the_limit(inner, limit, is_whole):
    section = "## Billing\n\n" + (PROSE * 20)[: 1277 - 12 - 2] + ".\n"
    assert len(section) == 1277
    text = f"# Manual\n\n{PROSE}\n\n{section}## Next\n\n{PROSE}\n"
    chunks = MarkdownChunker(inner=inner(max_characters=limit)).chunk(text)
    assert_tiles(text, chunks)
    assert any(chunk.text == section for chunk in chunks) is is_whole
    assert all(len(chunk.text) <= limit for chunk in chunks)
    billing = [c for c in chunks if c.metadata["section_path"] == ["Manual", "Billing"]]
    assert "".join(chunk.text for chunk in billing) == section


def test_other_ways_to_count():
    text = f"# A\n{PROSE * 4}\n\n{FENCE}\n{TABLE}\n# B\n{PROSE}"
    inner = RecursiveChunker(max_tokens=30, tokenizer=lambda piece: len(piece.split()))
    chunks = MarkdownChunker(inner=inner).chunk(text)
    assert_tiles(text, chunks)
    for chunk in chunks:
        assert chunk.token_count == len(chunk.text.split()) <= 30
    assert sum(FENCE.strip() in chunk.text for chunk in chunks) == 1


def test_options_of_the_inner_strategy_as_a_mapping():
    chunker = MarkdownChunker(inner={"strategy": "fixed", "max_characters": 40})
    assert all(len(chunk.text) <= 40 for chunk in chunker.chunk(TABLE + PROSE))
    with pytest.raises(OptionError, match="inner must name its strategy"):
        MarkdownChunker(inner={"max_tokens": 4})


@pytest.mark.skipif(PLAIN, reason="the work of plain kernels would be counted too")
def test_work_grows_with_the_text_and_no_faster():
    """Sections, blocks and cuts of ten times the text take about ten times the work."""
    text = f"# A\n{PROSE * 3}\n\n{FENCE}\n{TABLE}\n- one\n- two\n\n"

    def calls(count):
        profile = cProfile.Profile()
        profile.enable()
        MarkdownChunker(max_tokens=60).chunk_batch([text * count])
        profile.disable()
        return sum(entry.callcount for entry in profile.getstats())

    calls(1)
    assert calls(200) < 12 * calls(20)


@needs_data
@pytest.mark.parametrize("file", [name for name in wild_files() if name.startswith("md_")])
def test_wild_blocks_are_whole_or_above_the_limit(file):
    text = wild_text(file, 2_000 if PLAIN else 40_000)
    chunker = MarkdownChunker(max_tokens=200)
    chunks = chunker.chunk(text)
    starts = [chunk.start for chunk in chunks]
    for section in markdown_outline(text, 6).sections:
        assert section.start in starts
        for block in section.blocks:
            if block.whole and len(text[block.start : block.end].encode()) <= 200:
                assert not any(block.start < start < block.end for start in starts)


def test_bad_options():
    with pytest.raises(OptionError, match=r"split_level must be an integer in \[1, 6\], got 7"):
        MarkdownChunker(split_level=7)
    with pytest.raises(OptionError, match="inner must be one of 'semantic'"):
        MarkdownChunker(inner="magic")
    with pytest.raises(
        OptionError, match="inner must be a chunker or the name of a strategy, got 3"
    ):
        MarkdownChunker(inner=3)
    with pytest.raises(OptionError, match="max_tokens goes with the name of a strategy"):
        MarkdownChunker(inner=SemanticChunker(), max_tokens=3)
    with pytest.raises(OptionError, match="MarkdownChunker has no option 'headers'"):
        MarkdownChunker(headers=3)


def test_a_missing_parser_says_what_to_type(monkeypatch):
    from scission.chunkers.structure import markdown_blocks

    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("markdown_it"):
            raise ImportError(name)
        return real(name, *rest)

    markdown_blocks.parser.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pip install 'scission\[markdown\]'"):
        MarkdownChunker()
