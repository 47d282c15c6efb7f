"""Reading corpora: three forms, and what is wrong with a file is said with its line."""

import csv
import gzip
import json

import pytest

from scission import CorpusError, OptionError
from scission.evaluate import load_corpus, read_chunks
from tests.evaluate.data import TEXTS, questions, write_corpus, write_lines
from tests.helpers import DATA, needs_data


def test_a_folder_of_text(tmp_path):
    corpus = load_corpus(*write_corpus(tmp_path))
    assert corpus.ids == ["ships.txt", "sky/stars.txt"]
    assert corpus.texts == list(TEXTS.values())
    yeast, sleep, oven = corpus.questions
    reference = yeast.references[0]
    assert corpus.texts[0][reference.start : reference.end] == "Yeast makes the bread rise."
    assert corpus.texts[1][sleep.references[0].start :].startswith("Astronomers sleep")
    assert (sleep.id, oven.id) == ("2", "3")
    assert oven.references == ()
    assert dict(oven.relevant) == {0: 2}
    assert dict(yeast.relevant) == {0: 1}


def test_a_reference_by_text_finds_its_copies(tmp_path):
    docs, queries = write_corpus(tmp_path)
    (docs / "twice.txt").write_text("Here. There. Here.", encoding="utf-8")
    write_lines(
        queries, [{"question": "?", "references": [{"document": "twice.txt", "text": "Here."}]}]
    )
    (reference,) = load_corpus(docs, queries).questions[0].references
    assert (reference.start, reference.end, reference.copies) == (0, 5, ((13, 18),))


def test_questions_inside_the_folder_are_no_document(tmp_path):
    docs, queries = write_corpus(tmp_path)
    inside = docs / "questions.jsonl"
    queries.rename(inside)
    assert load_corpus(docs, inside).ids == ["ships.txt", "sky/stars.txt"]


def test_a_single_file(tmp_path):
    docs, queries = write_corpus(tmp_path)
    write_lines(queries, questions()[:1])
    assert load_corpus(docs / "ships.txt", queries).ids == ["ships.txt"]


def write_beir(folder, ids="_id"):
    write_lines(
        folder / "corpus.jsonl",
        [
            {ids: "a", "title": "Ships", "text": "They sail."},
            {ids: 7, "title": "", "text": "Bread."},
        ],
    )
    write_lines(
        folder / "queries.jsonl",
        [
            {ids: "q1", "text": "sail?"},
            {ids: "q2", "text": "bread?", "answers": [{"doc_id": "7", "start": 0, "end": 5}]},
            {ids: "q3", "text": "nobody judged me"},
            {ids: "q4", "text": "train", "split": "train"},
        ],
    )
    (folder / "qrels").mkdir()
    rows = "query-id\tcorpus-id\tscore\nq1\ta\t2\nq1\t7\t0\nq2\t7\t1\nq4\ta\t1\n"
    (folder / "qrels" / "test.tsv").write_text(rows, encoding="utf-8")


def test_beir(tmp_path):
    write_beir(tmp_path)
    corpus = load_corpus(tmp_path)
    assert corpus.ids == ["a", "7"]
    assert corpus.texts == ["Ships\n\nThey sail.", "Bread."]
    assert [question.id for question in corpus.questions] == ["q1", "q2"]
    assert dict(corpus.questions[0].relevant) == {0: 2}
    assert corpus.questions[1].references[0].end == 5


def test_beir_gzipped_and_with_plain_ids(tmp_path):
    write_beir(tmp_path, ids="id")
    for name in ("corpus.jsonl", "queries.jsonl"):
        data = (tmp_path / name).read_bytes()
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
        (tmp_path / name).unlink()
    assert load_corpus(tmp_path).texts[0] == "They sail."


def test_chroma_both_ways(tmp_path):
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "state.md").write_text(
        "A fact. Another fact. A fact.", encoding="utf-8"
    )
    row = {
        "corpus": "state", "question": "Which?",
        "references": [{"start": 0, "end": 7, "text": "A fact.", "alt": [[22, 29]]}],
    }  # fmt: skip
    write_lines(tmp_path / "questions.jsonl", [row])
    first = load_corpus(tmp_path)
    assert first.ids == ["state"]
    assert first.questions[0].references[0].copies == ((22, 29),)
    references = json.dumps([{"content": "A fact.", "start_index": 0, "end_index": 7}])
    with (tmp_path / "questions_df.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows(
            [["question", "references", "corpus_id"], ["Line one\nline two?", references, "state"]]
        )
    second = load_corpus(tmp_path, tmp_path / "questions_df.csv")
    assert second.questions[0].text == "Line one\nline two?"
    assert second.questions[0].references[0].end == 7
    assert second.fingerprint != first.fingerprint


