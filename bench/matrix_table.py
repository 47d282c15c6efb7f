"""The matrices of strategies as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def chroma(kept: Mapping[str, Any]) -> str:
    """Return recall at equal budgets of retrieved tokens, and what the chunks look like."""
    head = (
        "chunks",
        "mean tokens",
        "recall at 400 / 800 / 1,600 tokens",
        "sentences cut",
        "stored / given",
    )
    rows = [
        (
            row["label"],
            f"{row['shape']['mean_tokens']:.0f}",
            " / ".join(
                f"{100 * row['scores'][f'recall@{budget}t']:.1f}" for budget in (400, 800, 1600)
            ),
            _share(row["shape"]["truncated_sentences"]),
            f"{row['shape']['overlap_cost']:.2f}",
        )
        for row in kept["rows"]
    ]
    return _table(head, rows, kept)


def ten_thousand(kept: Mapping[str, Any]) -> str:
    """Return ranking quality, what the cuts break, and documents per CPU second."""
    documents = kept["corpus"]["documents"]
    head = (
        "chunks",
        "mean tokens",
        "NDCG@10",
        "sentences cut",
        "answers cut",
        "cut: documents / CPU s",
        "and embedded",
    )
    rows = [
        (
            row["label"],
            f"{row['shape']['mean_tokens']:.0f}",
            f"{100 * row['scores']['ndcg@10']:.1f}",
            _share(row["shape"]["truncated_sentences"]),
            _share(row["shape"]["cut_references"]),
            _speed(documents, row["cpu_seconds"]["chunking"]),
            _speed(documents, sum(row["cpu_seconds"].values())),
        )
        for row in kept["rows"]
    ]
    return _table(head, rows, kept)


def _speed(documents: int, seconds: float) -> str:
    return f"{documents / seconds:,.0f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]], kept: Mapping[str, Any]) -> str:
    corpus = kept["corpus"]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    lines += [
        "",
        f"{corpus['documents']:,} documents, {corpus['questions']:,} questions. {kept['verdict']}",
    ]
    return "\n".join(lines) + "\n"
