"""The semantic chunker: its options, its reference and the reported faults of others."""

import json
import pickle
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scission
from scission import EmbeddingError, ModelError, OptionError, SemanticChunker, TextError
from tests.helpers import PLAIN, assert_tiles, hashed_words

SHIPS = (
    "The ship left the harbour at dawn. Its sails were full of wind. The captain watched the sea. "
)
BREAD = "The baker kneads the dough. Yeast makes the bread rise. The oven must be hot. "
STARS = (
    "The telescope found a distant galaxy. Its stars are very old. Light takes ages to reach us. "
)
THREE_TOPICS = SHIPS + BREAD + STARS
SENTENCES = [s + "." for s in THREE_TOPICS.replace(". ", ".").split(".") if s]


def published_cuts(sentences, embed, percent=90, radius=1):
    """The textbook's algorithm, as published: joined windows, cosine, percentile."""
    windows = [
        " ".join(sentences[max(0, i - radius) : i + radius + 1]) for i in range(len(sentences))
    ]
    vectors = np.asarray(embed(windows), np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    distances = 1 - np.sum(vectors[:-1] * vectors[1:], axis=1)
    if len(distances) == 0:
        return []
    threshold = np.percentile(distances, percent)
    return [i for i, distance in enumerate(distances) if distance > threshold + 1e-9]


def random_vectors(seed):
    """A model that gives every text a direction of its own."""

    def embed(texts):
        rows = [np.random.default_rng([seed, *text.encode()]).normal(size=8) for text in texts]
        return np.array(rows, np.float32)

    return embed


@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=25), st.integers(0, 5))
def test_reference_gives_the_published_cuts(sentences, seed):
    embed = random_vectors(seed)
    found = SemanticChunker.reference(model=embed).breakpoints(sentences)
    assert found == published_cuts(sentences, embed)


def test_reference_chunks_like_its_breakpoints():
    embed = random_vectors(1)
    chunks = SemanticChunker.reference(model=embed).chunk(THREE_TOPICS)
    cuts = published_cuts(SENTENCES, embed)
    ends = [sum(len(s) + 1 for s in SENTENCES[: cut + 1]) for cut in cuts]
    assert [chunk.end for chunk in chunks] == [*ends, len(THREE_TOPICS)]


def test_topics_are_found():
    chunks = SemanticChunker().chunk(THREE_TOPICS)
    assert [chunk.text for chunk in chunks] == [SHIPS, BREAD, STARS]
    assert scission.chunk(THREE_TOPICS) == chunks
    assert SemanticChunker().breakpoints(SENTENCES) == [2, 5]


def test_number_of_chunks():
    for kind in ("partition", "percentile"):
        for number in (1, 2, 3, 5, 9):
            chunker = SemanticChunker(breakpoints=kind, number_of_chunks=number)
            assert len(chunker.chunk(THREE_TOPICS)) == number
    assert len(SemanticChunker(number_of_chunks=50).chunk(THREE_TOPICS)) == 9


def test_target_tokens():
    rng = np.random.default_rng(4)
    text = " ".join(SENTENCES[i] for i in rng.integers(0, 9, 150))
    chunks = SemanticChunker(target_tokens=40).chunk(text)
    assert sum(chunk.token_count for chunk in chunks) / len(chunks) == pytest.approx(40, rel=0.1)


def test_a_lead_in_stays_with_what_it_leads_in():
    text = f"{SHIPS}\n\n{BREAD}\n\nThis is how one does it in practice, in short, with all that one needs:\n\n{STARS}"
    (chunk,) = [chunk for chunk in SemanticChunker().chunk(text) if "in practice" in chunk.text]
    assert chunk.text.endswith(STARS)


def test_the_default_minimum_follows_the_other_sizes():
    assert SemanticChunker(max_tokens=32).chunk(THREE_TOPICS)
    assert len(SemanticChunker(number_of_chunks=9).chunk(THREE_TOPICS)) == 9
    items = "".join(f"- item {i}\n" for i in range(40))
    assert min(chunk.token_count for chunk in SemanticChunker().chunk(items)) >= 16


