"""A hierarchy of separators, in the form the kernel reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..text import TextBuffer

#: What ends a piece: a literal, or a compiled pattern.
Separator: TypeAlias = "str | re.Pattern[str]"

KEEP = ("auto", "start", "end", "none")


class SeparatorTables(NamedTuple):
    """What `kernels.separators.cut_ranges` takes from `levels` to `occurrences`."""

    levels: NDArray[np.int32]
    bounds: NDArray[np.int32]
    patterns: NDArray[np.uint8]
    shifts: NDArray[np.int32]
    listed: NDArray[np.int32]
    occurrences: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Separators, level by level.

    Attributes
    ----------
    levels : tuple of tuple of (str or pattern)
        From the most to the least wanted; those of a level are worth the same.
    keep : {"auto", "start", "end", "none"}
        Where a separator goes, see `RecursiveChunker`.
    """

    levels: tuple[tuple[Separator, ...], ...]
    keep: str = "auto"

    def tables(self, buffer: TextBuffer) -> SeparatorTables:
        """Return the kernel's tables; patterns are searched for in every document."""
        if not self._patterns:
            return self._literal_tables
        found = [
            _occurrences(buffer, separator, self.keep)
            for level in self.levels
            for separator in level
        ]
        counts = [0, *(len(rows) for rows in found)]
        return self._literal_tables._replace(
            listed=np.cumsum(counts).astype(np.int32),
            occurrences=np.concatenate(found),
        )

    @property
    def _patterns(self) -> bool:
        return any(not isinstance(s, str) for level in self.levels for s in level)

    @cached_property
    def _literal_tables(self) -> SeparatorTables:
        separators = [separator for level in self.levels for separator in level]
        encoded = [
            s.encode("utf-8", "surrogatepass") if isinstance(s, str) else b"" for s in separators
        ]
        return SeparatorTables(
            levels=_ends([len(level) for level in self.levels]),
            bounds=_ends([len(literal) for literal in encoded]),
            patterns=np.frombuffer(b"".join(encoded), np.uint8),
            shifts=np.array(
                [
                    len(s[: cut_place(s, self.keep)].encode("utf-8", "surrogatepass"))
                    if isinstance(s, str)
                    else 0
                    for s in separators
                ],
                np.int32,
            ),
            listed=np.zeros(len(separators) + 1, np.int32),
            occurrences=np.zeros((0, 3), np.int32),
        )


def cut_place(separator: str, keep: str) -> int:
    """Return after how many of a separator's characters the cut comes."""
    if keep == "start":
        return 0
    if keep == "auto":
        line_end = re.match(r"\r\n|\n|\r", separator)
        if line_end and separator[line_end.end() :].strip("\r\n"):
            return line_end.end()
    return len(separator)


def read_levels(name: str, value: Any) -> tuple[tuple[Separator, ...], ...]:
    """Check an option that holds separators: each a string, a pattern, or several of the same rank.

    What follows the empty string could never be reached; the empty string itself, a cut anywhere, always comes last.
    """
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise OptionError(
            f"{name} must be a list of strings, patterns, or groups of these, got {value!r}"
        )
    levels: list[tuple[Separator, ...]] = []
    for entry in value:
        if entry == "":
            break
        alone = isinstance(entry, str) or hasattr(entry, "finditer")
        if not alone and (not isinstance(entry, Sequence) or not entry):
            raise OptionError(
                f"{name} must hold strings, patterns, or groups of these, got {entry!r}"
            )
        levels.append(tuple(separator_of(name, one) for one in ((entry,) if alone else entry)))
    return tuple(levels)


def separator_of(name: str, value: Any) -> Separator:
    """Accept one separator: a string that is not empty, or a compiled pattern of strings."""
    if isinstance(value, str) and value:
        return value
    if hasattr(value, "finditer") and isinstance(value.pattern, str):
        compiled: re.Pattern[str] = value
        return compiled
    raise OptionError(
        f"{name} must hold strings that are not empty or compiled patterns, got {value!r}"
    )


def _ends(lengths: list[int]) -> NDArray[np.int32]:
    return np.cumsum([0, *lengths]).astype(np.int32)


def _occurrences(buffer: TextBuffer, separator: Separator, keep: str) -> NDArray[np.int32]:
    """int32[G, 3]: begin, cut and end in bytes of every place where a pattern is found; none of a literal."""
    from ..kernels import utf8

    parts = [np.zeros((0, 3), np.int32)]
    if not isinstance(separator, str):
        for number, text in enumerate(buffer.texts):
            spans = [
                (m.start(), m.start() + cut_place(m[0], keep), m.end())
                for m in separator.finditer(text)
            ]
            points = np.array(spans, np.int32).reshape(-1)
            offsets = np.empty_like(points)
            utf8.byte_offsets(buffer.data, np.int64(buffer.documents[number]), points, offsets)
            parts.append(offsets.reshape(-1, 3))
    return np.concatenate(parts)
