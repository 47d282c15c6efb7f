"""Reading documents and questions: a plain folder, a BEIR folder, or Chroma's form."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

from .. import options
from ..errors import CorpusError
from ..files import files_below
from .corpus import Corpus, Reference
from .questions import Builder
from .records import Record, json_lines, table

#: The forms that `load_corpus` reads.
FORMS = ("folder", "beir", "chroma")


def load_corpus(
    corpus: str | PathLike[str],
    queries: str | PathLike[str] | None = None,
    *,
    form: str | None = None,
    split: str = "test",
) -> Corpus:
    """Read documents and the questions about them.

    Everything is checked before anything is returned; offsets are code points.

    Parameters
    ----------
    corpus : path
        Where the documents are.

        - ``folder``: a folder (or one file) of UTF-8 text; a document's id is its path below the folder.
        - ``beir``: a folder with ``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``,
          ``text``) and ``qrels/<split>.tsv`` or ``qrels.tsv`` (query, document, grade). The document is title and
          text with a blank line between; with ``id`` in place of ``_id``, the text alone. Queries without grades
          are left out, as BEIR does. A query may have ``answers``, spans with ``doc_id``, ``start``, ``end``.
        - ``chroma``: a folder with ``corpora/*.md`` and ``questions.jsonl`` (``corpus``, ``question``,
          ``references``: ``start``, ``end``, ``text``, ``alt``) or Chroma's own ``questions_df.csv``.

        Each JSONL may be gzipped.
    queries : path, optional
        The questions. Needed for a folder: JSONL, an object in each line with ``question``, optionally ``id``, and
        ``references``, ``relevant`` or both. A reference has ``document`` (its id), ``start`` and ``end``,
        ``text`` (checked, or without the offsets searched for) and ``copies``, a list of other ``[start,
        end]``. ``relevant`` is a list of document ids, or an object from id to grade. ``"impossible": true``
        marks a question without answer, which is left out. For the other forms a file inside the
        folder is the default.
    form : {"folder", "beir", "chroma"}, optional
        Found out from the files by default.
    split : str, default "test"
        Of a BEIR folder.

    Returns
    -------
    Corpus

    Raises
    ------
    CorpusError
        A file is missing or malformed, a span lies outside its document, a question has no answer; the
        message begins with the file and the line.
    """
    folder = Path(corpus)
    if not folder.exists():
        raise CorpusError(f"{folder}: no such file or folder")
    chosen = _form(folder) if form is None else options.choice("form", form, FORMS)
    questions = None if queries is None else Path(queries)
    builder = Builder()
    if chosen == "beir":
        _read_beir(builder, folder, questions, split)
    elif chosen == "chroma":
        _read_chroma(builder, folder, questions)
    else:
        _read_folder(builder, folder, questions)
    if not builder.texts:
        raise CorpusError(f"{folder}: there are no documents")
    if not builder.questions:
        raise CorpusError(f"{questions or folder}: there are no questions with an answer")
    return Corpus(builder.ids, builder.texts, builder.questions)


def _form(folder: Path) -> str:
    if _optional(folder, "corpus.jsonl") is not None:
        return "beir"
    return "chroma" if (folder / "corpora").is_dir() else "folder"


def _read_folder(builder: Builder, folder: Path, queries: Path | None) -> None:
    if queries is None:
        raise CorpusError(
            f"{folder}: a folder of documents needs a file of questions: give queries"
        )
    for path in [folder] if folder.is_file() else files_below(folder):
        if path.resolve() != queries.resolve():
            name = path.name if path == folder else path.relative_to(folder).as_posix()
            builder.add_document(name, _text(path))
    for record in json_lines(queries):
        if record.fields.get("impossible") is True:
            continue
        name = record.name("id") if "id" in record.fields else str(record.line)
        references = [
            _reference(builder, record.part(item, "a reference"))
            for item in record.items("references")
        ]
        relevant = _grades(builder, record)
        builder.add_question(record, name, record.text("question"), references, relevant)


def _reference(builder: Builder, item: Record) -> Reference:
    document = builder.number(item, item.name("document"))
    fields = item.fields
    return builder.reference(
        item,
        document,
        fields.get("start"),
        fields.get("end"),
        fields.get("text"),
        item.items("copies"),
    )


def _grades(builder: Builder, record: Record) -> dict[int, int]:
    value: Any = record.fields.get("relevant") or {}
    grades = dict.fromkeys(value, 1) if isinstance(value, list) else value
    if not isinstance(grades, dict) or not all(type(grade) is int for grade in grades.values()):
        raise record.error(
            f"'relevant' must be a list of document ids or an object of integers, got {value!r:.80}"
        )
    return {builder.number(record, str(name)): grade for name, grade in grades.items()}


def _read_beir(builder: Builder, folder: Path, queries: Path | None, split: str) -> None:
    for record in json_lines(_required(folder, "corpus.jsonl")):
        builder.add_document(record.name("_id", "id"), _titled(record), record)
    qrels = _optional(folder, f"qrels/{split}.tsv") or _optional(folder, "qrels.tsv")
    grades = {} if qrels is None else _qrels(builder, qrels)
    for record in json_lines(queries or _required(folder, "queries.jsonl")):
        if record.fields.get("impossible") is True or record.fields.get("split", split) != split:
            continue
        name = record.name("_id", "id")
        relevant = grades.pop(name, None)
        if qrels is not None and relevant is None:
            continue
        references = [
            _answer(builder, record, record.part(item, "an answer"))
            for item in record.items("answers")
        ]
        builder.add_question(
            record, name, record.text("question", "text"), references, relevant or {}
        )


def _titled(record: Record) -> str:
    """Title and text, as BEIR's own models read them; with ``id``, the text, which then holds what it needs."""
    text = record.fields.get("text")
    title = record.fields.get("title") or ""
    if not isinstance(text, str) or not isinstance(title, str):
        raise record.error(
            f"'text' and 'title' must be strings, got {text!r:.40} and {title!r:.40}"
        )
    return text if not title or "_id" not in record.fields else f"{title}\n\n{text}"


def _qrels(builder: Builder, path: Path) -> dict[str, dict[int, int]]:
    grades: dict[str, dict[int, int]] = {}
    for record in table(path, "\t"):
        columns = list(record.fields.values())
        if len(columns) != 3:
            raise record.error(
                f"a row must be query, document and grade, got {len(columns)} columns"
            )
        query, document, grade = columns
        try:
            value = int(grade)
        except ValueError:
            raise record.error(f"a grade must be an integer, got {grade!r}") from None
        grades.setdefault(query, {})[builder.number(record, document)] = value
    return grades


def _answer(builder: Builder, record: Record, item: Record) -> Reference:
    name = item.name("doc_id") if "doc_id" in item.fields else record.name("doc_id")
    document = builder.number(item, name)
    fields = item.fields
    return builder.reference(
        item, document, fields.get("start"), fields.get("end"), fields.get("text"), ()
    )


def _read_chroma(builder: Builder, folder: Path, queries: Path | None) -> None:
    for path in files_below(folder / "corpora"):
        builder.add_document(path.stem, _text(path))
    own = _optional(folder, "questions.jsonl") or folder / "questions_df.csv"
    path = queries or own
    records = table(path, ",") if path.suffix == ".csv" else json_lines(path)
    for record in records:
        name = record.name("id") if "id" in record.fields else str(record.line)
        document = builder.number(record, record.name("corpus", "corpus_id"))
        references = [
            _chroma_reference(builder, record.part(item, "a reference"), document)
            for item in _chroma_items(record)
        ]
        builder.add_question(record, name, record.text("question"), references, {})


def _chroma_items(record: Record) -> list[Any]:
    """Return the references: a list, or (in a CSV) the JSON of one."""
    value = record.fields.get("references")
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise record.error(f"'references' must be JSON ({error})") from None
    return Record(record.path, record.line, {"references": value}).items("references")


def _chroma_reference(builder: Builder, item: Record, document: int) -> Reference:
    fields = item.fields
    start = fields.get("start", fields.get("start_index"))
    end = fields.get("end", fields.get("end_index"))
    text = fields.get("text", fields.get("content"))
    copies = [
        (copy.get("start"), copy.get("end")) if isinstance(copy, dict) else copy
        for copy in item.items("alt")
    ]
    return builder.reference(item, document, start, end, text, copies)


def _text(path: Path) -> str:
    """Read a document as it is: line ends stay, offsets count them."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CorpusError(
            f"{path}:{line}: not UTF-8: byte {data[error.start]:#04x} ({error.reason})"
        ) from None


def _optional(folder: Path, name: str) -> Path | None:
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def _required(folder: Path, name: str) -> Path:
    path = _optional(folder, name)
    if path is None:
        raise CorpusError(f"{folder / name}: no such file (nor {name}.gz)")
    return path
