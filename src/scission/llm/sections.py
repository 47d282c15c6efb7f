"""Asking a model where sections begin, window by window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import BudgetError, RemoteError
from .answers import LONGEST_SUMMARY, LONGEST_TITLE, AnswerError, plain, rows, sentence_id
from .asker import Asker, prompt
from .numbered import numbered

SCHEMA: dict[str, Any] = {
    "title": "sections",
    "type": "object",
    "properties": {
        "sections": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "start": {"type": "integer"},
                    "title": {"type": "string"},
                    "summary": {"type": "string"},
                },
                "required": ["start", "title", "summary"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sections"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Section:
    """A section that a model found.

    Attributes
    ----------
    start : int
        Its first sentence, counted from 0 in the document.
    title, summary : str
        The model's; "" where it gave none at the last try.
    """

    start: int
    title: str
    summary: str


@dataclass(frozen=True)
class Window:
    """Sentences of a document that one request is about.

    Attributes
    ----------
    document : int
        The document in its group.
    first, last : int
        Boundaries are taken at the sentences ``first <= i < last`` of the document.
    shown_first, shown_last : int
        The sentences that the model sees: these and their context.
    """

    document: int
    first: int
    last: int
    shown_first: int
    shown_last: int


@dataclass(frozen=True)
class Found:
    """What a model said about a window.

    Attributes
    ----------
    sections : list of Section
        Ascending; those that begin in the window.
    failure : str
        Why there are none, when no answer could be used.
    """

    sections: list[Section]
    failure: str = ""


def windows(
    document: int, tokens: Sequence[int], window_tokens: int, context_sentences: int
) -> list[Window]:
    """Divide a document's sentences into windows of about `window_tokens`.

    Every sentence belongs to one window, which alone decides whether a section begins there: it has sentences of
    context on both sides, but for the document's ends, so nothing has to be reconciled.
    """
    bounds, held = [0], 0
    for i, count in enumerate(tokens):
        if held and held + count > window_tokens:
            bounds.append(i)
            held = 0
        held += count
    bounds.append(len(tokens))
    return [
        Window(
            document, a, b, max(0, a - context_sentences), min(len(tokens), b + context_sentences)
        )
        for a, b in zip(bounds, bounds[1:], strict=False)
        if b > a
    ]


def find_sections(
    asker: Asker, window: Window, sentences: Sequence[str], keep_going: bool
) -> Found:
    """Ask where sections begin in a window.

    Parameters
    ----------
    asker : Asker
        Whom to ask.
    window : Window
        The window.
    sentences : sequence of str
        All sentences of its document.
    keep_going : bool
        Whether a service that fails for good counts as a failed window instead of an error. Whether there is
        money left is no such failure.

    Raises
    ------
    RemoteError, BudgetError
        No answer came.
    """
    messages = [
        {"role": "system", "content": prompt("sections")},
        {"role": "user", "content": _question(window, sentences)},
    ]

    def read(text: str, final: bool) -> list[Section]:
        return read_sections(text, window, final)

    try:
        return Found(asker.ask(messages, SCHEMA, read))
    except AnswerError as error:
        return Found([], f"no usable answer: {error}")
    except BudgetError:
        raise
    except RemoteError as error:
        if keep_going:
            return Found([], str(error))
        raise


def read_sections(text: str, window: Window, final: bool) -> list[Section]:
    """Read an answer: ids out of range are dropped, the rest sorted, repeated ones taken once.

    Ids in the answer count from 1 at the first sentence shown.

    Raises
    ------
    AnswerError
        It cannot be parsed, names no sentence of the window, or lacks a title or summary; the last is let
        pass when `final`.
    """
    found: dict[int, Section] = {}
    incomplete = 0
    listed = rows(text, "sections")
    known = 0
    for row in listed:
        number = sentence_id(row.get("start"))
        shown = number is not None and 1 <= number <= window.shown_last - window.shown_first
        if number is None or not shown:
            continue
        known += 1
        start = window.shown_first + number - 1
        if not window.first <= start < window.last or start in found:
            continue
        title, summary = (
            plain(row.get("title"), LONGEST_TITLE),
            plain(row.get("summary"), LONGEST_SUMMARY),
        )
        incomplete += not title or not summary
        found[start] = Section(start, title, summary)
    first, last = _numbers(window)
    if (listed and not known) or (not found and window.first == 0):
        raise AnswerError(f"Every start must be the number of a sentence from {first} to {last}.")
    if incomplete and not final:
        raise AnswerError("Every section must have a start, a title and a summary.")
    return [found[start] for start in sorted(found)]


def _numbers(window: Window) -> tuple[int, int]:
    """Return the first and the last sentence of the window, as the model sees them numbered."""
    return window.first - window.shown_first + 1, window.last - window.shown_first


def _question(window: Window, sentences: Sequence[str]) -> str:
    first, last = _numbers(window)
    shown = numbered(sentences[window.shown_first : window.shown_last])
    begins = (
        f"The first section begins with sentence {first}."
        if window.first == 0
        else f"Sentence {first} may well continue a section that began earlier; then it begins none."
    )
    return (
        f"Sentences {first} to {last} are to be divided; any others are shown for context, and no section may "
        f"begin there. {begins}\n\n{shown}"
    )
