import builtins
import math
import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="safetensors is part of scission[distill]")

from scission.embed.bert import BertEncoder, equal_length_batches, erf
from scission.embed.training import Sentences
from scission.embed.vocabulary import Vocabulary
from scission.errors import MissingExtra, ModelError, OptionError

from ..naive import bert as naive
from ..tiny_bert import WORDS, write_checkpoint

MINILM = os.environ.get("SCISSION_MINILM")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_checkpoint(tmp_path_factory.mktemp("bert"))


def ragged(*sentences):
    offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int32)
    return np.array([token for s in sentences for token in s], np.int32), offsets


def expected(folder, sentence, encoder):
    states = naive.hidden_states(folder, [encoder.cls, *sentence, encoder.sep])
    pooled = states[0] if encoder.pooling == "cls" else states.mean(axis=0)
    return pooled / np.linalg.norm(pooled)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_agrees_with_the_paper(folder, pooling):
    encoder = BertEncoder(folder, pooling=pooling)
    sentences = [[15, 17], [7, 8, 9, 10, 11], [30], [20, 21], [40, 41, 42, 5]]
    vectors = encoder.encode(*ragged(*sentences))
    assert vectors.dtype == np.float32
    want = [expected(folder, sentence, encoder) for sentence in sentences]
    np.testing.assert_allclose(vectors, want, atol=2e-6)


def test_batches_and_threads_change_nothing_but_the_last_bit(folder):
    random = np.random.default_rng(1)
    lengths = random.integers(1, 20, 60)
    data = ragged(*[random.integers(5, len(WORDS), n).tolist() for n in lengths])
    encoder = BertEncoder(folder)
    whole = encoder.encode(*data)
    np.testing.assert_allclose(encoder.encode(*data, tokens_per_batch=1), whole, atol=1e-6)
    assert np.array_equal(encoder.encode(*data, threads=3), whole)


def test_long_sentences_are_cut(folder):
    encoder = BertEncoder(folder, max_tokens=6)
    long = list(range(6, 30))
    both = encoder.encode(*ragged(long, long[:4]))
    np.testing.assert_allclose(both[0], both[1], atol=1e-6)


def test_a_sentence_without_tokens_is_the_two_special_ones(folder):
    encoder = BertEncoder(folder)
    vector = encoder.encode(*ragged([], [9]))[0]
    np.testing.assert_allclose(vector, expected(folder, [], encoder), atol=2e-6)


def test_unnormalised(folder):
    encoder = BertEncoder(folder)
    plain = encoder.encode(*ragged([9, 12]), normalize=False)
    unit = plain / np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(unit, encoder.encode(*ragged([9, 12])), atol=1e-6)


def test_prefixed_names(tmp_path, folder):
    other = BertEncoder(write_checkpoint(tmp_path, prefix="bert."))
    data = ragged([7, 8])
    np.testing.assert_array_equal(other.encode(*data), BertEncoder(folder).encode(*data))


def test_batches_hold_one_length_and_the_budget():
    lengths = np.array([3, 1, 3, 3, 2, 1])
    batches = [rows.tolist() for rows in equal_length_batches(lengths, 10, extra=2)]
    assert batches == [[0, 2], [3], [4], [1, 5]]


def test_erf():
    x = np.linspace(-6, 6, 4001, dtype=np.float32)
    want = [math.erf(float(value)) for value in x]
    np.testing.assert_allclose(erf(x.copy()), want, atol=4e-7)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "roberta"}, "model_type must be 'bert', got 'roberta'"),
        ({"hidden_act": "relu"}, "hidden_act must be 'gelu'"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type"),
        ({"num_hidden_layers": 3}, "lacks the tensor"),
    ],
)
def test_other_networks_are_refused(tmp_path, change, message):
    with pytest.raises(ModelError, match=message):
        BertEncoder(write_checkpoint(tmp_path, **change))


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_missing_files_are_named(tmp_path, name):
    write_checkpoint(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(ModelError, match=name):
        BertEncoder(tmp_path)


def test_options_are_checked(folder):
    with pytest.raises(OptionError, match="'mean' or 'cls', got 'max'"):
        BertEncoder(folder, pooling="max")
    with pytest.raises(OptionError, match="between 3 and 64"):
        BertEncoder(folder, max_tokens=65)


def test_missing_extra_says_what_to_type(folder, monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **keywords):
        if name.startswith("safetensors"):
            raise ImportError(name)
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pip install scission\[distill\]"):
        BertEncoder(folder)


@pytest.mark.skipif(not MINILM, reason="SCISSION_MINILM names no folder with all-MiniLM-L6-v2")
def test_minilm_gives_the_published_vector():
    """First components that fastembed's tests expect of sentence-transformers for "hello world"."""
    sentences = Sentences.from_strings(["hello world"], Vocabulary.bert_uncased())
    vectors = BertEncoder(Path(MINILM)).encode(sentences.tokens, sentences.offsets)
    want = [-0.034478, 0.03102, 0.00673, 0.02611, -0.039362]
    np.testing.assert_allclose(vectors[0, :5], want, atol=1e-5)
