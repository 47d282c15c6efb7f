"""The command line, run as a user runs it."""

import json
import os
import subprocess
import sys

import pytest

from scission.cli import main

SHIPS = (
    "The ship left the harbour at dawn. Its sails were full of wind. The captain watched the sea. "
)
BREAD = "The baker kneads the dough. Yeast makes the bread rise. The oven must be hot. "


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text(SHIPS + BREAD, encoding="utf-8")
    (tmp_path / "b.md").write_text("# Bread\n\n" + BREAD, encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.txt").write_text("Grüße aus Köln.", encoding="utf-8")
    (tmp_path / ".hidden").write_text("no", encoding="utf-8")
    return tmp_path


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def sources(path):
    return {row["metadata"]["source"] for row in rows(path)}


def test_chunk_prints_readable_text(folder, capsys):
    assert main(["chunk", str(folder / "a.txt"), "--number-of-chunks", "2"]) == 0
    captured = capsys.readouterr()
    assert "The baker kneads the dough." in captured.out
    assert captured.out.count("a.txt[") == 2
    assert "1 document, 2 chunks" in captured.err
    assert "MB/s" in captured.err


def test_directories_and_globs(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "chunks.jsonl"
    assert main(["chunk", str(folder), "-o", str(out), "-q"]) == 0
    assert {os.path.basename(source) for source in sources(out)} == {"a.txt", "b.md", "c.txt"}
    assert main(["chunk", str(folder / "**" / "*.txt"), "-o", str(out), "-q"]) == 0
    assert {os.path.basename(source) for source in sources(out)} == {"a.txt", "c.txt"}
    text = (folder / "a.txt").read_text(encoding="utf-8")
    chunks = [row for row in rows(out) if row["metadata"]["source"].endswith("a.txt")]
    assert "".join(text[row["start"] : row["end"]] for row in chunks) == text


@pytest.mark.parametrize(
    ("arguments", "longest"),
    [
        (["-s", "fixed", "--max-characters", "30", "--overlap", "0.2"], 30),
        (["-s", "fixed", "--max-tokens", "8", "--separator", ". ", "--keep-separator", "none"], 60),
        (
            [
                "-s",
                "recursive",
                "--max-characters",
                "40",
                "--separator",
                r"\n\n",
                "--separator",
                " ",
            ],
            40,
        ),
        (["-s", "recursive", "--max-characters", "50", "--language", "markdown"], 50),
    ],
)
def test_other_strategies(folder, tmp_path_factory, arguments, longest):
    out = tmp_path_factory.mktemp("out") / "chunks.jsonl"
    assert main(["chunk", str(folder / "b.md"), *arguments, "-o", str(out), "-q"]) == 0
    found = rows(out)
    assert len(found) > 1
    assert max(len(row["text"]) for row in found) <= longest
    assert all(row["token_count"] > 0 for row in found)


def test_a_bad_file_does_not_stop_the_others(folder, tmp_path_factory, capsys):
    (folder / "bad.txt").write_bytes("Grüße".encode("latin-1"))
    out = tmp_path_factory.mktemp("out") / "chunks.jsonl"
    assert main(["chunk", str(folder), "-o", str(out)]) == 1
    assert len(sources(out)) == 3
    err = capsys.readouterr().err
    assert "bad.txt: not utf-8: byte 0xfc at offset 2" in err
    assert "3 documents, 1 failed" in err
    assert main(["chunk", str(folder / "bad.txt"), "--encoding", "latin-1", "-o", str(out)]) == 0
    assert rows(out)[0]["text"] == "Grüße"


def test_only_bad_files(tmp_path, capsys):
    assert main(["chunk", str(tmp_path / "missing.txt")]) == 2
    assert "missing.txt: No such file" in capsys.readouterr().err


def test_parquet(folder, tmp_path):
    import pyarrow.parquet

    out = tmp_path / "chunks.parquet"
    assert main(["chunk", str(folder / "a.txt"), "-o", str(out), "--embeddings", "-q"]) == 0
    table = pyarrow.parquet.read_table(out)
    assert {"text", "vector", "start", "metadata"} <= set(table.column_names)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "parquet"], "needs -o FILE"),
        (["--max-tokens", "2"], "max_tokens must be an integer of at least 4, got 2"),
        (["--strategy", "magic"], "strategy must be one of"),
        (
            ["-s", "fixed", "--max-characters", "0"],
            "max_characters must be an integer of at least 1, got 0",
        ),
        (["-s", "fixed", "--separator", "a", "--separator", "b"], "separator must hold strings"),
        (["-s", "recursive", "--language", "klingon"], "language must be one of c, cobol"),
        (["--language", "python"], "SemanticChunker has no option 'language'"),
        (["--encoding", "klingon"], "--encoding must be one that Python knows, got 'klingon'"),
        (["--model", "nowhere"], "minilm-static"),
        (["-o", "/nonexistent/folder/x.jsonl"], "-o must name a file that can be written"),
    ],
)
def test_bad_options_end_with_status_2(folder, capsys, arguments, message):
    assert main(["chunk", str(folder / "a.txt"), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_output_is_no_input(folder, capsys):
    path = str(folder / "a.txt")
    assert main(["chunk", path, "-o", path]) == 2
    assert "must not name a document" in capsys.readouterr().err
    assert (folder / "a.txt").read_text(encoding="utf-8").startswith("The ship")


def test_standard_input_and_a_closed_pipe():
    command = [sys.executable, "-m", "scission", "chunk", "-", "-f", "jsonl", "-q"]
    done = subprocess.run(command, input=(SHIPS + BREAD).encode(), capture_output=True, check=True)
    parts = [json.loads(line) for line in done.stdout.splitlines()]
    assert "".join(part["text"] for part in parts) == SHIPS + BREAD
    assert parts[0]["metadata"] == {"source": "<stdin>"}


def test_models_list(capsys):
    assert main(["models", "list"]) == 0
    assert "minilm-static  30,522 tokens x 128" in capsys.readouterr().out


def test_warmup(capsys):
    assert main(["warmup"]) == 0
    assert "every kernel is compiled" in capsys.readouterr().out


def test_version(capsys):
    import scission

    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.strip() == f"scission {scission.__version__}"


def test_models_distill(tmp_path, capsys):
    from tests.tiny_bert import write_checkpoint

    checkpoint = write_checkpoint(tmp_path / "teacher")
    words = ["cat", "dog", "sun", "moon", "river", "sea", "king", "queen", "war", "bread"]
    texts = [f"the {a} sat in the {b}." for a in words for b in words]
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("\n\n".join(texts), encoding="utf-8")
    out = str(tmp_path / "model")
    arguments = [
        str(checkpoint),
        str(tmp_path / "texts"),
        "-o",
        out,
        "--dimensions",
        "8",
        "--sentences",
        "60",
    ]
    assert main(["models", "distill", *arguments]) == 0
    assert f"use it with model='{out}'" in capsys.readouterr().out
    (tmp_path / "story.txt").write_text("The cat sat. The dog ran.", encoding="utf-8")
    assert main(["chunk", str(tmp_path / "story.txt"), "--model", out]) == 0
    assert "The cat sat." in capsys.readouterr().out
    assert main(["models", "distill", str(tmp_path), *arguments[1:]]) == 2
    assert "config.json" in capsys.readouterr().err
