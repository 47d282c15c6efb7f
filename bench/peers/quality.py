"""Quality of the peers' cuts: Pk on gold segments, every library with the same embedder.

    python -m bench.peers.quality [--model NAME] [-o bench/peers-quality.json]

A library gets a document with a sentence on each line, and its chunks are read back as boundaries: each cut counts
for the nearest end of a sentence. So libraries that split sentences their own way are judged by where they end
up, not by how they got there. (Joined by spaces the same texts hide a quarter of Choi's boundaries from every
splitter, since segments begin in lower case there.)
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.peers import semantic
from bench.peers.case import Contender, Work, batch
from bench.segmentation import SETS, score
from scission.embed.registry import resolve
from scission.evaluate.segmentation import Segmenter


def boundaries(sentences: Sequence[str], pieces: Sequence[str]) -> list[int]:
    """Read the chunks of joined sentences as boundaries; ``i`` means after sentence ``i``.

    Characters other than white space are counted, which is all that some libraries leave as it was.
    """
    ends = np.cumsum([_letters(sentence) for sentence in sentences])
    cuts = np.cumsum([_letters(piece) for piece in pieces])[:-1]
    places = np.searchsorted(ends, cuts)
    before = np.maximum(places - 1, 0)
    nearer = cuts - ends[before] < ends[np.minimum(places, len(ends) - 1)] - cuts
    found = set(np.where(nearer & (places > 0), before, places).tolist())
    return sorted(i for i in found if i < len(sentences) - 1)


def _letters(text: str) -> int:
    return len("".join(text.split()))


def segmenter(contender: Contender, work: Work) -> Segmenter:
    """Make a segmenter of gold sentences out of a library's chunker of texts."""

    def segment(sentences: list[str]) -> list[int]:
        (pieces,) = contender.pieces(work(["\n".join(sentences)]))
        return boundaries(sentences, [piece.text for piece in pieces])

    return segment


def contenders(model: str) -> list[Contender]:
    """Return the libraries with a semantic chunker, at their own defaults, and scission's with its own sentences."""
    own = semantic.scission_work(model=model, max_tokens=None)
    peers = [one for one in semantic.peers(_embedder(model)) if one.version is not None]
    return [Contender("scission SemanticChunker", "scission", own, batch), *peers]


def _embedder(model: str) -> Callable[[Sequence[str]], Any]:
    return resolve(model).embed  # type: ignore[attr-defined, no-any-return]


def main() -> None:
    """Print the table and write the figures."""
    parser = argparse.ArgumentParser(description="quality of other libraries' cuts")
    parser.add_argument("--model", default="minilm-static")
    parser.add_argument("-o", "--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for contender in contenders(options.model):
        work = contender.make()
        segment = segmenter(contender, work)
        scores = {name: score(name, {"found": segment})["found"] for name in SETS}
        rows.append(
            {
                "name": contender.name,
                "version": contender.version,
                "pk": {name: 100 * found.pk for name, found in scores.items()},
                "cuts_per_gold": {name: found.boundary_ratio for name, found in scores.items()},
            }
        )
        shown = "".join(
            f"{name:>16} {100 * scores[name].pk:5.1f} ({scores[name].boundary_ratio:.2f})"
            for name in SETS
        )
        print(f"{contender.name:<36}{shown}", flush=True)
    if options.out:
        results = {"model": options.model, "rows": rows}
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
