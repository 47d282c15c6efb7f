"""What API models charge for embedding."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import CorpusError, OptionError

_TABLE = Path(__file__).resolve().parent.parent / "data" / "prices.json"


@dataclass(frozen=True)
class Prices:
    """A table of prices, as of a day.

    Attributes
    ----------
    as_of : str
        The day, ISO 8601. Prices change: compare it with today's.
    currency : str
        Of all prices.
    models : mapping of str to float
        Price of 1,000,000 input tokens of each model.
    """

    as_of: str
    currency: str
    models: Mapping[str, float]

    @classmethod
    def load(cls, path: str | PathLike[str] | None = None) -> Prices:
        """Read the table of the package, with the rows of your own over it.

        Parameters
        ----------
        path : path, optional
            JSON with ``as_of``, ``currency`` (optional) and ``models``: name to price per 1,000,000 tokens.
            It may name models that the package does not know.

        Raises
        ------
        CorpusError
            The file is missing or not of that form.
        """
        known = _read(_TABLE)
        if path is None:
            return known
        own = _read(Path(path))
        if own.currency != known.currency:
            return own  # no table holds two currencies
        return cls(own.as_of, own.currency, {**known.models, **own.models})

    def price(self, tokens: int, model: str) -> float:
        """Return what a model charges for so many tokens.

        Raises
        ------
        OptionError
            The table does not have the model.
        """
        if model not in self.models:
            raise OptionError(
                f"price must name a model of the table ({', '.join(self.models)}), got {model!r}: "
                "give a table of your own"
            )
        return tokens / 1e6 * self.models[model]


def _read(path: Path) -> Prices:
    try:
        table: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(
            f"{path}: a table of prices must be JSON that can be read ({error})"
        ) from None
    models = table.get("models") if isinstance(table, dict) else None
    if not isinstance(models, dict) or not models:
        raise CorpusError(
            f"{path}: a table of prices must have 'models', an object from name to price"
        )
    for name, price in models.items():
        number = isinstance(price, int | float) and not isinstance(price, bool)
        if not (number and math.isfinite(price) and price >= 0):
            raise CorpusError(
                f"{path}: the price of {name!r} must be a number of at least 0, per 1,000,000 tokens, got {price!r}"
            )
    as_of, currency = table.get("as_of"), table.get("currency", "USD")
    if not isinstance(as_of, str) or not isinstance(currency, str):
        raise CorpusError(f"{path}: a table of prices must say 'as_of' what day it holds")
    return Prices(as_of, currency, {name: float(price) for name, price in models.items()})
