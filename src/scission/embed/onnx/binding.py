"""Sessions whose outputs stay in the device's memory until they are fetched.

Written from ONNX Runtime's documentation and run on the CPU's memory only: see `scission.embed.providers`.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


class BoundSession:
    """A session that runs by IO binding, behind the face of one that does not.

    Inputs are copied to the device before the graph runs, outputs are allocated there by ONNX Runtime, which alone
    knows their shapes, and are fetched together at the end.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        What runs the graph; threads may share it.
    memory : str
        The device's memory, by ONNX Runtime's name: ``"cuda"``, ``"cpu"``.
    """

    def __init__(self, session: Any, memory: str) -> None:
        self._session, self._memory = session, memory

    def get_outputs(self) -> Any:
        """Return the outputs of the graph."""
        return self._session.get_outputs()

    def get_providers(self) -> list[str]:
        """Return the providers of the session."""
        found: list[str] = self._session.get_providers()
        return found

    def run(self, outputs: list[str], feeds: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """Run the graph; a binding of its own for each call keeps callers apart."""
        binding = self._session.io_binding()
        for name, array in feeds.items():
            binding.bind_cpu_input(name, array)
        for name in outputs:
            binding.bind_output(name, self._memory)
        binding.synchronize_inputs()
        self._session.run_with_iobinding(binding)
        binding.synchronize_outputs()
        found: list[NDArray[Any]] = binding.copy_outputs_to_cpu()
        return found