@needs_data
@pytest.mark.parametrize(
    ("folder", "documents", "asked"),
    [("retrieval/scifact", 5183, 300), ("retrieval/squad2_devhalf", 36, 2910), ("chroma", 5, 472)],
)
def test_real_sets(folder, documents, asked):
    corpus = load_corpus(DATA / folder)
    assert (len(corpus.texts), len(corpus.questions)) == (documents, asked)


#: What is wrong with the second line of the questions, and what is said about it.
MALFORMED = [
    ("{", "not JSON"),
    ("[1]", "a line must be an object, got [1]"),
    ('{"question": " ", "relevant": ["ships.txt"]}', "'question' must be a string that is not blank"),
    ('{"text": "?"}', "'question' is missing: the line has 'text'"),
    ('{"question": "?"}', "has no reference and no relevant document"),
    ('{"question": "?", "relevant": []}', "has no reference and no relevant document"),
    ('{"question": "?", "relevant": {"ships.txt": "x"}}', "'relevant' must be a list of document ids"),
    ('{"question": "?", "relevant": ["no.txt"]}', "there is no document 'no.txt' among the 2"),
    ('{"question": "?", "references": {}}', "'references' must be a list"),
    ('{"question": "?", "references": [3]}', "a reference must be an object, got 3"),
    ('{"question": "?", "references": [{"start": 0, "end": 1}]}', "'document' is missing"),
    ('{"question": "?", "references": [{"document": "ships.txt", "start": 5, "end": 9999}]}', "must lie in [0, "),
    ('{"question": "?", "references": [{"document": "ships.txt", "start": 5, "end": 5}]}', "and not be empty"),
    ('{"question": "?", "references": [{"document": "ships.txt", "start": -1, "end": 5}]}', "got [-1, 5]"),
    ('{"question": "?", "references": [{"document": "ships.txt", "start": 0.0, "end": 5}]}', "got [0.0, 5]"),
    ('{"question": "?", "references": [{"document": "ships.txt", "start": 3, "end": 4}]}', "must not be blank"),
    ('{"question": "?", "references": [{"document": "ships.txt", "text": "no such text"}]}', "must occur verbatim"),
    (
        '{"question": "?", "references": [{"document": "ships.txt", "start": 0, "end": 3, "text": "Then"}]}',
        "which is 'The'",
    ),
    (
        '{"question": "?", "references": [{"document": "ships.txt", "start": 0, "end": 3, "copies": [7]}]}',
        "a span must be [start, end], got 7",
    ),
    ('{"id": "yeast", "question": "?", "relevant": ["ships.txt"]}', "question 'yeast' is there twice"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), MALFORMED)
def test_malformed_questions(tmp_path, line, message):
    docs, queries = write_corpus(tmp_path)
    first = json.dumps(questions()[0])
    queries.write_text(f"{first}\n{line}\n", encoding="utf-8")
    with pytest.raises(CorpusError) as error:
        load_corpus(docs, queries)
    assert str(error.value).startswith(f"{queries}:2: ")
    assert message in str(error.value)


