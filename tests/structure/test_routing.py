"""Routes by ending, MIME type, look and function; budgets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scission import (
    CodeChunker,
    HTMLChunker,
    MarkdownChunker,
    OptionError,
    ParentChildChunker,
    RoutingChunker,
    SemanticChunker,
)
from scission.chunkers.routing.kinds import kind_of
from tests.helpers import PLAIN, assert_tiles, needs_data, wild_files, wild_text
from tests.structure.test_invariants import texts

SHIPS = "Ships sail at dawn, laden with salt. The crews slept below. Their sails hung low. "
MARKDOWN = f"# A\n\n{SHIPS}\n\n# B\n\n{SHIPS}\n"
HTML = f"<!doctype html><h1>A</h1><p>{SHIPS}"
CODE = "#!/usr/bin/env python\ndef f():\n    return 1\n"


def routes(batch):
    return [batch.of_document(j)[0].metadata["route"] for j in range(len(batch.texts))]


def test_kinds():
    assert kind_of("x", {"source": "a.md"}) == "markdown"
    assert kind_of("x", {"source": "a.htm", "mime_type": "text/plain; charset=utf-8"}) == "text"
    assert kind_of("x", {"mime_type": "text/x-python"}) == "code"
    assert kind_of("x", {"mime_type": "application/typescript"}) == "code"
    assert kind_of(MARKDOWN, {}) == kind_of("a\n```py\nx\n```\n", {}) == "markdown"
    assert kind_of("| a | b |\n|---|---|\n| 1 | 2 |", {}) == "markdown"
    assert kind_of(HTML, {}) == kind_of("\ufeff <!-- x --> <HTML>", {}) == "html"
    assert kind_of(CODE, {}) == "code"
    assert kind_of(SHIPS, {}) == kind_of("", {}) == "text"
    assert kind_of("a < b # c\n# d\n", {"source": None}) == "text"


def test_each_kind_goes_to_its_own_strategy():
    documents = [MARKDOWN, SHIPS, HTML, CODE, "", MARKDOWN]
    chunker = RoutingChunker(max_tokens=60)
    batch = chunker.chunk_batch([*documents[:4], documents[5]], embeddings=True)
    assert routes(batch) == ["markdown", "default", "html", "code", "markdown"]
    for number, (text, alone) in enumerate(
        [
            (MARKDOWN, MarkdownChunker(max_tokens=60)),
            (SHIPS, SemanticChunker(max_tokens=60)),
            (HTML, HTMLChunker(max_tokens=60)),
            (CODE, CodeChunker(max_tokens=60)),
            (MARKDOWN, MarkdownChunker(max_tokens=60)),
        ]
    ):
        expected = alone.chunk_batch([text], embeddings=True)
        mine = batch.of_document(number)
        assert [chunk.id for chunk in mine] == expected.ids
        assert [{**c.metadata, "route": mine[0].metadata["route"]} for c in expected] == [
            chunk.metadata for chunk in mine
        ]
        np.testing.assert_array_equal(batch.vectors[batch.document == number], expected.vectors)
    assert len(chunker.chunk_batch(documents)) == len(batch)


def test_order_of_the_rules():
    chunker = RoutingChunker(
        routes={
            ".md": {"strategy": "semantic", "max_tokens": 20},
            "text/html": "semantic",
            "text/*": SemanticChunker(max_tokens=9),
            "markdown": "markdown",
        }
    )
    given = [
        {"source": "a.md", "mime_type": "text/html"},
        {"source": "a.txt", "mime_type": "text/html"},
        {"mime_type": "text/plain"},
        {},
        {"source": "a.bin"},
    ]
    batch = chunker.chunk_batch([MARKDOWN] * 5, metadata=given)
    assert routes(batch) == [".md", "text/html", "text/*", "markdown", "markdown"]
    assert max(chunk.token_count for chunk in batch.of_document(0)) <= 20
    assert max(chunk.token_count for chunk in batch.of_document(2)) <= 9


def test_a_function_of_your_own():
    chunker = RoutingChunker(select=lambda text, note: note.get("route") or None)
    batch = chunker.chunk_batch(
        [SHIPS, MARKDOWN, SHIPS], metadata=[{"route": "markdown"}, {}, {"route": "default"}]
    )
    assert routes(batch) == ["markdown", "markdown", "default"]
    with pytest.raises(OptionError, match=r"what select returns must be one of .*, got 'nowhere'"):
        RoutingChunker(select=lambda text, note: "nowhere").chunk("x")


def test_a_budget_is_spent_in_order(monkeypatch):
    monkeypatch.setattr("scission.chunkers.base.GROUP_BYTES", 200)
    sizes = [SemanticChunker().chunk(text)[0].token_count for text in (SHIPS, SHIPS * 3)]
    chunker = RoutingChunker(
        cheap=SemanticChunker(max_tokens=9),
        budget_tokens=2 * sizes[0] + 1,
        matters=lambda text, note: "Ships" in text,
    )
    documents = ["Bread rises.", SHIPS, SHIPS * 3, SHIPS, SHIPS]
    expected = ["cheap", "default", "cheap", "default", "cheap"]
    for threads in (1, 3):
        for _ in range(2):
            batch = chunker.chunk_batch(documents, threads=threads)
            assert routes(batch) == expected
    assert chunker.chunk(SHIPS)[0].metadata["route"] == "default"


def test_routes_with_parents():
    family = ParentChildChunker(child_tokens=12, order="joined")
    chunker = RoutingChunker(routes={"markdown": family}, max_tokens=60)
    batch = chunker.chunk_batch([SHIPS, MARKDOWN, HTML, MARKDOWN])
    for number in (1, 3):
        assert [c.parent_id for c in batch.of_document(number)] == [
            c.parent_id for c in family.chunk(MARKDOWN)
        ]
    assert batch.of_document(0)[0].parent_id is None


@given(
    documents=st.lists(texts, min_size=1, max_size=5),
    notes=st.lists(
        st.sampled_from(["a.md", "a.py", "a.html", "a.txt", "a"]), min_size=5, max_size=5
    ),
)
def test_batch_mates_and_threads_change_nothing(documents, notes):
    chunker = RoutingChunker(max_tokens=24)
    given = [{"source": name} for name in notes[: len(documents)]]
    batch = chunker.chunk_batch(documents, threads=1, metadata=given)
    assert list(batch) == list(chunker.chunk_batch(documents, threads=3, metadata=given))
    for number, (text, note) in enumerate(zip(documents, given, strict=True)):
        chunks = batch.of_document(number)
        assert chunks == chunker.chunk(text, metadata=note)
        assert_tiles(batch.texts[number], chunks)
        if note["source"] != "a.html" and kind_of(text, note) != "html":
            assert batch.texts[number] == text


@needs_data
def test_wild_files():
    chunker = RoutingChunker(max_tokens=120)
    names = wild_files()
    documents = [wild_text(name, 400 if PLAIN else 5_000) for name in names]
    batch = chunker.chunk_batch(documents, metadata=[{"source": name} for name in names])
    taken = dict(zip(names, routes(batch), strict=True))
    for name, route in taken.items():
        if name.startswith("md_") and name.endswith(".md"):
            assert route == "markdown"
        if name.startswith("html_"):
            assert route == "html"
    assert taken["code_python_sqlite_utils_cli.py"] == "code"
    assert taken["md_chonkie_llms.txt"] == taken["log_linux.log"] == "default"
    assert batch.token_count.max() <= 120


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"routes": {"md": "markdown"}}, "a key of routes must be a file's ending such as '.md'"),
        ({"routes": [1]}, "routes must be a mapping, got list"),
        ({"routes": {".md": "magic"}}, r"routes\['.md'\] must be one of"),
        ({"routes": {".md": {"max_tokens": 3}}}, "must name its strategy"),
        ({"routes": {".md": 3}}, "must be a chunker or the name of a strategy, got 3"),
        ({"budget_tokens": 5}, "budget_tokens needs cheap"),
        ({"matters": bool}, "matters needs cheap"),
        ({"select": 3}, "select must be a function"),
        (
            {"cheap": "semantic", "budget_tokens": -1},
            "budget_tokens must be an integer of at least 0",
        ),
        (
            {"routes": {".a": ParentChildChunker(order="joined"), ".b": ParentChildChunker()}},
            "must all have order='joined'",
        ),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(OptionError, match=message):
        RoutingChunker(**options)
