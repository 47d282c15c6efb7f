"""Chat models behind an OpenAI-compatible ``/chat/completions``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .. import options
from ..errors import RemoteError
from ..remote.prices import Price, PriceTable, price_of
from ..remote.service import Service
from .protocol import Completion, Message

#: How a service is held to JSON, from strict to not at all; the prompt asks for it in any case.
_STRUCTURED = ("schema", "object", "none")


@dataclass(frozen=True)
class _Dialect:
    """What a service understands; found out when it refuses more."""

    structured: str
    limit_name: str = "max_tokens"
    temperature: bool = True

    def without(self, error: RemoteError) -> _Dialect | None:
        """Return the dialect that leaves out what was refused, None when it cannot."""
        if error.status not in (400, 422):
            return None
        said = f"{error.parameter or ''} {error}"
        if "max_completion_tokens" in said and self.limit_name == "max_tokens":
            return replace(self, limit_name="max_completion_tokens")
        if "temperature" in said and self.temperature:
            return replace(self, temperature=False)
        refused = any(word in said for word in ("response_format", "json_schema", "json_object"))
        if refused and self.structured != "none":
            return replace(self, structured=_STRUCTURED[_STRUCTURED.index(self.structured) + 1])
        return None


class OpenAIChat:
    """A chat model at OpenAI, vLLM, Ollama, llama.cpp or anything else that speaks their protocol.

    Needs the ``openai`` client (``pip install 'scission[llm]'``). The key is read from the environment. Answers are
    asked for as JSON of a schema; a service that refuses that, a temperature or ``max_tokens`` is asked without.

    Parameters
    ----------
    model : str, default "gpt-4o-mini"
        The model's name at the service.
    base_url : str, optional
        The service, such as ``http://localhost:11434/v1``; by default ``OPENAI_BASE_URL``, or else OpenAI's.
    temperature : float or None, default 0
        0 for the answers that vary least; None leaves it to the service.
    max_output_tokens : int, default 4096
        Tokens of an answer, at most; with the price, what ``max_cost`` reckons with.
    structured : {"schema", "object", "none"}, default "schema"
        How the service is held to JSON.
    extra : mapping, optional
        More fields for the body of every request, such as ``{"seed": 1}``.
    timeout : float, default 120
        Seconds until a try is given up.
    max_retries : int, default 5
        Tries after the first.
    api_key_env : str, default "OPENAI_API_KEY"
        The environment variable with the key.

    Raises
    ------
    OptionError
        An option is out of its range.
    """

    def __init__(
        self,
        model: str = "gpt-4o-mini",
        *,
        base_url: str | None = None,
        temperature: float | None = 0.0,
        max_output_tokens: int = 4096,
        structured: str = "schema",
        extra: Mapping[str, Any] | None = None,
        timeout: float = 120.0,
        max_retries: int = 5,
        api_key_env: str = "OPENAI_API_KEY",
    ) -> None:
        self.name = options.text("model", model)
        self.max_output_tokens = options.integer("max_output_tokens", max_output_tokens, 1)
        self._temperature = (
            None if temperature is None else options.number("temperature", temperature, 0.0)
        )
        self._extra = dict(extra or {})
        self._service = Service(base_url, api_key_env, timeout, max_retries)
        self._dialect = _Dialect(options.choice("structured", structured, _STRUCTURED))

    def __repr__(self) -> str:
        return f"OpenAIChat({self.name!r}, base_url={self._service.base_url!r})"

    @property
    def identity(self) -> list[Any]:
        """What tells its answers from other models'."""
        return [
            "openai", self._service.base_url, self.name, self._temperature, self.max_output_tokens, self._extra,
        ]  # fmt: skip

    def price(self, prices: PriceTable | None) -> Price | None:
        """Return its price, None when nobody knows it."""
        return price_of(self.name, prices)

    def complete(self, messages: list[Message], schema: dict[str, Any]) -> Completion:
        """Send one request.

        Parameters
        ----------
        messages : list of dict
            The conversation so far.
        schema : dict
            A JSON schema with a ``title``.

        Raises
        ------
        RemoteError
            No usable answer came, whatever was tried.
        """
        while True:
            dialect = self._dialect
            body = self._body(dialect, messages, schema)
            try:
                response = self._service.call(lambda client: client.chat.completions.create(**body))  # noqa: B023
            except RemoteError as error:
                narrower = dialect.without(error)
                if narrower is None:
                    raise
                self._dialect = narrower
                continue
            return self._completion(response)

    def _body(
        self, dialect: _Dialect, messages: list[Message], schema: dict[str, Any]
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.name,
            "messages": messages,
            dialect.limit_name: self.max_output_tokens,
        }
        if dialect.temperature and self._temperature is not None:
            body["temperature"] = self._temperature
        if dialect.structured == "schema":
            form = {"name": schema["title"], "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif dialect.structured == "object":
            body["response_format"] = {"type": "json_object"}
        if self._extra:
            body["extra_body"] = self._extra
        return body

    def _completion(self, response: Any) -> Completion:
        choices = getattr(response, "choices", None)
        if not choices:
            raise RemoteError(
                f"{self._service.base_url} answered without a choice: is it a chat service?"
            )
        text = getattr(getattr(choices[0], "message", None), "content", None)
        usage = getattr(response, "usage", None)
        return Completion(
            text if isinstance(text, str) else "",
            _count(getattr(usage, "prompt_tokens", None)),
            _count(getattr(usage, "completion_tokens", None)),
        )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
