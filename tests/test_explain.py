"""Explanations: the same cuts as chunking, true reasons, and views that show text as text."""

import json
import re
import sys

import numpy as np
import pytest
from hypothesis import given

from scission import OptionError, SemanticChunker
from scission.chunkers.base import Chunker
from scission.cli import main
from scission.errors import MissingExtra
from scission.explain import Decision
from scission.explain.page import page
from scission.explain.terminal import bar, clipped
from tests.helpers import assert_tiles
from tests.test_invariants import CHUNKERS, texts

SHIPS = (
    "The ship left the harbour at dawn. Its sails were full of wind. The captain watched the sea. "
)
BREAD = "The baker kneads the dough. Yeast makes the bread rise. Bread dough is baked. "
STARS = "A star fuses hydrogen. Its light takes years to arrive. Telescopes gather that light. "
TEXT = SHIPS + BREAD + STARS


@pytest.mark.parametrize("name", CHUNKERS)
@given(text=texts)
def test_an_explanation_is_of_the_chunks_that_come_out(name, text):
    chunker = CHUNKERS[name]
    explanation = chunker.explain(text)
    chunks = chunker.chunk(text)
    assert explanation.chunks == chunks
    assert explanation.text == text
    ends = [int(explanation.unit_bounds[i + 1]) for i in explanation.cuts]
    assert ends == [chunk.end for chunk in chunks[:-1]]
    assert set(explanation.forced) <= set(explanation.cuts)
    assert sum(explanation.unit_tokens) == sum(explanation.sizes)
    gaps = max(len(explanation.unit_tokens) - 1, 0)
    assert (
        len(explanation.distances) == len(explanation.scores) == len(explanation.decisions) == gaps
    )
    kinds = {True: set(), False: set()}
    for decision in explanation.decisions:
        kinds[decision.cut].add(decision.kind)
        assert decision.why
    assert kinds[False] <= {"no_evidence", "min_tokens", "not_a_peak"}
    assert kinds[True] <= {
        "topic", "threshold", "number_of_chunks", "target_tokens", "min_tokens", "max_tokens", "inside_word",
    }  # fmt: skip


def test_the_reasons_of_a_threshold():
    explanation = SemanticChunker(breakpoints="percentile", amount=80, min_tokens=8).explain(TEXT)
    assert explanation.threshold == pytest.approx(np.percentile(explanation.distances, 80))
    np.testing.assert_array_equal(explanation.scores, explanation.distances)
    for decision, score in zip(explanation.decisions, explanation.scores, strict=True):
        if decision.kind == "threshold":
            assert score > explanation.threshold
        elif decision.kind == "no_evidence":
            assert score <= explanation.threshold
    assert {decision.kind for decision in explanation.decisions} == {"threshold", "no_evidence"}


def test_a_fitted_threshold_and_a_gradient():
    fitted = SemanticChunker(breakpoints="percentile").fit([TEXT])
    assert fitted.explain(BREAD).threshold == fitted.fitted
    explanation = SemanticChunker(breakpoints="gradient").explain(TEXT)
    assert explanation.score_name == "rise of the distance"
    assert not np.array_equal(explanation.scores, explanation.distances)


def test_the_gains_of_a_partition():
    explanation = SemanticChunker(min_tokens=0).explain(TEXT)
    assert explanation.score_name == "net gain"
    assert explanation.threshold == 0.0
    assert explanation.penalty == pytest.approx(1.4)
    assert [TEXT[: explanation.unit_bounds[i + 1]] for i in explanation.cuts] == [
        SHIPS,
        SHIPS + BREAD,
    ]
    assert (explanation.scores[explanation.cuts] > 0).all()
    others = np.delete(explanation.scores, explanation.cuts)
    assert (others <= 0).all()
    assert {explanation.decisions[i].kind for i in explanation.cuts} == {"topic"}


def test_limits_are_told_from_evidence():
    explanation = SemanticChunker(max_tokens=16).explain("The ship sails the sea. " * 9)
    assert explanation.forced
    assert all("max_tokens is 16" in explanation.decisions[i].why for i in explanation.forced)
    word = SemanticChunker(max_tokens=8).explain("supercalifragilistic" * 4)
    assert {decision.kind for decision in word.decisions} == {"inside_word"}
    same = SemanticChunker(number_of_chunks=4).explain("The ship sails the sea. " * 9)
    assert {same.decisions[i].kind for i in same.cuts} == {"number_of_chunks"}
    assert not same.forced
    short = SemanticChunker(min_tokens=40).explain(TEXT)
    assert "min_tokens" in {decision.kind for decision in short.decisions if not decision.cut}
    dropped = SemanticChunker(
        breakpoints="percentile", amount=50, distances="windows", min_tokens=40
    )
    assert any("wanted, but" in decision.why for decision in dropped.explain(TEXT).decisions)


