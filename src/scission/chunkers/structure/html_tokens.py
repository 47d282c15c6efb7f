"""HTML to tags and text with their exact places, in linear time whatever is broken.

Parsers that repair a tree (libxml2, lexbor, gumbo) do not say where in the source a character was. Python's own
`html.parser` and tree-sitter's grammar do, but take quadratic time on broken input: 20 and 11 seconds of CPU for
60 kB of ``<a `` and 80 kB of ``<!--``. So the tokeniser is here: the states of
https://html.spec.whatwg.org/multipage/parsing.html#tokenization that matter to text. It differs where a browser would
drop the rest of a document: a tag, comment or quote without an end is read as ending at the next ``>``, or as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: Elements whose content is no markup.
_RAW = ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")

#: Of these, what no reader wants to see, even where the end tag is missing.
_CODE = ("script", "style")

_MARKUP = re.compile(r"<(?:(/?)([a-zA-Z][^\s/>]*)|(!--)|[!?/])")
_VALUE = re.compile(r"=[\s]*([\"'])|>")
_COMMENT_END = re.compile(r"--!?>")
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW}
_ATTRIBUTE = re.compile(r"""([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?""")


@dataclass(frozen=True, slots=True)
class Token:
    """A tag, or a stretch of text.

    Attributes
    ----------
    start, end : int
        Its span in the source, in code points.
    tag : str
        The name, in lower case; empty for text.
    closing : bool
        Whether it is an end tag.
    """

    start: int
    end: int
    tag: str = ""
    closing: bool = False


def attributes(tag: str) -> dict[str, str]:
    """Return the attributes of a start tag's source, names in lower case."""
    inside = tag.strip("</>")
    found = _ATTRIBUTE.findall(inside[re.match(r"[^\s/]*", inside).end() :])  # type: ignore[union-attr]
    return {name.lower(): a or b or c for name, a, b, c in reversed(found)}


class Tokenizer:
    """Yields the tags and texts of a source, in order; comments and declarations are left out."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._last_end = source.rfind(">")  # what begins after it is text
        self._comments_end = (
            True  # whether an end may still be found; each search fails once at most
        )
        self._quotes_end = True
        self._unended: set[str] = set()

    def __iter__(self) -> Iterator[Token]:
        source = self._source
        text = position = 0
        while True:
            match = _MARKUP.search(source, position)
            if match is None or match.start() > self._last_end:
                break
            start = match.start()
            end = self._comment_end(start) if match.group(3) else self._tag_end(match)
            if text < start:
                yield Token(text, start)
            text = position = end
            name = (match.group(2) or "").lower()
            if not name:
                continue
            closing = match.group(1) == "/"
            if closing or name not in _RAW_END:
                yield Token(start, end, name, closing)
                continue
            close = self._raw_end(name, end)
            if close >= 0:
                yield Token(start, end, name)
                if end < close:
                    yield Token(end, close)
                text = position = close
        if text < len(source):
            yield Token(text, len(source))

    def _raw_end(self, name: str, start: int) -> int:
        """Return where the content of a raw element ends; -1 if the tag is to be passed over."""
        if name in self._unended:
            return -1
        match = _RAW_END[name].search(self._source, start)
        if match is not None:
            return match.start()
        if name in _CODE:
            return len(self._source)
        self._unended.add(name)
        return -1

    def _comment_end(self, start: int) -> int:
        if self._comments_end:
            match = _COMMENT_END.search(self._source, start + 2)
            if match is not None:
                return match.end()
            self._comments_end = False
        return self._source.index(">", start) + 1

    def _tag_end(self, match: re.Match[str]) -> int:
        """Return the end of a tag: a ``>`` in a quoted value is none."""
        position = match.end()
        while self._quotes_end and match.group(2):
            found = _VALUE.search(self._source, position)
            if found is not None and found.group(1) is None:
                return found.end()
            position = 0 if found is None else self._source.find(found.group(1), found.end()) + 1
            self._quotes_end = position > 0
        return self._source.index(">", match.start()) + 1
