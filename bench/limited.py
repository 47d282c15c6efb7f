"""Fixed and recursive chunkers against their peers: same texts, same limit, one thread, interleaved."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.data import megabytes, prose
from bench.reference import hugging_face
from bench.rows import Row, row
from bench.timing import interleaved, per_byte, ratio

TOKENS = 256
CHARACTERS = 1000

Work = Callable[[], object]


def characters() -> list[Row]:
    """Recursive chunks of at most 1,000 characters."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from semantic_text_splitter import TextSplitter

    from scission import FixedChunker, RecursiveChunker

    texts = prose()
    few = texts[::10]
    ours, fixed = (
        RecursiveChunker(max_characters=CHARACTERS),
        FixedChunker(max_characters=CHARACTERS),
    )
    compatible = RecursiveChunker.langchain(chunk_size=CHARACTERS, chunk_overlap=0)
    rust = TextSplitter(CHARACTERS)
    langchain = RecursiveCharacterTextSplitter(chunk_size=CHARACTERS, chunk_overlap=0)
    rust_name = f"semantic-text-splitter {version('semantic-text-splitter')}"
    langchain_name = (
        f"LangChain {version('langchain-text-splitters')} RecursiveCharacterTextSplitter"
    )
    works: dict[str, Work] = {
        "columns": lambda: ours.chunk_batch(texts, threads=1),
        "strings": lambda: _strings(ours.chunk_batch(texts, threads=1)),
        "fixed": lambda: fixed.chunk_batch(texts, threads=1),
        rust_name: lambda: [rust.chunks(text) for text in texts],
        langchain_name: lambda: [langchain.split_text(text) for text in few],
        "compatible": lambda: compatible.chunk_batch(few),
    }
    times = interleaved(works, rounds=7)
    share = megabytes(texts) / megabytes(few)
    speeds = {name: megabytes(texts) / min(taken) for name, taken in times.items()}
    rows = [
        row(
            f"recursive, {CHARACTERS:,} characters, tokens not counted",
            speeds["columns"],
            "",
            True,
            "MB/s",
        ),
        row("recursive, and a string for each chunk", speeds["strings"], "", True, "MB/s"),
        row(
            f"fixed, {CHARACTERS:,} characters, tokens not counted",
            speeds["fixed"],
            "",
            True,
            "MB/s",
        ),
    ]
    against_rust = ratio(times, rust_name, "columns")
    rows.append(
        row(f"recursive against {rust_name}", against_rust, ">= 1.5", against_rust >= 1.5, "x")
    )
    strings = ratio(times, rust_name, "strings")
    rows.append(row(f"with strings, against {rust_name}", strings, "", True, "x"))
    against_langchain = share * ratio(times, langchain_name, "columns")
    rows.append(
        row(
            f"recursive against {langchain_name}",
            against_langchain,
            ">= 8",
            against_langchain >= 8,
            "x",
        )
    )
    same = ratio(times, langchain_name, "compatible")
    rows.append(row("LangChain's own chunks with offsets, against the same", same, "", True, "x"))
    return rows


def tokens() -> list[Row]:
    """Recursive and fixed chunks of at most 256 tokens of bert-base-uncased."""
    from scission import FixedChunker, RecursiveChunker

    texts = prose()
    few = texts[::5]
    ours: dict[str, Any] = {
        "recursive": RecursiveChunker(max_tokens=TOKENS),
        "fixed": FixedChunker(max_tokens=TOKENS),
    }
    works: dict[str, Work] = {name: _batched(chunker, texts) for name, chunker in ours.items()}
    peers, name = _chonkie()
    works |= {f"{name} {kind}": _each(chunker, few) for kind, chunker in peers.items()}
    times = interleaved(works, rounds=5)
    share = megabytes(texts) / megabytes(few)
    rows = []
    for kind in ours:
        speed = megabytes(texts) / min(times[kind])
        rows.append(row(f"{kind}, {TOKENS} tokens", speed, "", True, "MB/s"))
        faster = share * ratio(times, f"{name} {kind}", kind)
        rows.append(row(f"{kind} against {name}", faster, ">= 2", faster >= 2, "x"))
    return rows


def linear() -> list[Row]:
    """User CPU time per byte of one line without spaces, at 1 MB and at 50 MB: the worst of three chunkers."""
    from scission import FixedChunker, RecursiveChunker

    chunkers: dict[str, Any] = {
        "recursive, characters": RecursiveChunker(max_characters=CHARACTERS),
        "recursive, tokens": RecursiveChunker(max_tokens=TOKENS),
        "fixed, tokens": FixedChunker(max_tokens=TOKENS),
    }
    rows = []
    for kind, unit in (
        ("one word", "abcdefghij0123456789"),
        ("one word of accents", "e" + "\u0301" * 40),
    ):
        growths = {}
        for name, chunker in chunkers.items():
            short = per_byte(chunker, _line(unit, 1_000_000), 10)
            growths[name] = per_byte(chunker, _line(unit, 50_000_000), 1) / short
        worst = max(growths, key=lambda name: growths[name])
        label = f"{kind}: time per byte at 50 MB against 1 MB ({worst})"
        rows.append(row(label, growths[worst], "linear: < 2", growths[worst] < 2, "x"))
    return rows


def _line(unit: str, size: int) -> str:
    return unit * (size // len(unit.encode()))


def _strings(batch: Any) -> list[str]:
    return [
        batch.texts[document][start:end]
        for document, start, end in zip(
            batch.document.tolist(), batch.start.tolist(), batch.end.tolist(), strict=True
        )
    ]


def _batched(chunker: Any, texts: list[str]) -> Work:
    return lambda: chunker.chunk_batch(texts, threads=1)


def _each(chunker: Any, texts: list[str]) -> Work:
    return lambda: [chunker.chunk(text) for text in texts]


def _chonkie() -> tuple[dict[str, Any], str]:
    """Make chonkie's chunkers over tokie's tokenizer for the same vocabulary."""
    import tokie
    from chonkie import RecursiveChunker, TokenChunker

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        hugging_face().save(str(path))
        tokenizer = tokie.Tokenizer.from_json(str(path))
    peers = {
        "recursive": RecursiveChunker(tokenizer=tokenizer, chunk_size=TOKENS),
        "fixed": TokenChunker(tokenizer=tokenizer, chunk_size=TOKENS),
    }
    return peers, f"chonkie {version('chonkie')} with tokie {version('tokie')}"
