"""The record of how one document was cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..chunks import Chunk

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What can be behind a decision to cut that the evidence did not ask for.
FORCED = frozenset({"max_tokens", "inside_word"})


@dataclass(frozen=True)
class Decision:
    """Why a gap was cut, or was not.

    Attributes
    ----------
    cut : bool
        Whether a chunk ends here.
    kind : str
        For a cut: ``topic`` (the evidence pays for it), ``threshold``, ``number_of_chunks``, ``target_tokens``,
        ``min_tokens`` (the next best place leaves a chunk too small), ``model`` or ``fallback`` (of an
        `AgenticChunker`), or, forced, ``max_tokens`` or ``inside_word`` (a piece of a word that no chunk could hold
        whole). For none: ``no_evidence``, ``min_tokens`` or ``not_a_peak``.
    why : str
        The same as a sentence, with the figures.
    """

    cut: bool
    kind: str
    why: str

    @property
    def forced(self) -> bool:
        """Whether a limit, and not the text, asked for the cut."""
        return self.cut and self.kind in FORCED


def _no_numbers() -> NDArray[Any]:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Explanation:
    """How one document was cut, and why.

    Gap ``i`` lies after unit ``i``: between sentence ``i`` and the next. A strategy that weighs no distances
    has no units here; then all arrays of units and gaps are empty.

    Attributes
    ----------
    chunker : str
        The chunker, as its ``repr``.
    text : str
        The document.
    chunks : list of Chunk
        What ``chunker.chunk(text)`` returns.
    unit_bounds : int64[M + 1]
        Where the units (sentences, blocks) begin, in code points; the last entry is the length of the text.
    unit_tokens : int32[M]
        Tokens of each unit.
    distances : float64[M - 1]
        Cosine distance across each gap.
    scores : float64[M - 1]
        What decided: the distances, their rises (``breakpoints="gradient"``), or, for a partition, what a cut saves
        less what it costs, in units of the document's variance; infinite where both sides may not be one
        chunk.
    score_name : str
        What the scores are.
    threshold : float or None
        A score above it asks for a cut; 0 for the net gain of a partition; None where only a number or a limit
        decides.
    penalty : float or None
        Penalty of a cut inside a paragraph, in units of the document's variance; of partitions only.
    decisions : sequence of Decision
        One for each gap.
    seconds : mapping
        Wall-clock time of each step. Embedding includes the compilation of kernels on a first call.
    """

    chunker: str
    text: str
    chunks: list[Chunk]
    unit_bounds: NDArray[np.int64] = field(default_factory=_no_numbers)
    unit_tokens: NDArray[np.int32] = field(default_factory=_no_numbers)
    distances: NDArray[np.float64] = field(default_factory=_no_numbers)
    scores: NDArray[np.float64] = field(default_factory=_no_numbers)
    score_name: str = ""
    threshold: float | None = None
    penalty: float | None = None
    decisions: Sequence[Decision] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def cuts(self) -> list[int]:
        """Gaps that are cut; ``i`` means: after unit ``i``, as `SemanticChunker.breakpoints` counts."""
        return [i for i, decision in enumerate(self.decisions) if decision.cut]

    @property
    def forced(self) -> list[int]:
        """Those of `cuts` that a limit of size asked for, and not the text."""
        return [i for i, decision in enumerate(self.decisions) if decision.forced]

    @property
    def sizes(self) -> list[int]:
        """Tokens of each chunk."""
        return [chunk.token_count for chunk in self.chunks]

    @property
    def summary(self) -> str:
        """The whole in a line."""
        sizes, units = self.sizes, len(self.unit_tokens)
        parts = [_counted(len(sizes), "chunk")]
        if sizes:
            spread = f"{min(sizes)}–{max(sizes)} tokens, mean {np.mean(sizes):.0f}"
            parts[0] += f" of {spread}" if len(sizes) > 1 else f" of {_counted(sizes[0], 'token')}"
        if units:
            parts.append(_counted(units, "sentence"))
        if self.forced:
            parts.append(f"{_counted(len(self.forced), 'cut')} forced")
        return ", ".join([*parts, duration(sum(self.seconds.values()))])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the distances with the threshold and the cuts; for a partition, the net gains below.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw the distances; a new figure by default.

        Returns
        -------
        matplotlib axes
            Those of the distances.

        Raises
        ------
        MissingExtra
            matplotlib is not installed.
        OptionError
            The strategy weighs no distances, or the document has a single unit.
        """
        from .plot import plot

        return plot(self, ax)

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """Return the explanation as a page of its own, and write it to `path` if one is given.

        The page holds everything it needs, loads nothing, and shows the document as text only, whatever is in it.
        """
        from .page import page

        html = page([self])
        if path is not None:
            Path(path).write_text(html, encoding="utf-8")
        return html

    def to_text(self, width: int = 88, colour: bool = False) -> str:
        """Return the explanation for a terminal of `width` columns."""
        from .terminal import view

        return view(self, width, colour)

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own that may run its script and nothing else."""
        return (
            '<iframe sandbox="allow-scripts" style="width:100%;height:36em;border:1px solid #ccc" '
            f'srcdoc="{escape(self.to_html())}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Explanation of {self.chunker}: {self.summary}>"


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    return f"{seconds:.1f} s" if seconds >= 0.9995 else f"{seconds * 1e3:.3g} ms"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
