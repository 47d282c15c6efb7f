"""LangChain's chunks and those of the chunkers that stand in for it, compared one by one.

    python -m bench.parity

Over the prose corpus and the wild files: sizes, overlaps, places of the separator, length functions, languages. Where
LangChain throws separators away, its text may not be in the document; ours is then compared after the same loss.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

from bench.data import DATA, prose
from bench.rows import Row, row

_SIZES = ((100, 0), (400, 80), (1000, 200))
_KEEPS: tuple[bool | str, ...] = (True, "end", False)


def wild() -> list[str]:
    """Every wild file as text."""
    paths = sorted(path for path in (DATA / "wild").iterdir() if path.suffix != ".tsv")
    return [_decoded(path.read_bytes()) for path in paths]


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def words(text: str) -> int:
    """Count words: a length that does not add up over pieces."""
    return len(text.split())


def cases() -> Iterator[tuple[str, Any, Any, list[str]]]:
    """Yield a name, LangChain's splitter, ours, and the texts; the name says where separators are thrown away."""
    from langchain_text_splitters import CharacterTextSplitter, Language
    from langchain_text_splitters import RecursiveCharacterTextSplitter as Recursive

    from scission import FixedChunker, RecursiveChunker

    texts = prose() + wild()
    for size, overlap in _SIZES:
        for keep in _KEEPS:
            options: dict[str, Any] = {"chunk_size": size, "chunk_overlap": overlap}
            name = f"size {size}, overlap {overlap}, keep_separator={keep}"
            yield (
                f"recursive, {name}",
                Recursive(keep_separator=keep, **options),
                RecursiveChunker.langchain(keep_separator=keep, **options),
                texts,
            )
            for separator in ("\n\n", ". "):
                yield (
                    f"character {separator!r}, {name}",
                    CharacterTextSplitter(separator, keep_separator=keep, **options),
                    FixedChunker.langchain(separator=separator, keep_separator=keep, **options),
                    texts[::4] + wild(),
                )
    some = texts[::10] + wild()
    lengths: dict[str, Callable[[str], int]] = {"words": words, "bytes": lambda t: len(t.encode())}
    for name, length in lengths.items():
        options = {"chunk_size": 120, "chunk_overlap": 20, "length_function": length}
        yield (
            f"recursive, counting {name}",
            Recursive(**options),
            RecursiveChunker.langchain(**options),
            some,
        )
    for pattern in (r"(?<=[.!?])\s+", r"(?=\n[A-Z])", r"\s*\n\s*"):
        for keep in (True, "end"):
            options = {"chunk_size": 300, "chunk_overlap": 60, "keep_separator": keep}
            options |= {"separators": [pattern, " ", ""], "is_separator_regex": True}
            name = f"recursive, pattern {pattern!r}, keep_separator={keep}"
            yield name, Recursive(**options), RecursiveChunker.langchain(**options), some
    options = {"chunk_size": 300, "chunk_overlap": 0, "strip_whitespace": False}
    yield (
        "recursive, not stripped",
        Recursive(**options),
        RecursiveChunker.langchain(**options),
        some,
    )
    for language in Language:
        try:
            theirs = Recursive.from_language(language, chunk_size=300, chunk_overlap=50)
        except ValueError:
            continue
        ours = RecursiveChunker.langchain(language=language.value, chunk_size=300, chunk_overlap=50)
        yield f"language {language.value}", theirs, ours, wild()


def collapsed(text: str, separator: str) -> str:
    """Lose what LangChain loses: all but one of the separators between two pieces, and those at the ends."""
    return separator.join(piece for piece in text.split(separator) if piece).strip()


def compare(theirs: Any, ours: Any, texts: list[str], lossy: bool) -> tuple[int, int, int]:
    """Count chunks, those that differ, and those from which LangChain lost a separator."""
    total = different = lost = 0
    for text in texts:
        expected = theirs.split_text(text)
        found = [chunk.text for chunk in ours.chunk_batch([text])]
        total += len(expected)
        different += abs(len(expected) - len(found))
        for a, b in zip(expected, found, strict=False):
            if lossy and a != b and any(a == collapsed(b, s) for s in ("\n\n", "\n", " ", ". ")):
                lost += 1
            else:
                different += a != b
    return total, different, lost


def count(echo: bool = True) -> tuple[int, int, int]:
    """Run every case; the sums."""
    logging.getLogger("langchain_text_splitters.base").setLevel(logging.ERROR)
    sums = [0, 0, 0]
    for name, theirs, ours, texts in cases():
        found = compare(theirs, ours, texts, "keep_separator=False" in name)
        sums = [a + b for a, b in zip(sums, found, strict=True)]
        if echo:
            chunks, different, lost = found
            label = name.replace("\n", "\\n")
            print(
                f"{label:<70}{chunks:>9,} chunks, {different} different, {lost} after the same loss"
            )
    return sums[0], sums[1], sums[2]


def rows() -> list[Row]:
    """Return the sums as lines of the report."""
    total, different, lost = count(echo=False)
    name = f"LangChain {version('langchain-text-splitters')}"
    return [
        row(f"chunks compared with {name}", total, "", True),
        row(f"chunks that differ from {name}'s", different, "0", different == 0),
        row("equal after the loss of separators that it throws away", lost, "", True),
    ]


def main() -> None:
    """Print every case and the sums."""
    print(f"langchain-text-splitters {version('langchain-text-splitters')}")
    total, different, lost = count()
    print(
        f"{total:,} chunks compared, {different} different; {lost:,} from which LangChain lost a separator"
    )


if __name__ == "__main__":
    main()
