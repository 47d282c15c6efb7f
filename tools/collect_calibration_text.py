"""Draw the sentences that int8 models are calibrated and checked on: ``src/scission/data/calibration.txt``.

python tools/collect_calibration_text.py [FOLDER OF THE EVALUATION DATA]

All sources are in the public domain: a political speech, two court decisions, a novel and a play. The order is
shuffled, so that the head (calibration) and the tail (check) of the file are alike.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from scission import split_sentences

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {
    "chroma/corpora/state_of_the_union.md": 180,
    "wild/legal_us_scotus.txt": 110,
    "wild/legal_us_bva.txt": 60,
    "wild/mac_roman_moonstone_ch8.txt": 80,
    "wild/lit_romeo_juliet.txt": 70,
}


def sentences(path: Path) -> list[str]:
    """Sentences of 10 to 400 characters, each once, white space made single blanks."""
    data = path.read_bytes()
    text = data.decode("mac_roman" if "mac_roman" in path.name else "utf-8")
    joined = (" ".join(text[a:b].split()) for a, b in split_sentences(text))
    return list(dict.fromkeys(s for s in joined if 10 <= len(s) <= 400))


def main() -> None:
    """Write the file."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT.parent / "shared" / "data")
    draw = random.Random(0)
    drawn = []
    for name, count in SOURCES.items():
        drawn += draw.sample(sentences(folder / name), count)
    draw.shuffle(drawn)
    out = ROOT / "src" / "scission" / "data" / "calibration.txt"
    out.write_text("\n".join(drawn) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
