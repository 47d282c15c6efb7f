"""``scission evaluate`` and ``scission estimate``, run as a user runs them."""

import json

import numpy as np
import pytest

from scission.cli import main
from scission.evaluate import Grid, estimate
from tests.evaluate.data import BREAD, SHIPS, TEXTS, write_corpus
from tests.helpers import PLAIN

TOML = """
budgets = [10, 30]
[[strategies]]
strategy = "semantic"
max_tokens = [20, 40]
"""


@pytest.fixture
def folder(tmp_path):
    write_corpus(tmp_path)
    (tmp_path / "grid.toml").write_text(TOML, encoding="utf-8")
    return tmp_path


def words(folder, *more):
    return [
        "evaluate",
        "--corpus",
        str(folder / "docs"),
        "--queries",
        str(folder / "questions.jsonl"),
        *more,
    ]


def test_a_grid(folder, capsys):
    command = words(folder, "--grid", str(folder / "grid.toml"), "-o", str(folder / "report"))
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "is best: recall@30t" in out
    first = (folder / "report" / "results.json").read_bytes()
    assert (folder / "report" / "report.html").exists()
    assert (folder / "report" / "cache" / "results").is_dir()
    assert main(command) == 0
    assert (folder / "report" / "results.json").read_bytes() == first


def test_compare(folder, capsys):
    for name, size in (("old", "20"), ("new", "60")):
        path = str(folder / f"{name}.jsonl")
        assert main(["chunk", str(folder / "docs"), "--max-tokens", size, "-q", "-o", path]) == 0
    files = [str(folder / "old.jsonl"), str(folder / "new.jsonl")]
    assert main(words(folder, "--compare", *files, "-o", str(folder / "ab"))) == 0
    out = capsys.readouterr().out
    assert "recall@800t: old" in out
    assert "than chance" in out
    written = json.loads((folder / "ab" / "comparison.json").read_text(encoding="utf-8"))
    assert written["shapes"]["old"]["chunks"] > written["shapes"]["new"]["chunks"]


def test_mistakes_write_nothing(folder, capsys):
    grid, report = str(folder / "grid.toml"), str(folder / "report")
    bad = folder / "bad.jsonl"
    bad.write_text(
        '{"question": "?", "relevant": ["ships.txt"]}\n{"question": "?"}\n', encoding="utf-8"
    )
    cases = [
        (words(folder), "either --grid FILE or --compare OLD NEW"),
        (words(folder, "--grid", grid), "--grid needs -o DIR"),
        (words(folder, "--grid", grid, "-o", str(bad)), "-o must name a folder"),
        (words(folder, "--grid", str(folder / "no.toml"), "-o", report), "no.toml: cannot be read"),
        (
            [
                "evaluate",
                "--corpus",
                str(folder / "docs"),
                "--queries",
                str(bad),
                "--grid",
                grid,
                "-o",
                report,
            ],
            f"{bad}:2: question '2' has no reference",
        ),
        (words(folder, "--compare", str(bad), str(bad)), "bad.jsonl:1: 'text' must be a string"),
    ]
    for command, message in cases:
        assert main(command) == 2
        assert message in capsys.readouterr().err
    assert not (folder / "report").exists()


@pytest.mark.skipif(PLAIN, reason="traces memory, which plain Python makes 20 times slower")
def test_estimate(folder, capsys):
    assert main(["estimate", str(folder / "docs")]) == 0
    out = capsys.readouterr().out
    assert "2 documents, " in out
    assert "semantic reference: about" in out
    assert "text-embedding-3-large: " in out
    assert "if it finds the boundaries too" in out
    prices = folder / "prices.json"
    prices.write_text('{"as_of": "2030-01-01", "models": {"mine": 1000}}', encoding="utf-8")
    command = ["estimate", str(folder / "docs"), "--json", "--prices", str(prices)]
    assert main([*command, "--grid", str(folder / "grid.toml")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["label"] for row in found["strategies"]] == [
        "semantic max_tokens=20", "semantic max_tokens=40",
    ]  # fmt: skip
    assert found["strategies"][0]["prices"]["mine"] == pytest.approx(found["tokens"] / 1000)
    assert main(["estimate", str(folder / "missing.txt")]) == 2
    assert main(["estimate", str(folder / "missing.txt"), str(folder / "docs")]) == 1


def test_estimates_are_what_comes_out():
    """Where the sample is all there is, nothing has to be scaled."""
    import scission

    texts = list(TEXTS.values())
    found = estimate(texts)
    batch = scission.SemanticChunker().chunk_batch(texts)
    rows = {row.label: row for row in found.strategies}
    row = rows["semantic"]
    assert (found.documents, found.characters) == (2, sum(map(len, texts)))
    assert row.chunks == len(batch)
    assert row.tokens_stored == found.tokens == int(batch.token_count.sum())
    assert row.boundary_tokens == found.tokens  # each sentence is read once
    assert row.prices["text-embedding-3-small"] == pytest.approx(found.tokens * 0.02 / 1e6)
    # Joined windows of three sentences: every sentence three times, but for those at the ends.
    reference = rows["semantic reference"]
    assert 2 * found.tokens < reference.boundary_tokens < 3 * found.tokens
    assert row.chunking_seconds > 0
    assert row.peak_megabytes > 1


@pytest.mark.skipif(PLAIN, reason="megabytes of text, and nothing here depends on how kernels run")
def test_a_sample_is_scaled():
    texts = [f"{SHIPS}\n\n{BREAD}\n" * (1 + i % 3) for i in range(300)]
    grid = Grid.from_dict(
        {"strategies": [{"strategy": "semantic", "max_tokens": 40, "overlap_sentences": 1}]}
    )
    found = estimate(texts, grid=grid)
    assert found.documents == 300
    (row,) = found.strategies
    batch = grid_chunks(texts)
    assert row.chunks == pytest.approx(len(batch), rel=0.1)
    assert row.tokens_stored == pytest.approx(int(batch.token_count.sum()), rel=0.1)
    assert row.tokens_stored > 1.1 * found.tokens
    assert estimate(texts, grid=grid).strategies[0].chunks == row.chunks
    assert estimate([]).strategies == []
    assert np.isfinite(estimate([""]).tokens)


def grid_chunks(texts):
    import scission

    return scission.SemanticChunker(max_tokens=40, overlap_sentences=1).chunk_batch(texts)
