"""The files of a report: the page stands alone and opens, the table holds every configuration."""

import csv
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from scission.evaluate import Grid, html_page, load_corpus, run_grid, svg, write_report
from tests.evaluate.data import write_corpus
from tests.evaluate.test_grid import GRID

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.fixture
def report(tmp_path):
    return run_grid(load_corpus(*write_corpus(tmp_path)), Grid.from_dict(GRID))


class Page(HTMLParser):
    """Remembers what a page refers to, and whether its elements are closed."""

    VOID = ("meta", "link", "circle", "line", "rect")

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.references, self.counts = [], [], [], {}

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.references += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        if tag in ("html", "body"):
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def test_the_page_stands_alone(report):
    text = html_page(report)
    page = Page()
    page.feed(text)
    assert not page.wrong
    assert set(page.open) <= {"html", "body"}
    assert page.references == ["data:,"]
    assert "script" not in page.counts
    assert not re.search(r"url\(|@import", text)
    # Two scatter plots, a histogram for each set of chunks, and the bars.
    sets = {tuple(entry["shape"]["histogram"]) for entry in report.results["configurations"]}
    assert page.counts["svg"] == 3 + len(sets)
    assert page.counts["circle"] == 2 * len(report.results["configurations"])
    assert "nan" not in text.lower().replace("finance", "")


def test_labels_are_escaped(tmp_path):
    table = {"strategies": [{"strategy": "semantic", "name": "<b>&\"'"}]}
    text = html_page(run_grid(load_corpus(*write_corpus(tmp_path)), Grid.from_dict(table)))
    assert "<b>" not in text
    assert "&lt;b&gt;&amp;" in text


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_the_page_opens_in_a_browser(report, tmp_path):
    write_report(report, tmp_path / "out")
    path = tmp_path / "out" / "report.html"
    done = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
            f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=2000", "--dump-dom", path.as_uri(),
        ],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.count("<circle") == 2 * len(report.results["configurations"])
    assert "CONSOLE" not in done.stderr


def test_the_files(report, tmp_path):
    write_report(report, tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert [name for name in names if not name.endswith(".svg")] == [
        "report.html", "results.csv", "results.json", "timings.json",
    ]  # fmt: skip
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    with (tmp_path / "out" / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["label"] for row in rows] == [entry["label"] for entry in results["configurations"]]
    assert float(rows[0]["recall@10t"]) == results["configurations"][0]["scores"]["recall@10t"]
    assert float(rows[0]["documents_per_second"]) > 0
    # What depends on the machine is in a file of its own.
    text = (tmp_path / "out" / "results.json").read_text(encoding="utf-8")
    assert "second" not in text
    timings = json.loads((tmp_path / "out" / "timings.json").read_text(encoding="utf-8"))
    assert set(timings["configurations"]) == {row["label"] for row in rows}


def test_plots_as_files(report, tmp_path):
    write_report(report, tmp_path)
    for name in ("score_by_tokens", "score_by_size", "throughput"):
        root = ElementTree.fromstring((tmp_path / f"{name}.svg").read_text(encoding="utf-8"))
        assert root.tag.endswith("svg")
        text = " ".join(root.itertext())
        assert all(entry["label"] in text for entry in report.results["configurations"])


def test_plots_of_extremes():
    point = svg.Point(1, 0.0, 1, "#000", "one")
    assert "<circle" in svg.scatter([point], "x", "y")
    far = svg.Point(1e9, 100.0, 2, "#000", "two")
    assert "G</text>" in svg.scatter([point, far], "x", "y")
    assert svg.histogram([0, 3, 1], [0, 2, 4], range(3), "#000", "h").count("<rect") == 3
    assert "4 to more tokens" in svg.histogram([0, 3, 1], [0, 2, 4], range(3), "#000", "h")
    assert "0 MB/s" in svg.bars([("a", 0.0, "#000")], "MB/s")
