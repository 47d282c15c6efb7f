"""A group of documents on its way through the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .text import TextBuffer
from .tokens import Tokens
from .units import Units


@dataclass(frozen=True, eq=False)
class Group:
    """Documents, their units and the tokens of these."""

    buffer: TextBuffer
    units: Units
    tokens: Tokens

    def unit_texts(self) -> list[str]:
        """Return the text of every unit, without the white space around it."""
        units = np.arange(len(self.units))
        return self.span_texts(units, units + 1)

    def span_texts(self, first: NDArray[Any], last: NDArray[Any]) -> list[str]:
        """Return the text of each run of units ``first[i] <= j < last[i]``, without the white space around it."""
        raw = self.buffer.data.tobytes()
        bounds = self.units.bounds
        return [
            raw[a:b].decode("utf-8", "surrogatepass").strip()
            for a, b in zip(bounds[first].tolist(), bounds[last].tolist(), strict=True)
        ]

    def window_texts(self, radius: int) -> list[str]:
        """Return, for every unit, the text of it and its neighbours, joined by a space."""
        texts = self.unit_texts()
        limits = self.units.document_units.tolist()
        windows = []
        for begin, end in zip(limits, limits[1:], strict=False):
            for i in range(begin, end):
                around = texts[max(begin, i - radius) : min(end, i + radius + 1)]
                windows.append(" ".join(text for text in around if text))
        return windows
