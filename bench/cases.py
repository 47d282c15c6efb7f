"""One table of kernels with realistic arguments: the tests compare each with its slow twin, the bench times it.

Nothing is timed that is not also checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arrays = list[Any]

_SENTENCES = (
    "The harbour lay still at dawn. ", "Three ships came in, laden with salt. ", "Bread rises when yeast feeds. ",
    "Dr. J. Smith paid $3.50, e.g. at 5 p.m., for an antidisestablishmentarian pamphlet. ", "Grüße aus Köln! ",
    "海は広い。", "Its stars are very old; light takes ages to reach us.\n\n", "# A heading\n\n", "- an item\n",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A kernel with arguments.

    Attributes
    ----------
    kernel : str
        ``file.function`` in ``scission.kernels`` and ``tests.naive``.
    make : callable
        From a size to the inputs, and the outputs to be filled.
    returns : bool
        Whether the kernel's result is its return value.
    """

    kernel: str
    make: Callable[[int], tuple[Arrays, Arrays]]
    returns: bool = False


def text(size: int) -> str:
    """About `size` sentences, always the same."""
    picks = np.random.default_rng(7).integers(0, len(_SENTENCES), size)
    return "".join(_SENTENCES[i] for i in picks)


def group(size: int) -> Any:
    """Make a group of one document with its units and tokens."""
    from scission.group import Group
    from scission.text import TextBuffer
    from scission.tokens import default_vocabulary, fit_units
    from scission.units import find_units

    buffer = TextBuffer.from_texts([text(size)])
    return Group(buffer, *fit_units(buffer, find_units(buffer), default_vocabulary(), 512))


def _vectors(size: int, dimensions: int = 32) -> np.ndarray:
    rows = np.random.default_rng(3).normal(size=(size, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _documents(size: int) -> np.ndarray:
    return np.array([0, size // 3, size], np.int32)


def _sum_rows(size: int) -> tuple[Arrays, Arrays]:
    from scission import StaticEmbedder

    model, tokens = StaticEmbedder.load_embedded(), group(size).tokens
    arguments = [tokens.ids, tokens.unit_tokens, model.rows, model.scales, True]
    return arguments, [np.empty((len(tokens.counts), model.dimensions), np.float32)]


def _chunk_vectors(size: int) -> tuple[Arrays, Arrays]:
    first = np.arange(0, size, 4, dtype=np.int32)
    last = np.append(first[1:], size).astype(np.int32)
    units = np.array([0, size], np.int32)
    weights = np.full(size, 20, np.int32)
    arguments = [
        _vectors(size),
        weights,
        units,
        first,
        last,
        np.zeros(len(first), np.int32),
        np.empty((0, 32), np.float32),
        0.5,
        256,
    ]
    return arguments, [np.empty((len(first), 32), np.float32)]


def _values(size: int) -> np.ndarray:
    return np.random.default_rng(5).random(size)


def _unit_sizes(size: int) -> tuple[Arrays, Arrays]:
    made = group(size)
    return [made.units.bounds, made.tokens.unit_tokens, 32], [np.empty(len(made.units), np.int32)]


def _gap_factors(size: int) -> tuple[Arrays, Arrays]:
    from scission.units import GAP_FACTORS, RELATED_GAPS

    made = group(size)
    units, tokens = made.units, made.tokens
    arguments = [
        made.buffer.data,
        tokens.ends,
        tokens.unit_tokens,
        units.gaps,
        units.document_units,
        GAP_FACTORS,
        RELATED_GAPS,
    ]
    return arguments, [np.empty(len(units), np.float64)]


def _encoded(size: int) -> tuple[Any, np.ndarray]:
    """Return a document, and where it should not be cut."""
    from scission.kernels import utf8

    from scission.tables import character_tables
    from scission.text import TextBuffer

    buffer = TextBuffer.from_texts([text(size)])
    inside = np.zeros(len(buffer.data) + 1, np.uint8)
    utf8.interiors(buffer.data, buffer.documents, *character_tables(), inside)
    return buffer, inside


def _interiors(size: int) -> tuple[Arrays, Arrays]:
    from scission.tables import character_tables

    buffer, inside = _encoded(size)
    return [buffer.data, buffer.documents, *character_tables()], [np.zeros_like(inside)]


def _cut_ranges(size: int) -> tuple[Arrays, Arrays]:
    from scission.kernels import separators

    from scission.chunkers.hierarchy import Hierarchy, read_levels
    from scission.chunkers.recursive import SEPARATORS

    buffer, inside = _encoded(size)
    limits = np.full(1, 400, np.int64)
    none = np.zeros(0, np.int32)
    hierarchy = Hierarchy(read_levels("separators", SEPARATORS))
    arguments = [
        buffer.data, inside, buffer.documents[:-1], buffer.documents[1:], limits, limits, 0, 0.25, separators.BYTES,
        none, np.zeros(1, np.int32), np.zeros(0, np.uint8), 0, *hierarchy.tables(buffer),
    ]  # fmt: skip
    columns = [np.zeros(len(inside) // 50, np.int32) for _ in range(3)]
    return arguments, [*columns, np.zeros(2, np.int32)]


CASES = [
    Case("utf8.interiors", _interiors, returns=True),
    Case("separators.cut_ranges", _cut_ranges, returns=True),
    Case("pooling.sum_rows", _sum_rows),
    Case("pooling.normalise_rows", lambda n: ([_vectors(n) * 3], [np.empty((n, 32), np.float32)])),
    Case("pooling.chunk_vectors", _chunk_vectors),
    Case(
        "windows.window_sums",
        lambda n: ([_vectors(n), _documents(n), 2], [np.empty((n, 32), np.float32)]),
    ),
    Case(
        "windows.block_sums",
        lambda n: (
            [_vectors(n), _documents(n), 3],
            [np.empty((n, 32), np.float32), np.empty((n, 32), np.float32)],
        ),
    ),
    Case(
        "distances.cosine_distances",
        lambda n: ([_vectors(n), _vectors(n)[::-1].copy()], [np.empty(n)]),
    ),
    Case(
        "distances.seam_distances",
        lambda n: (
            [_vectors(n), _documents(n), (np.arange(n) % 4 == 0).astype(np.uint8), 3],
            [np.empty(n)],
        ),
    ),
    Case("thresholds.percentile", lambda n: ([_values(n), 90.0, np.empty(n)], []), returns=True),
    Case("thresholds.mean_plus_deviations", lambda n: ([_values(n), 1.0], []), returns=True),
    Case(
        "thresholds.mean_plus_interquartile",
        lambda n: ([_values(n), 1.5, np.empty(n)], []),
        returns=True,
    ),
    Case("thresholds.rises", lambda n: ([_values(n)], [np.empty(n)])),
    Case("thresholds.prominences", lambda n: ([_values(n)], [np.empty(n)])),
    Case("sizes.unit_sizes", _unit_sizes, returns=True),
    Case("gaps.gap_factors", _gap_factors),
]
