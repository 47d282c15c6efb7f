"""Grids: what they say, what they run, and that a run which was stopped goes on to the same end."""

import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest

import scission
from scission import CorpusError, MissingExtra, ModelError, OptionError, StaticEmbedder
from scission.evaluate import (
    Grid,
    Model,
    Prices,
    compare_chunks,
    decide,
    load_corpus,
    read_chunks,
    run_grid,
    write_report,
)
from scission.evaluate import cache as caching
from tests.evaluate.data import write_corpus
from tests.helpers import hashed_words

GRID = {
    "budgets": [10, 30],
    "k": [1, 2],
    "strategies": [
        {"strategy": "semantic", "max_tokens": [20, 40], "vectors": ["encoded", "pooled"]},
        {"strategy": "semantic", "preset": "reference"},
    ],
}


@pytest.fixture
def corpus(tmp_path):
    return load_corpus(*write_corpus(tmp_path))


def labels(grid):
    return [cell.label for cell in grid.configurations]


def test_every_combination():
    grid = Grid.from_dict(GRID)
    assert labels(grid) == [
        "semantic max_tokens=20 encoded",
        "semantic max_tokens=20 pooled",
        "semantic max_tokens=40 encoded",
        "semantic max_tokens=40 pooled",
        "semantic reference",
    ]
    assert dict(grid.configurations[2].options) == {"max_tokens": 40}
    two = Grid.from_dict({**GRID, "models": ["minilm-static", {"name": "b", "chunks": "x"}]})
    assert len(two.configurations) == 10
    assert labels(two)[1] == "semantic max_tokens=20 encoded (b)"
    assert two.configurations[1].model == Model("b", "x", "x")


def test_a_list_inside_a_list_is_one_value():
    table = {"strategies": [{"strategy": "other", "separators": [["\n\n", "\n"]]}]}
    (cell,) = Grid.from_dict(table).configurations
    assert cell.options["separators"] == ["\n\n", "\n"]


SEMANTIC = [{"strategy": "semantic"}]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, r"at least one \[\[strategies\]\]"),
        ({"strategies": SEMANTIC, "modles": []}, "a grid has no option 'modles'"),
        ({"strategies": SEMANTIC, "models": []}, "and one model"),
        ({"strategies": SEMANTIC, "models": [{"chunks": "x"}]}, "must have a 'name'"),
        ({"strategies": SEMANTIC, "models": [3]}, "must be a name or a table, got 3"),
        ({"strategies": SEMANTIC, "models": [{"name": "x", "size": 3}]}, "a model has no option 'size'"),
        ({"strategies": "semantic"}, "'strategies' must be a list"),
        ({"strategies": ["semantic"]}, "must be a table, got 'semantic'"),
        ({"strategies": [{}]}, "'strategy' must be the name"),
        ({"strategies": SEMANTIC * 2}, "'semantic' twice: give the strategies a 'name'"),
        ({"strategies": [{**SEMANTIC[0], "preset": "best"}]}, "preset must be 'reference'"),
        ({"strategies": [{**SEMANTIC[0], "vectors": "own"}]}, "vectors must be one of"),
        ({"strategies": SEMANTIC, "k": [0]}, "each of k must be an integer of at least 1, got 0"),
        ({"strategies": SEMANTIC, "budgets": 5}, "'budgets' must be a list"),
        ({"strategies": SEMANTIC, "metric": 5}, "'metric' must be a string"),
        ({"strategies": SEMANTIC, "search": "fast"}, "search must be one of"),
    ],
)  # fmt: skip
def test_what_is_no_grid(table, message):
    with pytest.raises(OptionError, match=message):
        Grid.from_dict(table)


