"""Fixed shapes: the same vectors from a few shapes as from any."""

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is part of scission[cpu]")
pytest.importorskip("onnxruntime", reason="onnxruntime is part of scission[cpu]")

from scission.embed.onnx import OnnxEmbedder, embedder
from scission.embed.onnx.shapes import TOKENS, FixedShapes
from scission.embed.providers import Choice

from ..tiny_bert import SHAPE, WORDS, write_checkpoint

POSITIONS = SHAPE["positions"]

FIXED = Choice(
    "CPUExecutionProvider", dialect="plain", precision="fp32", precisions=("fp32",), lengths=(8, 16, 512)
)  # fmt: skip


class Doubling:
    """A session whose result is twice the sum of the real tokens."""

    def __init__(self, rows, length):
        self.shape = rows, length

    def run(self, outputs, feeds):
        assert outputs == ["sums", "counts"]
        assert feeds["ids"].shape == self.shape
        assert (feeds["lengths"] > 0).all()
        return [2 * feeds["ids"].sum(axis=1, keepdims=True), feeds["lengths"]]


@pytest.mark.parametrize(("rows", "width"), [(1, 3), (128, 8), (130, 7), (300, 12), (3, 600)])
def test_rows_and_columns_are_added_and_thrown_away(rows, width):
    opened = []

    def open_shape(*shape):
        opened.append(shape)
        return Doubling(*shape)

    session = FixedShapes(open_shape, (8, 16, 512))
    ids = np.random.default_rng(0).integers(1, 9, (rows, width)).astype(np.int32)
    lengths = np.full(rows, width, np.int32)
    for _ in range(2):
        sums, counts = session.run(["sums", "counts"], {"ids": ids, "lengths": lengths})
        np.testing.assert_array_equal(sums[:, 0], 2 * ids.sum(axis=1))
        np.testing.assert_array_equal(counts, lengths)
    length = next((size for size in (8, 16, 512) if size >= width), width)
    assert opened == [(max(1, TOKENS // length), length)]


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_model_gives_the_same_vectors(tmp_path, monkeypatch, pooling):
    folder = write_checkpoint(tmp_path, pooling=pooling)
    random = np.random.default_rng(1)
    words = [word for word in WORDS if word.isalpha()]
    texts = [" ".join(random.choice(words, size)) for size in random.integers(1, POSITIONS, 40)]
    wanted = OnnxEmbedder(folder, precision="fp32", threads=1).embed(texts)
    monkeypatch.setattr(embedder, "choose", lambda device: FIXED)
    fixed = OnnxEmbedder(folder, threads=2)
    np.testing.assert_allclose(fixed.embed(texts), wanted, atol=1e-5)
    assert set(fixed._session._sessions) == {8, 16, POSITIONS}  # 512 is more than the model reads


def test_other_choices_stay_as_they_are():
    anything = Choice("CPUExecutionProvider")
    assert anything.limited(64) is anything
    assert FIXED.limited(12).lengths == (8, 12)
    assert FIXED.limited(512).lengths == (8, 16, 512)
