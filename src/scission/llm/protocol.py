"""What the strategies ask of a chat model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ..remote.prices import Price, PriceTable

#: ``{"role": "system" | "user" | "assistant", "content": text}``.
Message: TypeAlias = dict[str, str]


@dataclass(frozen=True)
class Completion:
    """An answer.

    Attributes
    ----------
    text : str
        What the model said.
    input_tokens, output_tokens : int or None
        What the service counted, where it said so.
    """

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class ChatModel(Protocol):
    """A chat model as the strategies see it."""

    @property
    def name(self) -> str:
        """What messages call the model."""
        ...

    @property
    def identity(self) -> list[Any] | None:
        """What tells its answers from other models', for the cache; None when nothing does."""
        ...

    @property
    def max_output_tokens(self) -> int:
        """Tokens that an answer has at most."""
        ...

    def price(self, prices: PriceTable | None) -> Price | None:
        """Return its price, None when nobody knows it."""
        ...

    def complete(self, messages: list[Message], schema: dict[str, Any]) -> Completion:
        """Answer, with JSON of the given schema as far as the model can be held to it."""
        ...