def test_toml(tmp_path, monkeypatch):
    path = tmp_path / "grid.toml"
    path.write_text(
        'models = ["minilm-static"]\n[[strategies]]\nstrategy = "semantic"\n', encoding="utf-8"
    )
    assert labels(Grid.load(path)) == ["semantic"]
    for text, message in [
        ("strategies = [", r"grid\.toml: not TOML: "),
        ("k = 3", r"grid\.toml: a grid must have at least one"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(CorpusError, match=message):
            Grid.load(path)
    path.write_bytes(b"\xff")
    with pytest.raises(CorpusError, match="not UTF-8"):
        Grid.load(path)
    with pytest.raises(CorpusError, match="cannot be read"):
        Grid.load(tmp_path / "none.toml")
    path.write_text("", encoding="utf-8")
    for name in ("tomllib", "tomli"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match="tomli"):
        Grid.load(path)


def test_scores_are_those_of_the_chunks(corpus):
    """The row of a configuration, against chunking and searching by hand."""
    grid = Grid.from_dict(
        {"k": [1], "budgets": [12], "strategies": [{**SEMANTIC[0], "max_tokens": 20}]}
    )
    report = run_grid(corpus, grid)
    (entry,) = report.results["configurations"]
    chunks = [
        (number, chunk)
        for number, text in enumerate(corpus.texts)
        for chunk in scission.chunk(text, max_tokens=20)
    ]
    assert entry["shape"]["chunks"] == len(chunks)
    assert entry["shape"]["overlap_cost"] == 1.0
    assert entry["shape"]["tokens_stored"] == report.results["corpus"]["tokens"]
    model = StaticEmbedder.load_embedded()
    vectors = model.embed([chunk.text for _, chunk in chunks])
    question = corpus.questions[0]
    best = int(np.argmax(vectors @ model.embed([question.text])[0]))
    document, chunk = chunks[best]
    reference = question.references[0]
    held = document == 0 and chunk.start <= reference.start and reference.end <= chunk.end
    assert report.scores["semantic"]["context_recall@1"][0] == held == 1.0
    assert math.isnan(report.scores["semantic"]["recall@1"][2])
    assert entry["scores"]["context_recall@1"] == np.nanmean(
        report.scores["semantic"]["context_recall@1"]
    )
    assert entry["price"] == pytest.approx(entry["shape"]["tokens_stored"] * 0.02 / 1e6)
    assert report.timings["semantic"]["documents_per_second"] > 0


class StoppedError(Exception):
    pass


class Model16:
    """A toy model that counts its work, and stops at a given call."""

    def __init__(self, most=None):
        self.calls = 0
        self.most = most

    def embed(self, texts):
        if self.calls == self.most:
            raise StoppedError
        self.calls += 1
        return hashed_words(texts)


def test_a_run_that_was_stopped_goes_on_to_the_same_end(corpus, tmp_path):
    def run(model, folder):
        table = {**GRID, "models": [{"name": "toy", "chunks": model}]}
        report = run_grid(corpus, Grid.from_dict(table), cache=folder / "cache")
        write_report(report, folder)
        return (folder / "results.json").read_bytes()

    whole = Model16()
    wanted = run(whole, tmp_path / "whole")
    calls = []
    for _ in range(whole.calls):
        model = Model16(most=2)
        try:
            got = run(model, tmp_path / "parts")
        except StoppedError:
            assert not (tmp_path / "parts" / "results.json").exists()
            calls.append(model.calls)
            continue
        calls.append(model.calls)
        break
    assert len(calls) > 2
    assert got == wanted
    # Vectors of chunks and questions, and finished configurations, are never made again; a chunker's own pass (a
    # call to compile the kernels, a call for the documents) starts over where it was stopped between the two.
    assert sum(calls) <= whole.calls + 2
    assert run(Model16(most=0), tmp_path / "parts") == wanted


def test_the_cache_tells_things_apart(corpus, tmp_path, monkeypatch):
    grid = Grid.from_dict({"strategies": SEMANTIC})
    done = []

    def results():
        folder = tmp_path / "cache" / "results"
        return len(list(folder.iterdir()))

    run_grid(corpus, grid, cache=tmp_path / "cache", finished=done.append)
    assert done == ["semantic"]
    run_grid(corpus, grid, cache=tmp_path / "cache")
    assert results() == 1
    run_grid(corpus, Grid.from_dict({"strategies": SEMANTIC, "k": [7]}), cache=tmp_path / "cache")
    assert results() == 2
    other = type(corpus)(corpus.ids, [*corpus.texts[:-1], "Other text."], corpus.questions[:1])
    run_grid(other, grid, cache=tmp_path / "cache")
    assert results() == 3
    # A damaged file is made again.
    for path in (tmp_path / "cache").rglob("*.*"):
        path.write_bytes(b"{")
    run_grid(corpus, grid, cache=tmp_path / "cache")
    # Other code makes other results.
    monkeypatch.setattr(caching, "_code", lambda below: "other")
    run_grid(corpus, grid, cache=tmp_path / "cache")
    assert results() == 4


def test_models_are_told_apart(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "rows").write_bytes(b"1")
    first = caching.model_fingerprint(tmp_path / "m", "m")
    (tmp_path / "m" / "rows").write_bytes(b"2")
    assert caching.model_fingerprint(str(tmp_path / "m"), "m") != first
    assert caching.model_fingerprint("minilm-static", "m") == "minilm-static"
    assert caching.model_fingerprint(Model16(), "m") == "m"


def test_nothing_is_written_in_halves(tmp_path):
    path = tmp_path / "file"
    path.write_text("old", encoding="utf-8")

    def fail(file):
        file.write(b"half")
        raise StoppedError

    with pytest.raises(StoppedError):
        caching.write_whole(path, fail)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"strategies": [{"strategy": "none"}]}, OptionError, "strategy must be one of"),
        ({"strategies": [{**SEMANTIC[0], "size": 3}]}, OptionError, "has no option 'size'"),
        ({"models": ["nowhere"]}, ModelError, "nowhere"),
        ({"metric": "recall@7t"}, OptionError, "metric must be one of ndcg@10"),
        ({"price": "gpt"}, OptionError, "price must name a model of the table"),
        (
            {"strategies": [{**SEMANTIC[0], "vectors": "pooled", "model": "x"}]},
            OptionError,
            "pooled vectors",
        ),
    ],
)
def test_mistakes_show_before_anything_is_run(corpus, tmp_path, changes, kind, message):
    grid = Grid.from_dict({"strategies": SEMANTIC, **changes})
    with pytest.raises(kind, match=message):
        run_grid(corpus, grid, cache=tmp_path / "cache")
    assert not (tmp_path / "cache" / "results").exists()


