"""How well cuts match gold segments: Pk, WindowDiff and boundary scores, beside what needs no segmenter.

python -m bench.segmentation [--model FOLDER] [--breakpoints KIND] [--amount X]
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from bench.data import rows
from scission.evaluate import SegmentationScores, score_segmentation
from scission.evaluate.segmentation import Segmenter

SETS = ("choi", "choi_style_ewt", "wiki50")
#: The bars of static vectors; Pk in per cent.
BARS = {"choi": 9.0, "choi_style_ewt": 25.0, "wiki50": 40.0}


def score(name: str, segmenters: Mapping[str, Segmenter]) -> dict[str, SegmentationScores]:
    """Score segmenters on a set of the data, after the baselines."""
    documents = [(row["sentences"], row["boundaries"]) for row in rows(f"seg/{name}.jsonl.gz")]
    return score_segmentation(documents, segmenters)


def main() -> None:
    """Print the table."""
    from scission import SemanticChunker

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="minilm-static")
    parser.add_argument("--breakpoints", default="partition")
    parser.add_argument("--amount", type=float)
    options = parser.parse_args()
    chunker = SemanticChunker(
        model=options.model, breakpoints=options.breakpoints, amount=options.amount, max_tokens=None
    )
    reference = SemanticChunker.reference(model=options.model)
    segmenters = {"reference": reference.breakpoints, "scission": chunker.breakpoints}
    columns = ("Pk", "WD", "B", "F1", "F1±1", "cuts/gold", "bar")
    print(f"{'set':<16}{'segmenter':<12}" + "".join(f"{column:>10}" for column in columns))
    for name in SETS:
        for label, found in score(name, segmenters).items():
            figures = (
                100 * found.pk, 100 * found.window_diff, 100 * found.boundary_similarity,
                100 * found.f1, 100 * found.f1_near, found.boundary_ratio,
            )  # fmt: skip
            shown = "".join(f"{figure:10.2f}" for figure in figures)
            bar = f"{BARS[name]:10.0f}" if label == "scission" else ""
            print(f"{name:<16}{label:<12}{shown}{bar}")


if __name__ == "__main__":
    main()
