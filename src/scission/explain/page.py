"""An explanation, or two side by side, as one page that needs nothing else."""

from __future__ import annotations

import base64
import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from ..errors import OptionError
from .explanation import Explanation, duration

_HUES = 6
_OVERVIEW = (1000, 100)

#: C0 controls but tab and line ends, and DEL, as the pictures that Unicode has for them; lone surrogates as U+FFFD.
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10, 13)} | {127: 0x2421}
_PICTURES |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)


def page(explanations: Sequence[Explanation]) -> str:
    """Return the page of one explanation, or of two of the same text side by side.

    Everything from the document is escaped; a content security policy lets the page's own script run, by its
    hash, and nothing be loaded.

    Raises
    ------
    OptionError
        The two are not of the same text.
    """
    first = explanations[0]
    if any(other.text != first.text for other in explanations):
        raise OptionError("explanations side by side must be of the same text, got different ones")
    script = _resource("page.js")
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    places = _pieces(explanations)
    body = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Where the chunks end: {escape(first.chunker)}</title>",
        f'<link rel="icon" href="data:,">\n<style>\n{_resource("page.css")}</style>\n</head>\n<body>\n<header>',
        *(
            _head(explanation, side, len(explanations))
            for side, explanation in enumerate(explanations)
        ),
        f'</header>\n<main class="{"two" if len(explanations) == 2 else "one"}">',
        *_grid(explanations, places),
        '</main>\n<div id="tip" hidden></div>',
        f'<script type="application/json" id="data">{_data(explanations, places)}</script>',
        f"<script>{script}</script>\n</body>\n</html>\n",
    ]
    return "\n".join(body)


@cache
def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _shown(text: str) -> str:
    """Return text that HTML shows character for character."""
    return escape(text.translate(_PICTURES))


def _head(explanation: Explanation, side: int, count: int) -> str:
    name = f"{'AB'[side]}: " if count > 1 else ""
    steps = ", ".join(f"{step} {duration(time)}" for step, time in explanation.seconds.items())
    decided = ""
    if explanation.penalty is not None:
        decided = f"Penalty of a cut: {explanation.penalty:.3g} variances. "
    elif explanation.threshold is not None:
        decided = f"Threshold of the {explanation.score_name}: {explanation.threshold:.4g}. "
    return (
        f"<section><h1>{name}{_shown(explanation.chunker)}</h1><p>{escape(explanation.summary)}.</p>"
        f"<p>{escape(decided)}{escape(steps)}</p>{_overview(explanation)}</section>"
    )


def _level(explanation: Explanation) -> float | None:
    """Return the threshold where it is one of the distances."""
    return explanation.threshold if explanation.score_name == "distance" else None


def _overview(explanation: Explanation) -> str:
    """Draw the distances of the whole document, from left to right."""
    distances = explanation.distances
    if len(distances) < 2:
        return ""
    width, height = _OVERVIEW
    level = _level(explanation)
    most = max(float(np.max(distances)), level or 0.0, 1e-9)

    def y(value: float) -> str:
        return f"{height - 4 - (height - 8) * value / most:.1f}"

    def x(gap: int) -> str:
        return f"{width * (gap + 0.5) / len(distances):.1f}"

    lines = [
        f'<line class="cut{" forced" if explanation.decisions[gap].forced else ""}" '
        f'x1="{x(gap)}" x2="{x(gap)}" y1="0" y2="{height}"/>'
        for gap in explanation.cuts
    ]
    if level is not None:
        lines.append(f'<line class="tau" x1="0" x2="{width}" y1="{y(level)}" y2="{y(level)}"/>')
    points = " ".join(f"{x(gap)},{y(value)}" for gap, value in enumerate(distances.tolist()))
    return (
        f'<svg class="overview" viewBox="0 0 {width} {height}" preserveAspectRatio="none" role="img" '
        f'aria-label="distances, cuts and threshold">{"".join(lines)}'
        f'<polyline class="curve" points="{points}"/></svg>'
    )


def _shares(explanation: Explanation) -> list[tuple[int, int]]:
    """Return the part of each chunk that no earlier chunk has: repeated text is shown once."""
    shares, position = [], 0
    for chunk in explanation.chunks:
        shares.append((min(max(chunk.start, position), chunk.end), chunk.end))
        position = max(position, chunk.end)
    return shares


def _pieces(explanations: Sequence[Explanation]) -> list[tuple[int, int]]:
    """Divide the text at every begin and end of a unit or chunk of any explanation."""
    marks = {0, len(explanations[0].text)}
    for explanation in explanations:
        marks.update(explanation.unit_bounds.astype(int).tolist())
        marks.update(mark for share in _shares(explanation) for mark in share)
    ordered = sorted(marks)
    return list(zip(ordered, ordered[1:], strict=False))


