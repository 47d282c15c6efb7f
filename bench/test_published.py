"""The measures against published implementations: segeval, nltk and trec_eval."""

import random

import pytest

from scission.evaluate import (
    boundary_similarity,
    ndcg,
    pk,
    recall,
    reciprocal_rank,
    window_diff,
    window_size,
)

random_segmentations = []
generator = random.Random(1)
for _ in range(300):
    count = generator.randint(4, 40)
    density = generator.random() / 2
    gold, found = ([i for i in range(count - 1) if generator.random() < density] for _ in range(2))
    random_segmentations.append((gold, found, count))


def masses(boundaries, sentences):
    ends = [-1, *boundaries, sentences - 1]
    return tuple(b - a for a, b in zip(ends, ends[1:], strict=False))


def test_segeval():
    segeval = pytest.importorskip("segeval")
    for gold, found, count in random_segmentations:
        for span in (
            (2, 3, 4) if gold or found else ()
        ):  # segeval has no answer where there is no boundary
            theirs = segeval.boundary_similarity(
                masses(gold, count), masses(found, count), n_t=span
            )
            assert boundary_similarity(gold, found, span) == pytest.approx(float(theirs))


def test_nltk():
    segmentation = pytest.importorskip("nltk.metrics.segmentation")
    for gold, found, count in random_segmentations:
        strings = ["".join("01"[i in marks] for i in range(count - 1)) for marks in (gold, found)]
        for window in {2, window_size(gold, count)} - set(range(count, 99)):
            theirs = segmentation.pk(*strings, k=window)
            assert pk(gold, found, count, window) == pytest.approx(theirs)
            theirs = segmentation.windowdiff(*strings, k=window)
            assert window_diff(gold, found, count, window) == pytest.approx(theirs)


def test_trec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    for _ in range(300):
        ranked = generator.sample(range(30), 20)
        grades = {document: generator.randint(0, 3) for document in generator.sample(range(30), 8)}
        if not any(grades.values()):
            continue
        measures = {"ndcg_cut.3", "ndcg_cut.10", "recall.5", "recip_rank"}
        judged = {"q": {str(document): grade for document, grade in grades.items()}}
        run = {"q": {str(document): 1.0 - i / 100 for i, document in enumerate(ranked)}}
        theirs = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(run)["q"]
        assert ndcg(ranked, grades, 3) == pytest.approx(theirs["ndcg_cut_3"])
        assert ndcg(ranked, grades, 10) == pytest.approx(theirs["ndcg_cut_10"])
        assert recall(ranked, grades, 5) == pytest.approx(theirs["recall_5"])
        assert reciprocal_rank(ranked, grades, 20) == pytest.approx(theirs["recip_rank"])
