"""Which sentences a static model is fitted to: a broad, repeatable sample of a folder of texts."""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError, TextError
from ..text import TextBuffer
from ..tokens import tokenize
from ..units import find_units, from_sentences
from .vocabulary import Vocabulary

#: Divides documents within one file.
DOCUMENT_BREAK = "\f"

#: Shorter units are titles and interjections, longer ones tables and lists.
_TOKENS = (5, 120)
_MIN_BYTES = 20
_GROUP_BYTES = 1 << 24


@dataclass(frozen=True)
class SourceFile:
    """One file of training text, and how much of it was used."""

    name: str
    sha256: str
    sentences: int
    taken: int


@dataclass(frozen=True, eq=False)
class Sentences:
    """Token ids of many sentences, without special tokens.

    Attributes
    ----------
    tokens, offsets : int32[T], int32[n + 1]
        Ids of sentence ``i`` are ``tokens[offsets[i]:offsets[i + 1]]``.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int32]

    @classmethod
    def from_strings(cls, strings: Sequence[str], vocabulary: Vocabulary) -> Sentences:
        """Tokenise each string on its own."""
        buffer, units = from_sentences(strings)
        tokens = tokenize(buffer, units, vocabulary)
        return cls(tokens.ids, tokens.unit_tokens)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: slice) -> Sentences:
        first, last, _ = rows.indices(len(self))
        offsets = self.offsets[first : last + 1]
        return Sentences(self.tokens[offsets[0] : offsets[-1]], offsets - offsets[0])


@dataclass(frozen=True, eq=False)
class TrainingText:
    """What `sample` takes from a folder of texts, in an order that only texts and seed decide.

    Attributes
    ----------
    sentences : Sentences
        Different sentences, to be shown to the teacher.
    pairs : tuple of Sentences
        Sentences, and the sentence that follows each in its document.
    files : tuple of SourceFile
        Where they come from.
    """

    sentences: Sentences
    pairs: tuple[Sentences, Sentences]
    files: tuple[SourceFile, ...]


def training_files(paths: str | Path | Iterable[str | Path]) -> list[Path]:
    """Find the ``*.txt`` files of a folder, or take the files given, sorted by name.

    Raises
    ------
    OptionError
        There is none.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    files: list[Path] = []
    for path in map(Path, given):
        files += path.rglob("*.txt") if path.is_dir() else [path]
    if not files:
        raise OptionError(
            f"training text must be *.txt files or a folder of them, found none in {paths}"
        )
    return sorted(files, key=lambda path: (path.name, path.as_posix()))


def sample(
    files: Sequence[Path], vocabulary: Vocabulary, *, sentences: int, pairs: int, seed: int = 0
) -> TrainingText:
    """Take different sentences, and pairs of neighbours.

    Sentences and pairs are ordered by a keyed hash and the smallest are taken, so that a larger sample
    begins with the smaller one. Pairs come from each file in proportion to the square root of what it
    has: neighbours in running text say what a topic is, and the dictionaries have few of them.

    Parameters
    ----------
    files : sequence of Path
        UTF-8; documents are divided by form feeds.
    vocabulary : Vocabulary
        Of the teacher.
    sentences, pairs : int
        How many; fewer where the text has no more.
    seed : int
        Another seed takes other sentences.

    Raises
    ------
    TextError
        A file is not UTF-8, or there are no usable sentences.
    """
    seen: set[bytes] = set()
    found = [_read(path, vocabulary, seed, seen) for path in files]
    chosen = sorted(x for read in found for x in read.single)[:sentences]
    if not chosen:
        raise TextError(
            f"training text must hold sentences of {_TOKENS[0]} to {_TOKENS[1]} tokens; "
            f"found none in {len(files)} files"
        )
    quotas = root_quotas([len(read.paired) for read in found], pairs)
    couples = sorted(x for read, n in zip(found, quotas, strict=True) for x in read.paired[:n])
    return TrainingText(
        Sentences.from_strings([sentence for _, sentence in chosen], vocabulary),
        (
            Sentences.from_strings([first for _, first, _ in couples], vocabulary),
            Sentences.from_strings([second for _, _, second in couples], vocabulary),
        ),
        tuple(
            SourceFile(path.name, _sha256(path), len(read.single), _up_to(read.single, chosen[-1]))
            for path, read in zip(files, found, strict=True)
        ),
    )


def root_quotas(available: Sequence[int], count: int) -> list[int]:
    """Share `count` in proportion to the square roots of `available`, none above what it has."""
    have = np.asarray(available, np.int64)
    roots = np.sqrt(have)
    full = np.zeros(len(have), bool)
    while True:
        left = count - int(have[full].sum())
        total = roots[~full].sum()
        share = np.where(full, have, np.floor(left * roots / max(total, 1e-9))).astype(np.int64)
        over = ~full & (share > have)
        if not over.any():
            return [int(n) for n in np.minimum(share, have)]
        full |= over


def read_documents(path: Path) -> list[str]:
    """Read the documents of one file, divided by form feeds.

    Raises
    ------
    TextError
        The file is not UTF-8.
    """
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise TextError(f"{path} must be UTF-8: {error}") from None
    return [document for document in text.split(DOCUMENT_BREAK) if document.strip()]


class _Read(NamedTuple):
    """Usable sentences of one file, by ascending hash: alone, and with the one that follows."""

    single: list[tuple[bytes, str]]
    paired: list[tuple[bytes, str, str]]


def _read(path: Path, vocabulary: Vocabulary, seed: int, seen: set[bytes]) -> _Read:
    """Read one file, leaving out the sentences of `seen` and adding its own to it."""
    found = _Read([], [])
    for buffer in _groups(read_documents(path)):
        last, last_key = -2, b""
        for i, sentence in _usable(buffer, vocabulary):
            key = _hash(sentence, seed)
            if key in seen:
                continue
            seen.add(key)
            found.single.append((key, sentence))
            if i == last + 1:
                found.paired.append((last_key, found.single[-2][1], sentence))
            last, last_key = i, key
    found.single.sort()
    found.paired.sort()
    return found


def _usable(buffer: TextBuffer, vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    """Numbers and texts of sentences that a teacher has something to say about.

    The number skips one where a document begins, so that no pair lies across.
    """
    units = find_units(buffer)
    lengths = tokenize(buffer, units, vocabulary).counts
    documents = np.repeat(np.arange(len(buffer)), np.diff(units.document_units))
    raw = buffer.data.tobytes()
    for i in np.flatnonzero((lengths >= _TOKENS[0]) & (lengths <= _TOKENS[1])).tolist():
        sentence = raw[units.bounds[i] : units.bounds[i + 1]].strip()
        if len(sentence) >= _MIN_BYTES:
            yield i + int(documents[i]), sentence.decode("utf-8")


def _up_to(ordered: list[tuple[bytes, str]], last: tuple[bytes, str]) -> int:
    return bisect.bisect_right(ordered, last)


def _hash(sentence: str, seed: int) -> bytes:
    salt = seed.to_bytes(8, "little")
    return hashlib.blake2b(sentence.encode(), digest_size=12, salt=salt).digest()


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _groups(documents: list[str]) -> Iterator[TextBuffer]:
    group: list[str] = []
    held = 0
    for document in documents:
        group.append(document)
        held += len(document)
        if held > _GROUP_BYTES:
            yield TextBuffer.from_texts(group)
            group, held = [], 0
    if group:
        yield TextBuffer.from_texts(group)
