"""The chunks of LangChain's character splitters, with offsets."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import options
from ..chunks import ChunkBatch
from ..errors import OptionError
from ..text import TextBuffer
from ..tokenizers import resolve
from .base import Chunker
from .vectors import ChunkEmbedder

Span: TypeAlias = tuple[int, int]

_LOOKAROUND = ("(?=", "(?<!", "(?<=", "(?!")


class LangChainChunker(Chunker):
    """Cuts as LangChain's ``RecursiveCharacterTextSplitter`` and ``CharacterTextSplitter`` do (checked against 1.1.3).

    Made by `RecursiveChunker.langchain` and `FixedChunker.langchain`. The options are called as there.

    Parameters
    ----------
    chunk_size, chunk_overlap : int
        In what `length_function` counts.
    separators : list of str
        From the best to the worst.
    keep_separator : bool, "start" or "end"
        Where a separator goes: to the text after it (True, "start"), before it, or away.
    is_separator_regex : bool
        Whether the separators are patterns; these must not have groups that capture.
    length_function : callable
        From a text to its length.
    strip_whitespace : bool
        Whether chunks lose the white space at their ends.
    recursive : bool
        Whether pieces that are too long are split by the next separator.
    tokenizer : str, path, object or callable
        What ``token_count`` counts, when it is read.
    model : str, path, callable or object
        What makes the vectors for ``embeddings=True``.

    Notes
    -----
    A chunk is always a slice of the document. LangChain's own is not where a separator is thrown away and pieces
    between two of them are empty, or where it puts a pattern instead of the text that matched: the slice then
    runs from its first piece to its last. Chunks above `chunk_size` occur where LangChain makes them, and so do
    chunks that do not tile the document and cuts inside grapheme clusters.
    """

    def __init__(
        self,
        *,
        chunk_size: int = 4000,
        chunk_overlap: int = 200,
        separators: Sequence[str] = ("\n\n", "\n", " ", ""),
        keep_separator: bool | str = True,
        is_separator_regex: bool = False,
        length_function: Callable[[str], int] = len,
        strip_whitespace: bool = True,
        recursive: bool = True,
        tokenizer: Any = "wordpiece",
        model: Any = "minilm-static",
    ) -> None:
        self._size = options.integer("chunk_size", chunk_size, 1)
        self._overlap = options.integer("chunk_overlap", chunk_overlap, 0)
        if self._overlap > self._size:
            raise OptionError(
                f"chunk_overlap must be at most chunk_size ({self._size}), got {self._overlap}"
            )
        if isinstance(keep_separator, bool):
            keep = "start" if keep_separator else "none"
        else:
            keep = options.choice("keep_separator", keep_separator, ("start", "end"))
        if not callable(length_function):
            raise OptionError(
                f"length_function must be a function from a text to a number, got {length_function!r}"
            )
        regex = options.flag("is_separator_regex", is_separator_regex)
        self._separators = [_Separator.read(one, regex, keep) for one in separators]
        if not self._separators:
            raise OptionError("separators must not be empty, got []")
        self._length = length_function
        self._strip = options.flag("strip_whitespace", strip_whitespace)
        self._recursive = options.flag("recursive", recursive)
        self._tokenizer = resolve(tokenizer)
        self._embedder = ChunkEmbedder(model)

    @property
    def _parallel(self) -> bool:
        return False  # plain Python: threads would only wait for each other

    def _counts(self, buffer: TextBuffer) -> NDArray[np.int32]:
        return self._tokenizer.count(buffer.texts)

    def _vectors(self, buffer: TextBuffer) -> NDArray[np.float32]:
        return self._embedder.vectors(buffer.texts)

    def _chunk_group(self, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        found = [self._spans(text) for text in buffer.texts]
        rows = np.array([span for spans in found for span in spans], np.int64).reshape(-1, 2)
        batch = ChunkBatch(
            texts=buffer.texts,
            document=np.repeat(np.arange(len(found)), [len(spans) for spans in found]),
            start=rows[:, 0],
            end=rows[:, 1],
            token_count=self._tokenizer.count,  # type: ignore[arg-type]
            distance=np.full(len(rows), np.nan, np.float32),
        )
        return self._embedder.embedded(batch) if embeddings else batch

    def _spans(self, text: str) -> list[Span]:
        if self._recursive:
            return list(self._descend(text, 0, len(text), 0))
        separator = self._separators[0]
        joint = "" if separator.is_lookaround else separator.joint
        return list(self._merged(text, separator.pieces(text, 0, len(text)), joint))

    def _descend(self, text: str, begin: int, end: int, level: int) -> Iterator[Span]:
        """Split a piece by the first separator that occurs in it, and longer parts by those after it."""
        piece = text[begin:end]
        last = len(self._separators) - 1
        while level < last and not self._separators[level].occurs(piece):
            level += 1
        separator = self._separators[level]
        deeper = level < last and bool(separator.source) and separator.occurs(piece)
        fitting: list[Span] = []
        for span in separator.pieces(piece, begin, end):
            if self._length_of(text, span) < self._size:
                fitting.append(span)
                continue
            yield from self._merged(text, fitting, separator.joint)
            fitting = []
            if deeper:
                yield from self._descend(text, *span, level + 1)
            else:
                yield span
        yield from self._merged(text, fitting, separator.joint)

    def _merged(self, text: str, pieces: Sequence[Span], joint: str) -> Iterator[Span]:
        """Pack pieces into chunks that share at most the overlap."""
        between = self._length(joint)
        held: deque[tuple[Span, int]] = deque()
        total = 0
        for span in pieces:
            length = self._length_of(text, span)
            if held and total + length + between > self._size:
                yield from self._stripped(text, held[0][0][0], held[-1][0][1])
                while total > self._overlap or (
                    total > 0 and total + length + (between if held else 0) > self._size
                ):
                    total -= held.popleft()[1] + (between if held else 0)
            held.append((span, length))
            total += length + (between if len(held) > 1 else 0)
        if held:
            yield from self._stripped(text, held[0][0][0], held[-1][0][1])

    def _length_of(self, text: str, span: Span) -> int:
        return span[1] - span[0] if self._length is len else self._length(text[span[0] : span[1]])

    def _stripped(self, text: str, begin: int, end: int) -> Iterator[Span]:
        if self._strip:
            piece = text[begin:end]
            begin += len(piece) - len(piece.lstrip())
            end = begin + len(piece.strip())
        if begin < end:
            yield begin, end


class _Separator:
    """One separator: where it occurs, and the pieces between.

    Attributes
    ----------
    source : str
        As it was given.
    joint : str
        What LangChain counts between two pieces that it joins.
    is_lookaround : bool
        Whether it is a pattern that matches no text.
    """

    def __init__(self, source: str, pattern: re.Pattern[str], regex: bool, keep: str) -> None:
        self.source = source
        self.joint = source if keep == "none" else ""
        self.is_lookaround = regex and source.startswith(_LOOKAROUND)
        self._pattern = pattern
        self._keep = keep

    @classmethod
    def read(cls, source: Any, regex: bool, keep: str) -> _Separator:
        """Check and compile."""
        if not isinstance(source, str):
            raise OptionError(f"separators must hold strings, got {source!r}")
        try:
            pattern = re.compile(source if regex else re.escape(source))
        except re.error as error:
            raise OptionError(
                f"separators must be valid patterns, got {source!r}: {error}"
            ) from None
        if pattern.groups:
            raise OptionError(
                f"separators must not have groups that capture, got {source!r}: write (?:...) instead of (...)"
            )
        return cls(source, pattern, regex, keep)

    def occurs(self, piece: str) -> bool:
        """Tell whether it is in a piece; the empty one always is."""
        return not self.source or self._pattern.search(piece) is not None

    def pieces(self, piece: str, begin: int, end: int) -> list[Span]:
        """Return the spans between its occurrences that are not empty, of the piece that lies at (begin, end)."""
        if not self.source:
            return [(i, i + 1) for i in range(begin, end)]
        spans: list[Span] = []
        start = begin
        for match in self._pattern.finditer(piece):
            low, high = begin + match.start(), begin + match.end()
            spans.append((start, high if self._keep == "end" else low))
            start = low if self._keep == "start" else high
        spans.append((start, end))
        return [span for span in spans if span[0] < span[1]]
