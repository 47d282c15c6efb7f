"""Sentences with numbers, as a model is shown them."""

from __future__ import annotations

from collections.abc import Iterable

#: Characters of one sentence (a table, a fence) that are shown at its head and at its end.
_HEAD, _TAIL = 900, 200


def numbered(sentences: Iterable[str], first: int = 1) -> str:
    """Return one line for each sentence, with its number in front.

    A sentence is always one line, so that no text can pass itself off as another sentence; the middle of a very
    long one is left out.
    """
    return "\n".join(f"[{number}] {shown(text)}" for number, text in enumerate(sentences, first))


def shown(text: str) -> str:
    """Return a sentence on one line, without its middle when it is very long."""
    line = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return line if len(line) <= _HEAD + _TAIL else f"{line[:_HEAD]} … {line[-_TAIL:]}"