def test_the_reasons_of_cuts_by_a_threshold():
    one_line = "The ship sails the sea, " * 9
    word = SemanticChunker(breakpoints="percentile", max_tokens=8).explain(
        "supercalifragilistic" * 4
    )
    assert {decision.kind for decision in word.decisions} == {"inside_word"}
    added = SemanticChunker(breakpoints="percentile", max_tokens=16).explain(
        "The ship sails the sea. " * 9
    )
    assert {added.decisions[i].kind for i in added.cuts} == {"max_tokens"}
    assert "together" in added.decisions[added.cuts[0]].why
    long = SemanticChunker(breakpoints="percentile", max_tokens=16).explain(one_line)
    assert "(inside a sentence)" in long.decisions[long.cuts[0]].why
    number = SemanticChunker(breakpoints="percentile", number_of_chunks=3).explain(TEXT)
    assert [number.decisions[i].kind for i in number.cuts] == ["number_of_chunks"] * 2
    assert number.threshold is None
    assert "nan" not in "".join(decision.why for decision in number.decisions)
    several = SemanticChunker(breakpoints="percentile", amount=40).explain(TEXT * 3)
    beside = [i for i, decision in enumerate(several.decisions) if decision.kind == "not_a_peak"]
    assert beside
    assert all(several.scores[i] > several.threshold for i in beside)


def test_overlap_and_trimming():
    overlapping = SemanticChunker(overlap_sentences=1, min_tokens=0).explain(TEXT)
    repeated = [TEXT.index("The captain"), TEXT.index("Bread dough")]
    assert [chunk.start for chunk in overlapping.chunks] == [0, *repeated]
    assert overlapping.cuts == [2, 5]
    shown = re.findall(r'class="u">([^<]*)<', overlapping.to_html())
    assert "".join(shown) == TEXT
    trimmed = SemanticChunker(trim=True).explain(f"\n\n{TEXT}\n\n")
    assert "".join(re.findall(r'class="u">([^<]*)<', trimmed.to_html())) == f"\n\n{TEXT}\n\n"


class Halves(Chunker):
    """A strategy that weighs no distances."""

    def __init__(self, *, at: int = 9):
        self._at = at

    def _chunk_group(self, buffer, embeddings):
        return SemanticChunker(
            splitter=lambda text: [(0, self._at), (self._at, len(text))], number_of_chunks=2
        )._chunk_group(buffer, embeddings)


def test_a_strategy_without_distances_shows_its_chunks():
    explanation = Halves(at=8).explain(b"The ship left.")
    assert [chunk.text for chunk in explanation.chunks] == ["The ship", " left."]
    assert explanation.cuts == []
    assert len(explanation.distances) == 0
    assert "The ship" in explanation.to_html()
    assert "1: 2 tokens, 0–8" in explanation.to_text()
    with pytest.raises(OptionError, match="plot needs distances"):
        explanation.plot()


@given(text=texts)
def test_the_page_shows_all_text_and_nothing_else(text):
    html = CHUNKERS["small"].explain(text).to_html()
    shown = "".join(re.findall(r'<span class="u">(.*?)</span>', html, re.DOTALL))
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'")):
        shown = shown.replace(entity, character)
    assert len(shown.replace("&amp;", "&")) == len(text)
    html.encode("utf-8")
    assert "\x00" not in html


def test_a_script_in_a_document_stays_text():
    attack = "</script><script>alert(1)</script><img src=x onerror=alert(1)>&lt; \"quoted\" 'too'. "
    explanation = SemanticChunker(number_of_chunks=3).explain(attack * 4)
    html = explanation.to_html()
    assert html.count("<script") == html.count("</script") == 2
    assert "<img" not in html
    assert "&lt;script&gt;alert(1)" in html
    data = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1]
    assert len(json.loads(data)["pieces"]) == html.count('class="u"')
    frame = explanation._repr_html_()
    assert frame.count("<") == 2
    assert 'sandbox="allow-scripts"' in frame


def test_the_page_goes_to_a_file_and_shows_the_threshold(tmp_path):
    explanation = SemanticChunker(breakpoints="percentile").explain(TEXT)
    html = explanation.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == html
    assert html.count('class="tau"') == 1
    assert f"Threshold of the distance: {explanation.threshold:.4g}." in html


