"""What kind of document a text is: by its MIME type, the ending of its name, or its look."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from ..structure.code_languages import guess_language, language_of_mime

KINDS = ("markdown", "html", "code", "text")

_ENDINGS = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"), "markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".txt", ".text", ".log", ".rst", ".adoc", ".csv", ".tsv"), "text"),
}
_MIMES = {
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "text",
}

#: How much of a text is looked at.
_LOOK = 20_000
_HTML = re.compile(
    r"\ufeff?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEADING = re.compile(r"(?:\A|\n[ \t]*\n)#{1,6} \S[^\n]*\n[ \t]*(?:\n|\Z)")
_FENCE = re.compile(r"^```[\w+-]*[ \t]*$.*?^```[ \t]*$", re.M | re.S)
_TABLE = re.compile(r"^\|.*\|[ \t]*\n\|?(?:[ \t]*:?-+:?[ \t]*\|)+", re.M)


def ending_of(metadata: Mapping[str, Any]) -> str:
    """Return the ending of a document's ``source``, with its dot, in lower case."""
    source = metadata.get("source")
    if not isinstance(source, str | os.PathLike):
        return ""
    return os.path.splitext(os.fspath(source))[1].lower()


def mime_of(metadata: Mapping[str, Any]) -> str:
    """Return a document's ``mime_type`` without its parameters, in lower case."""
    mime = metadata.get("mime_type")
    return mime.split(";")[0].strip().lower() if isinstance(mime, str) else ""


def kind_of(text: str, metadata: Mapping[str, Any]) -> str:
    """Return the kind of a document, one of `KINDS`.

    Its ``mime_type`` decides if it has one that is known, else the ending of its ``source``, else the first 20,000
    characters of the text.
    """
    mime = mime_of(metadata)
    if mime in _MIMES:
        return _MIMES[mime]
    if language_of_mime(mime):
        return "code"
    ending = ending_of(metadata)
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    return "code" if guess_language(text, metadata) else _look(text[:_LOOK])


def _look(text: str) -> str:
    if _HTML.match(text):
        return "html"
    normal = text.replace("\r\n", "\n")
    if _HEADING.search(normal) or _FENCE.search(normal) or _TABLE.search(normal):
        return "markdown"
    return "text"
