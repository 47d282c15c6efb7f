"""IO binding: the same results as without, here on the CPU."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is part of scission[cpu]")
pytest.importorskip("onnxruntime", reason="onnxruntime is part of scission[cpu]")

from scission.embed import providers
from scission.embed.checkpoint import Checkpoint
from scission.embed.onnx import OnnxEmbedder, embedder
from scission.embed.onnx.binding import BoundSession
from scission.embed.onnx.encoder import encoder
from scission.embed.onnx.sessions import open_session

from ..tiny_bert import SHAPE, WORDS, write_checkpoint

POSITIONS = SHAPE["positions"]
BOUND = replace(providers.CPU, memory="cpu")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_checkpoint(tmp_path_factory.mktemp("bert"), pooling="mean")


def test_a_bound_session_gives_what_the_session_gives(folder):
    graph = encoder(Checkpoint.open(folder), precision="fp32")
    plain, bound = open_session(graph, providers.CPU), open_session(graph, BOUND)
    assert isinstance(bound, BoundSession)
    assert not isinstance(plain, BoundSession)
    assert bound.get_providers() == plain.get_providers()
    assert bound.get_outputs()[0].shape == plain.get_outputs()[0].shape
    random = np.random.default_rng(0)
    kept = []
    for rows, width in [(1, 3), (7, 12), (7, 12), (64, POSITIONS)]:
        ids = random.integers(0, len(WORDS), (rows, width)).astype(np.int32)
        feeds = {"ids": ids, "lengths": random.integers(1, width + 1, rows).astype(np.int32)}
        for outputs in (["sums", "counts"], ["counts", "sums"], ["sums"]):
            wanted, found = plain.run(outputs, feeds), bound.run(outputs, feeds)
            assert len(found) == len(outputs)
            kept += zip(wanted, found, strict=True)
    for wanted, found in kept:  # later runs change nothing
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("threads", [1, 3])
def test_an_embedder_gives_the_same_vectors(folder, monkeypatch, threads):
    random = np.random.default_rng(1)
    words = [word for word in WORDS if word.isalpha()]
    texts = [" ".join(random.choice(words, size)) for size in random.integers(1, POSITIONS, 40)]
    wanted = OnnxEmbedder(folder, threads=1).embed(texts)
    monkeypatch.setattr(embedder, "choose", lambda device: BOUND)
    bound = OnnxEmbedder(folder, threads=threads)
    assert isinstance(bound._session, BoundSession)
    np.testing.assert_array_equal(bound.embed(texts), wanted)


def test_cuda_is_bound():
    assert providers._CHOICES["cuda"].memory == "cuda"
    assert not any(providers._CHOICES[name].memory for name in ("cpu", "coreml"))
