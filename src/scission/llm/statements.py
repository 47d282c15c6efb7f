"""Asking a model to rewrite a passage as statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .answers import AnswerError, plain, rows, sentence_id
from .asker import Asker, prompt
from .numbered import numbered

#: Characters of a statement that are read at all; its tokens are counted afterwards.
_LONGEST = 4000

SCHEMA: dict[str, Any] = {
    "title": "propositions",
    "type": "object",
    "properties": {
        "propositions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "sentences": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["text", "sentences"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["propositions"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Statement:
    """A statement that a model drew from a passage.

    Attributes
    ----------
    text : str
        The model's words.
    sentences : tuple of int
        The sentences of the passage that it is drawn from, counted from 0; ascending, at least one.
    """

    text: str
    sentences: tuple[int, ...]


def find_statements(
    asker: Asker, sentences: Sequence[str], count: Callable[[Sequence[str]], list[int]], limit: int
) -> list[Statement]:
    """Ask for the statements of a passage.

    Parameters
    ----------
    asker : Asker
        Whom to ask.
    sentences : sequence of str
        The sentences of the passage.
    count : callable
        Counts the tokens of texts.
    limit : int
        Tokens of a statement, at most.

    Raises
    ------
    AnswerError
        No usable answer came.
    RemoteError, BudgetError
        No answer came at all.
    """
    messages = [
        {"role": "system", "content": prompt("propositions")},
        {"role": "user", "content": numbered(sentences)},
    ]

    def read(text: str, final: bool) -> list[Statement]:
        found = read_statements(text, len(sentences), final)
        sizes = count([statement.text for statement in found])
        short = [s for s, size in zip(found, sizes, strict=True) if size <= limit]
        if not short or (len(short) < len(found) and not final):
            raise AnswerError(f"No statement may have more than about {max(limit // 2, 1)} words.")
        return short

    return asker.ask(messages, SCHEMA, read)


def read_statements(text: str, sentences: int, final: bool) -> list[Statement]:
    """Read an answer: numbers out of range are dropped, the rest sorted, repeated statements taken once.

    Parameters
    ----------
    text : str
        The answer; its numbers count from 1.
    sentences : int
        Sentences of the passage.
    final : bool
        Whether statements that are empty or without a source are passed over instead of asked for again.

    Raises
    ------
    AnswerError
        It cannot be parsed, holds no statement, or one that is empty or names no sentence of the passage.
    """
    found: dict[str, Statement] = {}
    for row in rows(text, "propositions"):
        statement = plain(row.get("text"), _LONGEST)
        sources = row.get("sentences")
        numbers = [sentence_id(value) for value in sources] if isinstance(sources, list) else []
        known = {n - 1 for n in numbers if n is not None and 1 <= n <= sentences}
        if statement and known:
            found.setdefault(statement, Statement(statement, tuple(sorted(known))))
        elif not final:
            raise AnswerError(
                f'Every proposition must have a "text" and "sentences", numbers from 1 to {sentences}.'
            )
    if not found:
        raise AnswerError("There must be at least one proposition.")
    return list(found.values())
