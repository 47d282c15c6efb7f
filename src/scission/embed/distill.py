"""Make a static model out of a sentence encoder: a vector per token, fitted to the encoder's own.

1. The encoder (the *teacher*) embeds a sample of sentences, and every token of its vocabulary alone.
2. Ridge regression finds the table of token vectors whose mean over a sentence is closest to the
   teacher's vector, staying near the tokens' own vectors where the sample says nothing.
3. Rows are rounded to int8.

With ``axes.npy`` a vector ``y`` of the teacher is brought among those of the model: ``y @ axes[1:] - axes[0]``. A
query that the teacher embeds finds static chunk vectors a little better than one that the table
embeds (recall 71.1 against 69.5, eight chunks of four sentences of Chroma's evaluation set).

The arithmetic has one order and no random numbers: the same files on the same machine give the
same bytes. Another BLAS may move the last bit of a float, and a rounding with it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from . import fit
from .bert import BertEncoder
from .static import FORMAT
from .training import Sentences, TrainingText, sample, training_files
from .vocabulary import Vocabulary

_SHARD = 5000


@dataclass(frozen=True)
class DistillOptions:
    """How a static model is fitted.

    Parameters
    ----------
    dimensions : int
        Of the model: the teacher's first principal axes. 128 cut as well as 256 and are read faster.
    sentences : int
        How many the teacher embeds.
    held_out : int
        How many more, to measure the fit with.
    pairs : int
        Neighbouring sentences for the contrast.
    ridge : float
        Pull towards the tokens' own vectors.
    frequency : float
        ``a`` of the weight ``a / (a + p)`` of a token with frequency ``p``.
    contrast : float or None
        Exponent of `fit.contrast_axes`; None leaves the rows on the teacher's own axes. 0.25 made up for a
        small sample (7,000 sentences: Pk 6.6 instead of 8.1 on choi); from 100,000 on it gained nothing
        and cost a point of recall.
    seed : int
        Of the sample.
    """

    dimensions: int = 128
    sentences: int = 100_000
    held_out: int = 2_000
    pairs: int = 100_000
    ridge: float = 0.1
    frequency: float = 1e-4
    contrast: float | None = None
    seed: int = 0


def distill(
    checkpoint: str | Path,
    text: str | Path | Iterable[str | Path],
    out: str | Path,
    *,
    name: str | None = None,
    pooling: str | None = None,
    threads: int = 1,
    cache: str | Path | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Fit a static model to a BERT-family sentence encoder.

    Parameters
    ----------
    checkpoint : path
        Folder with ``config.json``, ``model.safetensors`` and ``tokenizer.json``.
    text : path or paths
        A folder of ``*.txt`` files, or files; documents are divided by form feeds. Breadth matters more
        than volume.
    out : path
        Folder to write ``rows.npy`` (int8[V, d]), ``scales.npy`` (float32[V]), ``axes.npy`` (float32[h + 1, d])
        and ``recipe.json`` to, with the tables of the vocabulary when it is not bert-base-uncased.
    name : str, optional
        What the recipe calls the teacher; the checkpoint's folder by default.
    pooling : {"mean", "cls"}, optional
        Overrides what the checkpoint says.
    threads : int
        Batches of the teacher at once, see `BertEncoder.encode`.
    cache : path, optional
        Folder for the teacher's vectors, so that a run can be resumed and repeated.
    **options
        Fields of `DistillOptions`.

    Returns
    -------
    dict
        The recipe, as written.

    Raises
    ------
    OptionError
        An option is unknown or out of range.
    ModelError
        The checkpoint is not supported.
    TextError
        The text cannot be read or has no sentences.
    MissingExtra
        safetensors or scipy is not installed.
    """
    settings = _settings(options)
    folder = Path(checkpoint)
    teacher = BertEncoder(folder, pooling=pooling)
    if settings.dimensions > teacher.dimensions:
        raise OptionError(
            f"dimensions must be at most {teacher.dimensions}, those of the teacher, "
            f"got {settings.dimensions}"
        )
    vocabulary = Vocabulary.from_tokenizer(folder / "tokenizer.json")
    sampled = sample(
        training_files(text),
        vocabulary,
        sentences=settings.sentences + settings.held_out,
        pairs=settings.pairs,
        seed=settings.seed,
    )
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    store = None if cache is None else Path(cache) / f"{digest[:16]}-{teacher.pooling}"
    table, axes, measured = _fit(teacher, sampled, settings, len(vocabulary), threads, store)
    recipe = {
        "format": FORMAT,
        "vocabulary": "bert-uncased" if _is_bert_uncased(vocabulary) else "vocabulary",
        "teacher": {
            "name": name or folder.resolve().name,
            "sha256": digest,
            "pooling": teacher.pooling,
            "max_tokens": teacher.max_tokens,
        },
        "options": asdict(settings),
        "measured": measured,
        "sample": _digest(sampled.sentences),
        "text": [asdict(file) for file in sampled.files],
    }
    _write(Path(out), table, axes, recipe, vocabulary)
    return recipe


