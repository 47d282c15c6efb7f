"""From places in an extracted text back to the source."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

import numpy as np

from ...text import TextBuffer

#: Places are found by walking from the start of a run; no walk is longer than this.
_MAX_RUN = 1024


class Runs:
    """Stretches of a text that stand in its source, character for character or as an entity.

    What lies between runs (a space for many, line breaks between blocks) stands nowhere in the source.

    Parameters
    ----------
    source : str
        The source.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._text: list[int] = []  # where each run begins in the text
        self._length: list[int] = []  # its code points in the text
        self._start: list[int] = []  # its span in the source
        self._end: list[int] = []

    def verbatim(self, position: int, start: int, length: int) -> None:
        """Note that the text at `position` is the source at `start`."""
        for done in range(0, length, _MAX_RUN):
            part = min(_MAX_RUN, length - done)
            self.replaced(position + done, part, start + done, start + done + part)

    def replaced(self, position: int, length: int, start: int, end: int) -> None:
        """Note that so many characters at `position` stand for a span of the source."""
        self._text.append(position)
        self._length.append(length)
        self._start.append(start)
        self._end.append(end)

    def source_bytes(self, start: int, end: int) -> tuple[int, int]:
        """Return the span, in bytes of UTF-8, of what the text from `start` to `end` stands for.

        Separators at its ends are passed over.
        """
        return self._first(start), self._last(end - 1)

    def _first(self, position: int) -> int:
        i = bisect_right(self._text, position) - 1
        within = position - self._text[i]
        if within < self._length[i]:
            return self._byte(i, within if self._is_verbatim(i) else 0)
        return int(self._bytes[i + 1]) if i + 1 < len(self._text) else self._byte_end(i)

    def _last(self, position: int) -> int:
        i = bisect_right(self._text, position) - 1
        within = position - self._text[i] + 1
        is_inside = within <= self._length[i] and self._is_verbatim(i)
        return self._byte(i, within) if is_inside else self._byte_end(i)

    def _is_verbatim(self, i: int) -> bool:
        return self._end[i] - self._start[i] == self._length[i]

    def _byte_end(self, i: int) -> int:
        return self._byte(i, self._end[i] - self._start[i])

    def _byte(self, i: int, within: int) -> int:
        start = self._start[i]
        part = self._source[start : start + within]
        return int(self._bytes[i]) + len(part.encode("utf-8", "surrogatepass"))

    @cached_property
    def _bytes(self) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        """int32[R]: where the runs begin in the source's UTF-8."""
        from ...kernels import utf8

        starts = np.asarray(self._start, np.int32)
        out = np.empty_like(starts)
        utf8.byte_offsets(TextBuffer.from_texts([self._source]).data, np.int64(0), starts, out)
        return out
