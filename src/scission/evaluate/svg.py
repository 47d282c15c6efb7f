"""Plots as SVG text, for a page that needs nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 580, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 16, 44

#: Okabe & Ito's colours, which people with any colour vision can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D00", "#7F7F7F")

#: How the parts look, on white; a page may say otherwise.
STYLE = (
    "svg{font:12px system-ui,sans-serif}.grid{stroke:#ddd}.tick{fill:#666;font-size:11px}"
    ".middle{text-anchor:middle}.end,.bar{text-anchor:end}"
    ".mark{fill:#fff;text-anchor:middle;font-size:11px;font-weight:600}"
)


@dataclass(frozen=True)
class Point:
    """A numbered marker; `title` shows when the pointer rests on it."""

    x: float
    y: float
    number: int
    colour: str
    title: str


def scatter(points: Sequence[Point], x_label: str, y_label: str, *, legend: bool = False) -> str:
    """Plot numbered points; x on a logarithmic axis when it spans more than a factor of 8.

    The first points are drawn last, on top of what lies under them. With `legend` their titles stand beside the plot.
    """
    xs, ys = [p.x for p in points], [p.y for p in points]
    logarithmic = min(xs) > 0 and max(xs) / min(xs) > 8
    x_axis = _Axis.over(xs, _LEFT, WIDTH - _RIGHT, logarithmic)
    y_axis = _Axis.over(ys, HEIGHT - _BOTTOM, _TOP, False)
    parts = [_grid_x(x_axis, HEIGHT), _grid_y(y_axis, WIDTH), _labels(x_label, y_label, HEIGHT)]
    parts += [_marker(p, x_axis.at(p.x), y_axis.at(p.y)) for p in reversed(points)]
    width, height = WIDTH, HEIGHT
    if legend:
        longest = max(len(point.title) for point in points)
        width, height = WIDTH + 40 + 7 * longest, max(HEIGHT, _TOP + 24 * len(points) + 8)
        for row, point in enumerate(points):
            y = _TOP + 12 + 24 * row
            parts.append(_marker(point, WIDTH + 12, y))
            parts.append(f'<text x="{WIDTH + 30}" y="{y + 4}">{escape(point.title)}</text>')
    return _svg("".join(parts), width, height, f"{y_label} against {x_label}")


def standalone(svg: str) -> str:
    """Return a plot as a file of its own: with its style, on white."""
    begin = svg.index(">") + 1
    style = f"<style>{STYLE}</style>"
    return f'{svg[:begin]}{style}<rect width="100%" height="100%" fill="#fff"/>{svg[begin:]}\n'


def histogram(
    counts: Sequence[int], edges: Sequence[int], bins: range, colour: str, label: str
) -> str:
    """Plot how many chunks fall into each of `bins`, drawn equally wide; the last edge has no upper end."""
    width, height, left = 340, 150, 8
    bottom = height - 26
    total, top = max(1, sum(counts)), max(1, *counts)
    step = (width - 2 * left) / len(bins)
    every = -(-len(bins) // 9)  # tick labels need 36 pixels each
    parts = [f'<text class="name" x="{left}" y="14">{escape(label)}</text>']
    for place, i in enumerate(bins):
        tall = (bottom - 24) * counts[i] / top
        x = left + place * step
        upper = f"{edges[i + 1] - 1}" if i + 1 < len(edges) else "more"
        share = f"{counts[i]:,} chunks ({100 * counts[i] / total:.1f} %)"
        parts.append(
            f"<g><title>{edges[i]} to {upper} tokens: {share}</title>"
            f'<rect x="{x + 1:.1f}" y="{bottom - tall:.1f}" width="{max(1.0, step - 2):.1f}" '
            f'height="{tall:.1f}" fill="{colour}"/></g>'
        )
        if place % every == 0:
            parts.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 14}">{edges[i]}</text>')
    return _svg("".join(parts), width, height, f"Sizes of the chunks of {label}")


def bars(rows: Sequence[tuple[str, float, str]], unit: str) -> str:
    """Plot (label, value, colour) as horizontal bars, with the value beside each."""
    left, row = 300, 24
    width, height = 860, row * len(rows) + 12
    top = max(value for _, value, _ in rows) or 1.0
    parts = []
    for i, (label, value, colour) in enumerate(rows):
        y = 6 + i * row
        wide = (width - left - 110) * value / top
        shown = label if len(label) <= 44 else f"{label[:43]}…"
        parts.append(
            f"<g><title>{escape(label)}: {value:,.3g} {unit}</title>"
            f'<text class="bar" x="{left - 8}" y="{y + 15}">{escape(shown)}</text>'
            f'<rect x="{left}" y="{y + 3}" width="{max(wide, 1):.1f}" height="{row - 7}" fill="{colour}"/>'
            f'<text class="value" x="{left + wide + 6:.1f}" y="{y + 15}">{value:,.3g} {unit}</text></g>'
        )
    return _svg("".join(parts), width, height, f"Throughput in {unit}")


def _marker(point: Point, x: float, y: float) -> str:
    return (
        f'<g><title>{escape(point.title)}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="10" '
        f'fill="{point.colour}"/><text class="mark" x="{x:.1f}" y="{y + 4:.1f}">{point.number}</text></g>'
    )


@dataclass(frozen=True)
class _Axis:
    """A map from values to pixels."""

    low: float
    high: float
    begin: float
    end: float
    logarithmic: bool

    @classmethod
    def over(cls, values: Sequence[float], begin: float, end: float, logarithmic: bool) -> _Axis:
        low, high = min(values), max(values)
        if logarithmic:
            return cls(low / 1.2, high * 1.2, begin, end, True)
        margin = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
        return cls(low - margin, high + margin, begin, end, False)

    def at(self, value: float) -> float:
        low, high, here = self.low, self.high, value
        if self.logarithmic:
            low, high, here = math.log(low), math.log(high), math.log(here)
        return self.begin + (self.end - self.begin) * (here - low) / (high - low)

    def ticks(self) -> list[float]:
        if self.logarithmic:
            low, high = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            ticks = [m * 10.0**e for e in range(low, high + 1) for m in (1, 2, 5)]
        else:
            rough = (self.high - self.low) / 5
            power = 10.0 ** math.floor(math.log10(rough))
            step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
            ticks = [step * i for i in range(math.ceil(self.low / step), int(self.high / step) + 1)]
        return [tick for tick in ticks if self.low <= tick <= self.high]


def _grid_x(axis: _Axis, height: int) -> str:
    bottom = height - _BOTTOM
    return "".join(
        f'<line class="grid" x1="{axis.at(t):.1f}" x2="{axis.at(t):.1f}" y1="{_TOP}" y2="{bottom}"/>'
        f'<text class="tick middle" x="{axis.at(t):.1f}" y="{bottom + 16}">{_number(t)}</text>'
        for t in axis.ticks()
    )


def _grid_y(axis: _Axis, width: int) -> str:
    return "".join(
        f'<line class="grid" x1="{_LEFT}" x2="{width - _RIGHT}" y1="{axis.at(t):.1f}" y2="{axis.at(t):.1f}"/>'
        f'<text class="tick end" x="{_LEFT - 6}" y="{axis.at(t) + 4:.1f}">{_number(t)}</text>'
        for t in axis.ticks()
    )


def _labels(x_label: str, y_label: str, height: int) -> str:
    middle = (_TOP + height - _BOTTOM) / 2
    return (
        f'<text class="label middle" x="{(_LEFT + WIDTH) / 2}" y="{height - 8}">{escape(x_label)}</text>'
        f'<text class="label middle" transform="translate(14 {middle}) rotate(-90)">{escape(y_label)}</text>'
    )


def _number(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:.3g}"


def _svg(content: str, width: float, height: float, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(title, quote=True)}" xmlns="http://www.w3.org/2000/svg">{content}</svg>'
    )
