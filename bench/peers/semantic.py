"""Cut where the topic changes: each library's semantic chunker around any embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import scission
from bench.peers import vectors
from bench.peers.case import Contender, Piece, Task, Work, batch, each, indexed, strings

#: From texts to their vectors, float32[n, d] of length 1.
Embed = Callable[[Sequence[str]], Any]

#: Peers' own work is slow; each tenth document keeps a round under a second.
_EVERY = 10


def scission_work(**options: Any) -> Callable[[], Work]:
    """Return scission's chunker with some options, one thread."""

    def make() -> Work:
        chunker = scission.SemanticChunker(**options)
        return lambda texts: chunker.chunk_batch(texts, threads=1)

    return make


def _chonkie(embed: Embed) -> Work:
    from chonkie import SemanticChunker
    from chonkie.embeddings import BaseEmbeddings

    class Embeddings(BaseEmbeddings):  # type: ignore[misc]
        dimension = 128

        def embed(self, text: str) -> Any:
            return embed([text])[0]

        def embed_batch(self, texts: list[str]) -> Any:
            return list(embed(texts))

        def similarity(self, u: Any, v: Any) -> Any:
            return u @ v

        def get_tokenizer(self) -> Any:
            return len  # counting characters costs nothing

    return each(SemanticChunker(embedding_model=Embeddings(), chunk_size=2300).chunk)


def _blazechunk(embed: Embed) -> Work:
    from blazechunk import SemanticChunker

    return each(SemanticChunker(embed, chunk_size=2300).chunk)


def _langchain(embed: Embed) -> Work:
    from langchain_core.embeddings import Embeddings as Base
    from langchain_experimental.text_splitter import SemanticChunker

    class Embeddings(Base):  # type: ignore[misc]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return _lists(embed, texts)

        def embed_query(self, text: str) -> list[float]:
            return _lists(embed, [text])[0]

    return each(SemanticChunker(Embeddings()).split_text)


def _llama_index(embed: Embed) -> Work:
    from llama_index.core import Document
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    class Embeddings(BaseEmbedding):  # type: ignore[misc]
        def _get_text_embedding(self, text: str) -> list[float]:
            return _lists(embed, [text])[0]

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return _lists(embed, texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return _lists(embed, [query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return _lists(embed, [query])[0]

    parser = SemanticSplitterNodeParser(embed_model=Embeddings())
    return each(lambda text: parser.get_nodes_from_documents([Document(text=text)]))


def _semantic_chunkers(embed: Embed) -> Work:
    from semantic_chunkers import ConsecutiveChunker
    from semantic_router.encoders.base import DenseEncoder

    class Encoder(DenseEncoder):  # type: ignore[misc]
        score_threshold: float | None = None

        def __call__(self, docs: list[Any]) -> list[list[float]]:
            return _lists(embed, docs)

    chunker = ConsecutiveChunker(encoder=Encoder(name="any"))
    return each(lambda text: chunker(docs=[text])[0])


def _lists(embed: Embed, texts: Sequence[str]) -> list[list[float]]:
    # The free embedder hands out ready-made lists, so that converting costs its users nothing either.
    found = embed(texts) if embed is not vectors.rows else vectors.lists(texts)
    return found if isinstance(found, list) else found.tolist()


def _nodes(outputs: Sequence[Sequence[Any]]) -> list[list[Piece]]:
    return [[Piece(node.text, node.start_char_idx) for node in output] for output in outputs]


def _splits(outputs: Sequence[Sequence[Any]]) -> list[list[Piece]]:
    return [[Piece(" ".join(chunk.splits)) for chunk in output] for output in outputs]


_PEERS: tuple[tuple[str, str, Callable[[Embed], Work], Callable[[Any], list[list[Piece]]]], ...] = (
    ("blazechunk SemanticChunker", "blazechunk", _blazechunk, indexed),
    ("chonkie SemanticChunker", "chonkie", _chonkie, indexed),
    ("langchain SemanticChunker", "langchain-experimental", _langchain, strings),
    ("llama-index SemanticSplitter", "llama-index-core", _llama_index, _nodes),
    ("semantic-chunkers Consecutive", "semantic-chunkers", _semantic_chunkers, _splits),
)


def peers(embed: Embed) -> list[Contender]:
    """Return the other libraries at their own defaults, around one embedder."""
    return [
        Contender(name, distribution, lambda make=make: make(embed), pieces, _EVERY)  # type: ignore[misc]
        for name, distribution, make, pieces in _PEERS
    ]


TASK = Task(
    name="semantic",
    title="cut where the topic changes; peers with an embedder that costs nothing",
    limit=None,
    size=len,
    contenders=[
        Contender("scission, embedded model", "scission", scission_work(), batch),
        Contender("scission, embedder free", "scission", scission_work(model=vectors.rows), batch),
        *peers(vectors.rows),
    ],
)
