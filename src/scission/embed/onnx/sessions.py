"""ONNX Runtime sessions: made once for each graph and device, shared by threads."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from ..providers import CPU, Choice, runtime, verify
from .binding import BoundSession
from .shapes import FixedShapes

#: On a CPU, ONNX Runtime would put Add and LayerNormalization back together, into a slower kernel
#: (`encoder._Encoder._norm`).
_UNWANTED = ["SkipLayerNormFusion", "BiasSkipLayerNormFusion"]


@lru_cache(maxsize=8)
def session(path: Path, choice: Choice) -> Any:
    """Open a graph once; `path` must be named after its content."""
    return open_session(path, choice)


def open_session(graph: Path | bytes, choice: Choice) -> Any:
    """Open a graph, from its file or its bytes, for any shape or, where the device wants it, for a few fixed ones.

    Raises
    ------
    ModelError
        It does not run on the provider that was chosen.
    """
    if choice.lengths:
        return FixedShapes(partial(_opened, graph, choice), choice.lengths)
    return _opened(graph, choice)


def _opened(graph: Path | bytes, choice: Choice, rows: int = 0, length: int = 0) -> Any:
    """Open a graph, for one shape unless `rows` is 0.

    The session has no threads of its own: batches run side by side instead, which keeps every core busy without waiting
    for the others at each of a hundred operators.
    """
    ort = runtime()
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # one plan would be kept for each shape, and shapes are many
    options.log_severity_level = 3
    if rows:
        options.add_free_dimension_override_by_name("batch", rows)
        options.add_free_dimension_override_by_name("length", length)
    opened = ort.InferenceSession(
        graph if isinstance(graph, bytes) else str(graph),
        options,
        providers=[(choice.provider, choice.options)],
        disabled_optimizers=_UNWANTED if choice.provider == CPU.provider else None,
    )
    verify(opened.get_providers(), choice)
    return BoundSession(opened, choice.memory) if choice.memory else opened
