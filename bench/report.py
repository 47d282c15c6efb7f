"""Write the README's table from measured results; figures are never typed by hand.

python -m bench.bars -o bench/results.json && python -m bench.report
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results.json"
BEGIN, END = "<!-- report:begin -->\n", "<!-- report:end -->\n"

_TITLES = {
    "static": "Speed, text in and chunks out",
    "characters": "Chunks limited in characters",
    "tokens": "Chunks limited in tokens",
    "parity": "The same chunks as LangChain, on request",
    "tokenizer": "Tokeniser",
    "start": "Start",
    "memory": "Memory",
    "linear": "Cost of long documents",
    "limited_linear": "The same for fixed and recursive chunks",
    "pk": "Topic segmentation, gold sentences (Pk, lower is better)",
    "sentences": "Sentences",
}


def table(results: dict[str, Any]) -> str:
    """Return the Markdown of all results, a row each."""
    lines = ["| measured | figure | bar |", "|---|---:|---|"]
    for name, title in _TITLES.items():
        if name in results:
            lines.append(f"| **{title}** | | |")
            lines += [_row(entry) for entry in results[name]]
    machine = results["machine"]
    lines += [
        "",
        f"Python {machine['python']}, numba {machine['numba']}, numpy {machine['numpy']}, {machine['cores']} shared "
        f"{machine['processor']} cores. Speeds are CPU time, single thread; ratios are medians of interleaved runs. "
        "`python -m bench.bars` measures them again.",
    ]
    return "\n".join(lines) + "\n"


def _row(entry: dict[str, Any]) -> str:
    figure = entry["figure"]
    shown = f"{figure:,.0f}" if figure >= 100 or figure == int(figure) else f"{figure:.1f}"
    unit = f" {entry['unit']}" if entry["unit"] else ""
    missed = "" if entry["cleared"] else " (missed)"
    return f"| {entry['what']} | {shown}{unit} | {entry['bar']}{missed} |"


def filled(readme: str, results: dict[str, Any]) -> str:
    """Return the README with the table between its marks."""
    before, rest = readme.split(BEGIN, 1)
    _, after = rest.split(END, 1)
    return before + BEGIN + table(results) + END + after


def main() -> None:
    """Fill the README."""
    path = ROOT / "README.md"
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    path.write_text(filled(path.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    main()