def test_min_tokens_is_kept():
    for kind in ("partition", "percentile", "absolute"):
        chunks = SemanticChunker(breakpoints=kind, min_tokens=30).chunk(THREE_TOPICS * 3)
        assert min(chunk.token_count for chunk in chunks) >= 30
    assert len(SemanticChunker(min_tokens=500).chunk(THREE_TOPICS)) == 1


def test_overlap_repeats_sentences():
    chunks = SemanticChunker(overlap_sentences=1).chunk(THREE_TOPICS)
    assert chunks[1].text == "The captain watched the sea. " + BREAD
    assert chunks[2].text.startswith("The oven must be hot. ")


def test_vectors_are_of_length_1_and_point_at_their_topic():
    batch = SemanticChunker().chunk_batch([THREE_TOPICS], embeddings=True)
    np.testing.assert_allclose(np.linalg.norm(batch.vectors, axis=1), 1, atol=1e-5)
    queries = scission.StaticEmbedder.load_embedded().embed(
        ["a sailor", "a loaf of bread", "astronomy"]
    )
    assert (queries @ batch.vectors.T).argmax(axis=1).tolist() == [0, 1, 2]
    plain = SemanticChunker(context_weight=0).chunk_batch([THREE_TOPICS], embeddings=True)
    assert not np.allclose(plain.vectors, batch.vectors)


def test_fit_finds_one_threshold_for_a_corpus():
    dull = SHIPS * 4
    chunker = SemanticChunker(breakpoints="percentile", amount=90).fit([THREE_TOPICS, dull])
    assert chunker.fitted is not None
    alone = SemanticChunker(breakpoints="percentile", amount=90)
    assert len(chunker.chunk(dull)) <= len(alone.chunk(dull))


def test_fit_finds_one_penalty_for_a_target():
    corpus = [THREE_TOPICS * 4, SHIPS * 12, BREAD + STARS * 5]
    chunker = SemanticChunker(target_tokens=30).fit(corpus)
    batch = chunker.chunk_batch(corpus)
    assert batch.token_count.mean() == pytest.approx(30, rel=0.35)
    with pytest.raises(OptionError, match="target_tokens"):
        SemanticChunker().fit(corpus)


def test_fit_without_anything_to_cut():
    with pytest.raises(OptionError, match="two sentences"):
        SemanticChunker(breakpoints="percentile").fit(["One sentence."])


@pytest.mark.parametrize("embed", ["sentences", "windows"])
@pytest.mark.parametrize("distances", ["blocks", "windows"])
@pytest.mark.parametrize(
    "kind",
    ["partition", "percentile", "standard_deviation", "interquartile", "gradient", "absolute"],
)
def test_every_combination_tiles(kind, distances, embed):
    chunker = SemanticChunker(
        breakpoints=kind, distances=distances, embed=embed, model=hashed_words, max_tokens=30
    )
    assert_tiles(THREE_TOPICS, chunker.chunk(THREE_TOPICS))


# Models


class LangChainStyle:
    """What LangChain calls ``Embeddings``."""

    def embed_documents(self, texts):
        return [list(map(float, row)) for row in hashed_words(texts)]

    def embed_query(self, text):
        return self.embed_documents([text])[0]


class EmbedStyle:
    def embed(self, texts):
        return hashed_words(texts)


def test_models_of_every_kind_agree():
    expected = SemanticChunker(model=hashed_words).chunk(THREE_TOPICS)
    assert SemanticChunker(model=LangChainStyle()).chunk(THREE_TOPICS) == expected
    assert SemanticChunker(model=EmbedStyle()).chunk(THREE_TOPICS) == expected


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda texts: np.zeros((len(texts) - 1, 4)), "one vector for each text"),
        (lambda texts: np.zeros(len(texts)), "one vector for each text"),
        (lambda texts: np.zeros((len(texts), 0)), "one vector for each text"),
        (lambda texts: np.full((len(texts), 2), np.nan), "finite"),
        (lambda texts: "no", "array of numbers"),
        (lambda texts: [[1.0], [1.0, 2.0]], "array of numbers"),
        (lambda texts: None, "one vector for each text|array of numbers|finite"),
    ],
)
def test_a_model_that_misbehaves_is_named(answer, message):
    def my_model(texts):
        return answer(texts)

    with pytest.raises(EmbeddingError, match=message) as caught:
        SemanticChunker(model=my_model).chunk(THREE_TOPICS)
    assert "my_model" in str(caught.value)


