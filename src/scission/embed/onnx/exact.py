"""Whether products of 8-bit integers are exact on this processor."""

from __future__ import annotations

from functools import cache

import numpy as np

from ..providers import Choice
from .graph import CONTRIB, Graph
from .sessions import open_session

_DEPTH = 64


@cache
def weight_limit(choice: Choice) -> int:
    """Return the largest weight whose products with uint8 activations stay exact: 127, or 63.

    x86 processors without VNNI add pairs of products in 16 bits that saturate: 2 · 255 · 127 does not fit,
    2 · 255 · 63 does. Tried on the largest product.
    """
    graph = Graph()
    x = graph.input("x", np.uint8, ["rows", _DEPTH])
    weights = graph.constant(np.full((_DEPTH, 16), 127, np.int8))
    one, zero = graph.constant(np.float32(1)), graph.constant(np.uint8(0))
    y = graph.node("MatMulIntegerToFloat", x, weights, one, one, zero, domain=CONTRIB)
    graph.output("y", y, np.float32, ["rows", 16])
    session = open_session(graph.serialised(), choice)
    (found,) = session.run(None, {"x": np.full((8, _DEPTH), 255, np.uint8)})
    return 127 if np.all(found == _DEPTH * 255 * 127) else 63
