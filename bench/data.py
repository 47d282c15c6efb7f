"""The evaluation data, when it is there."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

#: Where the data lies; the folder beside the project's by default.
DATA = Path(
    os.environ.get("SCISSION_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)


def rows(name: str) -> list[dict[str, Any]]:
    """Read a ``.jsonl.gz`` file of the data folder."""
    path = DATA / name
    if not path.exists():
        raise SystemExit(
            f"{path} is not there: set SCISSION_DATA to the folder of the evaluation data"
        )
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def prose(limit: int | None = None) -> list[str]:
    """English prose of 2 to 10 kB a document, 11.4 MB in all."""
    return [row["text"] for row in rows("prose.jsonl.gz")[:limit]]


def megabytes(texts: list[str]) -> float:
    """UTF-8 size."""
    return sum(len(text.encode()) for text in texts) / 1e6