def test_another_model_may_read_the_questions(corpus):
    """The teacher's vectors are brought among those of the static model."""
    static = StaticEmbedder.load_embedded()
    teacher = len(static.axes) - 1
    seen = []

    def reader(texts):
        seen.extend(texts)
        return np.eye(teacher, dtype=np.float32)[: len(texts)]

    model = {"name": "m", "chunks": "minilm-static", "queries": reader, "query_prefix": "Q: "}
    report = run_grid(corpus, Grid.from_dict({"strategies": SEMANTIC, "models": [model]}))
    assert seen == [f"Q: {question.text}" for question in corpus.questions]
    assert report.results["configurations"][0]["scores"]["ndcg@10"] is not None
    wrong = {"name": "m", "chunks": Model16(), "queries": lambda texts: np.ones((len(texts), 3))}
    with pytest.raises(OptionError, match="same dimensions, got 16 and 3"):
        run_grid(corpus, Grid.from_dict({"strategies": SEMANTIC, "models": [wrong]}))


def test_documents_without_a_chunk(corpus):
    blank = type(corpus)(["a", "b"], ["", ""], corpus.questions[2:])
    report = run_grid(blank, Grid.from_dict({"strategies": SEMANTIC}))
    assert report.verdict.score == 0.0


def test_the_default_metric(corpus, tmp_path):
    assert (
        run_grid(corpus, Grid.from_dict({"strategies": SEMANTIC})).verdict.metric == "recall@800t"
    )
    alone = type(corpus)(corpus.ids, corpus.texts, corpus.questions[2:])
    assert run_grid(alone, Grid.from_dict({"strategies": SEMANTIC})).verdict.metric == "ndcg@10"


