import json

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="safetensors is part of scission[distill]")
pytest.importorskip("scipy", reason="scipy is part of scission[distill]")

from scission.embed import fit
from scission.embed.bert import BertEncoder
from scission.embed.distill import distill
from scission.embed.static import StaticEmbedder
from scission.embed.training import Sentences, read_documents, root_quotas, sample, training_files
from scission.embed.vocabulary import Vocabulary
from scission.errors import EmbeddingError, OptionError, TextError

from ..tiny_bert import WORDS, write_checkpoint

SMALL = {"dimensions": 8, "sentences": 300, "held_out": 20, "pairs": 200}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return write_checkpoint(tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Two files of documents, each about the sea, the court or the kitchen."""
    folder = tmp_path_factory.mktemp("texts")
    random = np.random.default_rng(3)
    subjects = [
        "river sea boat sail sun",
        "king queen castle war peace",
        "bread butter salt pan oven",
    ]
    for name in ("one", "two"):
        documents = []
        for _ in range(20):
            words = (subjects[random.integers(3)] + " the a of and in is was ran cat dog").split()
            sentences = [" ".join(random.choice(words, 8)).capitalize() + "." for _ in range(9)]
            documents.append(" ".join(sentences))
        (folder / f"{name}.txt").write_text("\n\f\n".join(documents))
    return folder


def test_twice_gives_the_same_bytes(checkpoint, texts, tmp_path):
    for out in ("first", "second"):
        distill(
            checkpoint, texts, tmp_path / out, threads=1 + (out == "second"), contrast=0.25, **SMALL
        )
    files = sorted(p.relative_to(tmp_path / "first") for p in (tmp_path / "first").rglob("*.*"))
    assert {"rows.npy", "scales.npy", "axes.npy", "recipe.json"} <= {p.name for p in files}
    for file in files:
        first, second = ((tmp_path / out / file).read_bytes() for out in ("first", "second"))
        assert first == second, file


def test_the_model_loads_and_follows_its_teacher(checkpoint, texts, tmp_path):
    recipe = distill(checkpoint, texts, tmp_path, name="tiny", **SMALL)
    assert recipe == json.loads((tmp_path / "recipe.json").read_text())
    assert recipe["teacher"]["name"] == "tiny"
    measured = recipe["measured"]
    assert measured["held_out_r2"] > measured["held_out_r2_first_table"] + 0.1
    assert sum(file["taken"] for file in recipe["text"]) == SMALL["sentences"] + SMALL["held_out"]
    model = StaticEmbedder.load(tmp_path)
    assert model.dimensions == 8
    assert model.vocabulary.tokens == WORDS
    vectors = model.embed(["The king sat.", "The queen sat.", ""])
    assert vectors.shape == (3, 8)
    assert not vectors[2].any()


@pytest.mark.parametrize("contrast", [None, 0.25])
def test_the_axes_bring_the_teacher_among_the_rows(checkpoint, texts, tmp_path, contrast):
    distill(checkpoint, texts, tmp_path, contrast=contrast, **SMALL)
    model = StaticEmbedder.load(tmp_path)
    words = sorted({s for t in training_files(texts) for s in t.read_text().split(".")[:40]})
    sentences = Sentences.from_strings(words, model.vocabulary)
    teacher = BertEncoder(checkpoint).encode(sentences.tokens, sentences.offsets)
    cosines = model.project(teacher) @ model.embed(words).T
    assert cosines.diagonal().mean() > cosines.mean() + 0.2


def test_vectors_of_another_model_are_refused():
    with pytest.raises(EmbeddingError, match=r"shape \(n, 384\) of the teacher's, got \(1, 128\)"):
        StaticEmbedder.load_embedded().project(np.ones((1, 128)))


def test_a_run_is_resumed_from_its_cache(checkpoint, texts, tmp_path, monkeypatch):
    plain = distill(checkpoint, texts, tmp_path / "a", cache=tmp_path / "cache", **SMALL)

    def refuse(*_arguments, **_keywords):
        raise AssertionError("the teacher was asked again")

    monkeypatch.setattr("scission.embed.distill.BertEncoder.encode", refuse)
    again = distill(checkpoint, texts, tmp_path / "b", cache=tmp_path / "cache", **SMALL)
    assert again == plain
    assert (tmp_path / "a" / "rows.npy").read_bytes() == (tmp_path / "b" / "rows.npy").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dimension": 3}, "unknown option 'dimension'.*dimensions"),
        ({"dimensions": 0}, "dimensions must be positive, got 0"),
        ({"ridge": -1.0}, "ridge must be positive"),
        ({"dimensions": 25}, "at most 24"),
    ],
)
def test_options_are_checked(checkpoint, texts, tmp_path, options, message):
    with pytest.raises(OptionError, match=message):
        distill(checkpoint, texts, tmp_path, **options)


def test_samples_are_nested_and_without_repeats(texts, checkpoint):
    vocabulary = Vocabulary.from_tokenizer(checkpoint / "tokenizer.json")
    files = training_files(texts)
    few = sample(files, vocabulary, sentences=50, pairs=20)
    many = sample([*files, *files], vocabulary, sentences=200, pairs=20)
    assert np.array_equal(many.sentences[:50].tokens, few.sentences.tokens)
    assert 18 <= len(few.pairs[0]) == len(few.pairs[1]) <= 20
    other = sample(files, vocabulary, sentences=50, pairs=20, seed=1)
    assert not np.array_equal(other.sentences.tokens[:50], few.sentences.tokens[:50])


def test_pairs_are_neighbours_in_one_document(tmp_path, checkpoint):
    vocabulary = Vocabulary.from_tokenizer(checkpoint / "tokenizer.json")
    texts = ["The cat sat in the sun. The dog ran to the sea. The king was in the castle."]
    texts.append("The queen was in the boat. A star is in the light of the moon.")
    path = tmp_path / "text.txt"
    path.write_text("\f".join(texts))
    assert read_documents(path) == texts
    found = sample([path], vocabulary, sentences=9, pairs=9)
    first, second = found.pairs
    names = [
        [vocabulary.tokens[s.tokens[i]] for i in (s.offsets[:-1] + 1)] for s in (first, second)
    ]
    assert sorted(zip(*names, strict=True)) == [("cat", "dog"), ("dog", "king"), ("queen", "star")]


def test_text_must_be_there_and_readable(tmp_path, checkpoint):
    vocabulary = Vocabulary.from_tokenizer(checkpoint / "tokenizer.json")
    with pytest.raises(OptionError, match="found none"):
        training_files(tmp_path)
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(TextError, match="UTF-8"):
        sample([path], vocabulary, sentences=1, pairs=1)
    path.write_text("Cat.")
    with pytest.raises(TextError, match="5 to 120 tokens"):
        sample([path], vocabulary, sentences=1, pairs=1)


def test_root_quotas():
    assert root_quotas([100, 400, 900], 60) == [10, 20, 30]
    assert root_quotas([1, 400, 900], 6000) == [1, 400, 900]
    assert root_quotas([1, 400, 900], 500) == [1, 199, 299]
    assert root_quotas([3, 4], 60) == [3, 4]
    assert root_quotas([0, 4], 2) == [0, 2]


def test_fit_solves_the_ridge_regression():
    random = np.random.default_rng(0)
    sentences = Sentences(
        random.integers(0, 12, 200).astype(np.int32), np.arange(0, 201, 5, dtype=np.int32)
    )
    before = sentences.tokens.copy(), sentences.offsets.copy()
    shares = fit.token_shares(sentences, 12)
    assert np.array_equal(sentences.tokens, before[0])
    assert np.array_equal(sentences.offsets, before[1])
    dense = shares.toarray().astype(np.float64)
    np.testing.assert_allclose(dense.sum(axis=1), 1, rtol=1e-6)
    targets, start = (random.normal(size=(n, 3)).astype(np.float32) for n in (40, 12))
    table = fit.fit_table(shares, targets, start, ridge=0.3, tolerance=1e-6)
    left = dense.T @ dense + 0.3 * np.eye(12)
    want = np.linalg.solve(left, dense.T @ targets + 0.3 * start)
    np.testing.assert_allclose(table, want, atol=1e-5)
    assert fit.explained(shares, targets, table) > fit.explained(shares, targets, start)


def test_principal_axes_keep_what_varies():
    random = np.random.default_rng(0)
    vectors = (random.normal(size=(500, 5)) * [5, 3, 0.1, 0.1, 0.1] + 7).astype(np.float32)
    axes = fit.principal_axes(vectors, 2)
    np.testing.assert_allclose(np.abs(axes.axes[:2]), np.eye(2), atol=0.05)
    assert (axes.axes[np.abs(axes.axes).argmax(axis=0), [0, 1]] > 0).all()
    assert axes.kept > 0.99
    np.testing.assert_allclose(axes.project(vectors).std(axis=0), [5, 3], rtol=0.1)


def test_contrast_prefers_what_neighbours_share():
    random = np.random.default_rng(0)
    topic = random.normal(size=(2000, 1))
    noise = [random.normal(size=(2000, 3)) for _ in range(2)]
    first, second = ((np.hstack([topic, n]) + 0.1 * n.sum()).astype(np.float32) for n in noise)
    first[:, 0] += 0.5 * noise[0][:, 0]
    second[:, 0] += 0.5 * noise[1][:, 0]
    mapping = fit.contrast_axes(first, second, 0.25)
    a, b = first @ mapping, second @ mapping
    agreement = [np.corrcoef(a[:, k], b[:, k])[0, 1] for k in range(4)]
    assert agreement[0] > 0.9 * max(agreement)
    assert agreement[0] > 0.7 > max(agreement[1:])


def test_quantise():
    table = np.array([[1.0, -2.54, 0.02], [0, 0, 0], [1e-6, 0, 0]], np.float32)
    rows, scales = fit.quantise(table)
    assert rows.dtype == np.int8
    assert rows.tolist() == [[50, -127, 1], [0, 0, 0], [127, 0, 0]]
    np.testing.assert_allclose(rows * scales[:, None], table, atol=0.5 * 2.54 / 127)
