"""What services charge, as of a day; the user's own prices win."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import OptionError

#: A user's own prices: model to USD per million tokens, of input alone or of (input, output).
PriceTable: TypeAlias = Mapping[str, float | tuple[float, float] | list[float]]

#: A JSON file of own prices, for all that a process does.
_VARIABLE = "SCISSION_PRICES"


@dataclass(frozen=True)
class Price:
    """USD per million tokens.

    Attributes
    ----------
    input, output : float
        Of what is sent, and of what comes back.
    """

    input: float
    output: float = 0.0

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Return the price of one request, in USD."""
        return (self.input * input_tokens + self.output * output_tokens) / 1e6


def price_of(model: str, prices: PriceTable | None = None) -> Price | None:
    """Find the price of a model.

    Parameters
    ----------
    model : str
        Its name; a date at the end (``-2024-07-18``) is left out where the full name has no price.
    prices : mapping, optional
        Own prices, before those of the file that ``SCISSION_PRICES`` names and those of the package.

    Returns
    -------
    Price or None
        None when nobody knows it.

    Raises
    ------
    OptionError
        A table is not readable, or a price is no number of at least 0.
    """
    tables = [_checked("prices", prices or {}), _user_table(), _shipped()]
    for name in (model, re.sub(r"-\d{4}-?\d{2}-?\d{2}$", "", model)):
        for table in tables:
            if name in table:
                return table[name]
    return None


def _user_table() -> dict[str, Price]:
    path = os.environ.get(_VARIABLE)
    if not path:
        return {}
    try:
        table = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OptionError(
            f"{_VARIABLE} must name a JSON file of prices, got {path}: {error}"
        ) from None
    rows = table.get("models", table) if isinstance(table, dict) else table
    return _checked(f"the table of {_VARIABLE}", rows)


@cache
def _shipped() -> dict[str, Price]:
    data = files("scission").joinpath("data")
    rows: dict[str, Price] = {}
    for name in ("prices.json", "chat_prices.json"):
        table = json.loads(data.joinpath(name).read_text(encoding="utf-8"))
        rows.update(_checked(name, table["models"]))
    return rows


def _checked(where: str, table: Any) -> dict[str, Price]:
    if not isinstance(table, Mapping):
        raise OptionError(f"{where} must map models to prices, got {type(table).__name__}")
    rows = {}
    for model, entry in table.items():
        pair = entry if isinstance(entry, tuple | list) else (entry, 0.0)
        if len(pair) != 2 or not all(_is_price(value) for value in pair):
            raise OptionError(
                f"{where}: the price of {model!r} must be a number of at least 0 (USD per million tokens), "
                f"or two for input and output, got {entry!r}"
            )
        rows[str(model)] = Price(float(pair[0]), float(pair[1]))
    return rows


def _is_price(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and value >= 0
