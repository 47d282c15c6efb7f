"""The text of an HTML document as it grows: words, what lies between them, and where they come from."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from .html_runs import Runs

_WORDS = re.compile(r"[^ \t\n\r\f]+(?: [^ \t\n\r\f]+)*")
_ENTITY = re.compile(r"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,6};?|[a-zA-Z][a-zA-Z0-9]{1,31};?)")


class TextWriter:
    """Writes stretches of the source as text: entities decoded, white space collapsed.

    Parameters
    ----------
    source : str
        The source.
    begin : callable
        Called before each piece of text, when what separates it from the text before is written.

    Attributes
    ----------
    length : int
        Code points written so far.
    runs : Runs
        Where they stand in the source.
    tabs : int
        Cells of a table since the last text; -1 before the first cell of a row.
    """

    def __init__(self, source: str, begin: Callable[[], None]) -> None:
        self.length = 0
        self.runs = Runs(source)
        self.tabs = 0
        self._source = source
        self._begin = begin
        self._parts: list[str] = []
        self._separator = ""

    @property
    def text(self) -> str:
        """What was written."""
        return "".join(self._parts)

    def separate(self, separator: str) -> None:
        """Ask for a separator before the next word; of several the one with more line ends is written."""
        now = self._separator
        if (separator.count("\n"), len(separator)) > (now.count("\n"), len(now)):
            self._separator = separator

    def write(self, start: int, end: int, verbatim: bool) -> None:
        """Write a stretch of the source without tags; `verbatim` keeps its white space."""
        position = start
        for match in _ENTITY.finditer(self._source, start, end):
            decoded = html.unescape(match.group())
            if decoded != match.group():
                self._plain(position, match.start(), verbatim)
                self._emit(decoded)
                self.runs.replaced(self.length - len(decoded), len(decoded), *match.span())
                position = match.end()
        self._plain(position, end, verbatim)

    def _plain(self, start: int, end: int, verbatim: bool) -> None:
        if verbatim:
            if start < end:
                self._copy(start, end)
            return
        reached = start
        for match in _WORDS.finditer(self._source, start, end):
            if match.start() > reached:
                self.separate(" ")
            self._copy(*match.span())
            reached = match.end()
        if reached < end:
            self.separate(" ")

    def _copy(self, start: int, end: int) -> None:
        self._emit(self._source[start:end])
        self.runs.verbatim(self.length - (end - start), start, end - start)

    def _emit(self, piece: str) -> None:
        is_first = self.length == 0
        if not is_first and not (self.tabs > 0 and self._separator == " "):
            self._append(self._separator)
        self._begin()
        if not is_first:
            self._append("\t" * self.tabs)
        self.tabs = 0
        self._separator = ""
        self._append(piece)

    def _append(self, piece: str) -> None:
        if piece:
            self._parts.append(piece)
            self.length += len(piece)
