"""Which sequences go through a model together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Batch:
    """Sequences that share a run of the model.

    Attributes
    ----------
    rows : intp[B]
        Their numbers.
    width : int
        Tokens that each is padded to.
    """

    rows: NDArray[np.intp]
    width: int


def plan(
    lengths: NDArray[np.integer], batch_tokens: int, max_padding: float = 0.0
) -> Iterator[Batch]:
    """Gather sequences of like length, the longest first, so that running out of memory shows at once.

    Parameters
    ----------
    lengths : int[n]
        Tokens of each sequence, special ones included; at least 1.
    batch_tokens : int
        Most tokens in a batch, padding included; a single longer sequence stands alone.
    max_padding : float
        Largest share of padding in a batch. With 0 a batch holds sequences of one length, and what
        the model computes for a sequence does not depend on its company.

    Yields
    ------
    Batch
        Every sequence in exactly one.
    """
    order = np.argsort(-lengths, kind="stable")
    ordered = lengths[order].astype(np.int64)
    totals = np.concatenate([[0], np.cumsum(ordered)])
    begin = 0
    while begin < len(order):
        width = int(ordered[begin])
        most = min(len(order), begin + max(1, batch_tokens // width))
        sizes = np.arange(1, most - begin + 1) * width
        real = totals[begin + 1 : most + 1] - totals[begin]
        # Padding only grows: the last prefix that keeps the bound is the longest.
        end = begin + int(np.flatnonzero(real >= sizes * (1 - max_padding))[-1]) + 1
        yield Batch(order[begin:end], width)
        begin = end
