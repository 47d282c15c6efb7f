"""Lines of a text, as Markdown counts them."""

from __future__ import annotations

import re

_LINE_END = re.compile(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Return where each line begins, in code points, and at last where the text ends.

    A line ends with CR LF, CR or LF; a text that ends with a line end has an empty last line.
    """
    return [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
