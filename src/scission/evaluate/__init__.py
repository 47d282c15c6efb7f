"""Measuring chunks: segmentation, retrieval, shape and cost; grids of configurations; estimates.

Everything runs offline, on your own documents::

    from scission.evaluate import Grid, load_corpus, run_grid, write_report

    corpus = load_corpus("docs/", "questions.jsonl")
    report = run_grid(corpus, Grid.load("grid.toml"), cache="report/cache")
    print(report.verdict.sentence())
    write_report(report, "report/")

or ``scission evaluate --corpus docs/ --queries questions.jsonl --grid grid.toml -o report/``.
"""

from .bootstrap import PairedDifference, holm, paired_bootstrap
from .chunk_files import ChunkFile, read_chunks
from .compare import FileComparison, compare_chunks
from .corpus import Corpus, Question, Reference
from .decide import Comparison, Verdict, decide
from .forecast import Estimate, StrategyEstimate, estimate
from .grid import Configuration, Grid, Model
from .nearest import search
from .output import write_report
from .page import html_page
from .prices import Prices
from .ranking import average_precision, ndcg, recall, reciprocal_rank
from .readers import load_corpus
from .retrieval import ChunkRanges, score_retrieval
from .run import Report, run_grid
from .segmentation import (
    SegmentationScores,
    boundary_f1,
    boundary_similarity,
    pk,
    score_segmentation,
    uniform_boundaries,
    window_diff,
    window_size,
)
from .shape import Shape, Spans, measure_shape, sentence_spans
from .tokenspans import TokenSpans

__all__ = [
    "ChunkFile",
    "ChunkRanges",
    "Comparison",
    "Configuration",
    "Corpus",
    "Estimate",
    "FileComparison",
    "Grid",
    "Model",
    "PairedDifference",
    "Prices",
    "Question",
    "Reference",
    "Report",
    "SegmentationScores",
    "Shape",
    "Spans",
    "StrategyEstimate",
    "TokenSpans",
    "Verdict",
    "average_precision",
    "boundary_f1",
    "boundary_similarity",
    "compare_chunks",
    "decide",
    "estimate",
    "holm",
    "html_page",
    "load_corpus",
    "measure_shape",
    "ndcg",
    "paired_bootstrap",
    "pk",
    "read_chunks",
    "recall",
    "reciprocal_rank",
    "run_grid",
    "score_retrieval",
    "score_segmentation",
    "search",
    "sentence_spans",
    "uniform_boundaries",
    "window_diff",
    "window_size",
    "write_report",
]