def test_an_unknown_model_says_what_is_there():
    with pytest.raises(ModelError, match="minilm-static"):
        SemanticChunker(model="no-such-model")
    with pytest.raises(OptionError, match="callable"):
        SemanticChunker(model=3)


def test_a_folder_without_a_model(tmp_path):
    with pytest.raises(ModelError, match=r"recipe\.json"):
        SemanticChunker(model=tmp_path)
    (tmp_path / "recipe.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(ModelError, match="format 1, got 99"):
        SemanticChunker(model=str(tmp_path))


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"breakpoints": "magic"}, "breakpoints must be one of .*'partition'.*got 'magic'"),
        ({"distances": "cosine"}, "distances must be one of"),
        ({"embed": "tokens"}, "embed must be one of"),
        ({"max_tokens": 3}, "max_tokens must be an integer of at least 4, got 3"),
        ({"max_tokens": "many"}, "max_tokens must be an integer"),
        ({"min_tokens": -1}, "min_tokens must be an integer of at least 0, got -1"),
        ({"min_tokens": True}, "min_tokens must be an integer"),
        ({"min_tokens": 600}, r"min_tokens must be at most max_tokens \(512\), got 600"),
        ({"target_tokens": 600}, "target_tokens must lie between"),
        ({"target_tokens": 80, "breakpoints": "percentile"}, "target_tokens goes with"),
        ({"target_tokens": 80, "number_of_chunks": 3}, "give one of them"),
        ({"number_of_chunks": 0}, "number_of_chunks must be an integer of at least 1"),
        ({"buffer_size": 0}, "buffer_size must be an integer of at least 1"),
        (
            {"amount": 101, "breakpoints": "percentile"},
            r"amount must be a number in \[0, 100\], got 101",
        ),
        ({"amount": float("nan")}, "amount must be a number"),
        ({"context_weight": -1}, "context_weight must be a number of at least 0"),
        ({"overlap_sentences": 1.5}, "overlap_sentences must be an integer"),
        ({"splitter": "nltk"}, "splitter must be a callable"),
        ({"trim": 1}, "trim must be True or False"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(OptionError, match=message):
        SemanticChunker(**options)


def test_unknown_options_are_answered_with_the_known_ones():
    with pytest.raises(
        OptionError, match=r"no option 'chunk_size': the options are amount, .*max_tokens"
    ):
        scission.chunk("text", chunk_size=100)
    with pytest.raises(OptionError, match="SemanticChunker has no option 'threshold'"):
        SemanticChunker(threshold=0.5)
    with pytest.raises(OptionError, match="strategy must be one of"):
        scission.chunk("text", "telepathic")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"ab\xffcd", "document 0 must be UTF-8, got byte 0xff at offset 2"),
        (None, "document 0 must be str or bytes, got NoneType"),
        (3, "got int"),
    ],
)
def test_bad_documents_are_named(text, message):
    with pytest.raises(TextError, match=message):
        SemanticChunker().chunk(text)


def test_one_string_is_no_list_of_documents():
    with pytest.raises(TextError, match="iterable of documents, got one str"):
        SemanticChunker().chunk_batch("text")
    with pytest.raises(OptionError, match="list of strings"):
        SemanticChunker().breakpoints("text")


@pytest.mark.usefixtures("small_groups")
def test_the_number_of_a_bad_document_is_its_number_in_the_input():
    with pytest.raises(TextError, match="document 3 must be"):
        SemanticChunker().chunk_batch(["x" * 3000, "y" * 3000, "z", 7])


# Splitters


