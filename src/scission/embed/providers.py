"""Which device runs a transformer: ONNX Runtime's execution providers, checked before and read back after.

ONNX Runtime lists a provider that it was built with, whether or not the driver and libraries are there, and goes on on
the CPU with a line in the log when a session cannot have it. So a provider is first tried on a graph of one node, and
every session is asked what it really runs on.

Neither CUDA nor CoreML could be run while this was written: what is here follows ONNX Runtime's documentation, and
its tests use a runtime that pretends. ``scission models check`` and ``bench/gpu.py`` tell whether it holds on yours.
"""

from __future__ import annotations

import contextlib
import io
import platform
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..errors import MissingExtra, ModelError, OptionError
from ..options import choice as one_of


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
    precision : {"fp32", "fp16", "int8"}
        The precision that suits it best.
    precisions : tuple of str
        Those that it runs.
    lengths : tuple of int
        Lengths that sequences are padded to, ascending, for a device that wants fixed shapes; empty if any will do.
    memory : str
        Memory of the device that outputs are bound to, in ONNX Runtime's words; empty to run without IO binding.
    """

    provider: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    dialect: str = "fused"
    precision: str = "int8"
    precisions: tuple[str, ...] = ("fp32", "fp16", "int8")
    lengths: tuple[int, ...] = ()
    memory: str = ""

    def limited(self, positions: int) -> Choice:
        """Return the choice for a model that reads no more than so many tokens."""
        if not self.lengths:
            return self
        return replace(self, lengths=(*(n for n in self.lengths if n < positions), positions))

    def checked_precision(self, precision: str | None) -> str:
        """Return what was asked for, or the best one.

        Raises
        ------
        OptionError
            The device does not run it.
        """
        if precision is None or precision in self.precisions:
            return precision or self.precision
        raise OptionError(
            f"precision must be one of {', '.join(map(repr, self.precisions))} with {self.provider}, got {precision!r}"
        )


CPU = Choice("CPUExecutionProvider")

_CHOICES = {
    "cpu": CPU,
    "cuda": Choice(
        "CUDAExecutionProvider",
        {
            # Shapes differ from batch to batch: doubling the arena at every peak would hold several times what
            # is needed.
            "arena_extend_strategy": "kSameAsRequested",
            # fp32 must be the fp32 of the reference; TF32 keeps 10 bits of the mantissa.
            "use_tf32": "0",
        },
        precision="fp16",
        precisions=("fp32", "fp16"),  # the int8 kernels are the CPU's
        memory="cuda",
    ),
    "coreml": Choice(
        "CoreMLExecutionProvider",
        {
            "ModelFormat": "MLProgram",  # the older NeuralNetwork format lacks LayerNormalization and Gelu
            "MLComputeUnits": "ALL",
            "RequireStaticInputShapes": "1",  # the neural engine takes no others
        },
        dialect="plain",
        precision="fp16",
        precisions=("fp32", "fp16"),
        lengths=(16, 32, 64, 128, 256, 512),
    ),
}

#: What a user may ask for.
DEVICES = ("auto", *_CHOICES)

#: What to do for a device that is not there.
_ADVICE = {
    "cpu": "pip install 'scission[cpu]'",
    "cuda": "pip uninstall -y onnxruntime && pip install 'scission[gpu]', on a machine with an NVIDIA GPU, its driver, "
    "CUDA and cuDNN",
    "coreml": "pip install 'scission[coreml]', on macOS",
}

#: A graph of one Identity node, float32[1] to float32[1] (ONNX IR 8, opset 13), as ``onnx`` serialises it.
_PROBE = bytes.fromhex(
    "080812003a3b0a100a017812017922084964656e74697479120570726f62655a0f0a01"
    "78120a0a08080112040a020801620f0a0179120a0a08080112040a02080142040a00100d"
)


def choose(device: str) -> Choice:
    """Find what runs a model on a device, and try whether it does.

    Parameters
    ----------
    device : {"auto", "cpu", "cuda", "coreml"}
        ``"auto"`` is CUDA where it works, else the CPU. CoreML has to be asked for.

    Raises
    ------
    OptionError
        The device is not known, or the installed runtime does not offer it.
    ModelError
        The runtime offers it and does not get it to run.
    MissingExtra
        ONNX Runtime is not installed.

    Warns
    -----
    RuntimeWarning
        ``"auto"`` found CUDA offered, but not running.
    """
    name = one_of("device", device, DEVICES)
    offered = available()
    if name == "auto":
        return _best(offered)
    choice = _CHOICES[name]
    if choice.provider not in offered:
        raise OptionError(
            f"device={name!r} needs {choice.provider}, but {describe()} offers {', '.join(offered)}: "
            f"{_ADVICE[name]}{_clash()}"
        )
    if choice is not CPU:
        verify(_tried(choice.provider), choice)
    return choice


def verify(session_providers: Sequence[str], choice: Choice) -> None:
    """Check that a session runs on what it was made for.

    Parameters
    ----------
    session_providers : sequence of str
        ``session.get_providers()``, in the order of precedence.
    choice : Choice
        What was wanted.

    Raises
    ------
    ModelError
        It does not.
    """
    if session_providers and session_providers[0] == choice.provider:
        return
    device = next(name for name, row in _CHOICES.items() if row.provider == choice.provider)
    raise ModelError(
        f"{describe()} offers {choice.provider}, but a session runs on {', '.join(session_providers) or 'nothing'}: "
        f"a driver or library is missing or of another version, and ONNX Runtime's log names it. Either "
        f"{_ADVICE[device]}, or take device='cpu'{_clash()}"
    )


def runtime() -> Any:
    """Import ONNX Runtime.

    Raises
    ------
    MissingExtra
        It is not installed, or its files are a mixture of two distributions.
    """
    try:
        import onnxruntime

        onnxruntime.InferenceSession  # noqa: B018 -- uninstalling one of two distributions leaves an empty folder
    except (ImportError, AttributeError) as error:
        raise MissingExtra(
            f"Running a transformer needs 'onnxruntime', which is not installed or not whole ({error}): "
            "pip install 'scission[cpu]'; for CUDA 'scission[gpu]', on macOS 'scission[coreml]'"
            f"{_clash()}"
        ) from None
    return onnxruntime


def available() -> tuple[str, ...]:
    """Return the execution providers that the installed runtime was built with."""
    return tuple(runtime().get_available_providers())


def distributions() -> dict[str, str]:
    """Return the installed distributions of ONNX Runtime and their versions."""
    found = {}
    for name in ("onnxruntime", "onnxruntime-gpu"):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def describe() -> str:
    """Name what is installed."""
    found = [f"{name} {number}" for name, number in distributions().items()]
    return " with ".join(found) or f"onnxruntime {runtime().__version__}"


def clash() -> str | None:
    """Explain what is wrong when both distributions are installed; None when not."""
    found = distributions()
    if len(found) < 2:
        return None
    return (
        f"onnxruntime {found['onnxruntime']} and onnxruntime-gpu {found['onnxruntime-gpu']} are both installed, into "
        "the same folder: whichever came last overwrote the other. Remove both, 'pip uninstall -y onnxruntime "
        "onnxruntime-gpu', then install one: 'scission[gpu]' runs on the CPU as well"
    )


def _clash() -> str:
    found = clash()
    return "" if found is None else f". {found}"


def _best(offered: Sequence[str]) -> Choice:
    cuda = _CHOICES["cuda"]
    if cuda.provider in offered:
        try:
            verify(_tried(cuda.provider), cuda)
        except ModelError as error:
            warnings.warn(f"device='auto' takes the CPU: {error}", RuntimeWarning, stacklevel=4)
        else:
            return cuda
    return CPU


@cache
def _tried(provider: str) -> tuple[str, ...]:
    """Return what a session for a provider really runs on; tried once a process."""
    ort = runtime()
    if provider == "CUDAExecutionProvider" and hasattr(ort, "preload_dlls"):
        # CUDA and cuDNN may lie in packages of their own (nvidia-*); what is not there is printed, and shows below.
        with contextlib.redirect_stdout(io.StringIO()):
            ort.preload_dlls()
    settings = ort.SessionOptions()
    settings.log_severity_level = 3
    try:
        session = ort.InferenceSession(_PROBE, settings, providers=[provider])
    except Exception:  # the runtime's own errors have no common base
        return ()
    return tuple(session.get_providers())


def machine() -> str:
    """Name the processor and system."""
    return f"{platform.machine()}, {platform.system()} {platform.release()}"
