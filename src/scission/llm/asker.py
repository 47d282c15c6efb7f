"""Asking until the answer is usable: from the cache, within a budget, a bounded number of times."""

from __future__ import annotations

import json
from importlib.resources import files
from threading import BoundedSemaphore, Lock
from typing import Any, Protocol, TypeVar

from .. import options
from ..remote.cache import cache_key, open_cache
from ..remote.ledger import Ledger, Usage
from ..remote.prices import PriceTable
from .answers import AnswerError
from .protocol import ChatModel, Message

T = TypeVar("T", covariant=True)

#: What a service adds to each message: roles and separators. OpenAI's takes 3 to 4.
_MESSAGE_TOKENS = 16
#: How much of a bad answer is shown to the model again, in characters.
_SHOWN_AGAIN = 2000


class Reader(Protocol[T]):
    """Reads an answer; `final` when there will be no other: then better half of it than nothing."""

    def __call__(self, text: str, final: bool) -> T:
        """Return what the answer says, or raise `AnswerError`."""
        ...


def prompt(name: str) -> str:
    """Return a prompt of the package."""
    return files(__package__).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


class Asker:
    """A chat model with a cache, an account and patience.

    Parameters
    ----------
    chat : ChatModel
        The model.
    cache : folder or bool or None
        Where answers are kept; nothing is kept for a model that cannot be told from others.
    attempts : int
        Times that a question is asked, at most.
    concurrency : int
        Requests at a time, however many threads ask.
    max_cost : float, optional
        USD that all requests may cost.
    prices : mapping, optional
        Own prices.
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        cache: Any,
        attempts: int,
        concurrency: int,
        max_cost: float | None,
        prices: PriceTable | None,
    ) -> None:
        self._chat = chat
        self._cache = None if chat.identity is None else open_cache(cache)
        self._attempts = options.integer("attempts", attempts, 1)
        limit = None if max_cost is None else options.number("max_cost", max_cost, 0.0)
        self._ledger = Ledger(chat.name, chat.price(prices), limit)
        self._free = BoundedSemaphore(concurrency)
        self._lock = Lock()
        self._under_way: dict[str, Lock] = {}

    @property
    def usage(self) -> Usage:
        """What has been asked and paid for."""
        return self._ledger.usage

    def ask(self, messages: list[Message], schema: dict[str, Any], read: Reader[T]) -> T:
        """Ask, and ask again with what was wrong, until the answer can be read.

        Parameters
        ----------
        messages : list of dict
            The question.
        schema : dict
            The JSON schema of the answer.
        read : callable
            Reads an answer, or raises `AnswerError`.

        Raises
        ------
        AnswerError
            No answer could be read.
        RemoteError, BudgetError
            No answer came.
        """
        for attempt in range(1, self._attempts + 1):
            text = self._complete(messages, schema)
            try:
                return read(text, attempt == self._attempts)
            except AnswerError as error:
                problem = error
            again = prompt("again").replace("{problem}", str(problem))
            messages = [
                *messages,
                {"role": "assistant", "content": text[:_SHOWN_AGAIN] or "(nothing)"},
                {"role": "user", "content": again},
            ]
        raise problem

    def _complete(self, messages: list[Message], schema: dict[str, Any]) -> str:
        if self._cache is None:
            return self._request(messages, schema)
        key = cache_key("chat", self._chat.identity, messages, schema)
        with self._lock:
            turn = self._under_way.setdefault(key, Lock())
        # The same passage twice in a corpus, or two threads with one document: the second waits for the first.
        with turn:
            stored = self._cache.get(key)
            if stored is not None:
                self._ledger.count_cached()
                return stored.decode("utf-8")
            try:
                text = self._request(messages, schema)
                self._cache.put({key: text.encode("utf-8")})
            finally:
                with self._lock:
                    self._under_way.pop(key, None)
        return text

    def _request(self, messages: list[Message], schema: dict[str, Any]) -> str:
        # No token is shorter than a byte; the schema is part of what is sent.
        bound = len(json.dumps(schema)) + sum(
            len(message["content"].encode()) + _MESSAGE_TOKENS for message in messages
        )
        with (
            self._free,
            self._ledger.request(bound, self._chat.max_output_tokens) as receipt,
        ):
            completion = self._chat.complete(messages, schema)
            if completion.input_tokens is not None:
                receipt.input_tokens = completion.input_tokens
            said = len(completion.text.encode("utf-8", "replace"))
            receipt.output_tokens = min(receipt.output_tokens, said)
            if completion.output_tokens is not None:
                receipt.output_tokens = completion.output_tokens
        return completion.text.encode("utf-8", "replace").decode("utf-8")
