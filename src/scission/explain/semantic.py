"""From what a chunker that weighs distances decided to an explanation of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..chunkers.breakpoints import NOISE
from ..chunkers.limits import Limits
from ..chunkers.measure import Measured, distances
from ..chunkers.partition import PartitionRule
from ..chunkers.threshold import ThresholdRule
from ..chunkers.verdict import Decided, Gains, ThresholdVerdict
from ..chunks import Chunk
from .explanation import Decision, Explanation

#: What lies in a gap, in the order of ``kernels.sentences`` and `units.BROKEN`.
_GAPS = (
    "inside a paragraph", "at a line break", "at a blank line", "before a heading", "after a heading",
    "at the start", "inside a sentence", "inside a word",
)  # fmt: skip


def explain(
    chunker: str,
    work: Decided,
    chunks: list[Chunk],
    rule: PartitionRule | ThresholdRule,
    buffer_size: int,
) -> Explanation:
    """Explain the cuts of a group that is a single document.

    Parameters
    ----------
    chunker : str
        What the chunker is called.
    work : Decided
        What it decided.
    chunks : list of Chunk
        What came of it.
    rule : PartitionRule or ThresholdRule
        What decided.
    buffer_size : int
        Units in the blocks whose distances are shown beside a partition.
    """
    measured, verdict = work.measured, work.verdict
    units = len(measured.vectors)
    threshold = float(verdict.thresholds[0]) if units > 1 else np.nan
    penalty: float | None = None
    if isinstance(rule, PartitionRule):
        gains = rule.gains(measured, verdict)
        after, scores = distances(measured, "blocks", buffer_size, False)[:-1], gains.net[1:]
        name, penalty, threshold = "net gain", threshold if units > 1 else None, 0.0
        decide = _partition_decisions(work, gains, rule)
    else:
        by_threshold = cast("ThresholdVerdict", verdict)
        after, scores = by_threshold.distances[1:], by_threshold.scores[1:]
        name = "rise of the distance" if rule.kind == "gradient" else "distance"
        decide = _threshold_decisions(work, by_threshold, rule, threshold)
    return Explanation(
        chunker=chunker,
        text=measured.group.buffer.texts[0],
        chunks=chunks,
        unit_bounds=_code_points(measured),
        unit_tokens=measured.group.tokens.counts,
        distances=after,
        scores=scores,
        score_name=name,
        threshold=None if np.isnan(threshold) else threshold,
        penalty=penalty,
        decisions=[decide(i) for i in range(1, units)],
        seconds=work.seconds,
    )


def explain_agentic(
    chunker: str,
    work: Decided,
    chunks: list[Chunk],
    limits: Limits,
    verdict: ThresholdVerdict,
    origins: Sequence[str],
) -> Explanation:
    """Explain the cuts that a language model asked for.

    Parameters
    ----------
    chunker, chunks
        As for `explain`.
    work : Decided
        The group that was cut.
    limits : Limits
        Sizes of chunks.
    verdict : ThresholdVerdict
        The cuts, and those asked for.
    origins : sequence of str
        Why each unit begins, or does not begin, a section.
    """
    measured = work.measured
    sides = _sides(measured, verdict.cuts)

    def decide(i: int) -> Decision:
        cut, wanted = bool(verdict.cuts[i]), bool(verdict.suggested[i])
        kind, _, why = origins[i].partition(": ")
        if cut and wanted and measured.factors[i] >= 0.0:
            return Decision(True, kind, why)
        if cut:
            return _forced(measured, limits, i, *sides(i)) or Decision(
                True,
                "max_tokens",
                f"added for max_tokens ({limits.max_tokens}): {_gap(measured, i)}",
            )
        if wanted:
            why = f"wanted, but a side would be below min_tokens ({limits.min_tokens}): {why}"
            return Decision(False, "min_tokens", why)
        return Decision(False, "no_evidence", "the model begins no section here")

    units = len(measured.vectors)
    return Explanation(
        chunker=chunker,
        text=measured.group.buffer.texts[0],
        chunks=chunks,
        unit_bounds=_code_points(measured),
        unit_tokens=measured.group.tokens.counts,
        distances=verdict.distances[1:],
        scores=verdict.distances[1:],
        score_name="distance",
        decisions=[decide(i) for i in range(1, units)],
        seconds=work.seconds,
    )


def _partition_decisions(
    work: Decided, gains: Gains, rule: PartitionRule
) -> Callable[[int], Decision]:
    """Return a function from a unit to the decision about the gap before it."""
    measured, cuts = work.measured, work.verdict.cuts
    sides = _sides(measured, cuts)

    def decide(i: int) -> Decision:
        cut = bool(cuts[i])
        net, size = float(gains.topic[i] - gains.penalty[i]), float(gains.size[i])
        sizes = f", sizes {size:+.2f}" if rule.target_tokens and abs(size) < 1e3 else ""
        weighed = (
            f"scatter {gains.topic[i]:+.2f}{sizes}, penalty {gains.penalty[i]:.2f} "
            f"({_gap(measured, i)})"
        )
        if cut and measured.factors[i] >= 0.0 and net >= 0.0:
            return Decision(True, "topic", f"cutting saves more than it costs: {weighed}")
        if cut:
            forced = _forced(measured, rule.limits, i, *sides(i))
            return forced or _tipped(rule, net + size >= 0.0, weighed)
        if min(sides(i)) < rule.limits.min_tokens:
            why = f"a side of {min(sides(i))} tokens is below min_tokens ({rule.limits.min_tokens})"
            return Decision(False, "min_tokens", f"{why}: {weighed}")
        return Decision(False, "no_evidence", f"cutting costs more than it saves: {weighed}")

    return decide


def _tipped(rule: PartitionRule, paid: bool, weighed: str) -> Decision:
    """Return the decision about a cut that the topic alone does not pay for, and no limit asks for."""
    if not paid:
        return Decision(True, "number_of_chunks", f"one of the best for the number: {weighed}")
    kind = "target_tokens" if rule.target_tokens else "min_tokens"
    return Decision(True, kind, f"sizes tip the scales: {weighed}")


def _threshold_decisions(
    work: Decided, verdict: ThresholdVerdict, rule: ThresholdRule, threshold: float
) -> Callable[[int], Decision]:
    """Return a function from a unit to the decision about the gap before it."""
    measured, cuts = work.measured, verdict.cuts
    sides = _sides(measured, cuts)
    name = "rise" if rule.kind == "gradient" else "distance"

    def decide(i: int) -> Decision:
        cut, score = bool(cuts[i]), float(verdict.scores[i])
        figure = f"{name} {score:.3f}"
        against = figure if np.isnan(threshold) else f"{figure}, threshold {threshold:.3f}"
        if cut and verdict.suggested[i] and measured.factors[i] >= 0.0:
            if rule.limits.number:
                return Decision(True, "number_of_chunks", f"one of the largest: {figure}")
            return Decision(True, "threshold", f"above the threshold: {against}")
        if cut:
            forced = _forced(measured, rule.limits, i, *sides(i))
            return forced or Decision(
                True, "max_tokens", f"added for max_tokens ({rule.limits.max_tokens}): {against}"
            )
        if verdict.suggested[i]:
            why = f"wanted, but a side would be below min_tokens ({rule.limits.min_tokens})"
            return Decision(False, "min_tokens", f"{why}: {against}")
        if np.isnan(threshold):
            return Decision(False, "no_evidence", figure)
        if score > threshold and float(verdict.distances[i]) > NOISE:
            return Decision(False, "not_a_peak", f"a larger distance is beside it: {against}")
        return Decision(False, "no_evidence", f"not above the threshold: {against}")

    return decide


def _forced(measured: Measured, limits: Limits, i: int, left: int, right: int) -> Decision | None:
    """Return the decision about a cut that a limit of size asks for, if one does."""
    if measured.factors[i] < 0.0:
        why = f"a piece of a word or line that is too long for max_tokens ({limits.max_tokens})"
        return Decision(True, "inside_word", why)
    if left + right > limits.max_tokens:
        gap = _gap(measured, i)
        why = f"together {left + right} tokens, max_tokens is {limits.max_tokens} ({gap})"
        return Decision(True, "max_tokens", why)
    return None


def _sides(measured: Measured, cuts: NDArray[np.uint8]) -> Callable[[int], tuple[int, int]]:
    """Return a function from a unit to the sizes of what lies before and after the gap there.

    As far as the next cut on each side.
    """
    before = np.concatenate([[0], np.cumsum(measured.sizes, dtype=np.int64)])
    places = np.concatenate([np.flatnonzero(cuts), [len(cuts)]])

    def sides(i: int) -> tuple[int, int]:
        first = int(places[np.searchsorted(places, i) - 1])
        last = int(places[np.searchsorted(places, i, side="right")])
        return int(before[i] - before[first]), int(before[last] - before[i])

    return sides


def _gap(measured: Measured, i: int) -> str:
    return _GAPS[int(measured.group.units.gaps[i])]


def _code_points(measured: Measured) -> NDArray[np.int64]:
    """int64[M + 1]: where the units of the only document begin."""
    from ..kernels import utf8

    bounds = measured.group.units.bounds
    out = np.empty(len(bounds), np.int32)
    utf8.code_point_offsets(measured.group.buffer.data, np.int64(0), bounds, out)
    return out.astype(np.int64)
