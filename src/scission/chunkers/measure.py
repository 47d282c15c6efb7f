"""Vectors and distances of a group's units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..embed.protocol import UnitEmbedder
from ..group import Group
from ..tokens import unit_sizes
from ..units import GAP_FACTORS, RELATED_GAPS


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

    Pk of Choi's documents with a sentence on each line: 10.7 with the factors as they are, 7.4 with relative ones;
    with a blank line after each: 52.7 and 7.3.
    """
    from ..kernels import gaps

    units, tokens = group.units, group.tokens
    out = np.empty(len(units), np.float64)
    gaps.gap_factors(
        group.buffer.data,
        tokens.ends,
        tokens.unit_tokens,
        units.gaps,
        units.document_units,
        GAP_FACTORS,
        RELATED_GAPS,
        out,
    )
    return out


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
