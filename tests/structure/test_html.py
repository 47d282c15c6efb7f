"""HTML: extracted text, sections, places in the source, and whatever is broken."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scission import HTMLChunker, OptionError
from scission.chunkers.structure.html_reader import html_outline
from scission.chunkers.structure.html_tokens import Tokenizer
from tests.helpers import PLAIN, assert_tiles, needs_data, wild_text

PROSE = "Ships sail at dawn, laden with salt. The crews slept below. Their sails hung low. "
CHUNKER = HTMLChunker(max_tokens=120)


def extract(html, **options):
    return HTMLChunker(**options).extract(html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One\n  two</p><p>three", "One two\n\nthree"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("x <b>y</b><i>z</i> &amp; &lt;&#233;&nbsp;&unknown;&#x1F6A2;", "x yz & <é\xa0&unknown;🚢"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>d", "a\nb\nc\n\nd"),
        ("<pre>\n  x\n\n    y</pre>z", "  x\n\n    y\n\nz"),
        ("<script>var a = '<p>no</p>';</script>yes<style>p {}</style><!-- no --> too", "yes too"),
        ("<title>T</title><body>x<template>no</template><p hidden>no</p>", "x"),
        ("<table><tr><th>a<th>b<tr><td>1<td>2<tr><td><td>3</table>", "a\tb\n1\t2\n\t3"),
        ("<table><tr><td><p>a</p><p>b</p></td><td><ul><li>c<li>d</ul></table>", "a b\nc\nd"),
        ("<dl><dt>t<dd>d<dt>u</dl>", "t\nd\nu"),
        ("<h1>A</h1>x<h2>B</h2>", "A\n\nx\n\nB"),
        ("plain < text > here", "plain < text > here"),
        ("a <!-- never closed> b", "a b"),
        ("a </b> <b c='> d", "a d"),
        ("<table><tr><td><td>x", "x"),
        ("", ""),
        (" <p> </p> ", ""),
    ],
)
def test_extracted_text(html, text):
    assert extract(html) == text


def test_boilerplate():
    html = (
        "<header>H</header><nav>N</nav><main><article><header><h1>T</h1></header>x</article></main>"
        "<aside>A</aside><div role=navigation>R</div><footer>F</footer>"
    )
    assert extract(html) == "T\n\nx"
    assert extract(html, boilerplate=True) == "H\n\nN\n\nT\n\nx\n\nA\n\nR\n\nF"


def test_sections_and_paths():
    html = (
        f"<title>A &amp; B</title>before<h1>One <em>big</em></h1><p>{PROSE}</p><h2>Two</h2>{PROSE}"
        f"<section><h3>Deep</h3>{PROSE}</section>{PROSE}<h1>Three</h1>{PROSE}"
    )
    chunks = CHUNKER.chunk(html)
    assert_tiles(CHUNKER.extract(html), chunks)
    assert [chunk.metadata["section_path"] for chunk in chunks] == [
        [],
        ["One big"],
        ["One big", "Two"],
        ["One big", "Two", "Deep"],
        ["One big", "Two"],
        ["Three"],
    ]
    assert {chunk.metadata["title"] for chunk in chunks} == {"A & B"}


def test_elements_without_text_leave_no_trace():
    html = f"<h1>A</h1><h2></h2><table><tr><td></table><ul></ul><p>{PROSE * 8}</p>"
    chunks = HTMLChunker(max_tokens=30).chunk(html)
    assert len(chunks) > 3
    assert all(chunk.metadata["section_path"] == ["A"] for chunk in chunks)
    assert html_outline(html, 6, False).sections[-1].blocks[-1].whole is False


def test_places_in_the_source():
    html = (
        "<p>Größe &amp; 👩‍🚀  <b>Länge</b>.</p>\r\n<p>Second &eacute;</p><h1>Ünd</h1><pre>"
        + "é\n" * 3000
        + "</pre>"
    )
    source = html.encode()
    for chunk in HTMLChunker(max_tokens=8).chunk(source):
        place = source[chunk.metadata["source_start"] : chunk.metadata["source_end"]].decode()
        words = HTMLChunker().extract(place).split()
        assert words == chunk.text.split()
    spans = [c.metadata["source_start"] for c in HTMLChunker(max_tokens=8).chunk(source)]
    assert spans == sorted(spans)


def test_tables_say_their_header():
    rows = "".join(f"<tr><td>row {i}</td><td>{i}</td></tr>" for i in range(40))
    html = f"<p>x</p><table><thead><tr><th>name<th>size</thead>{rows}</table><p>{PROSE * 4}</p>"
    chunker = HTMLChunker(max_tokens=40)
    chunks = chunker.chunk(html)
    assert_tiles(chunker.extract(html), chunks)
    inside = [chunk for chunk in chunks if chunk.text.startswith("row")]
    assert len(inside) > 2
    assert all(chunk.metadata["table_header"] == "name\tsize" for chunk in inside)
    assert "table_header" not in chunks[0].metadata
    assert "table_header" not in chunks[-1].metadata


def test_lists_that_fit_are_kept_whole():
    items = "".join(f"<li>{PROSE}</li>" for _ in range(4))
    html = f"<p>{PROSE * 4}</p><ul>{items}</ul><p>{PROSE * 4}</p>"
    text = "\n".join([PROSE.strip()] * 4)
    assert any(text in chunk.text for chunk in HTMLChunker(max_tokens=100).chunk(html))


PIECES = [
    "<p>", "</p>", "<div>", "</div>", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>", "<th>", "</table>", "<h1>",
    "</h1>", "<h2>", "<pre>", "</pre>", "<td>", "<section>", "</section>", "<script>", "</script>", "<style>",
    "<title>", "</title>", "<!--", "-->", "<![CDATA[", "<?x", "</", "<", ">", "<a href='", "<b c=\"", "'", '"',
    "&amp;", "&#", "&#x41", "&#99999999;", "&nbsp", "word ", "One. Two. ", "é", "\ud800", "\x00", "\r\n", "\n", "👩‍🚀",
    "<nav>", "</nav>", "<br>", "<p hidden>", "<svg>", "</svg>", "<textarea>", "<dl><dt>", "<dd>", "</body>",
    "<blockquote>",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=50).map("".join))
def test_anything_goes(html):
    chunker = HTMLChunker(max_tokens=12)
    text = chunker.extract(html)
    chunks = chunker.chunk(html)
    assert_tiles(text, chunks)
    source = html.encode("utf-8", "surrogatepass")
    position = 0
    for chunk in chunks:
        start, end = chunk.metadata["source_start"], chunk.metadata["source_end"]
        assert position <= start <= end <= len(source)
        position = start
    tokens = list(Tokenizer(html))
    assert all(a.end <= b.start for a, b in zip(tokens, tokens[1:], strict=False))


@pytest.mark.parametrize(
    "piece",
    ["<!--", "<a ", "<a b='", "<a b='>", "</", "<?", "<title>", "<ul><li>", "<table><tr><td>", "<b><p>", "</div>",
     "a<b "],
)  # fmt: skip
def test_broken_input_takes_linear_time(piece):
    def seconds(count):
        begin = time.process_time()
        HTMLChunker().extract(piece * count + ">")
        return time.process_time() - begin

    seconds(100)
    small = min(seconds(2_000) for _ in range(3))
    large = min(seconds(20_000) for _ in range(3))
    assert large < 40 * small + 0.05


@needs_data
@pytest.mark.parametrize("file", ["html_debian_policy_opersys.html", "html_python_genindex_S.html"])
def test_wild_files(file):
    html = wild_text(file, 6_000 if PLAIN else None)
    chunks = CHUNKER.chunk(html)
    assert_tiles(CHUNKER.extract(html), chunks)
    assert not any("<" in chunk.text and "</" in chunk.text for chunk in chunks)
    source = html.encode()
    for chunk in chunks[::7]:
        place = source[chunk.metadata["source_start"] : chunk.metadata["source_end"]].decode()
        assert chunk.text.split()[0] in extract(place, boilerplate=True)
    paths = {tuple(chunk.metadata["section_path"]) for chunk in chunks}
    if "policy" in file and not PLAIN:
        assert ("9. The Operating System", "9.2. Users and groups", "9.2.1. Introduction") in paths


def test_bad_options():
    with pytest.raises(OptionError, match=r"split_level must be an integer in \[1, 6\], got 0"):
        HTMLChunker(split_level=0)
    with pytest.raises(OptionError, match="boilerplate must be True or False, got 'no'"):
        HTMLChunker(boilerplate="no")
