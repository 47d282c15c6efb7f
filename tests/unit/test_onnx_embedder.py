"""The transformer as an embedder: the same vectors whatever the company, nothing truncated, clear errors."""

import json
import os
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is part of scission[cpu]")
pytest.importorskip("onnxruntime", reason="onnxruntime is part of scission[cpu]")
pytest.importorskip("tokenizers", reason="tokenizers is part of scission[cpu]")

from scission import SemanticChunker
from scission.embed.bert import BertEncoder
from scission.embed.cache import cache_folder
from scission.embed.onnx import OnnxEmbedder
from scission.embed.onnx.tokenizers import HubTokenizer, KernelTokenizer, open_tokenizer
from scission.embed.registry import resolve
from scission.embed.training import Sentences
from scission.embed.vocabulary import Vocabulary
from scission.errors import MissingExtra, ModelError, OptionError
from scission.tokens import default_vocabulary

from ..helpers import assert_tiles
from ..tiny_bert import HIDDEN, WORDS, write_checkpoint

MINILM = os.environ.get("SCISSION_MINILM")

TEXTS = [
    "The cat sat.",
    "A dog ran to the sea and the moon.",
    "Sun",
    "Bread, butter and salt in the oven.",
    "The queen sailed the boat.",
    "",
    "  \n",
    "War and peace, peace and war: the king of the river baked a star.",
    "xylophones",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_checkpoint(tmp_path_factory.mktemp("bert"), pooling="mean")


@pytest.fixture(scope="module", params=["fp32", "int8"])
def embedder(request, folder):
    return OnnxEmbedder(folder, precision=request.param, threads=1)


def reference(folder, texts, **options):
    sentences = Sentences.from_strings(texts, Vocabulary.from_tokenizer(folder / "tokenizer.json"))
    return BertEncoder(folder, **options).encode(sentences.tokens, sentences.offsets)


def long_text(words):
    return " ".join(np.random.default_rng(0).choice(WORDS[7:-5], words).tolist())


def test_float32_gives_the_vectors_of_the_reference(folder):
    texts = [text for text in TEXTS if text.strip()]
    found = OnnxEmbedder(folder, precision="fp32").embed(texts)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, reference(folder, texts), atol=1e-5)


def test_texts_without_tokens_get_zeros(embedder):
    vectors = embedder.embed(TEXTS)
    assert not vectors[5:7].any()
    np.testing.assert_allclose(np.linalg.norm(np.delete(vectors, [5, 6], 0), axis=1), 1, atol=1e-6)
    assert embedder.embed([]).shape == (0, HIDDEN)
    assert not embedder.embed([""]).any()


def test_company_changes_no_bit(embedder, folder):
    wanted = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.array_equal(embedder.embed(TEXTS), wanted)
    assert np.array_equal(embedder.embed(TEXTS[::-1])[::-1], wanted)
    many = embedder.embed(TEXTS * 64)
    assert np.array_equal(many, np.tile(wanted, (64, 1)))
    beside = embedder.embed([long_text(500), *TEXTS, long_text(60)])
    assert np.array_equal(beside[1:-1], wanted)
    for threads, tokens in ((3, None), (2, 8), (1, 100_000)):
        other = OnnxEmbedder(
            folder, precision=embedder.precision, threads=threads, batch_tokens=tokens
        )
        assert np.array_equal(other.embed(TEXTS * 10), np.tile(wanted, (10, 1)))


def test_threads_may_share_an_embedder(folder):
    shared = OnnxEmbedder(folder, precision="int8", threads=2)
    wanted = shared.embed(TEXTS)
    found = [None] * 8

    def work(i):
        found[i] = shared.embed(TEXTS)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(len(found))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.array_equal(vectors, wanted) for vectors in found)


def test_long_texts_are_split_and_pooled(folder):
    """The mean over all tokens of the pieces, each a run of the model."""
    text = long_text(150)
    words = text.split()
    found = OnnxEmbedder(folder, precision="fp32").embed([text])[0]
    parts = [" ".join(words[i : i + 50]) for i in range(0, 150, 50)]
    pooled = sum(
        BertEncoder(folder).encode(*ragged(folder, part), normalize=False)[0] for part in parts
    )
    np.testing.assert_allclose(found, pooled / np.linalg.norm(pooled), atol=1e-5)
    other = OnnxEmbedder(folder, precision="fp32").embed([" ".join([*words[:-1], "cat"])])[0]
    assert np.abs(found - other).max() > 1e-4  # the last word counts


def ragged(folder, text):
    sentences = Sentences.from_strings([text], Vocabulary.from_tokenizer(folder / "tokenizer.json"))
    return sentences.tokens, sentences.offsets


def test_it_travels_to_another_process_by_name(embedder):
    again = pickle.loads(pickle.dumps(embedder))
    assert again.precision == embedder.precision
    assert np.array_equal(again.embed(TEXTS), embedder.embed(TEXTS))


