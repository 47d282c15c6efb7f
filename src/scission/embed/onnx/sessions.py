"""ONNX Runtime sessions: made once for each graph and device, shared by threads."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from ..providers import Choice, runtime, verify

#: ONNX Runtime would put Add and LayerNormalization back together, into the slower kernel (`encoder._Encoder._norm`).
_UNWANTED = ["SkipLayerNormFusion", "BiasSkipLayerNormFusion"]


@lru_cache(maxsize=8)
def session(path: Path, choice: Choice) -> Any:
    """Open a graph once; `path` must be named after its content."""
    return open_session(path, choice)


def open_session(path: Path, choice: Choice) -> Any:
    """Open a graph.

    The session has no threads of its own: batches run side by side instead, which keeps every core busy without waiting
    for the others at each of a hundred operators.

    Raises
    ------
    ModelError
        It does not run on the provider that was chosen.
    """
    ort = runtime()
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # one plan would be kept for each shape, and shapes are many
    options.log_severity_level = 3
    opened = ort.InferenceSession(
        str(path),
        options,
        providers=[(choice.provider, choice.options)],
        disabled_optimizers=_UNWANTED,
    )
    verify(opened.get_providers(), choice)
    return opened
