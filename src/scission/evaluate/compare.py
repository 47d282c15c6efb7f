"""Two ready-made chunk files, on the same questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .bootstrap import PairedDifference, paired_bootstrap
from .cache import Cache
from .chunk_files import ChunkFile
from .corpus import Corpus
from .decide import SIGNIFICANCE, primary_metric
from .grid import Grid, Model
from .run import score_spans
from .shape import Shape, measure_shape, sentence_spans
from .vectors import Vectors, unit


@dataclass(frozen=True)
class FileComparison:
    """Two sets of chunks on the same questions.

    Attributes
    ----------
    metric : str
        What decides.
    means : dict of str to (float, float)
        Mean of each score, old and new.
    differences : dict of str to PairedDifference
        New minus old, of each score.
    shapes : (Shape, Shape)
        Old and new.
    """

    metric: str
    means: dict[str, tuple[float, float]]
    differences: dict[str, PairedDifference]
    shapes: tuple[Shape, Shape]

    def sentence(self) -> str:
        """Say it in words."""
        difference = self.differences[self.metric]
        old, new = self.means[self.metric]
        word = "larger" if difference.p_value < SIGNIFICANCE else "not larger"
        return (
            f"{self.metric}: old {100 * old:.1f} %, new {100 * new:.1f} %, difference {100 * difference.mean:+.1f} "
            f"points (95 % interval {100 * difference.low:+.1f} to {100 * difference.high:+.1f}), {word} than chance."
        )

    def table(self) -> str:
        """Return every score and the shape, a line each."""
        lines = [f"{'':<24}{'old':>12}{'new':>12}{'difference':>12}"]
        for name, (old, new) in self.means.items():
            mark = " *" if self.differences[name].p_value < SIGNIFICANCE else ""
            lines.append(
                f"{name:<24}{100 * old:>12.1f}{100 * new:>12.1f}{100 * (new - old):>+12.1f}{mark}"
            )
        old_shape, new_shape = (asdict(shape) for shape in self.shapes)
        for name, value in old_shape.items():
            if name != "histogram":
                lines.append(f"{name:<24}{value:>12.6g}{new_shape[name]:>12.6g}")
        lines.append("* larger than chance: paired bootstrap, 5 %, each score on its own")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return {
            "metric": self.metric,
            "sentence": self.sentence(),
            "scores": {
                name: {"old": old, "new": new, "difference": asdict(self.differences[name])}
                for name, (old, new) in self.means.items()
            },
            "shapes": {"old": asdict(self.shapes[0]), "new": asdict(self.shapes[1])},
        }


def compare_chunks(
    corpus: Corpus, old: ChunkFile, new: ChunkFile, *, model: Model, grid: Grid | None = None
) -> FileComparison:
    """Score two sets of chunks on the same questions.

    Parameters
    ----------
    corpus : Corpus
        Documents and questions.
    old, new : ChunkFile
        See `read_chunks`. Vectors in *both* are taken as they are, and `model` must be the one that made them;
        otherwise `model` embeds the chunks of both.
    model : Model
        Embeds the questions, and the chunks.
    grid : Grid, optional
        Where to score; its configurations are not looked at.

    Returns
    -------
    FileComparison

    Raises
    ------
    OptionError
        The vectors of chunks and questions differ in their dimensions, or nothing can be measured.
    """
    grid = grid or Grid(())
    metric = primary_metric(corpus, grid)
    vectors = Vectors(model, Cache(None))
    questions = vectors.questions([question.text for question in corpus.questions])
    given = old.vectors is not None and new.vectors is not None
    sides: list[Mapping[str, NDArray[np.float64]]] = []
    for chunks in (old, new):
        if given and chunks.vectors is not None:
            rows = unit(chunks.vectors)
        else:
            rows, _ = vectors.chunks(chunks.texts)
        sides.append(score_spans(corpus, chunks.spans, rows, questions, grid))
    first, second = sides
    differences = {
        name: paired_bootstrap(second[name], first[name], seed=grid.seed)
        for name in first
        if np.isfinite(first[name] - second[name]).any()
    }
    if metric not in differences:
        raise OptionError(f"metric {metric!r} is undefined for every question: choose another")
    means = {
        name: (float(np.nanmean(first[name])), float(np.nanmean(second[name])))
        for name in differences
    }
    sentences = sentence_spans(corpus.texts)
    shapes = (
        measure_shape(corpus, old.spans, sentences),
        measure_shape(corpus, new.spans, sentences),
    )
    return FileComparison(metric, means, differences, shapes)
