"""Counting tokens and money, and stopping before too much is spent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock

from ..errors import BudgetError, OptionError
from .prices import Price


@dataclass(frozen=True)
class Usage:
    """What has been asked and paid for.

    Attributes
    ----------
    requests : int
        Requests that were answered; a client's own retries count once.
    cached : int
        Answers that were found on disk instead.
    input_tokens, output_tokens : int
        As the service counted them; its upper bound where it did not say.
    cost : float or None
        USD; None when the price is not known.
    """

    requests: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


@dataclass
class Receipt:
    """What one request used, filled in when it is answered.

    Attributes
    ----------
    input_tokens, output_tokens : int
        Upper bounds until the service has said better.
    """

    input_tokens: int
    output_tokens: int


class Ledger:
    """The account of one chunker or embedder; threads may share it.

    Parameters
    ----------
    model : str
        What messages call the model.
    price : Price, optional
        Its price.
    max_cost : float, optional
        USD that all requests together may cost.

    Raises
    ------
    OptionError
        `max_cost` for a model without a price.
    """

    def __init__(self, model: str, price: Price | None, max_cost: float | None) -> None:
        if max_cost is not None and price is None:
            raise OptionError(
                f"max_cost needs the price of {model!r}, which is in no table: give "
                f"prices={{{model!r}: (input, output)}} in USD per million tokens"
            )
        self._price, self._max_cost = price, max_cost
        self._usage = Usage(cost=None if price is None else 0.0)
        self._reserved = 0.0
        self._lock = Lock()

    @property
    def usage(self) -> Usage:
        """What has been used so far."""
        return self._usage

    def count_cached(self) -> None:
        """Count an answer that was found on disk."""
        with self._lock:
            self._usage = replace(self._usage, cached=self._usage.cached + 1)

    @contextmanager
    def request(self, input_bound: int, output_bound: int) -> Iterator[Receipt]:
        """Set aside what a request may cost at most, and count what it did.

        A request that fails is not counted.

        Parameters
        ----------
        input_bound, output_bound : int
            Upper bounds of its tokens.

        Raises
        ------
        BudgetError
            With what is spent, and set aside for requests under way, it could exceed `max_cost`.
        """
        receipt = Receipt(input_bound, output_bound)
        most = 0.0 if self._price is None else self._price.of(input_bound, output_bound)
        self._reserve(most)
        done = False
        try:
            yield receipt
            done = True
        finally:
            with self._lock:
                self._reserved -= most
                if done:
                    self._count(receipt)

    def _reserve(self, most: float) -> None:
        with self._lock:
            spent = self._usage.cost or 0.0
            if self._max_cost is not None and spent + self._reserved + most > self._max_cost:
                raise BudgetError(
                    f"max_cost is {self._max_cost:g} USD, {spent:.4g} are spent and {self._reserved:.4g} set "
                    f"aside, and the next request could cost {most:.4g}: it was not sent. What was answered "
                    "is kept where a cache is on; raise max_cost and run again to go on"
                )
            self._reserved += most

    def _count(self, receipt: Receipt) -> None:
        old = self._usage
        tokens = (receipt.input_tokens, receipt.output_tokens)
        cost = None if self._price is None else (old.cost or 0.0) + self._price.of(*tokens)
        self._usage = Usage(
            requests=old.requests + 1,
            cached=old.cached,
            input_tokens=old.input_tokens + tokens[0],
            output_tokens=old.output_tokens + tokens[1],
            cost=cost,
        )
