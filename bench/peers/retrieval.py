"""Retrieval with other libraries' chunks: Chroma's set, one embedder for all, the same budget of retrieved tokens.

    python -m bench.peers.retrieval [--model NAME] [-o bench/peers-retrieval.json]

Every chunk is embedded as a text of its own. Semantic chunkers are at their defaults, around the same embedder; the
others may use 256 tokens. Chunks are found in their documents by counting characters other than white space, since
some libraries change the rest.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bench.data import DATA
from bench.peers import semantic, tokens
from bench.peers.case import Contender, batch
from scission.embed.registry import resolve
from scission.evaluate import Grid, Spans, load_corpus, measure_shape
from scission.evaluate.run import score_spans

BUDGETS = (400, 800, 1600)


def found_in(text: str, pieces: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the pieces lie, white space at their ends left out.

    Raises
    ------
    ValueError
        They are not the text: something is lost or said twice.
    """
    places = [i for i, character in enumerate(text) if not character.isspace()]
    spans = []
    at = 0
    for piece in pieces:
        count = len("".join(piece.split()))
        if count and at + count <= len(places):
            spans.append((places[at], places[at + count - 1] + 1))
        at += count
    if at != len(places):
        raise ValueError(f"{at} characters in {len(places)}")
    return spans


def contenders(model: str) -> Iterator[Contender]:
    """Yield what is compared."""
    embed = resolve(model).embed  # type: ignore[attr-defined]
    for target in (80, 140):
        work = semantic.scission_work(model=model, target_tokens=target, max_tokens=256)
        yield Contender(f"scission SemanticChunker, target {target}", "scission", work, batch)
    yield from semantic.peers(embed)
    yield from tokens.RECURSIVE.contenders


def main() -> None:
    """Print the table and write the figures."""
    parser = argparse.ArgumentParser(description="retrieval with other libraries' chunks")
    parser.add_argument("--model", default="all-MiniLM-L6-v2")
    parser.add_argument("-o", "--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    corpus = load_corpus(DATA / "chroma")
    embed = resolve(options.model).embed  # type: ignore[attr-defined]
    questions = embed([question.text for question in corpus.questions])
    rows = []
    for contender in contenders(options.model):
        if contender.version is None:
            continue
        outputs = contender.pieces(contender.make()(corpus.texts))
        try:
            found = [
                (number, start, end)
                for number, (text, pieces) in enumerate(zip(corpus.texts, outputs, strict=True))
                for start, end in found_in(text, [piece.text for piece in pieces])
            ]
        except ValueError as error:
            print(f"{contender.name:<48}left out, its chunks are not the text: {error}")
            continue
        spans = Spans.of(*zip(*found, strict=True))
        vectors = embed([corpus.texts[number][start:end] for number, start, end in found])
        scores = score_spans(corpus, spans, vectors, questions, Grid((), budgets=BUDGETS))
        recalls = [float(100 * np.nanmean(scores[f"recall@{budget}t"])) for budget in BUDGETS]
        mean = measure_shape(corpus, spans).mean_tokens
        rows.append(
            {
                "name": contender.name,
                "version": contender.version,
                "mean_tokens": mean,
                "recall": recalls,
            }
        )
        shown = " / ".join(f"{recall:.1f}" for recall in recalls)
        print(f"{contender.name:<48}{mean:8.0f}   {shown}", flush=True)
    if options.out:
        results = {"model": options.model, "rows": rows}
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