def _fit(
    teacher: BertEncoder,
    sampled: TrainingText,
    settings: DistillOptions,
    size: int,
    threads: int,
    store: Path | None,
) -> tuple[fit.Floats, fit.Axes, dict[str, float]]:
    sentences = sampled.sentences
    held = min(settings.held_out, len(sentences) // 10)
    vectors = teach(teacher, sentences, threads=threads, store=store)
    axes = fit.principal_axes(vectors[held:], settings.dimensions)
    targets = axes.project(vectors)
    shares = fit.token_shares(sentences, size)
    alone = teach(teacher, _every_token(size), threads=threads, store=store)
    start = fit.first_table(alone, axes, settings.frequency)
    start = fit.scale_to(start, shares[held:], targets[held:])
    table = fit.fit_table(shares[held:], targets[held:], start, ridge=settings.ridge)
    measured = {
        "sentences": len(sentences) - held,
        "variance_kept": round(axes.kept, 4),
        "held_out_r2": round(fit.explained(shares[:held], targets[:held], table), 4),
        "held_out_r2_first_table": round(fit.explained(shares[:held], targets[:held], start), 4),
    }
    if settings.contrast is not None:
        first, second = (fit.unit_rows(fit.token_shares(s, size) @ table) for s in sampled.pairs)
        mapping = fit.contrast_axes(first, second, settings.contrast)
        table, axes = table @ mapping, replace(axes, axes=axes.axes @ mapping)
    return table, axes, measured


def teach(
    teacher: BertEncoder, sentences: Sentences, *, threads: int = 1, store: Path | None = None
) -> fit.Floats:
    """Embed sentences with the teacher, shard by shard; finished shards are read from `store`."""
    shards = []
    for start in range(0, len(sentences), _SHARD):
        shard = sentences[start : start + _SHARD]
        path = None if store is None else store / f"{_digest(shard)}.npy"
        if path is not None and path.is_file():
            shards.append(np.load(path, allow_pickle=False))
            continue
        shards.append(teacher.encode(shard.tokens, shard.offsets, threads=threads))
        if path is not None:
            _save_whole(path, shards[-1])
    return np.concatenate(shards)


def _every_token(size: int) -> Sentences:
    """Return the vocabulary as sentences of one token."""
    return Sentences(np.arange(size, dtype=np.int32), np.arange(size + 1, dtype=np.int32))


def _settings(options: dict[str, Any]) -> DistillOptions:
    known = DistillOptions.__dataclass_fields__
    if unknown := sorted(options.keys() - known):
        raise OptionError(
            f"unknown option {unknown[0]!r}; distill knows {', '.join(sorted(known))}"
        )
    settings = DistillOptions(**options)
    for key in ("dimensions", "sentences", "pairs", "ridge", "frequency"):
        if not getattr(settings, key) > 0:
            raise OptionError(f"{key} must be positive, got {getattr(settings, key)!r}")
    return settings


def _is_bert_uncased(vocabulary: Vocabulary) -> bool:
    ours = Vocabulary.bert_uncased()
    return bool(
        np.array_equal(vocabulary.text, ours.text)
        and np.array_equal(vocabulary.offsets, ours.offsets)
        and np.array_equal(vocabulary.special, ours.special)
    )


def _write(
    out: Path,
    table: fit.Floats,
    axes: fit.Axes,
    recipe: dict[str, Any],
    vocabulary: Vocabulary,
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    rows, scales = fit.quantise(table)
    np.save(out / "rows.npy", rows)
    np.save(out / "scales.npy", scales)
    np.save(out / "axes.npy", np.vstack([axes.mean @ axes.axes, axes.axes]))
    if recipe["vocabulary"] != "bert-uncased":
        vocabulary.save(out / "vocabulary")
    text = json.dumps(recipe, indent=1, ensure_ascii=False, sort_keys=True)
    (out / "recipe.json").write_text(text + "\n", "utf-8")


def _digest(sentences: Sentences) -> str:
    """Name a sample: another sentence splitter or tokeniser takes another, and fits another table."""
    joined = hashlib.sha256(sentences.offsets.astype("<i4").tobytes())
    joined.update(sentences.tokens.astype("<i4").tobytes())
    return joined.hexdigest()[:32]


def _save_whole(path: Path, array: NDArray[Any]) -> None:
    """Save so that a run which is stopped half-way leaves no half a shard."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.npy")
    np.save(part, array)
    part.replace(path)
