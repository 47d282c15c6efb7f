"""The character and abbreviation tables that the text kernels take as arguments."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_FOLDER = Path(__file__).parent / "data" / "characters"


class CharacterTables(NamedTuple):
    """Unicode properties as a two-stage table.

    The record of code point `c` is ``records[blocks[c >> 6] + (c & 63)]``: the grapheme class in its
    low five bits, the sentence class in the next four (`tools/build_character_tables.py` names them).

    Attributes
    ----------
    blocks : ndarray of uint16
        For each 64 code points, where their records begin.
    records : ndarray of uint16
        The distinct blocks of 64 records, end to end.
    """

    blocks: NDArray[np.uint16]
    records: NDArray[np.uint16]


class SentenceTables(NamedTuple):
    """What `kernels.sentences.find_units` takes after the documents, in its order.

    Attributes
    ----------
    byte_classes : ndarray of uint8, shape (256,)
        What the scanner does at a byte; 0 is "nothing".
    blocks, records : ndarray of uint16
        As in `CharacterTables`.
    word_hashes : ndarray of int64
        Open-addressed hash table of abbreviations and sentence starters; 0 is an empty slot.
    word_flags : ndarray of uint8
        What each of them is.
    """

    byte_classes: NDArray[np.uint8]
    blocks: NDArray[np.uint16]
    records: NDArray[np.uint16]
    word_hashes: NDArray[np.int64]
    word_flags: NDArray[np.uint8]


def _load(name: str) -> NDArray[Any]:
    """Map a table into memory: read-only, and a plain ndarray, which is what numba compiles for."""
    return np.load(_FOLDER / f"{name}.npy", mmap_mode="r").view(np.ndarray)  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def character_tables() -> CharacterTables:
    """Return the Unicode tables, opened once per process."""
    return CharacterTables(*(_load(name) for name in CharacterTables._fields))


@lru_cache(maxsize=1)
def sentence_tables() -> SentenceTables:
    """Return the tables of the sentence kernel, opened once per process."""
    return SentenceTables(
        _load("byte_classes"), *character_tables(), _load("word_hashes"), _load("word_flags")
    )
