"""Checks of options: each message names the option, the rule and the value got."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Iterable
from typing import Any

from .errors import OptionError


def check_known(given: Iterable[str], known: Collection[str], where: str) -> None:
    """Refuse option names that do not exist."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise OptionError(
            f"{where} has no option {', '.join(map(repr, unknown))}: "
            f"the options are {', '.join(sorted(known))}"
        )


def choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """Accept one of a few strings."""
    if isinstance(value, str) and value in allowed:
        return value
    raise OptionError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


def integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Accept an integer in [low, high]; a bool is none."""
    if not isinstance(value, bool) and isinstance(value, numbers.Integral):
        got = int(value)
        if got >= low and (high is None or got <= high):
            return got
    limits = f"of at least {low}" if high is None else f"in [{low}, {high}]"
    raise OptionError(f"{name} must be an integer {limits}, got {value!r}")


def optional_integer(name: str, value: Any, low: int) -> int | None:
    """Accept None or an integer of at least `low`."""
    return None if value is None else integer(name, value, low)


def number(name: str, value: Any, low: float, high: float = math.inf) -> float:
    """Accept a finite number in [low, high]."""
    if not isinstance(value, bool) and isinstance(value, numbers.Real):
        got = float(value)
        if math.isfinite(got) and low <= got <= high:
            return got
    limits = f"of at least {low:g}" if high == math.inf else f"in [{low:g}, {high:g}]"
    raise OptionError(f"{name} must be a number {limits}, got {value!r}")


def text(name: str, value: Any) -> str:
    """Accept a string that is not blank."""
    if isinstance(value, str) and value.strip():
        return value
    raise OptionError(f"{name} must be a string that is not blank, got {value!r}")


def flag(name: str, value: Any) -> bool:
    """Accept True or False."""
    if isinstance(value, bool):
        return value
    raise OptionError(f"{name} must be True or False, got {value!r}")
