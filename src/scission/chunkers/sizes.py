"""How large a chunk may be, and in what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import options
from ..errors import OptionError


@dataclass(frozen=True)
class Size:
    """Limit and overlap of the chunks.

    Attributes
    ----------
    limit : int
        No chunk is larger.
    overlap : int
        Each chunk repeats at most so much of the one before it.
    characters : bool
        Whether both count code points, and not tokens.
    """

    limit: int
    overlap: int
    characters: bool


def size(max_tokens: Any, max_characters: Any, overlap: Any, default_tokens: int) -> Size:
    """Read the three options; at most one of the limits may be given."""
    if max_tokens is not None and max_characters is not None:
        raise OptionError(
            "max_tokens and max_characters both set the size of chunks: give one of them, "
            f"got {max_tokens!r} and {max_characters!r}"
        )
    characters = max_characters is not None
    if characters:
        limit = options.integer("max_characters", max_characters, 1)
    else:
        given = default_tokens if max_tokens is None else max_tokens
        limit = options.integer("max_tokens", given, 1)
    return Size(limit, _overlap(overlap, limit), characters)


def _overlap(value: Any, limit: int) -> int:
    if isinstance(value, float) and 0.0 <= value < 1.0:
        return int(value * limit)
    count = options.integer("overlap", value, 0)
    if count >= limit:
        raise OptionError(
            f"overlap must be less than the limit of a chunk ({limit}), or a share below 1.0, got {value!r}"
        )
    return count
