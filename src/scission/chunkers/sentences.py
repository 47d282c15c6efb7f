"""Whole sentences of a group, for strategies that show them to a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..group import Group
from ..units import BROKEN


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences and blocks of a group; a unit that was divided for being too long counts as one.

    Attributes
    ----------
    starts : int64[S + 1]
        The first unit of each; the last entry is the number of units.
    document_sentences : int64[D + 1]
        Sentence ``s`` belongs to document ``j`` when ``document_sentences[j] <= s < document_sentences[j + 1]``.
    tokens : int64[S]
        Tokens of each.
    texts : list of str
        Their texts, without the white space around them.
    """

    starts: NDArray[np.int64]
    document_sentences: NDArray[np.int64]
    tokens: NDArray[np.int64]
    texts: list[str]


def whole_sentences(group: Group) -> Sentences:
    """Join the pieces of divided units again."""
    from ..kernels import sentences

    units = group.units
    whole = (units.gaps != sentences.FORCED) & (units.gaps != BROKEN)
    whole[units.document_units[:-1][np.diff(units.document_units) > 0]] = True
    starts = np.append(np.flatnonzero(whole), len(units)).astype(np.int64)
    raw = group.buffer.data.tobytes()
    bounds = units.bounds[starts].tolist()
    return Sentences(
        starts=starts,
        document_sentences=np.searchsorted(starts, units.document_units).astype(np.int64),
        tokens=np.add.reduceat(group.tokens.counts, starts[:-1]).astype(np.int64),
        texts=[
            raw[a:b].decode("utf-8", "surrogatepass").strip()
            for a, b in zip(bounds, bounds[1:], strict=False)
        ],
    )