def test_a_page_loads_nothing():
    html = SemanticChunker().explain(TEXT).to_html()
    assert "default-src 'none'" in html
    assert re.findall(r'(?:src|href)="([^"]*)"', html) == ["data:,"]
    outside = re.findall(r"https?://[^\"' ]+", html)
    assert set(outside) <= {"http://www.w3.org/2000/svg"}


def test_side_by_side():
    both = [SemanticChunker().explain(TEXT), Halves(at=40).explain(TEXT)]
    html = page(both)
    assert "A: SemanticChunker()" in html
    assert "B: Halves(at=40)" in html
    assert html.count('class="gradient"') == 1
    assert "".join(re.findall(r'class="u">([^<]*)<', html)) == TEXT
    with pytest.raises(OptionError, match="of the same text"):
        page([both[0], SemanticChunker().explain(SHIPS)])


def test_the_terminal_view():
    explanation = SemanticChunker(min_tokens=0).explain(TEXT)
    lines = explanation.to_text(width=60).splitlines()
    assert lines[0] == "SemanticChunker(min_tokens=0)"
    assert sum(line.startswith("── cut (topic): ") for line in lines) == 2
    assert sum("The baker kneads" in line for line in lines) == 1
    assert "\x1b[33m── cut" in explanation.to_text(colour=True)
    assert bar(1.0) == "█" * 12
    assert bar(0.0) == " " * 12
    assert len(bar(0.37)) == 12
    assert clipped("海は広い。" * 9, 11) == "海は広い。…"
    assert clipped("a\x1b[31mb\u202e", 20) == "a[31mb"


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    explanation = SemanticChunker(max_tokens=20).explain(TEXT)
    above = explanation.plot()
    assert len(above.figure.axes) == 2
    curve = above.lines[0]
    np.testing.assert_array_equal(curve.get_ydata(), explanation.distances)
    verticals = [line for line in above.lines if len(set(line.get_xdata())) == 1]
    assert [line.get_xdata()[0] for line in verticals] == explanation.cuts
    _, own = plt.subplots()
    assert SemanticChunker(breakpoints="percentile").explain(TEXT).plot(own) is own
    assert own.get_legend_handles_labels()[1][:2] == ["distance", "threshold"]
    plt.close("all")


def test_plot_without_matplotlib_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtra, match=r"scission\[plot\]"):
        SemanticChunker().explain(TEXT).plot()


def test_the_empty_document_and_a_single_sentence():
    nothing = SemanticChunker().explain("")
    assert nothing.chunks == []
    assert nothing.summary.startswith("0 chunks, ")
    assert "<main" in nothing.to_html()
    single = SemanticChunker().explain("One ship.")
    assert single.penalty is None
    assert single.summary.startswith("1 chunk of 3 tokens, 1 sentence, ")
    assert "One ship." in single.to_html()
    assert_tiles("One ship.", single.chunks)


def test_forced_is_for_cuts_only():
    assert Decision(True, "max_tokens", "").forced
    assert not Decision(False, "max_tokens", "").forced


def test_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    document, output = tmp_path / "a.txt", tmp_path / "a.html"
    document.write_text(TEXT, encoding="utf-8")
    assert main(["explain", str(document), "--min-tokens", "0"]) == 0
    assert capsys.readouterr().out.count("── cut (topic)") == 2
    assert main(["explain", str(document), "-o", str(output)]) == 0
    assert "SemanticChunker(): " in capsys.readouterr().err
    assert output.read_text(encoding="utf-8").startswith("<!doctype html>")
    compare = ["--compare", "breakpoints=percentile", "amount=80", "max-tokens=None"]
    assert main(["explain", str(document), "--min-tokens", "0", *compare]) == 0
    out = capsys.readouterr().out
    assert (
        "SemanticChunker(min_tokens=0, breakpoints='percentile', amount=80, max_tokens=None)" in out
    )
    assert re.search(r"\n\d cuts in common, \d of the first alone, \d of the second\n$", out)
    assert (
        main(
            [
                "explain",
                str(document),
                "--compare",
                "strategy=semantic",
                "trim=True",
                "-o",
                str(output),
            ]
        )
        == 0
    )
    assert "B: SemanticChunker(trim=True)" in output.read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["explain", str(document), "--compare", "nothing"]) == 2
    assert "OPTION=VALUE, got 'nothing'" in capsys.readouterr().err
    assert main(["explain", str(tmp_path / "none")]) == 2
    document.write_text("", encoding="utf-8")
    assert main(["explain", str(document)]) == 2
    assert main(["explain", str(document), "-o", str(document)]) == 2
