"""The strategy inside a strategy."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from ... import options
from ...errors import OptionError
from ..base import Chunker

#: The strategy inside another one, unless told otherwise.
DEFAULT_INNER = "recursive"

#: Limit of a chunk where neither the outer nor the inner strategy names one.
DEFAULT_MAX_TOKENS = 512


def as_inner(
    inner: Any, max_tokens: int | None, name: str = "inner", default: int = DEFAULT_MAX_TOKENS
) -> Chunker:
    """Make the strategy inside another one.

    Parameters
    ----------
    inner : Chunker, str or mapping
        A chunker; the name of a strategy; or its options, as a configuration file has them, with its name
        under ``"strategy"``.
    max_tokens : int or None
        The limit, for a strategy that is given without one.
    name : str
        What messages call it.
    default : int
        The limit where `max_tokens` is None.

    Raises
    ------
    OptionError
        `inner` is none of these, or has a limit of its own besides `max_tokens`.
    """
    from ...api import make_chunker, strategies

    if isinstance(inner, Mapping) and "strategy" not in inner:
        raise OptionError(f"{name} must name its strategy, got {dict(inner)!r}")
    if isinstance(inner, Chunker) or (isinstance(inner, Mapping) and len(inner) > 1):
        if max_tokens is not None:
            limit = "max_tokens" if name == "inner" else f"{name}_tokens"
            raise OptionError(
                f"{limit} goes with the name of a strategy for {name} only, got {max_tokens!r} and "
                f"{inner!r}: give the limit to that"
            )
        return inner if isinstance(inner, Chunker) else make_chunker(**inner)
    strategy = inner["strategy"] if isinstance(inner, Mapping) else inner
    if not isinstance(strategy, str):
        raise OptionError(f"{name} must be a chunker or the name of a strategy, got {inner!r}")
    classes = strategies()
    options.choice(name, strategy, tuple(classes))
    if "max_tokens" not in signature(classes[strategy].__init__).parameters:
        return make_chunker(strategy)  # it has limits of its own
    return make_chunker(strategy, max_tokens=default if max_tokens is None else max_tokens)


def check_nested(name: str, chunker: Chunker) -> None:
    """Refuse a strategy whose chunks are not one row of slices of the text that it is given."""
    if chunker._has_parents:
        raise OptionError(f"{name} must have one level of chunks, got {chunker!r}")
    if chunker._extracts:
        raise OptionError(
            f"{name} must cut the text that it is given, got {chunker!r}, which extracts it from HTML"
        )