def test_a_splitter_may_return_strings_or_spans():
    def strings(text):
        return [part for part in text.split(" | ") if part]

    def spans(text):
        found, at = [], 0
        for part in strings(text):
            at = text.index(part, at)
            found.append((at, at + len(part)))
            at += len(part)
        return found

    text = "é one two | ships and sails | bread and yeast"
    for splitter in (strings, spans):
        chunks = SemanticChunker(splitter=splitter, number_of_chunks=3).chunk(text)
        assert [chunk.text for chunk in chunks] == [
            "é one two | ",
            "ships and sails | ",
            "bread and yeast",
        ]


@pytest.mark.parametrize(
    ("splitter", "message"),
    [
        (lambda text: ["not there"], "sentence 0 must occur verbatim"),
        (lambda text: [(0, 5), (3, 8)], "span 1 must lie in"),
        (lambda text: [(0, 999)], "span 0 must lie in"),
    ],
)
def test_a_splitter_that_invents_text_is_refused(splitter, message):
    with pytest.raises(TextError, match=message):
        SemanticChunker(splitter=splitter).chunk("Some text. And more.")


# Many documents


@pytest.fixture
def small_groups(monkeypatch):
    """Groups of 2 kB instead of half a megabyte."""
    monkeypatch.setattr("scission.chunkers.base.GROUP_BYTES", 2000)


@pytest.mark.usefixtures("small_groups")
def test_stream_is_lazy_and_counts_on():
    taken = []

    def documents():
        for number in range(60):
            taken.append(number)
            yield THREE_TOPICS * 2

    stream = SemanticChunker().stream(documents(), threads=2)
    first = next(stream)
    assert len(taken) < 40
    rest = list(stream)
    numbers = np.concatenate([first.document, *(batch.document for batch in rest)])
    assert np.unique(numbers).tolist() == list(range(60))
    assert rest[-1].first_document > 0
    assert rest[-1][0].text == rest[-1].text(0)


@pytest.mark.usefixtures("small_groups")
def test_stream_can_be_left_early():
    stream = SemanticChunker().stream((THREE_TOPICS * 10 for _ in range(30)), threads=2)
    next(stream)
    stream.close()
    assert threading.active_count() < 20


def test_metadata_is_handed_through():
    chunks = SemanticChunker().chunk(THREE_TOPICS, metadata={"source": "a.txt"})
    assert [chunk.metadata for chunk in chunks] == [{"source": "a.txt"}] * 3
    batch = SemanticChunker().chunk_batch([SHIPS, BREAD], metadata=[{"n": 1}, {"n": 2}])
    assert [chunk.metadata["n"] for chunk in batch] == [1, 2]
    with pytest.raises(OptionError, match="metadata must have an entry for each document"):
        SemanticChunker().chunk_batch([SHIPS, BREAD], metadata=[{}])


