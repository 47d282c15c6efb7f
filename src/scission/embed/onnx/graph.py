"""Nodes and constants of an ONNX graph in the making."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingExtra, ModelError

#: Opset of the standard operators: the first with LayerNormalization, Split by number and Gelu.
OPSET = 20
#: Domain of ONNX Runtime's own operators.
CONTRIB = "com.microsoft"
#: Protocol buffers end at two gigabytes.
_MAX_BYTES = 2**31 - 2**20


class Graph:
    """A graph that grows from its inputs; every method returns the name of a value.

    Raises
    ------
    MissingExtra
        onnx is not installed.
    """

    def __init__(self) -> None:
        try:
            import onnx
        except ImportError:
            raise MissingExtra(
                "Building a model's graph needs 'onnx', which is not installed. "
                "Install it with `pip install scission[cpu]`."
            ) from None
        self._onnx = onnx
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def input(self, name: str, dtype: type[np.generic], shape: list[int | str]) -> str:
        """Declare an input; named dimensions are free."""
        self._inputs.append(self._value(name, dtype, shape))
        return name

    def output(
        self, name: str, value: str, dtype: type[np.generic], shape: list[int | str]
    ) -> None:
        """Declare `value` an output under a name of its own."""
        self._nodes.append(self._onnx.helper.make_node("Identity", [value], [name]))
        self._outputs.append(self._value(name, dtype, shape))

    def constant(self, array: NDArray[Any] | np.generic) -> str:
        """Put an array into the file."""
        name = f"constant{len(self._constants)}"
        held = np.asarray(array, order="C")
        self._constants.append(self._onnx.numpy_helper.from_array(held, name))
        return name

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Apply an operator with one output; an empty name is an input left out."""
        return self.nodes(operator, *inputs, outputs=1, domain=domain, **attributes)[0]

    def nodes(
        self, operator: str, *inputs: str, outputs: int, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Apply an operator with several outputs."""
        number = len(self._nodes)
        names = [f"value{number}_{i}" for i in range(outputs)]
        self._nodes.append(
            self._onnx.helper.make_node(
                operator, inputs, names, f"{operator}{number}", domain=domain, **attributes
            )
        )
        return names

    def serialised(self) -> bytes:
        """Return the bytes of the ``.onnx`` file.

        Raises
        ------
        ModelError
            They are more than a single file may hold.
        """
        helper = self._onnx.helper
        held = sum(len(constant.raw_data) for constant in self._constants)
        if held > _MAX_BYTES:
            raise ModelError(
                f"a graph must stay under 2 GiB, got {held:,} bytes of weights: "
                "choose a smaller model, or precision='fp16'"
            )
        graph = helper.make_graph(
            self._nodes, "encoder", self._inputs, self._outputs, self._constants
        )
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
        model = helper.make_model(
            graph, producer_name="scission", opset_imports=versions, ir_version=9
        )
        self._onnx.checker.check_model(model)
        return bytes(model.SerializeToString())

    def _value(self, name: str, dtype: type[np.generic], shape: list[int | str]) -> Any:
        kind = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self._onnx.helper.make_tensor_value_info(name, kind, shape)