def test_malformed_files(tmp_path):
    docs, queries = write_corpus(tmp_path)
    with pytest.raises(CorpusError, match="no such file or folder"):
        load_corpus(tmp_path / "nowhere", queries)
    with pytest.raises(CorpusError, match="needs a file of questions"):
        load_corpus(docs)
    with pytest.raises(CorpusError, match="cannot be read: No such file"):
        load_corpus(docs, tmp_path / "no.jsonl")
    with pytest.raises(OptionError, match="form must be one of"):
        load_corpus(docs, queries, form="other")
    queries.write_bytes(b"{}\n\xff\n")
    with pytest.raises(CorpusError, match=r"questions\.jsonl:2: not UTF-8: byte 0xff"):
        load_corpus(docs, queries)
    (tmp_path / "q.jsonl.gz").write_bytes(b"not gzip")
    with pytest.raises(CorpusError, match="cannot be read"):
        load_corpus(docs, tmp_path / "q.jsonl.gz")
    queries.write_text("\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="no questions with an answer"):
        load_corpus(docs, queries)
    (docs / "ships.txt").write_bytes(b"one\ntw\xffo")
    with pytest.raises(CorpusError, match=r"ships\.txt:2: not UTF-8"):
        load_corpus(docs, queries)
    (tmp_path / "empty").mkdir()
    queries.write_text("", encoding="utf-8")
    with pytest.raises(CorpusError, match="there are no documents"):
        load_corpus(tmp_path / "empty", queries)


def test_malformed_beir(tmp_path):
    write_beir(tmp_path)
    qrels = tmp_path / "qrels" / "test.tsv"
    for row, message in [
        ("q1\tno\t1", r"test\.tsv:2: there is no document 'no'"),
        ("q1\ta\tx", r"test\.tsv:2: a grade must be an integer, got 'x'"),
        ("q1\ta", r"test\.tsv:2: a row must have 3 fields"),
    ]:
        qrels.write_text(f"q\tc\ts\n{row}\n", encoding="utf-8")
        with pytest.raises(CorpusError, match=message):
            load_corpus(tmp_path)
    write_lines(tmp_path / "corpus.jsonl", [{"_id": "a", "text": "x"}, {"_id": "a", "text": "y"}])
    with pytest.raises(CorpusError, match=r"corpus\.jsonl:2: document 'a' is there twice"):
        load_corpus(tmp_path)
    (tmp_path / "queries.jsonl").unlink()
    write_lines(tmp_path / "corpus.jsonl", [{"_id": "a", "text": 5}])
    with pytest.raises(CorpusError, match=r"corpus\.jsonl:1: 'text' and 'title' must be strings"):
        load_corpus(tmp_path)


def chunk_rows(**changes):
    text = TEXTS["ships.txt"]
    return [
        {"text": text[:35], "start": 0, "end": 35, "metadata": {"source": "docs/ships.txt"}},
        {"text": text[35:], "start": 35, "end": len(text), "metadata": {"source": "docs/ships.txt"}, **changes},
    ]  # fmt: skip


def test_chunk_files(tmp_path):
    corpus = load_corpus(*write_corpus(tmp_path))
    path = tmp_path / "chunks.jsonl"
    write_lines(path, chunk_rows())
    found = read_chunks(path, corpus)
    assert found.spans.start.tolist() == [0, 35]
    assert found.spans.document.tolist() == [0, 0]
    assert found.vectors is None
    # Without offsets, and with the names that others use.
    write_lines(path, [{"text": "watched the sea. ", "document": "ships.txt", "vector": [0.5, 0]}])
    found = read_chunks(path, corpus)
    text = corpus.texts[0]
    assert text[found.spans.start[0] : found.spans.end[0]] == "watched the sea. "
    assert found.vectors.tolist() == [[0.5, 0.0]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": 5}, "'text' must be a string"),
        ({"start": 36}, r"the text must be document\[36:"),
        ({"end": 10_000}, r"a chunk's span must lie in \[0, "),
        ({"start": None, "end": None, "text": "nowhere"}, "does not occur verbatim after offset 0"),
        ({"metadata": {"source": "other.txt"}}, "there is no document 'other.txt'"),
        ({"metadata": {}}, "a chunk must name its document"),
    ],
)
def test_malformed_chunks(tmp_path, changes, message):
    corpus = load_corpus(*write_corpus(tmp_path))
    path = tmp_path / "chunks.jsonl"
    write_lines(path, chunk_rows(**changes))
    with pytest.raises(CorpusError, match=rf"chunks\.jsonl:2: .*{message}"):
        read_chunks(path, corpus)


def test_malformed_vectors(tmp_path):
    corpus = load_corpus(*write_corpus(tmp_path))
    path = tmp_path / "chunks.jsonl"
    for vectors in ([[1.0], [1.0, 2.0]], [[1.0], "x"], [[1.0], [float("nan")]]):
        rows = chunk_rows()
        for row, vector in zip(rows, vectors, strict=True):
            row["vector"] = vector
        write_lines(path, rows)
        with pytest.raises(CorpusError, match="vectors must be lists of as many finite numbers"):
            read_chunks(path, corpus)
    path.write_text("", encoding="utf-8")
    with pytest.raises(CorpusError, match="there are no chunks"):
        read_chunks(path, corpus)