def test_threads_share_a_chunker():
    chunker = SemanticChunker(max_tokens=20)
    expected = chunker.chunk(THREE_TOPICS)
    results = []
    workers = [
        threading.Thread(target=lambda: results.append(chunker.chunk(THREE_TOPICS)))
        for _ in range(8)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [expected] * 8


def test_chunkers_travel_to_other_processes():
    chunker = SemanticChunker(breakpoints="percentile", max_tokens=20).fit([THREE_TOPICS])
    payload = pickle.dumps(chunker)
    assert len(payload) < 10_000
    assert pickle.loads(payload).chunk(THREE_TOPICS) == chunker.chunk(THREE_TOPICS)
    assert repr(chunker) == "SemanticChunker(breakpoints='percentile', max_tokens=20)"


# Faults reported of others


def test_peer_bug_identical_sentences_cut_by_a_percentile():
    for chunker in (
        SemanticChunker(),
        SemanticChunker(breakpoints="percentile"),
        SemanticChunker.reference(),
    ):
        assert len(chunker.chunk("The same thing again. " * 20)) == 1


def test_peer_bug_crash_on_one_sentence():
    for kind in (
        "partition",
        "percentile",
        "standard_deviation",
        "interquartile",
        "gradient",
        "absolute",
    ):
        assert len(SemanticChunker(breakpoints=kind).chunk("One sentence.")) == 1
        assert len(SemanticChunker(breakpoints=kind).chunk("Two. Sentences.")) == 1


def test_peer_bug_empty_input_gives_a_list_with_an_empty_string():
    assert SemanticChunker().chunk("") == []


def test_peer_bug_white_space_is_lost():
    text = "  One.   Two.\n\n\n\tThree.\r\n Four.  "
    assert_tiles(text, SemanticChunker(number_of_chunks=4).chunk(text))


def test_peer_bug_start_index_is_wrong():
    text = ("Same start here. " + SHIPS + "Same start here. " + BREAD) * 3
    for chunk in SemanticChunker(max_tokens=40).chunk(text):
        assert text[chunk.start : chunk.end] == chunk.text


def test_peer_bug_text_is_lower_cased():
    assert (
        "".join(chunk.text for chunk in SemanticChunker().chunk("ÜBER Äpfel. NASA FLIES."))
        == "ÜBER Äpfel. NASA FLIES."
    )


def test_peer_bug_emoji_are_cut_in_two():
    text = "👩‍👩‍👧‍👦🏳️‍🌈👍🏽" * 60
    for chunk in SemanticChunker(max_tokens=4).chunk(text):
        assert "\ufffd" not in chunk.text
        assert not chunk.text.startswith(("\u200d", "\ufe0f", "🏽"))


def test_peer_bug_chinese_is_one_sentence():
    sentences = ["海港很安静。", "三艘船在黎明时到达。", "面包需要酵母！", "烤箱必须很热。"]
    assert [
        ("".join(sentences))[a:b] for a, b in scission.split_sentences("".join(sentences))
    ] == sentences


def test_peer_bug_titles_and_initials_end_sentences():
    text = "Dr. J. Smith arrived. He sat down."
    assert [text[a:b] for a, b in scission.split_sentences(text)] == [
        "Dr. J. Smith arrived.",
        "He sat down.",
    ]


def test_peer_bug_the_first_seam_is_invisible():
    sentences = [SENTENCES[0], *SENTENCES[3:6], *SENTENCES[3:6]]
    for kind in ("percentile", "interquartile", "gradient"):
        assert 0 in SemanticChunker(breakpoints=kind).breakpoints(sentences), kind


def test_peer_bug_no_maximum_size():
    chunks = SemanticChunker(max_tokens=64).chunk(SHIPS.replace(". ", ", ") * 200)
    assert max(chunk.token_count for chunk in chunks) <= 64


@pytest.mark.skipif(PLAIN, reason="plain Python is too slow for a megabyte")
@pytest.mark.parametrize(
    "piece", ["word and ", "one, two; ", "Ends here. ", "0123456789abcdef", "\u200d", "海"]
)
def test_peer_bug_quadratic_time_on_one_line(piece):
    chunker = SemanticChunker(max_tokens=64)

    def seconds(size):
        text = piece * (size // len(piece.encode()))
        times = []
        for _ in range(3):
            began = time.process_time()
            chunker.chunk_batch([text], threads=1)
            times.append(time.process_time() - began)
        return min(times)

    seconds(1000)
    # Eight times the text: linear time is 8, quadratic 64.
    assert seconds(1_600_000) < 24 * seconds(200_000)


def test_a_namespace_is_no_model():
    with pytest.raises(OptionError, match="model must be"):
        SemanticChunker(model=SimpleNamespace())


@pytest.mark.parametrize("separator", ["\n", "\n\n"])
def test_line_breaks_tell_nothing_where_every_sentence_has_one(separator):
    sentences = SENTENCES * 3
    chunker = SemanticChunker(max_tokens=None, min_tokens=0)
    chunks = chunker.chunk(separator.join(sentences))
    ends = np.cumsum([chunk.text.count(".") for chunk in chunks])[:-1] - 1
    assert ends.tolist() == chunker.breakpoints(sentences)


def test_line_breaks_weigh_the_same_whatever_else_is_in_the_group():
    texts = ["\n".join(SENTENCES), THREE_TOPICS, "", "\n\n".join(SENTENCES), "# A\n\nb.\n"]
    chunker = SemanticChunker(min_tokens=0)
    together = chunker.chunk_batch(texts, threads=1)
    for number, text in enumerate(texts):
        assert together.of_document(number) == chunker.chunk(text)
