"""Split recursively at separators under a limit of characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import scission
from bench.peers.case import Contender, Piece, Task, Work, batch, each, indexed, strings

LIMIT = 1000


def _scission() -> Work:
    chunker = scission.RecursiveChunker(max_characters=LIMIT)
    return lambda texts: chunker.chunk_batch(texts, threads=1)


def _scission_objects() -> Work:
    chunker = scission.RecursiveChunker(max_characters=LIMIT)
    return each(chunker.chunk)


def _objects(outputs: Sequence[Sequence[scission.Chunk]]) -> list[list[Piece]]:
    return [[Piece(chunk.text, chunk.start) for chunk in output] for output in outputs]


def _semantic_text_splitter() -> Work:
    from semantic_text_splitter import TextSplitter

    return each(TextSplitter(LIMIT, trim=False).chunk_indices)


def _pairs(outputs: Sequence[Sequence[tuple[int, str]]]) -> list[list[Piece]]:
    return [[Piece(text, start) for start, text in output] for output in outputs]


def _blazechunk() -> Work:
    from blazechunk import RecursiveChunker

    return each(RecursiveChunker(chunk_size=LIMIT).chunk)


def _chonkie() -> Work:
    from chonkie import RecursiveChunker

    return each(RecursiveChunker(tokenizer="character", chunk_size=LIMIT).chunk)


def _chonkie_fast() -> Work:
    from chonkie import FastChunker

    return each(FastChunker(chunk_size=LIMIT).chunk)


def _semchunk() -> Work:
    from semchunk import chunkerify

    def work(texts: Sequence[str]) -> Any:
        # A new counter each time: semchunk remembers sizes of strings it has seen.
        return [chunkerify(lambda text: len(text), LIMIT)(text, offsets=True) for text in texts]

    return work


def _with_offsets(outputs: Sequence[tuple[Sequence[str], Sequence[Any]]]) -> list[list[Piece]]:
    return [
        [Piece(text, start) for text, (start, _) in zip(*output, strict=True)] for output in outputs
    ]


def _langchain() -> Work:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return each(RecursiveCharacterTextSplitter(chunk_size=LIMIT, chunk_overlap=0).split_text)


TASK = Task(
    name="characters",
    title=f"split recursively, at most {LIMIT} characters",
    limit=LIMIT,
    size=len,
    contenders=[
        Contender("scission RecursiveChunker", "scission", _scission, batch),
        Contender("scission, a list of Chunk per document", "scission", _scission_objects, _objects),
        Contender("chonkie FastChunker (bytes)", "chonkie", _chonkie_fast, indexed),
        Contender("semantic-text-splitter", "semantic-text-splitter", _semantic_text_splitter, _pairs),
        Contender("blazechunk RecursiveChunker", "blazechunk", _blazechunk, indexed),
        Contender("chonkie RecursiveChunker", "chonkie", _chonkie, indexed, 4),
        Contender("semchunk, cold", "semchunk", _semchunk, _with_offsets, 4),
        Contender("langchain RecursiveCharacterTextSplitter", "langchain-text-splitters", _langchain, strings, 4),
    ],
)  # fmt: skip
