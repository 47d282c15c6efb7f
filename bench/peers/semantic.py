"""Cut where the topic changes; the peers' embedders cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import scission
from bench.peers import vectors
from bench.peers.case import Contender, Piece, Task, Work, batch, each, indexed, strings

#: Peers' own work is slow; each tenth document keeps a round under a second.
_EVERY = 10


def _scission(**options: Any) -> Callable[[], Work]:
    def make() -> Work:
        chunker = scission.SemanticChunker(**options)
        return lambda texts: chunker.chunk_batch(texts, threads=1)

    return make


def _chonkie() -> Work:
    from chonkie import SemanticChunker
    from chonkie.embeddings import BaseEmbeddings

    class Free(BaseEmbeddings):  # type: ignore[misc]
        dimension = 128

        def embed(self, text: str) -> Any:
            return vectors.row(text)

        def embed_batch(self, texts: list[str]) -> Any:
            return list(vectors.rows(texts))

        def similarity(self, u: Any, v: Any) -> Any:
            return u @ v

        def get_tokenizer(self) -> Any:
            return len  # counting characters costs nothing

    return each(SemanticChunker(embedding_model=Free(), chunk_size=2300).chunk)


def _blazechunk() -> Work:
    from blazechunk import SemanticChunker

    return each(SemanticChunker(vectors.rows, chunk_size=2300).chunk)


def _langchain() -> Work:
    from langchain_core.embeddings import Embeddings
    from langchain_experimental.text_splitter import SemanticChunker

    class Free(Embeddings):  # type: ignore[misc]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return vectors.lists(texts)

        def embed_query(self, text: str) -> list[float]:
            return vectors.lists([text])[0]

    return each(SemanticChunker(Free()).split_text)


def _llama_index() -> Work:
    from llama_index.core import Document
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    class Free(BaseEmbedding):  # type: ignore[misc]
        def _get_text_embedding(self, text: str) -> list[float]:
            return vectors.lists([text])[0]

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return vectors.lists(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return vectors.lists([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return vectors.lists([query])[0]

    parser = SemanticSplitterNodeParser(embed_model=Free())
    return each(lambda text: parser.get_nodes_from_documents([Document(text=text)]))


def _semantic_chunkers() -> Work:
    from semantic_chunkers import ConsecutiveChunker
    from semantic_router.encoders.base import DenseEncoder

    class Free(DenseEncoder):  # type: ignore[misc]
        score_threshold: float | None = None

        def __call__(self, docs: list[Any]) -> list[list[float]]:
            return vectors.lists(docs)

    chunker = ConsecutiveChunker(encoder=Free(name="free"))
    return each(lambda text: chunker(docs=[text])[0])


def _nodes(outputs: Sequence[Sequence[Any]]) -> list[list[Piece]]:
    return [[Piece(node.text, node.start_char_idx) for node in output] for output in outputs]


def _splits(outputs: Sequence[Sequence[Any]]) -> list[list[Piece]]:
    return [[Piece(" ".join(chunk.splits)) for chunk in output] for output in outputs]


def _no_size(text: str) -> int:
    return len(text)


TASK = Task(
    name="semantic",
    title="cut where the topic changes; peers with an embedder that costs nothing",
    limit=None,
    size=_no_size,
    contenders=[
        Contender("scission, embedded model", "scission", _scission(), batch),
        Contender("scission, embedder free", "scission", _scission(model=vectors.rows), batch),
        Contender("blazechunk SemanticChunker", "blazechunk", _blazechunk, indexed, _EVERY),
        Contender("chonkie SemanticChunker", "chonkie", _chonkie, indexed, _EVERY),
        Contender(
            "langchain SemanticChunker", "langchain-experimental", _langchain, strings, _EVERY
        ),
        Contender("llama-index SemanticSplitter", "llama-index-core", _llama_index, _nodes, _EVERY),
        Contender(
            "semantic-chunkers Consecutive",
            "semantic-chunkers",
            _semantic_chunkers,
            _splits,
            _EVERY,
        ),
    ],
)
