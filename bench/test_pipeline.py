"""Time of the pipeline, text in and chunks out: ``pytest bench --benchmark-enable``."""

import pytest

from bench.cases import text
from scission import FixedChunker, RecursiveChunker, SemanticChunker

DOCUMENTS = [text(60 + i % 40) for i in range(300)]

CHUNKERS = {
    "topics": {},
    "target": {"target_tokens": 120, "max_tokens": 256},
    "small": {"max_tokens": 32},
    "percentile": {"breakpoints": "percentile"},
    "windows": {"breakpoints": "percentile", "distances": "windows", "buffer_size": 1},
}


@pytest.mark.parametrize("name", CHUNKERS)
def test_batch(name, benchmark):
    chunker = SemanticChunker(**CHUNKERS[name])
    benchmark.extra_info["bytes"] = sum(len(document.encode()) for document in DOCUMENTS)
    benchmark(chunker.chunk_batch, DOCUMENTS, threads=1)


@pytest.mark.parametrize("make", [RecursiveChunker, FixedChunker])
@pytest.mark.parametrize("limit", [{"max_tokens": 256}, {"max_characters": 1000}])
def test_limited_batch(make, limit, benchmark):
    benchmark(make(**limit).chunk_batch, DOCUMENTS, threads=1)


def test_batch_with_vectors(benchmark):
    benchmark(SemanticChunker().chunk_batch, DOCUMENTS, threads=1, embeddings=True)


def test_one_document(benchmark):
    benchmark(SemanticChunker().chunk, DOCUMENTS[0])


def test_one_sentence(benchmark):
    benchmark(SemanticChunker().chunk, "A single sentence.")
