"""Reading ready-made chunks, whoever made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CorpusError
from .corpus import Corpus
from .records import Record, json_lines
from .shape import Spans


@dataclass(frozen=True, eq=False)
class ChunkFile:
    """The chunks of a file.

    Attributes
    ----------
    texts : list of str
        Their texts.
    spans : Spans
        Where they lie in the corpus's documents.
    vectors : float32[N, d] or None
        Their vectors, when every line has one.
    """

    texts: list[str]
    spans: Spans
    vectors: NDArray[np.float32] | None


def read_chunks(path: str | PathLike[str], corpus: Corpus) -> ChunkFile:
    """Read chunks of a corpus from JSON lines, as ``scission chunk -o chunks.jsonl`` writes them.

    Parameters
    ----------
    path : path
        Each line an object with ``text``; the document, as ``document`` (its id) or ``source``, there or in
        ``metadata`` (its id, or a path that ends with it); ``start`` and ``end`` in code points (or, as other
        libraries write it, ``start_index`` and ``end_index``), without which the text is searched for after the
        start of the chunk before it; and optionally ``vector``.
    corpus : Corpus
        The documents.

    Raises
    ------
    CorpusError
        A line is malformed, names no document of the corpus, or its text is not where it says; the message begins
        with file and line.
    """
    file = Path(path)
    names = _Names(corpus)
    texts: list[str] = []
    rows: list[tuple[int, int, int]] = []
    vectors: list[Any] = []
    position: dict[int, int] = {}
    for record in json_lines(file):
        text = record.fields.get("text")
        if not isinstance(text, str):
            raise record.error(f"'text' must be a string, got {text!r:.80}")
        document = names.number(record)
        start, end = _span(record, corpus.texts[document], text, position.get(document, 0))
        position[document] = start
        texts.append(text)
        rows.append((document, start, end))
        vectors.append(record.fields.get("vector"))
    if not rows:
        raise CorpusError(f"{file}: there are no chunks")
    return ChunkFile(texts, Spans.of(*zip(*rows, strict=True)), _vectors(file, vectors))


class _Names:
    """Finds the document that a line names."""

    def __init__(self, corpus: Corpus) -> None:
        self._numbers = {name: number for number, name in enumerate(corpus.ids)}
        self._known: dict[str, int] = {}

    def number(self, record: Record) -> int:
        name = _document_name(record)
        if name not in self._known:
            self._known[name] = self._find(record, name)
        return self._known[name]

    def _find(self, record: Record, name: str) -> int:
        if name in self._numbers:
            return self._numbers[name]
        parts = Path(name).as_posix().split("/")
        tails = ("/".join(parts[i:]) for i in range(1, len(parts)))
        found = next((self._numbers[tail] for tail in tails if tail in self._numbers), None)
        # Chroma's corpora are named by their files, without the ending.
        found = self._numbers.get(Path(name).stem) if found is None else found
        if found is None:
            raise record.error(
                f"there is no document {name!r} among the {len(self._numbers):,} of the corpus"
            )
        return found


def _document_name(record: Record) -> str:
    metadata = record.fields.get("metadata")
    places = (metadata, record.fields) if isinstance(metadata, Mapping) else (record.fields,)
    for place in places:
        for key in ("source", "document"):
            value = place.get(key)
            if isinstance(value, str) and value:
                return value
    raise record.error(
        "a chunk must name its document as 'source' (there or in 'metadata') or 'document'"
    )


def _span(record: Record, whole: str, text: str, after: int) -> tuple[int, int]:
    fields = record.fields
    start, end = (
        fields.get("start", fields.get("start_index")),
        fields.get("end", fields.get("end_index")),
    )
    if start is None and end is None:
        found = whole.find(text, after)
        if found < 0:
            raise record.error(
                f"the text does not occur verbatim after offset {after} of its document: {text!r:.60}"
            )
        return found, found + len(text)
    if not (type(start) is int and type(end) is int and 0 <= start <= end <= len(whole)):
        raise record.error(
            f"a chunk's span must lie in [0, {len(whole)}], got [{start!r}, {end!r}]"
        )
    if whole[start:end] != text:
        raise record.error(
            f"the text must be document[{start}:{end}], which is {whole[start:end]!r:.60}, got {text!r:.60}: "
            "offsets count code points; leave them out to have the text searched for"
        )
    return start, end


def _vectors(file: Path, vectors: list[Any]) -> NDArray[np.float32] | None:
    if any(vector is None for vector in vectors):
        return None
    try:
        rows = np.asarray(vectors, np.float32)
    except (TypeError, ValueError):
        rows = np.zeros(0, np.float32)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise CorpusError(f"{file}: vectors must be lists of as many finite numbers in every line")
    return rows
