"""A report as one HTML page that needs nothing else: no script, no style sheet, no picture from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from .. import __version__
from .decide import Verdict
from .plots import colours_of, histograms, ordered, score_plot, throughput
from .run import Report

_STYLE = """
:root{color-scheme:light dark;--ink:#222;--soft:#666;--line:#ddd;--back:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#ddd;--soft:#999;--line:#444;--back:#181818}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);margin:2rem auto;
max-width:76rem;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem}
p.verdict{font-size:1.1rem;border-left:4px solid #0072B2;padding-left:.8rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;white-space:nowrap}
td,th{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right}
th{font-weight:600}td:nth-child(2),th:nth-child(2){text-align:left}tr.best td{font-weight:600}
svg{max-width:100%;height:auto;font:12px system-ui,sans-serif}svg text{fill:var(--ink)}
svg .grid{stroke:var(--line)}svg .tick{fill:var(--soft);font-size:11px}svg .middle{text-anchor:middle}
svg .end,svg .bar{text-anchor:end}svg .mark{fill:#fff;text-anchor:middle;font-size:11px;font-weight:600}
.small{color:var(--soft);font-size:.85rem}.plots{display:flex;flex-wrap:wrap;gap:1rem}
"""

#: Columns of the table after the scores: heading, where in the entry, how to show it.
_SHAPE = (
    ("chunks", "chunks", "{:,}"),
    ("tokens, mean", "mean_tokens", "{:.0f}"),
    ("tokens, CV", "cv_tokens", "{:.2f}"),
    ("tokens stored", "tokens_stored", "{:,}"),
    ("stored / given", "overlap_cost", "{:.2f}"),
    ("sentences cut", "truncated_sentences", "{:.1%}"),
    ("clean endings", "clean_endings", "{:.1%}"),
    ("references cut", "cut_references", "{:.1%}"),
)


def html_page(report: Report) -> str:
    """Return the page of a report.

    Parameters
    ----------
    report : Report
        What `run_grid` returned.

    Returns
    -------
    str
        HTML: the verdict, plots of the deciding score against stored tokens, of sizes and of throughput, and a table
        of everything, best first.
    """
    verdict = report.verdict
    entries = ordered(report)
    colours = colours_of(entries)
    corpus = report.results["corpus"]
    counts = ", ".join(
        f"{corpus[name]:,} {name}"
        for name in ("documents", "characters", "tokens", "questions", "references")
    )
    sections = [
        f"<h1>Chunking strategies compared</h1><p class=small>{counts}</p>",
        f"<p class=verdict>{escape(verdict.sentence())}</p>",
        f"<h2>{escape(verdict.metric)} against tokens stored, and against size</h2>",
        "<div class=plots>",
        score_plot(report, "tokens_stored", "tokens stored"),
        score_plot(report, "mean_tokens", "mean tokens of a chunk"),
        "</div>",
        "<h2>Every configuration</h2>",
        f"<div class=scroll>{_table(entries, colours, report)}</div>",
        _notes(report),
        "<h2>Sizes of the chunks, in tokens</h2>",
        f"<div class=plots>{histograms(report)}</div>",
        "<h2>Throughput of chunking, one core</h2>",
        throughput(report),
        f"<p class=small>scission {__version__}; corpus {corpus['fingerprint']}</p>",
    ]
    return (
        '<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width">'
        '<link rel=icon href="data:,">'
        f"<title>Chunking strategies compared</title><style>{_STYLE}</style><body>{''.join(sections)}</body></html>\n"
    )


def _table(entries: Sequence[Mapping[str, Any]], colours: Mapping[str, str], report: Report) -> str:
    metrics = list(entries[0]["scores"])
    metrics.insert(0, metrics.pop(metrics.index(report.verdict.metric)))
    titles = ["#", "configuration", "against the best", *metrics]
    titles += [title for title, _, _ in _SHAPE] + ["price", "docs/s", "MB/s", "embedding, s"]
    rows = ["<tr>" + "".join(f"<th>{escape(title)}</th>" for title in titles) + "</tr>"]
    for number, entry in enumerate(entries, 1):
        mark = f'<span style="color:{colours[entry["label"]]}">●</span> {number}'
        cells = [mark, escape(entry["label"]), _against(entry["label"], report.verdict)]
        cells += [_percent(entry["scores"].get(name)) for name in metrics]
        cells += [_shown(entry["shape"][key], form) for _, key, form in _SHAPE]
        timing = report.timings[entry["label"]]
        cells += [
            _shown(entry["price"], "{:,.4f}"),
            _shown(timing["documents_per_second"], "{:,.0f}"),
            _shown(timing["megabytes_per_second"], "{:,.3g}"),
            _shown(timing["embedding_cpu_seconds"], "{:,.2f}"),
        ]
        best = " class=best" if entry["label"] == report.verdict.best else ""
        rows.append(f"<tr{best}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return f"<table>{''.join(rows)}</table>"


def _against(label: str, verdict: Verdict) -> str:
    """Return the difference to the best, and whether it is larger than chance."""
    for comparison in verdict.comparisons:
        if comparison.label == label:
            word = "" if comparison.larger_than_chance else ", level"
            return f"−{100 * comparison.difference.mean:.1f}{word}"
    return "best"


def _notes(report: Report) -> str:
    price = report.results["price"]
    notes = [
        "Scores are means over the questions, in per cent. “level”: not worse than the best by more than chance "
        "(paired bootstrap over the questions, Holm's adjustment, 5 %). @5: with 5 chunks retrieved; @800t: with 800 "
        "tokens retrieved. Compare strategies at an equal budget: with a fixed number of chunks, larger chunks win.",
        "Tokens are those of bert-base-uncased. Speeds are CPU time of one thread on the machine that made this page.",
    ]
    if price is not None:
        notes.append(
            f"Price: embedding the stored tokens once with {price['model']}, in {price['currency']}, by prices of "
            f"{price['as_of']}; its own tokens may be some ten per cent more or fewer."
        )
    return "".join(f"<p class=small>{escape(note)}</p>" for note in notes)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _shown(value: Any, form: str) -> str:
    return "–" if value is None else form.format(value)
