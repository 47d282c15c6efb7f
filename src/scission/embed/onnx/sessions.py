"""ONNX Runtime sessions: made once for each graph and device, shared by threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import MissingExtra, OptionError

#: On a CPU, ONNX Runtime would put Add and LayerNormalization back together, into a slower kernel
#: (`encoder._Encoder._norm`).
_UNWANTED = ["SkipLayerNormFusion", "BiasSkipLayerNormFusion"]


@dataclass(frozen=True)
class Choice:
    """What runs a model.

    Attributes
    ----------
    provider : str
        ONNX Runtime's name of the execution provider.
    options : dict
        Its options.
    dialect : {"fused", "plain"}
        The dialect of graphs that it runs.
    precision : str
        The precision that suits it best.
    """

    provider: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    dialect: str = "fused"
    precision: str = "int8"


def choose(device: str) -> Choice:
    """Find the provider for a device.

    Raises
    ------
    OptionError
        The device is not known.
    """
    if device in ("auto", "cpu"):
        return Choice("CPUExecutionProvider")
    raise OptionError(f"device must be 'auto' or 'cpu', got {device!r}")


def runtime() -> Any:
    """Import ONNX Runtime.

    Raises
    ------
    MissingExtra
        It is not installed.
    """
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtra(
            "Running a transformer needs 'onnxruntime', which is not installed. "
            "Install it with `pip install scission[cpu]`."
        ) from None
    return onnxruntime


@lru_cache(maxsize=8)
def session(path: Path, choice: Choice) -> Any:
    """Open a graph once; `path` must be named after its content."""
    return open_session(path, choice)


def open_session(graph: Path | bytes, choice: Choice) -> Any:
    """Open a graph, from its file or its bytes.

    The session has no threads of its own: batches run side by side instead, which keeps every core busy without waiting
    for the others at each of a hundred operators.
    """
    ort = runtime()
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # one plan would be kept for each shape, and shapes are many
    options.log_severity_level = 3
    return ort.InferenceSession(
        graph if isinstance(graph, bytes) else str(graph),
        options,
        providers=[(choice.provider, choice.options)],
        disabled_optimizers=_UNWANTED if choice.provider == "CPUExecutionProvider" else None,
    )
