"""A BERT encoder with pooling as an ONNX graph, in two dialects and three precisions.

Inputs: ``ids`` int32[batch, length], special tokens included; ``lengths`` int32[batch], tokens of each sequence that
are not padding. Outputs: ``sums`` float32[batch, hidden] and ``counts`` float32[batch]. A sequence's vector is
sums / counts: with mean pooling the sum over its tokens and their number, so that the mean over several sequences
is the exact mean over their tokens; with CLS pooling the first token's vector and 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ..checkpoint import Checkpoint
from .graph import CONTRIB, Graph
from .quantise import Dense8

#: How the graph is written: in ONNX Runtime's own operators, or in standard ones only.
DIALECTS = ("fused", "plain")
PRECISIONS = ("fp32", "fp16", "int8")


class _Dialect(Protocol):
    """The parts of a layer that the two dialects write differently."""

    def attention(self, q: str, k: str, v: str) -> str: ...

    def gelu(self, x: str) -> str: ...

    def dense8(self, x: str, layer: Dense8) -> str: ...


def encoder(
    checkpoint: Checkpoint,
    *,
    dialect: str = "fused",
    precision: str = "fp32",
    quantised: Mapping[str, Dense8] | None = None,
) -> bytes:
    """Build the graph of a checkpoint.

    Parameters
    ----------
    checkpoint : Checkpoint
        Whose weights go into the graph.
    dialect : {"fused", "plain"}
        ``fused`` uses ONNX Runtime's operators and runs 1.1 to 1.3 times as fast on a CPU; ``plain`` runs
        anywhere, also with fixed shapes.
    precision : {"fp32", "fp16", "int8"}
        Of weights and activations. Pooling is done in float32 always; with int8 so is attention.
    quantised : mapping, optional
        The dense layers of an int8 graph, by the name of their weights (`quantise.quantised`).

    Returns
    -------
    bytes
        An ``.onnx`` file.
    """
    return _Encoder(checkpoint, dialect, precision, quantised or {}).build()


class _Encoder:
    def __init__(
        self, checkpoint: Checkpoint, dialect: str, precision: str, quantised: Mapping[str, Dense8]
    ) -> None:
        self._pooling = checkpoint.pooling
        self._config = checkpoint.config
        self._weights = checkpoint.weights
        self._quantised = quantised
        self._graph = Graph()
        self._dtype: Any = np.float16 if precision == "fp16" else np.float32
        self._ids = self._graph.input("ids", np.int32, ["batch", "length"])
        self._lengths = self._graph.input("lengths", np.int32, ["batch"])
        self._length = self._graph.node("Shape", self._ids, start=1, end=2)
        heads = self._config.heads
        self._dialect: _Dialect
        if dialect == "fused":
            self._dialect = _Fused(self._graph, self._lengths, heads)
        else:
            size = self._config.hidden // heads
            self._dialect = _Plain(self._graph, self._real(), heads, size, self._dtype)

    def build(self) -> bytes:
        graph = self._graph
        x = self._embeddings()
        for number in range(self._config.layers):
            x = self._layer(x, f"encoder.layer.{number}.")
        if self._dtype is np.float16:
            x = graph.node("Cast", x, to=1)
        sums, counts = self._cls(x) if self._pooling == "cls" else self._mean(x)
        graph.output("sums", sums, np.float32, ["batch", self._config.hidden])
        graph.output("counts", counts, np.float32, ["batch"])
        return graph.serialised()

    def _embeddings(self) -> str:
        """Words + positions; the type of token, always 0, is part of the positions."""
        graph, weights = self._graph, self._weights
        positions = weights["embeddings.position_embeddings.weight"]
        positions = positions + weights["embeddings.token_type_embeddings.weight"][0]
        zero = graph.constant(np.zeros(1, np.int64))
        first = graph.node("Slice", self._constant(positions), zero, self._length, zero)
        words = self._constant(weights["embeddings.word_embeddings.weight"])
        x = graph.node("Add", graph.node("Gather", words, self._ids), first)
        return self._norm(x, "embeddings.LayerNorm")

    def _layer(self, x: str, name: str) -> str:
        graph = self._graph
        mixed = self._dense(x, name + "attention.self.qkv")
        q, k, v = graph.nodes("Split", mixed, outputs=3, axis=-1, num_outputs=3)
        mixed = self._dense(self._dialect.attention(q, k, v), name + "attention.output.dense")
        x = self._norm(graph.node("Add", mixed, x), name + "attention.output.LayerNorm")
        inner = self._dialect.gelu(self._dense(x, name + "intermediate.dense"))
        outer = self._dense(inner, name + "output.dense")
        return self._norm(graph.node("Add", outer, x), name + "output.LayerNorm")

    def _dense(self, x: str, name: str) -> str:
        if name in self._quantised:
            layer = self._quantised[name]
            y = self._dialect.dense8(x, layer)
            return self._with_outliers(x, y, layer) if len(layer.outliers) else y
        weight = self._constant(self._weights[name + ".weight"])
        bias = self._constant(self._weights[name + ".bias"])
        return self._graph.node("Add", self._graph.node("MatMul", x, weight), bias)

    def _with_outliers(self, x: str, y: str, layer: Dense8) -> str:
        graph = self._graph
        few = graph.node("Gather", x, graph.constant(layer.outliers), axis=-1)
        return graph.node(
            "Add", y, graph.node("MatMul", few, graph.constant(layer.outlier_weights))
        )

    def _norm(self, x: str, name: str) -> str:
        """Layer normalisation, apart from the addition before it.

        ONNX Runtime's fused SkipLayerNormalization is a scalar loop on CPUs: 2.5 % of the time of an int8 layer
        stack for each of its 12 calls, where Add and LayerNormalization take 0.5 %.
        """
        gain, bias = (
            self._constant(self._weights[f"{name}.{part}"]) for part in ("weight", "bias")
        )
        return self._graph.node(
            "LayerNormalization", x, gain, bias, axis=-1, epsilon=self._config.epsilon
        )

    def _mean(self, x: str) -> tuple[str, str]:
        """Sum the tokens by a product with the mask.

        ReduceSum adds in another order when the batch is a single sequence (last bit, ONNX Runtime 1.32).
        """
        graph = self._graph
        mask = graph.node("Cast", self._real(), to=1)
        mask = graph.node("Unsqueeze", mask, graph.constant(np.array([1], np.int64)))
        axis = graph.constant(np.array([1], np.int64))
        sums = graph.node("Squeeze", graph.node("MatMul", mask, x), axis)
        return sums, graph.node("Cast", self._lengths, to=1)

    def _cls(self, x: str) -> tuple[str, str]:
        graph = self._graph
        first = graph.node("Gather", x, graph.constant(np.int64(0)), axis=1)
        one = graph.constant(np.float32(0)), graph.constant(np.float32(1))
        none = graph.node("Mul", graph.node("Cast", self._lengths, to=1), one[0])
        return first, graph.node("Add", none, one[1])

    def _real(self) -> str:
        """bool[batch, length]: the tokens that are not padding."""
        graph = self._graph
        zero = graph.constant(np.zeros(1, np.int64))
        every = graph.constant(np.arange(self._config.positions, dtype=np.int32))
        places = graph.node("Slice", every, zero, self._length, zero)
        limits = graph.node("Unsqueeze", self._lengths, graph.constant(np.array([1], np.int64)))
        return graph.node("Less", places, limits)

    def _constant(self, array: Any) -> str:
        return self._graph.constant(np.asarray(array, self._dtype))


class _Fused:
    """ONNX Runtime's own operators."""

    def __init__(self, graph: Graph, lengths: str, heads: int) -> None:
        self._graph, self._lengths, self._heads = graph, lengths, heads

    def attention(self, q: str, k: str, v: str) -> str:
        return self._graph.node(
            "MultiHeadAttention",
            *(q, k, v, "", self._lengths),
            domain=CONTRIB,
            num_heads=self._heads,
        )

    def gelu(self, x: str) -> str:
        return self._graph.node("Gelu", x, domain=CONTRIB)

    def dense8(self, x: str, layer: Dense8) -> str:
        graph = self._graph
        scale, zero = graph.constant(layer.scale), graph.constant(layer.zero)
        x = graph.node("QuantizeLinear", _smoothed(graph, x, layer), scale, zero)
        weights, scales = graph.constant(layer.weights), graph.constant(layer.weight_scales)
        return graph.node(
            "MatMulIntegerToFloat",
            *(x, weights, scale, scales, zero, "", graph.constant(layer.bias)),
            domain=CONTRIB,
        )


