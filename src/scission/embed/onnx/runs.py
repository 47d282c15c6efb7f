"""Sequences through a session, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checkpoint import Floats
from .batches import Batch, plan
from .tokenizers import Sequences

#: Runs a function for every batch, in any order, and returns when all are done.
Each = Callable[[Callable[[Batch], None], Iterable[Batch]], None]


def one_by_one(work: Callable[[Batch], None], batches: Iterable[Batch]) -> None:
    """Run the batches in the calling thread."""
    for batch in batches:
        work(batch)


def pooled(
    session: Any,
    sequences: Sequences,
    special: tuple[int, int],
    *,
    batch_tokens: int,
    max_padding: float = 0.0,
    each: Each = one_by_one,
) -> tuple[Floats, Floats]:
    """Run a model over sequences.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        A graph of `encoder`.
    sequences : Sequences
        None longer than the model's limit.
    special : (int, int)
        Ids of the tokens that open and close an input.
    batch_tokens, max_padding
        See `batches.plan`.
    each : callable
        How batches are run.

    Returns
    -------
    sums : float32[n, hidden]
    counts : float32[n]
    """
    lengths = (sequences.ends - sequences.starts + 2).astype(np.int32)
    hidden = session.get_outputs()[0].shape[1]
    sums, counts = np.empty((len(lengths), hidden), np.float32), np.empty(len(lengths), np.float32)

    def work(batch: Batch) -> None:
        feeds = {"ids": batch_ids(sequences, batch, special), "lengths": lengths[batch.rows]}
        sums[batch.rows], counts[batch.rows] = session.run(["sums", "counts"], feeds)

    each(work, plan(lengths, batch_tokens, max_padding))
    return sums, counts


def batch_ids(sequences: Sequences, batch: Batch, special: tuple[int, int]) -> NDArray[np.int32]:
    """int32[B, width]: the tokens between the two special ones, then zeros, which are masked."""
    starts, ends = sequences.starts[batch.rows, None], sequences.ends[batch.rows, None]
    places = starts + np.arange(-1, batch.width - 1)
    out = np.zeros(places.shape, np.int32)
    inside = (places >= starts) & (places < ends)
    out[inside] = sequences.ids[places[inside]]
    out[:, 0] = special[0]
    out[places == ends] = special[1]
    return out
