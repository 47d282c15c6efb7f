"""Write the tables of the README and of docs/ from measured results; figures are never typed by hand.

python -m bench.bars -o bench/results.json
python -m bench.peers -o bench/peers.json
python -m bench.peers.quality -o bench/peers-quality.json
python -m bench.peers.retrieval -o bench/peers-retrieval.json
python -m bench.matrix chroma -o DIR --model minilm-static --model all-MiniLM-L6-v2     # and ten_thousand
python -m bench.report
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench import matrix_table
from bench.peers import table as peers

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results.json"
PEERS = ROOT / "bench" / "peers.json"
PEERS_QUALITY = ROOT / "bench" / "peers-quality.json"
PEERS_RETRIEVAL = ROOT / "bench" / "peers-retrieval.json"
CHROMA = ROOT / "bench" / "matrix-chroma.json"
TEN_THOUSAND = ROOT / "bench" / "matrix-ten_thousand.json"

_TITLES = {
    "static": "Speed, text in and chunks out",
    "characters": "Chunks limited in characters",
    "tokens": "Chunks limited in tokens",
    "parity": "The same chunks as LangChain, on request",
    "structure": "Chunks by structure",
    "tokenizer": "Tokeniser",
    "start": "Start",
    "memory": "Memory",
    "linear": "Cost of long documents",
    "limited_linear": "The same for fixed and recursive chunks",
    "pk": "Topic segmentation, gold sentences (Pk, lower is better)",
    "sentences": "Sentences",
    "int8": "all-MiniLM-L6-v2 on ONNX Runtime, one CPU thread",
    "pk_transformer": "Topic segmentation with MiniLM (Pk, lower is better)",
    "retrieval": "Retrieval with MiniLM, Chroma's set, one pass",
    "langchain": "MiniLM against LangChain's SemanticChunker, 20 documents",
}


def table(results: dict[str, Any], bars_only: bool = False) -> str:
    """Return the Markdown of all results, or of those that are held to a bar, a row each."""
    lines = ["| measured | figure | bar |", "|---|---:|---|"]
    for name, title in _TITLES.items():
        entries = [e for e in results.get(name, ()) if e["bar"] or not bars_only]
        if entries:
            lines.append(f"| **{title}** | | |")
            lines += [_row(entry) for entry in entries]
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


def filled(text: str, mark: str, content: str) -> str:
    """Return a text with `content` between its marks ``<!-- mark:begin -->`` and ``<!-- mark:end -->``."""
    begin, end = f"<!-- {mark}:begin -->\n", f"<!-- {mark}:end -->\n"
    before, rest = text.split(begin, 1)
    _, after = rest.split(end, 1)
    return before + begin + content + end + after


def documents() -> dict[Path, dict[str, str]]:
    """Return what belongs between which marks of which file."""
    return {
        ROOT / "README.md": {
            "report": table(_read(RESULTS), bars_only=True),
            "chroma": matrix_table.chroma(_read(CHROMA)),
            "ten-thousand": matrix_table.ten_thousand(_read(TEN_THOUSAND)),
        },
        ROOT / "docs" / "benchmarks.md": {
            "bars": table(_read(RESULTS)),
            "peers": peers.tables(_read(PEERS)),
            "quality": peers.quality_table(_read(PEERS_QUALITY)),
            "retrieval": peers.retrieval_table(_read(PEERS_RETRIEVAL)),
        },
    }


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> None:
    """Fill all tables."""
    for path, marks in documents().items():
        text = path.read_text(encoding="utf-8")
        for mark, content in marks.items():
            text = filled(text, mark, content)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