class _Plain:
    """Standard operators only."""

    def __init__(self, graph: Graph, real: str, heads: int, size: int, dtype: Any) -> None:
        self._graph, self._dtype = graph, dtype
        self._split = graph.constant(np.array([0, 0, heads, size], np.int64))
        self._join = graph.constant(np.array([0, 0, heads * size], np.int64))
        self._scale = graph.constant(dtype(size**-0.5))
        # exp of the lowest finite number is exactly 0: what is padding cannot leak.
        low = graph.constant(np.finfo(dtype).min)
        bias = graph.node("Where", real, graph.constant(dtype(0)), low)
        axes = graph.constant(np.array([1, 2], np.int64))
        self._bias = graph.node("Unsqueeze", bias, axes)

    def attention(self, q: str, k: str, v: str) -> str:
        graph = self._graph
        queries = graph.node("Mul", self._heads(q, [0, 2, 1, 3]), self._scale)
        scores = graph.node("MatMul", queries, self._heads(k, [0, 2, 3, 1]))
        shares = graph.node("Softmax", graph.node("Add", scores, self._bias), axis=-1)
        mixed = graph.node("MatMul", shares, self._heads(v, [0, 2, 1, 3]))
        return graph.node("Reshape", graph.node("Transpose", mixed, perm=[0, 2, 1, 3]), self._join)

    def gelu(self, x: str) -> str:
        graph, dtype = self._graph, self._dtype
        half, one, root = (graph.constant(dtype(value)) for value in (0.5, 1.0, 0.5**0.5))
        error = graph.node("Erf", graph.node("Mul", x, root))
        return graph.node("Mul", graph.node("Mul", x, graph.node("Add", error, one)), half)

    def dense8(self, x: str, layer: Dense8) -> str:
        graph = self._graph
        scale, zero = graph.constant(layer.scale), graph.constant(layer.zero)
        x = graph.node("QuantizeLinear", _smoothed(graph, x, layer), scale, zero)
        product = graph.node("MatMulInteger", x, graph.constant(layer.weights), zero)
        scales = graph.constant(layer.scale * layer.weight_scales)
        y = graph.node("Mul", graph.node("Cast", product, to=1), scales)
        return graph.node("Add", y, graph.constant(layer.bias))

    def _heads(self, x: str, order: list[int]) -> str:
        split = self._graph.node("Reshape", x, self._split)
        return self._graph.node("Transpose", split, perm=order)


def _smoothed(graph: Graph, x: str, layer: Dense8) -> str:
    if layer.multiplier is None:
        return x
    return graph.node("Mul", x, graph.constant(layer.multiplier))
