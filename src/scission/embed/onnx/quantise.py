"""Dense layers in 8-bit integers whose result for a token depends on that token alone.

ONNX Runtime's dynamic quantisation takes one scale per *tensor*: a sentence gets another vector in another batch. Here
scales are fixed when the model is built. A layer ``y = x W + b`` becomes::

    x8 = clip(round(x * multiplier / scale) + zero, 0, 255)        uint8
    y  = scale * weight_scales * ((x8 - zero) @ weights) + bias    float32; the product is exact in int32

- *Smoothing* (Xiao et al. 2023, SmoothQuant): ``multiplier = 1 / s`` for each input, ``s = xmax^a / wmax^(1 - a)``,
  moves the outliers of the activations into the weights; ``a`` is searched for each layer.
- *Outliers apart* (Dettmers et al. 2022, LLM.int8): a few inputs that even so would set the step for all
  others are left to float32, in a product of their own.
- *Rounding with compensation* (Frantar et al. 2023, GPTQ): weights are rounded row by row, the error of each
  made up for in those that follow, by the second moments of the quantised activations.
- *Bias correction* (Nagel et al. 2019): the mean error over the calibration tokens goes into the bias.

MiniLM, 500 sentences of English Web Treebank, cosine to float32, mean / minimum. Calibrated on 400 others of them:
smoothing with a = 0.9 alone 0.9969 / 0.962; with searched exponents, asymmetric ranges and bias 0.9976 / 0.951; with
compensation as well 0.9983 / 0.962; with short texts among the calibration ones 0.9983 / 0.991. Calibrated on
what the package carries (`calibration`): the last 0.9982 / 0.986, with 16 outliers apart 0.9991 / 0.992 (over 1,500
sentences). Only the outliers cost time when the model runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bert import Ints, Network
from ..checkpoint import Checkpoint, Floats

#: Exponents of the smoothing that are tried.
EXPONENTS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
#: Share of the activations, in per cent, that the range must hold; the rest is clipped.
PERCENTILE = 99.999
#: What is added to the diagonal of the second moments, as a share of its mean (GPTQ's own value).
DAMPING = 0.01

#: Inputs of a layer that stay in float32 (Dettmers et al. 2022, LLM.int8): in the second half of a feed-forward block
#: a channel or two reach four times the values of the next.
OUTLIERS = {"output.dense": 16}

_SAMPLE = 1500  # tokens that exponents are compared on
_BLOCK = 128  # rows of weights between two updates of all that follow


@dataclass(frozen=True, eq=False)
class Dense8:
    """A quantised dense layer; the formula is the module's.

    Attributes
    ----------
    multiplier : float32[k] or None
        Smoothing of the input; None when the layer before has done it.
    scale : float32
        Step of the activations.
    zero : uint8
        The activation that stands for 0.
    weights : int8[k, n]
        In [-limit, limit].
    weight_scales : float32[n]
        Step of the weights of each output.
    bias : float32[n]
        Corrected bias.
    outliers : int64[m]
        Inputs that are left to float32; their `multiplier` is 0. Empty for most layers.
    outlier_weights : float32[m, n]
        Their weights.
    """

    multiplier: Floats | None
    scale: np.float32
    zero: np.uint8
    weights: NDArray[np.int8]
    weight_scales: Floats
    bias: Floats
    outliers: NDArray[np.int64]
    outlier_weights: Floats

    def quantised(self, x: Floats) -> Floats:
        """Input as the integers see it, before `scale`: float32 of whole numbers."""
        smooth = x if self.multiplier is None else x * self.multiplier
        low, high = -np.float32(self.zero), np.float32(255 - int(self.zero))
        return np.asarray(np.clip(np.rint(smooth / self.scale), low, high), np.float32)

    def apply(self, x: Floats) -> Floats:
        """Compute the layer in float32."""
        product = self.quantised(x) @ self.weights.astype(np.float32)
        y = product * (self.scale * self.weight_scales) + self.bias
        if len(self.outliers):
            y += x[:, self.outliers] @ self.outlier_weights
        return np.asarray(y, np.float32)


def quantised(
    checkpoint: Checkpoint,
    sequences: Sequence[Ints],
    *,
    limit: int = 127,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> dict[str, Dense8]:
    """Quantise the dense layers of a checkpoint, one after the other.

    Parameters
    ----------
    checkpoint : Checkpoint
        The model in float32.
    sequences : sequence of int32[L]
        Token ids of the calibration texts, special tokens included.
    limit : int
        Largest weight: 127, or 63 where the processor's instructions would overflow (`exact.weight_limit`).
    progress : callable
        Wraps the iteration over layers, to show how far it is.

    Returns
    -------
    dict
        By the name of the weights, e.g. ``encoder.layer.0.attention.self.qkv``.
    """
    network = Network(checkpoint)
    batches = [np.stack(rows) for rows in _by_length(sequences)]
    states = [network.embed(ids) for ids in batches]
    layers: dict[str, Dense8] = {}
    for number in progress(range(checkpoint.config.layers)):
        inputs: dict[str, list[Floats]] = {}

        def tap(name: str, x: Floats, seen: dict[str, list[Floats]] = inputs) -> None:
            seen.setdefault(name, []).append(x.copy())

        states = [
            network.layer(x, number, len(ids), tap) for x, ids in zip(states, batches, strict=True)
        ]
        for name, parts in inputs.items():
            weight, bias = (network.weights[f"{name}.{part}"] for part in ("weight", "bias"))
            kind = name.split(".", 3)[-1]
            x = np.concatenate(parts)
            layers[name] = _dense(x, weight, bias, limit, OUTLIERS.get(kind, 0))
        _fold(layers, f"encoder.layer.{number}.attention.")
    return layers


def _by_length(sequences: Sequence[Ints]) -> Iterable[list[Ints]]:
    by_length: dict[int, list[Ints]] = {}
    for sequence in sequences:
        by_length.setdefault(len(sequence), []).append(sequence)
    return by_length.values()


def _fold(layers: dict[str, Dense8], name: str) -> None:
    """Let the values of attention come out smoothed: a mean over tokens keeps a factor of each channel."""
    values, after = layers[name + "self.qkv"], layers[name + "output.dense"]
    factors = np.ones(len(values.bias), np.float32)
    factors[-len(after.weights) :] = after.multiplier
    layers[name + "self.qkv"] = replace(
        values,
        weight_scales=values.weight_scales * factors,
        bias=values.bias * factors,
        outlier_weights=values.outlier_weights * factors,
    )
    layers[name + "output.dense"] = replace(after, multiplier=None)


def _dense(x: Floats, weight: Floats, bias: Floats, limit: int, outliers: int) -> Dense8:
    """Quantise one layer, given its inputs float32[T, k]."""
    largest = np.maximum(np.maximum(x.max(0), -x.min(0)), 1e-5)
    apart = np.sort(np.argsort(-largest, kind="stable")[:outliers])
    sample = x[:: max(1, len(x) // _SAMPLE)]
    wanted = sample @ weight + bias

    def loss(exponent: float) -> float:
        made = _smoothed(sample, weight, bias, largest, apart, exponent, limit)
        return float(np.square(made.apply(sample) - wanted).sum())

    best = _smoothed(x, weight, bias, largest, apart, min(EXPONENTS, key=loss), limit)
    seen = best.quantised(x)
    moments = (seen.T @ seen).astype(np.float64)
    rounded = compensated(_steps(best, weight), moments, limit)
    best = replace(best, weights=rounded)
    # The mean of the error is that of the means: products of vectors instead of matrices.
    means = x.mean(0, dtype=np.float64)
    got = seen.mean(0, dtype=np.float64) @ rounded * (best.scale * best.weight_scales)
    got += means[apart] @ best.outlier_weights
    return replace(best, bias=(bias + means @ weight - got).astype(np.float32))


def _smoothed(
    x: Floats,
    weight: Floats,
    bias: Floats,
    largest: Floats,
    apart: NDArray[np.int64],
    exponent: float,
    limit: int,
) -> Dense8:
    """Smooth with one exponent and round to nearest."""
    heaviest = np.maximum(np.abs(weight).max(1), 1e-5)
    multiplier = (heaviest ** (1 - exponent) / largest**exponent).astype(np.float32)
    multiplier[apart] = 0
    low, high = _range(x, multiplier)
    scale = np.float32((high - low) / 255)
    zero = np.uint8(np.clip(np.rint(-low / scale), 0, 255))
    ones = np.ones(weight.shape[1], np.float32)
    no_weights = np.zeros(weight.shape, np.int8)
    layer = Dense8(multiplier, scale, zero, no_weights, ones, bias, apart, weight[apart])
    smooth = _steps(layer, weight)
    scales = (np.maximum(np.abs(smooth).max(0), 1e-9) / limit).astype(np.float32)
    weights = np.clip(np.rint(smooth / scales), -limit, limit).astype(np.int8)
    return replace(layer, weights=weights, weight_scales=scales)


def _steps(layer: Dense8, weight: Floats) -> Floats:
    """Weights in steps: what would be rounded to the nearest integer; 0 for outliers."""
    multiplier = np.asarray(layer.multiplier)[:, None]
    smooth = np.divide(weight, multiplier, out=np.zeros_like(weight), where=multiplier > 0)
    return np.asarray(smooth / layer.weight_scales, np.float32)


def _range(x: Floats, multiplier: Floats) -> tuple[float, float]:
    """Range that holds `PERCENTILE` of the smoothed activations on either side, 0 among them."""
    smooth = (x * multiplier).ravel()
    last = len(smooth) - 1
    spare = int(last * (100 - PERCENTILE) / 100)
    ordered = np.partition(smooth, [spare, last - spare])
    low, high = float(min(ordered[spare], 0)), float(max(ordered[last - spare], 0))
    return low, max(high, low + 1e-6)


def compensated(weight: NDArray[Any], moments: NDArray[np.float64], limit: int) -> NDArray[np.int8]:
    """Round weights so that their errors cancel in the output (GPTQ).

    Parameters
    ----------
    weight : float[k, n]
        Weights in steps: what would be rounded to the nearest integer.
    moments : float64[k, k]
        Second moments ``X.T @ X`` of the inputs.
    limit : int
        Largest value.

    Returns
    -------
    int8[k, n]
    """
    count = len(weight)
    damped = moments + np.eye(count) * DAMPING * max(float(np.mean(np.diag(moments))), 1e-12)
    # Rows of the largest inputs first: later ones can still make up for them.
    order = np.argsort(-np.diag(damped), kind="stable")
    rest = weight[order].astype(np.float64)
    upper = np.linalg.cholesky(np.linalg.inv(damped[np.ix_(order, order)])).T
    rounded = np.empty(weight.shape, np.int8)
    for begin in range(0, count, _BLOCK):
        end = min(count, begin + _BLOCK)
        errors = np.empty((end - begin, weight.shape[1]))
        for k in range(begin, end):
            near = np.clip(np.rint(rest[k]), -limit, limit)
            rounded[k] = near
            errors[k - begin] = (rest[k] - near) / upper[k, k]
            rest[k + 1 : end] -= np.outer(upper[k, k + 1 : end], errors[k - begin])
        rest[end:] -= upper[begin:end, end:].T @ errors
    out = np.empty_like(rounded)
    out[order] = rounded
    return out
