"""Vectors and distances of a group's units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..embed.protocol import UnitEmbedder
from ..group import Group
from ..tokens import unit_sizes
from ..units import GAP_FACTORS


@dataclass(frozen=True, eq=False)
class Measured:
    """A group with everything that a rule for cuts may look at.

    Attributes
    ----------
    group : Group
        Documents, units, tokens.
    vectors : float32[M, d]
        A vector of length 1 for each unit; zeros for one without tokens.
    sizes : int32[M]
        Size of each unit, in tokens; see `tokens.unit_sizes`.
    factors : float64[M]
        How much a cut before each unit costs; negative where it is a must.
    """

    group: Group
    vectors: NDArray[np.float32]
    sizes: NDArray[np.int32]
    factors: NDArray[np.float64]

    @property
    def document_units(self) -> NDArray[np.int32]:
        """int32[D + 1]: the units of each document."""
        return self.group.units.document_units


def measure(group: Group, embedder: UnitEmbedder, windows: int) -> Measured:
    """Embed the units (or, when `windows` > 0, each with so many neighbours) and take their sizes."""
    vectors = embedder.embed_windows(group, windows) if windows else embedder.embed_units(group)
    return Measured(
        group=group,
        vectors=vectors,
        sizes=unit_sizes(group.units, group.tokens),
        factors=_factors(group),
    )


def _factors(group: Group) -> NDArray[np.float64]:
    """Return the factors of the gaps, relative to their mean in the document.

    Structure says where to cut, not how often: a document with a sentence on each line, or a blank line after each,
    tells nothing by its line breaks. (Pk of Choi's documents, a sentence on each line: 10.7 before this, 7.4
    now; with a blank line after each: 52.7 and 7.3.)
    """
    from ..kernels import sentences

    kinds = _kinds(group)
    documents = np.diff(group.units.document_units)
    place = np.repeat(np.arange(len(documents)), documents)
    # Whole numbers of each kind, so that the sum is the same whatever else is in the group.
    counts = np.bincount(
        place * len(GAP_FACTORS) + kinds, minlength=len(documents) * len(GAP_FACTORS)
    )
    counts = counts.reshape(len(documents), len(GAP_FACTORS))
    counts[:, GAP_FACTORS < 0] = 0
    counts[:, sentences.DOCUMENT] = 0
    total = counts.sum(axis=1)
    mean = np.where(total > 0, (counts * GAP_FACTORS).sum(axis=1) / np.maximum(total, 1), 1.0)
    factors = GAP_FACTORS[kinds]
    return np.where(factors < 0, factors, factors / mean[place])


def _kinds(group: Group) -> NDArray[np.uint8]:
    """Return the kinds of the gaps; a unit that ends with a colon leads in what follows, as a heading does."""
    from ..kernels import sentences

    gaps, tokens = group.units.gaps, group.tokens
    last = tokens.unit_tokens[:-1] - 1  # the last token before each unit, -1 before the first
    if len(tokens.ids) == 0:
        return gaps
    colon = group.buffer.data[tokens.ends[last] - 1] == ord(":")
    leads = colon & ((gaps == sentences.BLANK) | (gaps == sentences.LINE))
    return np.where(leads, np.uint8(sentences.AFTER_HEADING), gaps)


def distances(measured: Measured, kind: str, buffer_size: int, joined: bool) -> NDArray[np.float64]:
    """float64[M]: the distance across the gap *after* each unit.

    Parameters
    ----------
    measured : Measured
        The group.
    kind : {"blocks", "windows"}
        Disjoint blocks, or overlapping windows.
    buffer_size : int
        Units in a block, or on each side of a window.
    joined : bool
        Whether each vector already stands for a window.
    """
    from ..kernels import distances as kernels
    from ..kernels import windows

    vectors, document_units = measured.vectors, measured.document_units
    out = np.zeros(len(vectors), np.float64)
    if kind == "blocks":
        before, after = np.empty_like(vectors), np.empty_like(vectors)
        windows.block_sums(vectors, document_units, buffer_size, before, after)
        kernels.cosine_distances(before, after, out)
        return out
    if not joined:
        pooled = np.empty_like(vectors)
        windows.window_sums(vectors, document_units, buffer_size, pooled)
        vectors = pooled
    if len(vectors) > 1:
        kernels.cosine_distances(vectors[:-1], vectors[1:], out[:-1])
    return out


def seams(measured: Measured, cuts: NDArray[np.uint8], buffer_size: int) -> NDArray[np.float64]:
    """float64[M]: the distance between the blocks on both sides of each cut, before the unit."""
    from ..kernels import distances as kernels

    out = np.empty(len(cuts), np.float64)
    kernels.seam_distances(measured.vectors, measured.document_units, cuts, buffer_size, out)
    return out
