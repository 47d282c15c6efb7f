"""The explanation for a terminal: a bar for each distance, a line for each cut."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from .explanation import Explanation, duration

_BAR = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BOLD, _HOT, _FAINT, _PLAIN = "\x1b[1m", "\x1b[33m", "\x1b[2m", "\x1b[0m"


def view(explanation: Explanation, width: int, colour: bool) -> str:
    """Return the lines, each at most `width` columns wide but for the reasons of cuts."""
    paint = (lambda code, line: f"{code}{line}{_PLAIN}") if colour else (lambda _, line: line)
    lines = [paint(_BOLD, clipped(explanation.chunker, width)), explanation.summary]
    if explanation.penalty is not None:
        lines.append(f"penalty of a cut: {explanation.penalty:.3g} variances")
    elif explanation.threshold is not None:
        lines.append(f"threshold of the {explanation.score_name}: {explanation.threshold:.4g}")
    lines.append(
        ", ".join(f"{step} {duration(time)}" for step, time in explanation.seconds.items())
    )
    lines.append("")
    body = (
        _units(explanation, width) if len(explanation.unit_tokens) else _chunks(explanation, width)
    )
    lines += [paint(code, line) if code else line for code, line in body]
    return "\n".join(lines) + "\n"


def _units(explanation: Explanation, width: int) -> Iterator[tuple[str, str]]:
    """Yield a line for each unit, with the distance to the next, and one for each cut."""
    bounds = explanation.unit_bounds.tolist()
    most = max([*explanation.distances.tolist(), 1e-9])
    for i, (start, end) in enumerate(zip(bounds, bounds[1:], strict=False)):
        last = i == len(bounds) - 2
        distance = 0.0 if last else float(explanation.distances[i])
        figure = " " * (_BAR + 6) if last else f"{bar(distance / most)} {distance:.3f}"
        head = f"{figure} {int(explanation.unit_tokens[i]):4d}  "
        yield "", head + clipped(explanation.text[start:end], max(width - len(head), 10))
        if not last and explanation.decisions[i].cut:
            yield _HOT, f"── cut ({explanation.decisions[i].kind}): {explanation.decisions[i].why}"


def _chunks(explanation: Explanation, width: int) -> Iterator[tuple[str, str]]:
    """Yield a head and a line of text for each chunk."""
    for number, chunk in enumerate(explanation.chunks, 1):
        title = str(chunk.metadata.get("title", ""))
        head = f"── {number}: {chunk.token_count} tokens, {chunk.start}–{chunk.end} {title}"
        yield _HOT, clipped(head, width)
        yield "", clipped(chunk.text, width)


def bar(share: float) -> str:
    """Return a bar that fills `share` of its width, to an eighth of a column."""
    eighths = round(min(max(share, 0.0), 1.0) * _BAR * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(_BAR)


def clipped(text: str, width: int) -> str:
    """Return text on one line, cut to so many terminal columns; controls become spaces."""
    out: list[str] = []
    used = 0
    for character in " ".join(text[: 4 * width].split()):
        category = unicodedata.category(character)
        if category in ("Cc", "Cs", "Cf"):
            continue
        wide = unicodedata.east_asian_width(character) in ("W", "F")
        size = 0 if category in ("Mn", "Me") else 2 if wide else 1
        if used + size > width - 1:
            return "".join(out) + "…"
        out.append(character)
        used += size
    return "".join(out)