def test_the_build_is_kept_with_its_recipe(folder, monkeypatch):
    OnnxEmbedder(folder, precision="int8")
    (kept,) = {
        path.parent
        for path in (cache_folder() / "onnx").glob("*int8*/recipe.json")
        if json.loads(path.read_text())["checkpoint"] == OnnxEmbedder(folder).recipe["checkpoint"]
    }
    recipe = json.loads((kept / "recipe.json").read_text())
    assert recipe["quantisation"]["texts"] > 400
    assert recipe["measured"]["mean_cosine"] > 0.99
    assert not list((cache_folder() / "onnx").glob(".*"))

    def refuse(*_):
        raise AssertionError("it is built already")

    monkeypatch.setattr("scission.embed.onnx.store._build", refuse)
    OnnxEmbedder(folder, precision="int8").embed(["A cat."])


def test_a_build_that_fails_leaves_nothing(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("SCISSION_CACHE", str(tmp_path))
    monkeypatch.setattr("scission.embed.onnx.store.LOWEST", 1.1)
    with pytest.raises(
        ModelError, match=r"must keep a mean cosine of 1\.1 .* choose precision='fp32'"
    ):
        OnnxEmbedder(folder, precision="fp16")
    assert list((tmp_path / "onnx").iterdir()) == []


def test_options_are_checked(folder):
    with pytest.raises(
        OptionError, match="precision must be one of 'fp32', 'fp16', 'int8', got 'int4'"
    ):
        OnnxEmbedder(folder, precision="int4")
    with pytest.raises(OptionError, match="threads must be an integer of at least 1, got 0"):
        OnnxEmbedder(folder, threads=0)
    with pytest.raises(OptionError, match="texts must be a list of strings"):
        OnnxEmbedder(folder, precision="fp32").embed("one text")
    with pytest.raises(OptionError, match="device"):
        OnnxEmbedder(folder, device="abacus")
    with pytest.raises(OptionError, match="precision is an option of transformers"):
        SemanticChunker(precision="int8")
    with pytest.raises(OptionError, match="chunk_vectors must be one of 'pooled', 'encoded'"):
        SemanticChunker(chunk_vectors="summed")


def test_missing_packages_are_named(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("SCISSION_CACHE", str(tmp_path))
    for module in ("onnx", "onnxruntime"):
        with monkeypatch.context() as patch:
            patch.setitem(__import__("sys").modules, module, None)
            with pytest.raises(MissingExtra, match=rf"'{module}'.*pip install '?scission\[cpu\]"):
                OnnxEmbedder(folder, precision="fp32", name=module)


# Tokenizers


def test_bert_vocabularies_go_through_the_kernel(folder, tmp_path):
    assert isinstance(open_tokenizer(folder / "tokenizer.json"), KernelTokenizer)
    shipped = default_vocabulary()
    write_checkpoint(tmp_path, words=shipped.tokens)
    assert open_tokenizer(tmp_path / "tokenizer.json").vocabulary is shipped


@pytest.fixture(scope="module")
def cased(folder, tmp_path_factory):
    """The same model behind a tokenizer that the kernel does not read, which pads and truncates."""
    copy = write_checkpoint(tmp_path_factory.mktemp("cased"), pooling="mean")
    path = copy / "tokenizer.json"
    content = json.loads(path.read_text())
    content["normalizer"] = {"type": "Lowercase"}
    content["pre_tokenizer"] = {"type": "Whitespace"}
    content["truncation"] = {
        "max_length": 4,
        "strategy": "LongestFirst",
        "stride": 0,
        "direction": "Right",
    }
    content["padding"] = {
        "strategy": {"Fixed": 128}, "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
    }  # fmt: skip
    content["post_processor"] = {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}
    path.write_text(json.dumps(content))
    return copy


def test_other_tokenizers_neither_pad_nor_truncate(folder, cased):
    assert isinstance(open_tokenizer(cased / "tokenizer.json"), HubTokenizer)
    texts = [text for text in TEXTS if text.isascii()] + [long_text(150)]
    ours, theirs = OnnxEmbedder(folder, precision="fp32"), OnnxEmbedder(cased, precision="fp32")
    np.testing.assert_allclose(theirs.embed(texts), ours.embed(texts), atol=1e-6)
    assert theirs.vocabulary is default_vocabulary()


def test_other_tokenizers_read_broken_text(cased):
    vectors = OnnxEmbedder(cased, precision="fp32").embed(["cat \ud800 sat", "dog\0ran"])
    assert np.isfinite(vectors).all()


def test_a_tokenizer_without_special_tokens_is_refused(cased, tmp_path):
    content = json.loads((cased / "tokenizer.json").read_text())
    content["post_processor"] = None
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(ModelError, match="one special token before and one after a text, got 0"):
        open_tokenizer(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_text('{"model": {"type": "Nonsense"}}')
    with pytest.raises(ModelError, match="not a tokenizer"):
        open_tokenizer(tmp_path / "tokenizer.json")


# As chunkers see it


DOCUMENT = "\n\n".join(
    " ".join(
        f"{a.capitalize()} {b} the {c}."
        for a, b, c in zip(WORDS[7:], WORDS[9:], WORDS[11:], strict=False)
    )
    for _ in range(3)
)


@pytest.mark.parametrize("embed", ["sentences", "windows"])
@pytest.mark.parametrize("chunk_vectors", ["pooled", "encoded"])
def test_chunks_tile_and_do_not_depend_on_the_batch(folder, embed, chunk_vectors):
    chunker = SemanticChunker(
        model=folder, embed=embed, chunk_vectors=chunk_vectors, max_tokens=40, threads=2
    )
    chunks = chunker.chunk(DOCUMENT)
    assert_tiles(DOCUMENT, chunks)
    vocabulary = resolve(folder).vocabulary
    for chunk in chunks:
        assert (
            chunk.token_count == len(Sentences.from_strings([chunk.text], vocabulary).tokens) <= 40
        )
    alone = chunker.chunk_batch([DOCUMENT], embeddings=True)
    others = [long_text(300), DOCUMENT, "Cat."]
    for threads in (1, 3):
        batch = chunker.chunk_batch(others, embeddings=True, threads=threads)
        mine = batch.document == 1
        assert np.array_equal(batch.start[mine], alone.start)
        assert np.array_equal(batch.vectors[mine], alone.vectors)


def test_encoded_chunk_vectors_are_those_of_the_text(folder):
    chunker = SemanticChunker(
        model=folder, precision="fp32", chunk_vectors="encoded", context_weight=0.0, max_tokens=40
    )
    batch = chunker.chunk_batch([DOCUMENT], embeddings=True)
    texts = [chunk.text for chunk in batch]
    np.testing.assert_allclose(
        batch.vectors, OnnxEmbedder(folder, precision="fp32").embed(texts), atol=1e-5
    )


@pytest.mark.parametrize("model", ["minilm-static", lambda texts: [[len(t), 1.0] for t in texts]])
def test_other_models_encode_chunks_too(model):
    chunker = SemanticChunker(
        model=model, chunk_vectors="encoded", context_weight=0.0, max_tokens=40
    )
    batch = chunker.chunk_batch([DOCUMENT], embeddings=True)
    wanted = chunker._embedder.embed([chunk.text.strip() for chunk in batch])
    wanted = wanted / np.linalg.norm(wanted, axis=1, keepdims=True)
    np.testing.assert_allclose(batch.vectors, wanted, atol=1e-5)


def test_windows_of_other_tokenizers(cased):
    chunker = SemanticChunker.reference(model=cased, precision="fp32")
    assert_tiles(DOCUMENT, chunker.chunk(DOCUMENT))


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ModelError):
        SemanticChunker(model=tmp_path)


# Real shapes


@pytest.mark.slow
def test_the_shape_of_bge_small(tmp_path):
    """12 layers, 384, 12 heads, 1536, CLS, 512 tokens: random weights through the whole path."""
    shape = {"layers": 12, "hidden": 384, "heads": 12, "inner": 1536, "positions": 512}
    words = default_vocabulary().tokens
    write_checkpoint(tmp_path, words=words, pooling="cls", shape=shape, spread=0.05)
    texts = [*TEXTS[:5], "The moon is far away. " * 60, "word " * 700]
    short = [text for text in texts if len(text) < 2500]
    precise = OnnxEmbedder(tmp_path, precision="fp32")
    np.testing.assert_allclose(
        precise.embed(short), reference(tmp_path, short, pooling="cls"), atol=1e-5
    )
    for precision, mean, lowest in (("fp16", 0.999, 0.999), ("int8", 0.997, 0.99)):
        rounded = OnnxEmbedder(tmp_path, precision=precision)
        cosines = (rounded.embed(texts) * precise.embed(texts)).sum(1)
        assert cosines.mean() >= mean
        assert cosines.min() >= lowest
        alone = np.concatenate([rounded.embed([text]) for text in texts])
        assert np.array_equal(rounded.embed(texts), alone)


@pytest.mark.slow
@pytest.mark.skipif(not MINILM, reason="SCISSION_MINILM names no folder with all-MiniLM-L6-v2")
def test_minilm_keeps_its_vectors():
    """On 500 sentences of the evaluation data, none of them calibrated on."""
    from bench.data import rows

    sentences = [s for row in rows("seg/choi_style_ewt.jsonl.gz") for s in row["sentences"]]
    # The reference cuts at 256 tokens, where the embedder pools.
    sentences = [s for s in dict.fromkeys(sentences) if 1 < len(s) < 250][:500]
    wanted = reference(Path(MINILM), sentences)
    for precision, mean, lowest in (
        ("fp32", 1 - 1e-6, 1 - 1e-6),
        ("fp16", 0.999, 0.999),
        ("int8", 0.997, 0.99),
    ):
        found = OnnxEmbedder(MINILM, precision=precision).embed(sentences)
        cosines = (found * wanted).sum(1)
        assert cosines.mean() >= mean
        assert cosines.min() >= lowest
        if precision == "fp32":
            np.testing.assert_allclose(found, wanted, atol=1e-5)
