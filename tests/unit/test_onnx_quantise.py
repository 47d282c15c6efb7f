"""Dense layers in 8-bit integers."""

import numpy as np
import pytest

from scission.embed.onnx import quantise
from scission.embed.onnx.quantise import compensated

pytest.importorskip("safetensors", reason="safetensors is part of scission[cpu]")


def layer(seed=0, rows=800, inputs=24, outputs=16):
    random = np.random.default_rng(seed)
    mixed = random.normal(size=(rows, inputs)) @ random.normal(size=(inputs, inputs))
    mixed[:, 3] *= 30  # an outlier, as trained models have
    weight = random.normal(0, 0.1, (inputs, outputs))
    return mixed.astype(np.float32), weight.astype(np.float32), random.normal(size=outputs)


def error(x, weight, bias, made):
    return np.square(made.apply(x) - (x @ weight + bias)).mean()


def dense(x, weight, bias, outliers=0, limit=127):
    return quantise._dense(x, weight, bias.astype(np.float32), limit, outliers)


def test_a_layer_is_close_and_stays_within_its_limits():
    x, weight, bias = layer()
    made = dense(x, weight, bias)
    assert made.weights.dtype == np.int8
    assert np.abs(made.weights.astype(int)).max() <= 127
    seen = made.quantised(x) + made.zero
    assert seen.min() >= 0
    assert seen.max() <= 255
    assert error(x, weight, bias, made) < 1e-3 * np.var(x @ weight)


def test_outliers_apart_make_it_closer():
    x, weight, bias = layer()
    apart = dense(x, weight, bias, outliers=1)
    assert apart.outliers.tolist() == [3]
    assert apart.multiplier[3] == 0
    assert not apart.weights[3].any()
    assert error(x, weight, bias, apart) < error(x, weight, bias, dense(x, weight, bias))


def test_narrow_weights():
    x, weight, bias = layer()
    assert np.abs(dense(x, weight, bias, limit=63).weights.astype(int)).max() <= 63


def test_compensation_beats_rounding_to_nearest():
    x, weight, _ = layer()
    steps = weight / 0.05
    moments = x.T.astype(np.float64) @ x
    near = np.clip(np.rint(steps), -7, 7)
    made = compensated(steps, moments, 7)
    assert made.dtype == np.int8
    losses = [np.square(x @ (steps - w)).mean() for w in (near, made)]
    assert losses[1] < 0.7 * losses[0]


def test_compensation_of_independent_inputs_is_rounding_to_nearest():
    steps = np.random.default_rng(0).normal(0, 3, (200, 5))
    made = compensated(steps, np.eye(200), 127)
    assert np.array_equal(made, np.rint(steps))


def test_the_mean_error_is_gone():
    x, weight, bias = layer()
    made = dense(x, weight, bias)
    gap = (made.apply(x) - (x @ weight + bias)).mean(0)
    np.testing.assert_allclose(gap, 0, atol=1e-4)


def test_an_input_that_is_always_zero():
    x, weight, bias = layer()
    x[:, 5] = 0
    assert np.isfinite(dense(x, weight, bias, outliers=2).apply(x)).all()
    none = np.zeros_like(x)
    np.testing.assert_allclose(
        dense(none, weight, bias).apply(none), np.tile(bias, (len(x), 1)), atol=1e-5
    )


def test_products_of_integers_are_tried(monkeypatch):
    pytest.importorskip("onnx", reason="onnx is part of scission[cpu]")
    pytest.importorskip("onnxruntime", reason="onnxruntime is part of scission[cpu]")
    from scission.embed.onnx import exact
    from scission.embed.providers import choose

    class Saturating:
        def run(self, _, feeds):
            return [np.minimum(feeds["x"].astype(np.float32) @ np.full((64, 16), 127), 2**15 * 32)]

    assert exact.weight_limit.__wrapped__(choose("cpu")) in (63, 127)
    monkeypatch.setattr(exact, "open_session", lambda *_: Saturating())
    assert exact.weight_limit.__wrapped__(choose("cpu")) == 63
