"""Lines of the report."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]


def row(what: str, figure: float, bar: str, cleared: bool, unit: str = "") -> Row:
    """One line of the report."""
    return {
        "what": what,
        "figure": round(float(figure), 3),
        "unit": unit,
        "bar": bar,
        "cleared": bool(cleared),
    }
