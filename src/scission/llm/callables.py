"""Chat models that are plain functions, and finding the model that a user names."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import OptionError, RemoteError
from ..remote.prices import Price, PriceTable, price_of
from .openai import OpenAIChat
from .protocol import ChatModel, Completion, Message

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

#: A user's own model: from messages to the answer, at once or awaited.
ChatFunction: TypeAlias = Callable[[list[Message]], str | Awaitable[str]]


#: `functools.cache` lets two threads through at first, and a client's connections belong to one loop.
_starting = threading.Lock()


class CallableChat:
    """A function from messages to an answer, or to an awaitable of one.

    Parameters
    ----------
    function : callable
        ``list[message] -> str``, sync or async. Coroutines run in one event loop of their own, in a thread, so that
        a client with connections can be shared and a caller's own loop is left alone.
    name : str, optional
        What tells its answers from other models'; without it they are not cached.
    """

    #: Nothing holds a function to a length; the bound that ``max_cost`` reckons with.
    max_output_tokens = 4096

    def __init__(self, function: ChatFunction, name: str | None) -> None:
        self._function, self._name = function, name

    @property
    def name(self) -> str:
        """What messages call the model."""
        return self._name or str(getattr(self._function, "__name__", type(self._function).__name__))

    @property
    def identity(self) -> list[Any] | None:
        """What tells its answers from other models'."""
        return None if self._name is None else ["callable", self._name]

    def price(self, prices: PriceTable | None) -> Price | None:
        """Return its price, by its name."""
        return price_of(self.name, prices)

    def complete(self, messages: list[Message], schema: dict[str, Any]) -> Completion:
        """Answer; the schema stands in the prompt."""
        del schema
        answer: Any = self._function([dict(message) for message in messages])
        if inspect.isawaitable(answer):
            import asyncio

            answer = asyncio.run_coroutine_threadsafe(_awaited(answer), _loop()).result()
        if not isinstance(answer, str):
            raise RemoteError(
                f"model {self.name} must return a string, got {type(answer).__name__}: return the text of "
                "the answer, not the response"
            )
        return Completion(answer)


def resolve_chat(model: Any, name: str | None = None) -> ChatModel:
    """Find or wrap a chat model.

    Parameters
    ----------
    model : str, OpenAIChat or callable
        A model's name at OpenAI, or at ``OPENAI_BASE_URL``; a model; or a function from messages to the answer.
    name : str, optional
        What a function is called in the cache.

    Raises
    ------
    OptionError
        It is none of these.
    """
    if isinstance(model, str):
        return OpenAIChat(model)
    if isinstance(model, OpenAIChat):
        return model
    if callable(model):
        return CallableChat(model, name)
    raise OptionError(
        "model must be a name, an OpenAIChat, or a callable from a list of messages to the answer, "
        f"got {type(model).__name__}"
    )


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer


def _loop() -> AbstractEventLoop:
    """Return the event loop that all coroutines of a process share, started at the first call."""
    with _starting:
        return _started_loop()


@cache
def _started_loop() -> AbstractEventLoop:
    import asyncio

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="scission-chat", daemon=True).start()
    return loop
