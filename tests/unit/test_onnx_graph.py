"""Graphs against the NumPy reference, in both dialects and all precisions."""

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is part of scission[cpu]")
pytest.importorskip("onnxruntime", reason="onnxruntime is part of scission[cpu]")

import onnxruntime as ort

from scission.embed.bert import Network
from scission.embed.checkpoint import Checkpoint
from scission.embed.onnx.encoder import DIALECTS, encoder
from scission.embed.onnx.quantise import quantised
from scission.errors import ModelError

from ..tiny_bert import HIDDEN, WORDS, write_checkpoint


@pytest.fixture(scope="module", params=["mean", "cls"])
def checkpoint(request, tmp_path_factory):
    return opened(tmp_path_factory.mktemp("bert"), request.param)


def opened(folder, pooling="mean"):
    write_checkpoint(folder, pooling=pooling)
    return Checkpoint.open(folder)


def session(data, **dimensions):
    options = ort.SessionOptions()
    options.log_severity_level = 3
    for name, size in dimensions.items():
        options.add_free_dimension_override_by_name(name, size)
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def batch(rows, length, seed=0):
    return np.random.default_rng(seed).integers(2, len(WORDS), (rows, length)).astype(np.int32)


def run(model, ids, lengths=None):
    lengths = np.full(len(ids), ids.shape[1]) if lengths is None else np.asarray(lengths)
    return model.run(["sums", "counts"], {"ids": ids, "lengths": lengths.astype(np.int32)})


def expected(checkpoint, ids):
    states = Network(checkpoint).hidden_states(ids)
    return states[:, 0] if checkpoint.pooling == "cls" else states.mean(axis=1)


def cosines(a, b):
    return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_float32_is_the_reference(checkpoint, dialect):
    model = session(encoder(checkpoint, dialect=dialect))
    for length in (2, 7, 64):
        ids = batch(3, length)
        sums, counts = run(model, ids)
        assert sums.dtype == counts.dtype == np.float32
        np.testing.assert_allclose(sums / counts[:, None], expected(checkpoint, ids), atol=1e-5)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_float16(checkpoint, dialect):
    ids = batch(20, 12)
    sums, _ = run(session(encoder(checkpoint, dialect=dialect, precision="fp16")), ids)
    assert cosines(sums, expected(checkpoint, ids)).min() > 0.999


@pytest.mark.parametrize("dialect", DIALECTS)
def test_int8(checkpoint, dialect):
    layers = quantised(checkpoint, list(batch(300, 12, seed=1)))
    model = session(encoder(checkpoint, dialect=dialect, precision="int8", quantised=layers))
    ids = batch(50, 12)
    found = cosines(run(model, ids)[0], expected(checkpoint, ids))
    assert found.mean() > 0.999
    assert found.min() > 0.99


def test_the_dialects_of_int8_agree(checkpoint):
    layers = quantised(checkpoint, list(batch(100, 9, seed=1)))
    ids = batch(20, 9)
    fused, plain = (
        run(session(encoder(checkpoint, dialect=d, precision="int8", quantised=layers)), ids)[0]
        for d in DIALECTS
    )
    np.testing.assert_allclose(fused, plain, atol=0.2)  # now and then a value rounds the other way
    assert cosines(fused, plain).min() > 0.9995


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_padding_does_not_leak(checkpoint, dialect, precision):
    layers = quantised(checkpoint, list(batch(100, 9))) if precision == "int8" else {}
    model = session(encoder(checkpoint, dialect=dialect, precision=precision, quantised=layers))
    ids = batch(4, 40)
    lengths = np.array([5, 40, 2, 17])
    other = ids.copy()
    other[np.arange(40) >= lengths[:, None]] = 3  # other padding
    sums, counts = run(model, ids, lengths)
    changed, _ = run(model, other, lengths)
    assert np.array_equal(sums, changed)
    for i, length in enumerate(lengths):
        alone, count = run(model, ids[i : i + 1, :length])
        np.testing.assert_allclose(sums[i], alone[0], rtol=1e-4, atol=1e-4)
        assert counts[i] == count[0] == (1 if checkpoint.pooling == "cls" else length)


def test_pools_of_pools_are_exact(tmp_path):
    checkpoint = opened(tmp_path)
    model = session(encoder(checkpoint))
    ids = batch(2, 30)
    sums, counts = run(model, ids, [30, 11])
    states = [
        Network(checkpoint).hidden_states(ids[i : i + 1, :n])[0] for i, n in enumerate((30, 11))
    ]
    together = np.concatenate(states).mean(axis=0)
    np.testing.assert_allclose(sums.sum(0) / counts.sum(), together, atol=1e-5)


def test_plain_graphs_have_standard_operators_and_may_have_fixed_shapes(checkpoint):
    import onnx

    data = encoder(checkpoint, dialect="plain")
    assert {node.domain for node in onnx.load_from_string(data).graph.node} == {""}
    fixed = session(data, batch=4, length=16)
    assert fixed.get_inputs()[0].shape == [4, 16]
    ids = batch(4, 16)
    np.testing.assert_allclose(run(fixed, ids)[0], run(session(data), ids)[0], rtol=1e-4)


def test_other_pooling_is_refused(tmp_path):
    write_checkpoint(tmp_path, pooling="max")
    with pytest.raises(ModelError, match="pooling_mode_max_tokens"):
        Checkpoint.open(tmp_path)


def test_the_digest_is_that_of_all_that_matters(tmp_path):
    first = opened(tmp_path / "a").digest
    assert opened(tmp_path / "b").digest == first
    assert opened(tmp_path / "c", "cls").digest != first
    write_checkpoint(tmp_path / "d", seed=1)
    assert Checkpoint.open(tmp_path / "d").digest != first


def test_the_output_has_the_hidden_size(checkpoint):
    assert session(encoder(checkpoint)).get_outputs()[0].shape == ["batch", HIDDEN]
