"""An OpenAI-compatible service, and what goes wrong with it."""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import urlsplit

from .. import options
from ..errors import MissingExtra, OptionError, RemoteError

T = TypeVar("T")

_OFFICIAL = "https://api.openai.com/v1"
#: What looks like a key in a service's own words, whoever's it is.
_KEYS = re.compile(r"(?i)\b(?:sk|pk|rk|hf|gsk|xai)[-_][\w*-]{6,}|\bbearer\s+\S+")
_LONGEST_MESSAGE = 300
#: A key of so many letters is struck out inside other words too.
_LETTERS = 8
#: The longest ``Retry-After`` that the client waits for, in seconds.
_LONGEST_WAIT = 120


class Service:
    """Where requests go; the key is read from the environment and kept nowhere else.

    The ``openai`` client repeats requests that were answered 408, 409, 429 or 5xx, timed out or were cut, with
    exponential back-off, and waits as long as ``Retry-After`` says, up to a limit of its own: two minutes (one in
    old versions).

    Parameters
    ----------
    base_url : str, optional
        By default ``OPENAI_BASE_URL``, or else OpenAI's.
    api_key_env : str
        The environment variable with the key. Services elsewhere may need none.
    timeout : float
        Seconds until a try is given up.
    max_retries : int
        Tries after the first.

    Raises
    ------
    OptionError
        An option is out of its range, or the address holds a password.
    """

    def __init__(
        self, base_url: str | None, api_key_env: str, timeout: float, max_retries: int
    ) -> None:
        self.base_url = (base_url or os.environ.get("OPENAI_BASE_URL") or _OFFICIAL).rstrip("/")
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OptionError("base_url must begin with http:// or https:// and name a host")
        if parts.username or parts.password or parts.query:
            raise OptionError(
                "base_url must hold no user, password or query: keys come from the environment alone"
            )
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", str(api_key_env)) is None:
            # Not echoed: it is probably the key itself.
            raise OptionError("api_key_env must be the name of an environment variable, not a key")
        self._variable = api_key_env
        self.timeout = options.number("timeout", timeout, 0.001)
        self._retries = options.integer("max_retries", max_retries, 0)

    def __repr__(self) -> str:
        return f"Service({self.base_url!r})"

    def call(self, request: Callable[[Any], T]) -> T:
        """Send a request with the client, and turn what goes wrong into an error that says what to do.

        Raises
        ------
        MissingExtra
            The ``openai`` client is not installed.
        RemoteError
            No usable answer came, whatever was tried.
        """
        client = self._client
        try:
            return request(client)
        except _openai().OpenAIError as error:
            failure = self._failure(error)
        except ValueError as error:  # a body that is no JSON
            failure = RemoteError(
                f"{self.base_url} answered with something else than JSON ({error})"
            )
        # Outside the handler: the client's exception holds the request, and with it the key.
        raise failure

    def scrubbed(self, text: str) -> str:
        """Return text without the key, or anything that looks like one, in one line of bounded length."""
        key = os.environ.get(self._variable)
        if key and len(key) >= _LETTERS:
            text = text.replace(key, "[key]")
        elif key:  # a stand-in such as "x", for a service that wants any: not every x is it
            text = re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", "[key]", text)
        return " ".join(_KEYS.sub("[key]", text).split())[:_LONGEST_MESSAGE]

    @cached_property
    def _client(self) -> Any:
        key = os.environ.get(self._variable)
        if not key and urlsplit(self.base_url).hostname == urlsplit(_OFFICIAL).hostname:
            raise OptionError(
                f"{self._variable} must hold the key for {self.base_url}, and is not set: export it, or give "
                "base_url for a service of your own"
            )
        client = _openai().OpenAI(
            api_key=key or "none",
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=self._retries,
        )
        weakref.finalize(self, client.close)
        return client

    def _failure(self, error: Any) -> RemoteError:
        openai = _openai()
        tries = f"after {self._retries + 1} tries" if self._retries else "at the only try"
        if isinstance(error, openai.APITimeoutError):
            return RemoteError(
                f"{self.base_url} did not answer within {self.timeout:g} s, {tries}: raise timeout or "
                "max_retries, or send less at a time"
            )
        if isinstance(error, openai.APIConnectionError):
            return RemoteError(
                f"{self.base_url} could not be reached, or cut the connection, {tries}: check base_url and "
                "whether the service is up"
            )
        status = getattr(error, "status_code", None)
        said = self.scrubbed(str(error))
        if status in (401, 403):
            advice = f"check the key in {self._variable}"
        elif _wait(error) > _LONGEST_WAIT:
            advice = f"it asks for a wait of {_wait(error):g} s: run again after that"
        elif status == 429:
            advice = f"that is {tries}; lower concurrency, raise max_retries, or wait"
        elif status is not None and status >= 500:
            advice = f"that is {tries}; try again later"
        else:
            advice = "check model and options"
        return RemoteError(
            f"{self.base_url} answered {said}: {advice}", status, getattr(error, "param", None)
        )


def _wait(error: Any) -> float:
    """Return the seconds that a service asks to be left alone for; 0 when it does not say."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    try:
        return float(headers.get("retry-after", 0))
    except ValueError:  # a date
        return 0.0


def _openai() -> Any:
    try:
        import openai
    except ImportError:
        raise MissingExtra(
            "models behind a network need the openai client, which is not installed: "
            "pip install 'scission[llm]'"
        ) from None
    return openai