def test_the_verdict():
    generator = np.random.default_rng(0)
    hard = generator.random(300)
    scores = {
        "good": {"m": hard * 0.5 + 0.5},
        "level": {"m": hard * 0.5 + 0.5 + 0.02 * generator.normal(size=300) - 0.0005},
        "bad": {"m": hard * 0.5},
    }
    verdict = decide("m", scores, {"good": 300, "level": 200, "bad": 100})
    first, second = verdict.comparisons
    assert {verdict.best, first.label} == {"good", "level"}
    assert not first.larger_than_chance
    assert second.label == "bad"
    assert second.larger_than_chance
    assert verdict.cheapest == "level"
    assert "over 1 of 2 others is not larger than chance" in verdict.sentence()
    assert json.loads(json.dumps(verdict.to_dict()))["comparisons"][1]["larger_than_chance"] is True
    alone = decide("m", {"good": scores["good"]}, {"good": 1})
    assert "nothing to compare" in alone.sentence()
    with pytest.raises(OptionError, match="undefined for every question"):
        decide("m", {"good": {"m": np.full(3, np.nan)}}, {"good": 1})
    clear = decide("m", {"good": scores["good"], "bad": scores["bad"]}, {"good": 2, "bad": 1})
    assert "lead over every other is larger than chance" in clear.sentence()
    assert clear.cheapest == "good"


def test_prices(tmp_path):
    known = Prices.load()
    assert known.price(2_000_000, "text-embedding-3-small") == pytest.approx(0.04)
    path = tmp_path / "prices.json"
    path.write_text(
        '{"as_of": "2030-01-01", "models": {"mine": 5, "voyage-3.5": 1}}', encoding="utf-8"
    )
    own = Prices.load(path)
    assert (own.as_of, own.models["mine"], own.models["voyage-3.5"]) == ("2030-01-01", 5.0, 1.0)
    assert own.models["text-embedding-3-small"] == known.models["text-embedding-3-small"]
    path.write_text(
        '{"as_of": "2030-01-01", "currency": "EUR", "models": {"mine": 5}}', encoding="utf-8"
    )
    assert set(Prices.load(path).models) == {"mine"}
    for text, message in [
        ("[", "must be JSON"),
        ("[]", "must have 'models'"),
        ('{"as_of": "x", "models": {"m": -1}}', "price of 'm' must be a number of at least 0"),
        ('{"models": {"m": 1}}', "must say 'as_of'"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(CorpusError, match=message):
            Prices.load(path)


def write_chunks(path, corpus, vectors=False, **options):
    chunker = scission.SemanticChunker(**options)
    sources = [{"source": f"docs/{name}"} for name in corpus.ids]
    batch = chunker.chunk_batch(corpus.texts, metadata=sources, embeddings=vectors)
    with path.open("w", encoding="utf-8") as file:
        batch.to_jsonl(file)
    return read_chunks(path, corpus)


def test_compare(corpus, tmp_path):
    small = write_chunks(tmp_path / "a.jsonl", corpus, max_tokens=20)
    large = write_chunks(tmp_path / "b.jsonl", corpus, max_tokens=200)
    model = Model("minilm-static", "minilm-static", "minilm-static")
    found = compare_chunks(corpus, small, large, model=model)
    assert found.metric == "recall@800t"
    assert found.shapes[0].chunks == len(small.texts)
    same = compare_chunks(corpus, small, small, model=model)
    assert all(d.mean == 0 and d.p_value == 1 for d in same.differences.values())
    assert "+0.0 to +0.0), not larger than chance" in same.sentence()
    lines = found.table().splitlines()
    assert any(line.startswith("truncated_sentences") for line in lines)
    assert json.loads(json.dumps(found.to_dict()))["shapes"]["new"]["chunks"] == len(large.texts)


def test_compare_takes_vectors_that_both_have(corpus, tmp_path):
    old = write_chunks(tmp_path / "a.jsonl", corpus, vectors=True, max_tokens=20)
    opposite = replace(old, vectors=-old.vectors)
    model = Model("minilm-static", "minilm-static", "minilm-static")
    grid = Grid((), k=(1,), budgets=(12,))
    found = compare_chunks(corpus, old, opposite, model=model, grid=grid)
    assert found.differences["chunk_mrr@10"].mean < 0
    # Where one of them has none, the model embeds the chunks of both.
    found = compare_chunks(corpus, old, replace(opposite, vectors=None), model=model, grid=grid)
    assert all(difference.mean == 0 for difference in found.differences.values())
