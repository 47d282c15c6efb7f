"""The README does not lie: its examples run, its options exist, its commands are the ones that are tested."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from bench import report

import scission
from scission.cli import main
from tests.helpers import PLAIN

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)


@pytest.mark.skipif(PLAIN, reason="the examples are run compiled")
@pytest.mark.parametrize("code", [code for language, code in BLOCKS if language == "python"])
def test_python_examples_run(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def commands():
    """The scission commands of the README, without comments."""
    for language, code in BLOCKS:
        if language == "sh":
            for line in code.splitlines():
                for part in line.split("#")[0].split("&&"):
                    if part.strip().startswith("scission "):
                        yield part.strip()


@pytest.mark.parametrize("command", list(commands()))
def test_commands_run(command, tmp_path, monkeypatch):
    text = "Ships sail. The sea is wide.\n\nBread rises. The oven is hot.\n"
    for name in ("README.md", "report.txt", "docs/a.txt", "notes/deep/b.md", "texts/c.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    languages = dict(BLOCKS)  # the README's own examples of both files
    (tmp_path / "grid.toml").write_text(languages["toml"], encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(languages["json"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        assert main(["chunk", "docs/", "-q", "-o", f"{name}.jsonl"]) == 0
    words = shlex.split(command)[1:]
    if words[:2] == ["models", "distill"]:
        pytest.skip("needs a checkpoint; test_distill builds one")
    assert main(words) == 0


def test_the_settings_of_a_run_work(tmp_path, monkeypatch):
    settings, _ = (code for language, code in BLOCKS if language == "toml")  # the other is a grid
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Ships\n\nThey sail.\n", encoding="utf-8")
    (tmp_path / "run.toml").write_text(settings, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["chunk", "--config", "run.toml", "-q"]) == 0
    assert '"route": ".md"' in (tmp_path / "chunks.jsonl").read_text(encoding="utf-8")


def test_snippets_of_the_table_work():
    for snippet in re.findall(
        r"`(SemanticChunker\([^`]*?\)|SemanticChunker\.reference\(\))`", README
    ):
        if "=f)" not in snippet:
            names = {
                "SemanticChunker": scission.SemanticChunker,
                "texts": ["Ships sail. The sea is wide. Bread rises."],
                "sentences": ["Ships sail.", "The sea is wide."],
            }
            assert eval(snippet, names) is not None


def test_the_changelog_knows_the_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"[{scission.__version__}]" in changelog or "## Unreleased" in changelog


@pytest.mark.parametrize("path", report.documents(), ids=lambda path: path.name)
def test_the_tables_are_what_was_measured(path):
    text = path.read_text(encoding="utf-8")
    for mark, content in report.documents()[path].items():
        assert report.filled(text, mark, content) == text


def test_the_report_shows_every_row_and_what_was_missed():
    entry = {"what": "speed", "figure": 12.34, "unit": "MB/s", "bar": ">= 50", "cleared": False}
    machine = {"python": "3", "numba": "0", "numpy": "2", "cores": 2, "processor": "x"}
    text = report.table({"static": [entry], "machine": machine})
    assert "| speed | 12.3 MB/s | >= 50 (missed) |" in text
