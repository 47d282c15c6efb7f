"""Built graphs on disk: one folder for each model, dialect and precision, with the recipe beside the graph."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ..bert import Network
from ..cache import cache_folder
from ..checkpoint import Checkpoint, Floats
from ..providers import Choice
from . import quantise
from .batches import plan
from .calibration import calibration_sequences, check_texts
from .encoder import encoder
from .exact import weight_limit
from .runs import batch_ids, pooled
from .sessions import open_session
from .tokenizers import ModelTokenizer, Sequences

#: Counts the changes of what is built from the same checkpoint.
FORMAT = 2
#: A build that keeps a lower mean cosine to float32 is broken, not just rounded.
LOWEST = 0.9


@dataclass(frozen=True)
class Built:
    """A graph on disk.

    Attributes
    ----------
    path : Path
        The ``.onnx`` file.
    recipe : dict
        How it was made, and the cosine to float32 that it kept.
    """

    path: Path
    recipe: dict[str, Any]


def built(
    checkpoint: Checkpoint,
    tokenizer: ModelTokenizer,
    choice: Choice,
    precision: str,
) -> Built:
    """Find the graph of a checkpoint in the cache, or build it there.

    The folder is ``onnx/<digest>-<dialect>-<precision>`` under `cache_folder`; it appears when it is complete.

    Raises
    ------
    ModelError
        The graph would exceed 2 GiB, or its vectors are not those of the checkpoint.
    MissingExtra
        onnx or onnxruntime is not installed.
    """
    name = f"{checkpoint.digest[:24]}-{choice.dialect}-{precision}-{FORMAT}"
    folder = cache_folder() / "onnx" / name
    if not (folder / "recipe.json").is_file():
        _build(folder, checkpoint, tokenizer, choice, precision)
    recipe = json.loads((folder / "recipe.json").read_text("utf-8"))
    return Built(folder / "model.onnx", recipe)


def forget(checkpoint: Checkpoint) -> int:
    """Delete every graph that was built from a checkpoint; return the bytes that were freed."""
    size = 0
    for folder in (cache_folder() / "onnx").glob(f"{checkpoint.digest[:24]}-*"):
        size += sum(path.stat().st_size for path in folder.iterdir())
        shutil.rmtree(folder, ignore_errors=True)
    return size


def _build(
    folder: Path, checkpoint: Checkpoint, tokenizer: ModelTokenizer, choice: Choice, precision: str
) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        recipe = {
            "format": FORMAT,
            "checkpoint": checkpoint.digest,
            "config": checkpoint.config._asdict(),
            "pooling": checkpoint.pooling,
            "max_tokens": checkpoint.max_tokens,
            "dialect": choice.dialect,
            "precision": precision,
        }
        layers = {}
        if precision == "int8":
            sequences = calibration_sequences(tokenizer, checkpoint.max_tokens)
            limit = weight_limit(choice)
            layers = quantise.quantised(checkpoint, sequences, limit=limit)
            recipe["quantisation"] = {
                "exponents": quantise.EXPONENTS,
                "percentile": quantise.PERCENTILE,
                "damping": quantise.DAMPING,
                "outliers": quantise.OUTLIERS,
                "weight_limit": limit,
                "texts": len(sequences),
                "tokens": sum(map(len, sequences)),
            }
        path = part / "model.onnx"
        path.write_bytes(
            encoder(checkpoint, dialect=choice.dialect, precision=precision, quantised=layers)
        )
        recipe["measured"] = _measured(path, checkpoint, tokenizer, choice)
        (part / "recipe.json").write_text(json.dumps(recipe, indent=1) + "\n", "utf-8")
        _move(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _measured(
    path: Path, checkpoint: Checkpoint, tokenizer: ModelTokenizer, choice: Choice
) -> dict[str, float]:
    """Compare with the NumPy reference, on sentences that no calibration has seen."""
    sequences, _ = tokenizer.texts(check_texts()).split(checkpoint.max_tokens - 2)
    opened = open_session(path, choice)
    sums, counts = pooled(opened, sequences, tokenizer.special, batch_tokens=2048)
    got, wanted = (
        _unit(sums / counts[:, None]),
        _reference(checkpoint, sequences, tokenizer.special),
    )
    cosines = np.sum(got * wanted, axis=1)
    measured = {
        "texts": len(cosines),
        "mean_cosine": round(float(cosines.mean()), 6),
        "lowest_cosine": round(float(cosines.min()), 6),
    }
    if not measured["mean_cosine"] >= LOWEST:
        raise ModelError(
            f"the graph of {checkpoint.folder} must keep a mean cosine of {LOWEST} to the checkpoint, got "
            f"{measured['mean_cosine']}: choose precision='fp32'"
        )
    return measured


def _reference(checkpoint: Checkpoint, sequences: Sequences, special: tuple[int, int]) -> Floats:
    """Compute unit vectors with `bert.Network`."""
    network = Network(checkpoint)
    out = np.empty((len(sequences.starts), checkpoint.config.hidden), np.float32)
    for batch in plan(sequences.ends - sequences.starts + 2, 2048):
        states = network.hidden_states(batch_ids(sequences, batch, special))
        out[batch.rows] = states[:, 0] if checkpoint.pooling == "cls" else states.mean(axis=1)
    return _unit(out)


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def _move(part: Path, folder: Path) -> None:
    """Put a complete folder in its place; another process may have been faster with the same."""
    try:
        part.rename(folder)
    except OSError:
        if not (folder / "recipe.json").is_file():
            raise