def _grid(explanations: Sequence[Explanation], pieces: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield the cells: rows of text that no chunk begins or ends in, labels that span their rows."""
    text = explanations[0].text
    shares = [_shares(explanation) for explanation in explanations]
    marks = {0, len(text)} | {mark for lane in shares for share in lane for mark in share}
    rows = sorted(marks)
    for side, (explanation, lane) in enumerate(zip(explanations, shares, strict=True)):
        for numbers, (start, end) in _cells(lane):
            span = (bisect_right(rows, start), bisect_right(rows, end))
            yield _label(explanation, numbers, side, span)
        if len(explanation.distances):
            column = 3 + side
            yield (
                f'<div class="gradient" data-side="{side}" '
                f'style="grid-column:{column};grid-row:1/{max(len(rows), 2)}"></div>'
            )
    begins = [start for start, _ in shares[0]]
    inside = iter(pieces)
    for row, (start, end) in enumerate(zip(rows, rows[1:], strict=False), 1):
        number = bisect_right(begins, start) - 1
        covered = number >= 0 and start < shares[0][number][1]
        kind = f"h{number % _HUES}" if covered else "bare"
        kind += " start" if covered and begins[number] == start else ""
        spans = []
        for begin, stop in inside:
            spans.append(f'<span class="u">{_shown(text[begin:stop])}</span>')
            if stop == end:
                break
        yield (
            f'<div class="text {kind}" lang="" style="grid-column:2;grid-row:{row}">'
            f"{''.join(spans)}</div>"
        )


def _cells(shares: Sequence[tuple[int, int]]) -> Iterator[tuple[list[int], tuple[int, int]]]:
    """Yield the chunks of each label: one, and those after it that show no text of their own."""
    numbers: list[int] = []
    span = (0, 0)
    for number, (start, end) in enumerate(shares):
        if end > start and numbers:
            yield numbers, span
            numbers = []
        if end > start:
            span = (start, end)
        numbers.append(number)
    if span[1] > span[0]:
        yield numbers, span


def _label(
    explanation: Explanation, numbers: Sequence[int], side: int, rows: tuple[int, int]
) -> str:
    """Return the cell beside a chunk: its number, title, size and place, and why it ends there."""
    lines = []
    for number in numbers:
        chunk = explanation.chunks[number]
        notes = [f"{chunk.token_count} tokens", f"{chunk.start}–{chunk.end}"]
        if chunk.metadata.get("rewritten") is True:
            notes.insert(0, chunk.text)
        elif chunk.metadata.get("title"):
            notes.insert(0, str(chunk.metadata["title"]))
        # Chunks of a strategy with gaps tile the document: each but the last ends at the next cut.
        if len(explanation.chunks) == len(explanation.cuts) + 1 > number + 1:
            notes.append(f"ends by {explanation.decisions[explanation.cuts[number]].kind}")
        lines.append(f"<b>{number + 1}</b>" + "".join(f"<i>{_shown(note)}</i>" for note in notes))
    column, second = (5, " second") if side else (1, "")
    return (
        f'<div class="label h{numbers[0] % _HUES}{second}" style="grid-column:{column};'
        f'grid-row:{rows[0]}/{rows[1]}"><div>{"".join(lines)}</div></div>'
    )


def _data(explanations: Sequence[Explanation], pieces: Sequence[tuple[int, int]]) -> str:
    """Return what the script reads, as JSON that cannot end its element."""
    lanes = [
        {
            "sizes": explanation.sizes,
            "tokens": explanation.unit_tokens.astype(int).tolist(),
            "distances": np.round(explanation.distances, 4).tolist(),
            "level": _level(explanation),
            "cut": [decision.cut + decision.forced for decision in explanation.decisions],
            "whys": [decision.why for decision in explanation.decisions],
        }
        for explanation in explanations
    ]
    columns = [_places(explanation, pieces) for explanation in explanations]
    data = {"lanes": lanes, "pieces": list(zip(*columns, strict=True))}
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _places(explanation: Explanation, pieces: Sequence[tuple[int, int]]) -> list[Any]:
    """Return, for each piece of text, its chunk, its unit and the gap after it; -1 for none."""
    bounds = explanation.unit_bounds.astype(int).tolist()
    gaps = {bound: gap for gap, bound in enumerate(bounds[1:-1])}
    shares = _shares(explanation)
    begins = [start for start, _ in shares]
    places = []
    for start, end in pieces:
        chunk = bisect_right(begins, start) - 1
        chunk = chunk if chunk >= 0 and start < shares[chunk][1] else -1
        unit = bisect_right(bounds, start) - 1 if bounds else -1
        places.append((chunk, unit, gaps.get(end, -1)))
    return places
