"""Reading what a model answers: repaired where the meaning is plain, refused where it is not.

Nothing that is read here is trusted: ids are checked against those that were shown, texts are bounded and
stripped of control characters, and nothing is executed.
"""

from __future__ import annotations

import json
import re
import unicodedata
from itertools import islice
from typing import Any

#: Characters of a title, a summary or a statement; what is longer is cut.
LONGEST_TITLE, LONGEST_SUMMARY = 200, 1000
#: Opening braces at which an object is looked for.
_OPENINGS = 20


class AnswerError(Exception):
    """An answer that cannot be read; the message tells the model what to do."""


def rows(text: str, name: str) -> list[dict[str, Any]]:
    """Find the list of objects that an answer was asked for; what stands around it is passed over.

    Parameters
    ----------
    text : str
        The answer: a JSON object, perhaps with a fence, thoughts or pleasantries around it.
    name : str
        The name of the list in the object.

    Raises
    ------
    AnswerError
        There is no such object, or what it has under the name is no list of objects.
    """
    bare = text.rpartition("</think>")[2]
    decoder = json.JSONDecoder()
    found: Any = None
    for match in islice(re.finditer(r"\{", bare), _OPENINGS):
        try:
            found, _ = decoder.raw_decode(bare, match.start())
        except (ValueError, RecursionError):
            continue
        if name in found:
            break
    else:
        problem = (
            "one JSON object and nothing else" if found is None else f'an object with "{name}"'
        )
        raise AnswerError(f"The answer must be {problem}.")
    listed = found[name]
    if not isinstance(listed, list) or not all(isinstance(row, dict) for row in listed):
        raise AnswerError(f'"{name}" must be a list of objects.')
    return listed


def sentence_id(value: Any) -> int | None:
    """Read a sentence id: a number, or a string such as "12" or "[12]"; None when it is neither."""
    if isinstance(value, str):
        match = re.fullmatch(r"[\[(#sS\s]*([0-9]{1,9})[\])\s]*", value)
        return int(match[1]) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if abs(value) < 1e9 and value == int(value) else None


def plain(value: Any, most: int) -> str:
    """Return a model's text in one line of bounded length, without control characters; "" for anything else."""
    if not isinstance(value, str):
        return ""
    kept = (
        " " if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") else character
        for character in value[: 4 * most]
    )
    line = " ".join("".join(kept).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
