"""The strategy inside a strategy."""

from __future__ import annotations

from inspect import signature
from typing import Any

from ...errors import OptionError
from .. import options
from ..base import Chunker

#: The strategy inside another one, unless told otherwise.
DEFAULT_INNER = "recursive"

#: Limit of a chunk where neither the outer nor the inner strategy names one.
DEFAULT_MAX_TOKENS = 512


def as_inner(
    inner: Any, max_tokens: int | None, name: str = "inner", default: int = DEFAULT_MAX_TOKENS
) -> Chunker:
    """Accept a chunker, or the name of a strategy that `max_tokens`, or the `default`, is then given to.

    Raises
    ------
    OptionError
        `inner` is neither, or both a chunker and a limit are given.
    """
    if isinstance(inner, Chunker):
        if max_tokens is not None:
            limit = "max_tokens" if name == "inner" else f"{name}_tokens"
            raise OptionError(
                f"{limit} goes with the name of a strategy for {name} only, got {max_tokens!r} and "
                f"{inner!r}: give the limit to that"
            )
        return inner
    if isinstance(inner, str):
        from ...api import make_chunker, strategies

        classes = strategies()
        options.choice(name, inner, tuple(classes))
        if "max_tokens" not in signature(classes[inner].__init__).parameters:
            return make_chunker(inner)  # it has limits of its own
        return make_chunker(inner, max_tokens=default if max_tokens is None else max_tokens)
    raise OptionError(f"{name} must be a chunker or the name of a strategy, got {inner!r}")
