"""Retrieval of whole documents: the check that search and scores agree with what others publish.

    python -m bench.retrieval [--set scifact] [--model FOLDER] [--cache FOLDER]

all-MiniLM-L6-v2 has NDCG@10 64.5 on SciFact (BEIR's test split; MTEB's leaderboard).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from bench.data import DATA
from bench.models import load
from scission.evaluate import Corpus, Grid, Spans, load_corpus
from scission.evaluate.cache import Cache
from scission.evaluate.run import score_spans
from scission.evaluate.vectors import unit

#: NDCG@10 in per cent, by set and the name of the checkpoint.
PUBLISHED = {("scifact", "all-MiniLM-L6-v2"): 64.5}


def whole_documents(corpus: Corpus) -> Spans:
    """Each document as one chunk."""
    count = len(corpus.texts)
    return Spans.of(np.arange(count), np.zeros(count), [len(text) for text in corpus.texts])


def score(name: str, model: str, cache: Path | None) -> dict[str, float]:
    """Mean scores of the documents' ranking, in per cent."""
    corpus = load_corpus(DATA / "retrieval" / name)
    vectors = Cache(cache)
    embed = load(model).embed
    rows, _ = vectors.vectors(corpus.texts, model, embed, lambda _: None)
    asked = [question.text for question in corpus.questions]
    queries, _ = vectors.vectors(asked, model, embed, lambda _: None)
    spans = whole_documents(corpus)
    found = score_spans(corpus, spans, unit(rows), unit(queries), Grid((), k=(10, 100), budgets=()))
    documents = ("ndcg@10", "mrr@10", "document_recall@10", "document_recall@100")
    return {key: 100 * float(np.nanmean(found[key])) for key in documents}


def main() -> None:
    """Print the scores."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="scifact", help="a folder of retrieval/ in the data")
    parser.add_argument("--model", default="minilm-static")
    parser.add_argument("--cache", type=Path, help="keep the vectors, to go on later")
    options = parser.parse_args()
    for key, figure in score(options.set, options.model, options.cache).items():
        print(f"{options.set:<12}{key:<22}{figure:6.1f}")
    for (name, checkpoint), figure in PUBLISHED.items():
        if name == options.set:
            print(f"{name:<12}published ndcg@10     {figure:6.1f}  {checkpoint}")


if __name__ == "__main__":
    main()
