"""Every strategy on the command line, runs from a file, and what changed between two."""

import json

import pytest

from scission.api import strategies
from scission.cli import main

MARKDOWN = (
    "# Ships\n\nShips sail at dawn. The crews slept.\n\n# Bread\n\nBread rises. Yeast eats.\n"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(MARKDOWN, encoding="utf-8")
    (tmp_path / "docs" / "b.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    (tmp_path / "docs" / "c.html").write_text("<h1>A</h1><p>Text.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(name):
    with open(name, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("strategy", [name for name, made in strategies().items() if not made.paid])
def test_every_strategy(folder, strategy):
    assert main(["chunk", "docs", "-s", strategy, "-o", "out.jsonl", "-q"]) == 0
    found = rows("out.jsonl")
    assert {row["metadata"]["source"] for row in found} == {"docs/a.md", "docs/b.py", "docs/c.html"}
    if strategy == "routing":
        assert [row["metadata"]["route"] for row in found] == [
            "markdown",
            "markdown",
            "code",
            "html",
        ]
    if strategy == "parent_child":
        assert {row["id"] for row in found} > {row.get("parent_id") for row in found} - {None}


def test_options_of_the_strategies(folder, capsys):
    arguments = [
        "chunk",
        "docs/a.md",
        "-s",
        "markdown",
        "--inner",
        "semantic",
        "--split-level",
        "1",
    ]
    assert main([*arguments, "--max-tokens", "50", "--pages", "-o", "out.jsonl", "-q"]) == 0
    assert [row["metadata"]["page"] for row in rows("out.jsonl")] == [1, 1]
    arguments = [
        "chunk",
        "docs/a.md",
        "-s",
        "parent_child",
        "--child-tokens",
        "6",
        "--order",
        "joined",
    ]
    assert main([*arguments, "--parent", "markdown", "-o", "out.jsonl", "-q"]) == 0
    assert all(row["token_count"] <= 6 for row in rows("out.jsonl"))
    assert rows("out.jsonl")[0]["metadata"]["parent_text"].startswith("# Ships")
    assert main(["chunk", "docs/a.md", "-s", "html", "--inner", "magic"]) == 2
    assert "inner must be one of" in capsys.readouterr().err


CONFIG = """
strategy = "routing"
files = ["docs"]
output = "out.jsonl"
quiet = true
[options]
default = {strategy = "fixed", max_tokens = 8}
[options.routes]
".md" = {strategy = "markdown", inner = {strategy = "recursive", max_characters = 30}}
code = "code"
"""


def test_a_run_from_a_file(folder):
    (folder / "run.toml").write_text(CONFIG, encoding="utf-8")
    assert main(["chunk", "--config", "run.toml"]) == 0
    found = rows("out.jsonl")
    assert {row["metadata"]["route"] for row in found} == {".md", "code", "default"}
    assert all(len(row["text"]) <= 30 for row in found if row["metadata"]["route"] == ".md")
    assert main(["chunk", "docs/b.py", "-c", "run.toml", "-s", "fixed", "-o", "two.jsonl"]) == 2
    (folder / "run.toml").write_text('strategy = "fixed"\n[options]\nmax_tokens = 4\n', "utf-8")
    assert main(["chunk", "docs/a.md", "-c", "run.toml", "-o", "two.jsonl", "-q"]) == 0
    assert max(row["token_count"] for row in rows("two.jsonl")) == 4
    arguments = [
        "chunk",
        "docs/a.md",
        "-c",
        "run.toml",
        "--max-tokens",
        "9",
        "-o",
        "two.jsonl",
        "-q",
    ]
    assert main(arguments) == 0
    assert max(row["token_count"] for row in rows("two.jsonl")) > 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("strategy = 3", "strategy must be of type str, got 3"),
        ("max_tokens = 3", "has no setting 'max_tokens'"),
        ("a = [", "must name a TOML file"),
        ('format = "xml"', "format must be one of 'text', 'jsonl', 'parquet', got 'xml'"),
        ("[options]\nmax_token = 3", "SemanticChunker has no option 'max_token'"),
    ],
)
def test_bad_files(folder, capsys, text, message):
    (folder / "run.toml").write_text(text, encoding="utf-8")
    assert main(["chunk", "docs", "-c", "run.toml"]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_file(folder, capsys):
    assert main(["chunk", "docs", "-c", "none.toml"]) == 2
    assert "--config must name a file that can be read, got none.toml" in capsys.readouterr().err


def figures(capsys):
    found = json.loads(capsys.readouterr().out)
    return {name: entry["chunks"] for name, entry in found.items()}


def test_diff(folder, capsys):
    chunk = ["chunk", "docs", "-s", "markdown", "-q", "-o"]
    assert main([*chunk, "old.jsonl"]) == 0
    changed = MARKDOWN.split("# Bread")[1].replace("eats", "sleeps")
    ships = MARKDOWN.split("# Bread")[0]
    moved = f"# New\n\nNew.\n\n# Bread{changed}{ships}"
    (folder / "docs" / "a.md").write_text(moved, encoding="utf-8")
    (folder / "docs" / "d.md").write_text(ships, encoding="utf-8")
    assert main([*chunk, "new.jsonl"]) == 0
    assert main(["diff", "old.jsonl", "new.jsonl", "--json"]) == 0
    # The moved section is kept; in d.md it is new, but its text needs no new vector.
    assert figures(capsys) == {"new": 3, "gone": 1, "kept": 3, "to_embed": 2}
    assert main(["diff", "old.jsonl", "old.jsonl", "--json"]) == 0
    assert figures(capsys) == {"new": 0, "gone": 0, "kept": 4, "to_embed": 0}
    assert main(["diff", "old.jsonl", "new.jsonl", "--list"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line[0] for line in out[:4]] == ["-", "+", "+", "+"]
    assert "docs/d.md@0" in out[3]
    unknown = [row for row in rows("new.jsonl") if "New." in row["text"] or "sleeps" in row["text"]]
    tokens = sum(row["token_count"] for row in unknown)
    assert out[-1].split() == ["to", "embed", "2", "chunks", str(tokens), "tokens"]


def test_diff_of_what_is_no_run(folder, capsys):
    (folder / "x.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    assert main(["diff", "x.jsonl", "x.jsonl"]) == 2
    assert "x.jsonl: line 1 must be a chunk" in capsys.readouterr().err
    assert main(["diff", "none.jsonl", "x.jsonl"]) == 2
    assert "none.jsonl: No such file" in capsys.readouterr().err
    (folder / "y.jsonl").write_bytes(b"\xff\n")
    assert main(["diff", "y.jsonl", "x.jsonl"]) == 2
    assert "must hold JSON lines in UTF-8" in capsys.readouterr().err
