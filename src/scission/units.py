"""The units that chunks are made of: sentences and blocks, with what lies between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from .errors import OptionError, TextError
from .tables import sentence_tables
from .text import Text, TextBuffer

#: The gap kind before a piece that begins inside a word: next to `FORCED` of ``kernels.sentences``. The pieces of
#: a word have other tokens than the word, so that such a cut is always made.
BROKEN = 7

#: What a cut in a gap of each kind costs, in multiples of the penalty: inside a paragraph, at a line break, at
#: a blank line, before a heading, after a heading, at a document's start (not read), inside a sentence;
#: negative for a must. The chunkers take them relative to their mean in the document.
GAP_FACTORS = np.array([1.0, 0.8, 0.2, 0.1, 2.0, 1.0, 2.0, -1.0])

#: The kinds that `kernels.gaps` asks about: a line break, a blank line, after a heading, a document's start.
RELATED_GAPS = np.array([1, 2, 4, 5], np.uint8)

#: A user's own sentence splitter: the sentences of a text, verbatim and in order, or their spans.
Splitter: TypeAlias = Callable[[str], Sequence[str] | Sequence[tuple[int, int]]]


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a group of documents.

    Attributes
    ----------
    bounds : int32[M + 1]
        Byte offsets; the units tile the buffer, each with the white space that follows it.
    gaps : uint8[M]
        What lies before each unit, a constant of ``scission.kernels.sentences``.
    kinds : uint8[M]
        What each unit is, likewise.
    document_units : int32[D + 1]
        Unit ``i`` belongs to document ``j`` when ``document_units[j] <= i < document_units[j + 1]``.
    """

    bounds: NDArray[np.int32]
    gaps: NDArray[np.uint8]
    kinds: NDArray[np.uint8]
    document_units: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.bounds) - 1


def window_bounds(units: Units, radius: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and last + 1 unit of the window of ±`radius` around each unit, within its document."""
    counts = np.diff(units.document_units)
    begins = np.repeat(units.document_units[:-1], counts).astype(np.intp)
    ends = np.repeat(units.document_units[1:], counts).astype(np.intp)
    places = np.arange(len(units))
    return np.maximum(begins, places - radius), np.minimum(ends, places + radius + 1)


def find_units(buffer: TextBuffer) -> Units:
    """Find sentences and blocks with the built-in kernel."""
    from .kernels import sentences

    size = len(buffer.data)
    capacity = size // 24 + 64  # English prose has a sentence every 110 bytes, code a line every 30
    document_units = np.empty(len(buffer.documents), np.int32)
    while True:
        bounds = np.empty(capacity + 1, np.int32)
        gaps = np.empty(capacity, np.uint8)
        kinds = np.empty(capacity, np.uint8)
        count = sentences.find_units(
            buffer.data, buffer.documents, *sentence_tables(), bounds, gaps, kinds, document_units
        )
        if count >= 0:
            return Units(bounds[: count + 1], gaps[:count], kinds[:count], document_units)
        capacity = size + 1 if capacity > size // 4 else capacity * 4


def split_by(buffer: TextBuffer, splitter: Splitter) -> Units:
    """Find units with a user's splitter, document by document.

    Raises
    ------
    TextError
        The splitter's sentences do not occur in the text in that order, or its spans overlap or lie
        outside the text.
    """
    from .kernels import sentences, utf8

    bounds: list[NDArray[np.int32]] = []
    counts = [0]
    for j, text in enumerate(buffer.texts):
        starts = _starts(text, splitter(text), j)
        offsets = np.empty(len(starts), np.int32)
        utf8.byte_offsets(
            buffer.data, np.int64(buffer.documents[j]), np.asarray(starts, np.int32), offsets
        )
        bounds.append(offsets)
        counts.append(counts[-1] + len(starts))
    document_units = np.asarray(counts, np.int32)
    ends = np.asarray([len(buffer.data)], np.int32)
    every = np.concatenate([*bounds, ends])
    gaps = np.full(len(every) - 1, sentences.SENTENCE, np.uint8)
    begins = document_units[:-1][np.diff(document_units) > 0]
    gaps[begins] = sentences.DOCUMENT
    return Units(every, gaps, np.zeros(len(gaps), np.uint8), document_units)


def from_sentences(strings: Sequence[str]) -> tuple[TextBuffer, Units]:
    """Take ready-made sentences as the units of one document."""
    from .kernels import sentences

    parts = TextBuffer.from_texts(strings)
    joined = TextBuffer(
        parts.data, np.asarray([0, len(parts.data)], np.int32), ("".join(parts.texts),)
    )
    gaps = np.full(len(strings), sentences.SENTENCE, np.uint8)
    gaps[:1] = sentences.DOCUMENT
    document_units = np.asarray([0, len(strings)], np.int32)
    return joined, Units(parts.documents, gaps, np.zeros(len(gaps), np.uint8), document_units)


def whole_documents(buffer: TextBuffer) -> Units:
    """Take every document, an empty one too, as a single unit."""
    from .kernels import sentences

    count = len(buffer)
    return Units(
        bounds=buffer.documents,
        gaps=np.full(count, sentences.DOCUMENT, np.uint8),
        kinds=np.zeros(count, np.uint8),
        document_units=np.arange(count + 1, dtype=np.int32),
    )


def split_sentences(text: Text) -> list[tuple[int, int]]:
    """Split a text into sentences and blocks.

    Parameters
    ----------
    text : str or bytes
        The document.

    Returns
    -------
    list of (int, int)
        Spans in code points, without the white space around them; in order, never overlapping. A
        Markdown heading, fence or table is one span.
    """
    from .kernels import utf8

    buffer = TextBuffer.from_texts([text])
    units = find_units(buffer)
    offsets = np.empty(len(units) + 1, np.int32)
    utf8.code_point_offsets(buffer.data, np.int64(0), units.bounds, offsets)
    bounds = offsets.tolist()
    whole = buffer.texts[0]
    spans = []
    for start, end in zip(bounds, bounds[1:], strict=False):
        piece = whole[start:end]
        bare = piece.strip()
        if bare:
            begin = start + len(piece) - len(piece.lstrip())
            spans.append((begin, begin + len(bare)))
    return spans


def _starts(
    text: str, found: Sequence[str] | Sequence[tuple[int, int]], document: int
) -> list[int]:
    """Return where the units start, in code points: at 0, and at every sentence but the first."""
    if not text:
        return []
    starts: list[int] = []
    position = 0
    items = cast("Sequence[str | tuple[int, int]]", found)
    for number, item in enumerate(items):
        if isinstance(item, str):
            start = text.find(item, position)
            if start < 0:
                raise TextError(
                    f"document {document}: the splitter's sentence {number} must occur verbatim after "
                    f"offset {position}, got {item[:60]!r}: return spans, or sentences unchanged"
                )
            end = start + len(item)
        else:
            start, end = item
            if not position <= start <= end <= len(text):
                raise TextError(
                    f"document {document}: the splitter's span {number} must lie in "
                    f"[{position}, {len(text)}] after the one before it, got ({start}, {end})"
                )
        if end > start:
            starts.append(start)
        position = end
    return [0, *starts[1:]]


def check_splitter(splitter: object) -> Splitter | None:
    """Accept None or a callable."""
    if splitter is None or callable(splitter):
        return cast("Splitter | None", splitter)
    raise OptionError(
        "splitter must be a callable from a text to its sentences or spans, "
        f"got {type(splitter).__name__}"
    )
