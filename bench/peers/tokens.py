"""Split under a limit of tokens: at separators, and anywhere."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bench.peers.case import Contender, Task, Work, batch, each, indexed, strings
from bench.reference import hugging_face
from scission.api import make_chunker

LIMIT = 256

#: Peers whose tokenizer is Hugging Face's take a second for a megabyte.
_EVERY = 20


@cache
def _tokenizer() -> Any:
    return hugging_face()


def count(text: str) -> int:
    """Tokens of a text, bert-base-uncased."""
    return len(_tokenizer().encode(text).ids)


@cache
def _tokenizer_file() -> Path:
    path = Path(tempfile.mkdtemp()) / "tokenizer.json"
    path.write_text(_tokenizer().to_str(), encoding="utf-8")
    return path


def _tokie() -> Any:
    from tokie import Tokenizer

    return Tokenizer.from_json(str(_tokenizer_file()))


def _scission(strategy: str) -> Callable[[], Work]:
    def make() -> Work:
        chunker = make_chunker(strategy, max_tokens=LIMIT)
        return lambda texts: chunker.chunk_batch(texts, threads=1)

    return make


def _chonkie(name: str, tokenizer: Callable[[], Any]) -> Callable[[], Work]:
    def make() -> Work:
        import chonkie

        return each(getattr(chonkie, name)(tokenizer=tokenizer(), chunk_size=LIMIT).chunk)

    return make


def _semantic_text_splitter() -> Work:
    from semantic_text_splitter import TextSplitter

    splitter = TextSplitter.from_huggingface_tokenizer(_tokenizer(), LIMIT, trim=False)
    return each(splitter.chunks)


def _semchunk() -> Work:
    from semchunk import chunkerify

    def work(texts: Sequence[str]) -> Any:
        return [chunkerify(lambda text: count(text), LIMIT)(text) for text in texts]

    return work


def _langchain() -> Work:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=LIMIT, chunk_overlap=0, length_function=count
    )
    return each(splitter.split_text)


def _llama_index(name: str) -> Callable[[], Work]:
    def make() -> Work:
        from llama_index.core import node_parser

        splitter = getattr(node_parser, name)(
            chunk_size=LIMIT, chunk_overlap=0, tokenizer=lambda text: _tokenizer().encode(text).ids
        )
        return each(splitter.split_text)

    return make


_LLAMA = "llama-index-core"

RECURSIVE = Task(
    name="tokens",
    title=f"split recursively, at most {LIMIT} tokens of bert-base-uncased",
    limit=LIMIT,
    size=count,
    contenders=[
        Contender("scission RecursiveChunker", "scission", _scission("recursive"), batch),
        Contender("chonkie RecursiveChunker, tokie", "tokie", _chonkie("RecursiveChunker", _tokie), indexed),
        Contender("chonkie RecursiveChunker", "chonkie", _chonkie("RecursiveChunker", _tokenizer), indexed, _EVERY),
        Contender("semantic-text-splitter", "semantic-text-splitter", _semantic_text_splitter, strings, _EVERY),
        Contender("semchunk, cold", "semchunk", _semchunk, strings, _EVERY),
        Contender("llama-index SentenceSplitter", _LLAMA, _llama_index("SentenceSplitter"), strings, _EVERY),
        Contender(
            "langchain RecursiveCharacterTextSplitter", "langchain-text-splitters", _langchain, strings, _EVERY
        ),
    ],
)  # fmt: skip

FIXED = Task(
    name="fixed",
    title=f"windows of {LIMIT} tokens of bert-base-uncased",
    limit=LIMIT,
    size=count,
    contenders=[
        Contender("scission FixedChunker", "scission", _scission("fixed"), batch),
        Contender("chonkie TokenChunker, tokie", "tokie", _chonkie("TokenChunker", _tokie), indexed),
        Contender("chonkie TokenChunker", "chonkie", _chonkie("TokenChunker", _tokenizer), indexed, _EVERY),
        Contender("llama-index TokenTextSplitter", _LLAMA, _llama_index("TokenTextSplitter"), strings, _EVERY),
    ],
)  # fmt: skip
