"""Does a cascade earn its place? The static model proposes, MiniLM reads only the units around undecided gaps.

    python -m bench.cascade [--shares 0.1 0.25 0.5 0.75] [--radii 1 2 3]

Undecided are the gaps whose net gain (what a cut saves less what it costs) in the static model's partition lies nearest
to 0, a share of each document's gaps. The units within the radius on both sides get MiniLM's vector, brought among the
static ones by `StaticEmbedder.project`; the others keep theirs; then the document is cut again. Every row of a cascade
embeds its units anew, all documents in one queue, on one thread. Pk is given with the penalties of a cut that static
models have, and ("theirs") with those of transformers; differences are of the former. Last comes recall on Chroma's
set at equal budgets of retrieved tokens, where chunk vectors are pooled from such a mixture.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.data import DATA, rows
from bench.segmentation import SETS
from bench.transformer import BUDGETS, RECALL, Once, mean_recalls
from scission import SemanticChunker
from scission.chunkers.measure import Measured, measure
from scission.chunkers.partition import PartitionRule
from scission.embed.checkpoint import Floats
from scission.embed.onnx import OnnxEmbedder
from scission.embed.penalties import STATIC, TRANSFORMER
from scission.embed.registry import resolve
from scission.embed.static import StaticEmbedder
from scission.evaluate import paired_bootstrap, pk
from scission.group import Group
from scission.tokens import tokenize
from scission.units import from_sentences

Flags = NDArray[np.bool_]
LIMITS = SemanticChunker(max_tokens=None)._limits


@dataclass
class Documents:
    """A set of documents, their units in one row.

    Attributes
    ----------
    measured : list of Measured
        Each document with static vectors.
    gold : list of list of int
        Its boundaries.
    sentences : list of str
        All units.
    tokens : int64[M]
        What MiniLM reads of each, the two special tokens included.
    """

    measured: list[Measured]
    gold: list[list[int]]
    sentences: list[str]
    tokens: NDArray[np.int64]

    @classmethod
    def load(cls, name: str, model: StaticEmbedder) -> Documents:
        """Read a set and embed it with the static model."""
        documents = rows(f"seg/{name}.jsonl.gz")
        measured = []
        for document in documents:
            buffer, units = from_sentences(document["sentences"])
            group = Group(buffer, units, tokenize(buffer, units, model.vocabulary))
            measured.append(measure(group, model, 0))
        sentences = [s for document in documents for s in document["sentences"]]
        tokens = np.concatenate([m.group.tokens.counts for m in measured]).astype(np.int64) + 2
        return cls(measured, [d["boundaries"] for d in documents], sentences, tokens)

    @property
    def static(self) -> Floats:
        """float32[M, d]: the static vectors."""
        return np.concatenate([m.vectors for m in self.measured])

    def scores(self, vectors: Floats, rule: PartitionRule) -> list[float]:
        """Pk of each document in per cent, cut with other vectors."""
        out, begin = [], 0
        for measured, gold in zip(self.measured, self.gold, strict=True):
            end = begin + len(measured.vectors)
            cuts = rule.decide(replace(measured, vectors=vectors[begin:end])).cuts
            found = [int(i) - 1 for i in np.flatnonzero(cuts) if i > 0]
            out.append(100 * pk(gold, found, end - begin))
            begin = end
        return out

    def chosen(self, rule: PartitionRule, share: float, radius: int) -> Flags:
        """bool[M]: what `undecided` chooses in each document."""
        return np.concatenate([undecided(m, rule, share, radius) for m in self.measured])


def undecided(measured: Measured, rule: PartitionRule, share: float, radius: int) -> Flags:
    """bool[M]: the units around the gaps that the static model leaves undecided."""
    net = np.abs(rule.gains(measured, rule.decide(measured)).net)
    out = np.zeros(len(net), np.bool_)
    for begin, end in pairwise(measured.document_units.tolist()):
        order = np.argsort(net[begin + 1 : end], kind="stable") + begin + 1
        gaps = order[: round(share * len(order))]
        near = gaps[:, None] + np.arange(-radius, radius)
        out[np.clip(near, begin, end - 1)] = True
    return out


def compare(name: str, options: argparse.Namespace, model: OnnxEmbedder) -> None:
    """Print the rows of a set."""
    static = StaticEmbedder.load_embedded()
    documents = Documents.load(name, static)
    rules = [PartitionRule(LIMITS, penalties=penalties) for penalties in (STATIC, TRANSFORMER)]
    everything = np.ones(len(documents.sentences), np.bool_)
    alone = documents.scores(documents.static, rules[0])

    def line(label: str, units: Flags, seconds: float, vectors: Floats) -> None:
        read = 100 * documents.tokens[units].sum() / documents.tokens.sum()
        found, theirs = (documents.scores(vectors, rule) for rule in rules)
        change = paired_bootstrap(found, alone)
        shown = f"{seconds:8.1f}" if seconds >= 0 else " " * 8
        print(
            f"{name:<16}{label:<22}{100 * units.mean():8.0f}{read:9.0f}{shown}{np.mean(found):9.2f}"
            f"{np.mean(theirs):9.2f}{change.mean:+8.2f} ({change.low:+.2f} to {change.high:+.2f})"
        )

    whole, seconds = embedded(model, documents.sentences, everything)
    projected = static.project(whole)
    line("static", ~everything, 0.0, documents.static)
    for share in options.shares:
        for radius in options.radii:
            units = documents.chosen(rules[0], share, radius)
            vectors, taken = embedded(model, documents.sentences, units)
            mixed = documents.static
            mixed[units] = static.project(vectors)
            line(f"{share:.0%} of gaps, ±{radius}", units, taken, mixed)
            at_random = np.random.default_rng(0).permutation(units)
            mixed = np.where(at_random[:, None], projected, documents.static)
            line("  as many at random", at_random, -1.0, mixed)
    line("MiniLM, projected", everything, seconds, projected)
    line("MiniLM", everything, seconds, whole)


def embedded(model: OnnxEmbedder, sentences: list[str], units: Flags) -> tuple[Floats, float]:
    """Embed some of the units; also return the CPU seconds."""
    texts = [sentences[i] for i in np.flatnonzero(units)]
    began = time.process_time()
    vectors = model.embed(texts)
    return vectors, time.process_time() - began


class Cascade:
    """What a chunker takes for a model: MiniLM's vectors for some of the units."""

    parallel = False
    penalties = STATIC

    def __init__(self, whole: Once, rule: PartitionRule, share: float, radius: int) -> None:
        self.name, self.static = "cascade", StaticEmbedder.load_embedded()
        self.vocabulary = self.static.vocabulary
        self._whole, self._rule, self._share, self._radius = whole, rule, share, radius

    def embed_units(self, group: Group) -> Floats:
        """Embed the units of a chunker's group."""
        measured = measure(group, self.static, 0)
        units = undecided(measured, self._rule, self._share, self._radius)
        units &= group.tokens.counts > 0  # what has no tokens stays a row of zeros
        out = measured.vectors
        out[units] = self.static.project(self._whole.embed_units(group))[units]
        return out


def recalls(options: argparse.Namespace, model: OnnxEmbedder) -> None:
    """Print what is retrieved with chunk vectors from the same pass."""
    asked = rows("chroma/questions.jsonl.gz")
    queries = model.embed([question["question"] for question in asked])
    names = sorted({question["corpus"] for question in asked})
    texts = [(DATA / "chroma" / "corpora" / f"{name}.md").read_text("utf-8") for name in names]
    whole, static = Once(model), StaticEmbedder.load_embedded()

    def line(label: str, used: Any, asking: Floats, **sizes: int) -> None:
        chunker = SemanticChunker(model=used, **sizes)
        batch = chunker.chunk_batch(texts, embeddings=True, threads=1)
        found = mean_recalls(batch, names, asked, asking)
        shown = "".join(f"{100 * recall:8.1f}" for recall in found)
        print(f"{'/'.join(map(str, sizes.values())):<16}{label:<22}{shown}")

    print(
        f"\n{'target/max':<16}{'MiniLM reads':<22}" + "".join(f"{budget:8,}" for budget in BUDGETS)
    )
    for target, limit in RECALL:
        sizes = {"target_tokens": target, "max_tokens": limit}
        rule = SemanticChunker(**sizes)._rule
        assert isinstance(rule, PartitionRule)
        projected = static.project(queries)
        line("static", static, projected, **sizes)
        for share in options.shares:
            for radius in options.radii:
                label = f"{share:.0%} of gaps, ±{radius}"
                line(label, Cascade(whole, rule, share, radius), projected, **sizes)
        line("MiniLM, projected", Cascade(whole, rule, 1.0, 1), projected, **sizes)
        line("MiniLM", whole, queries, **sizes)


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="*", default=SETS, choices=SETS)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.1, 0.25, 0.5, 0.75])
    parser.add_argument("--radii", type=int, nargs="+", default=[1, 2, 3])
    options = parser.parse_args(arguments)
    model = resolve("all-MiniLM-L6-v2", device="cpu", threads=1)
    assert isinstance(model, OnnxEmbedder)
    model.embed(["The session is opened, and kernels are compiled."])
    print(
        f"{'set':<16}{'MiniLM reads':<22}{'units %':>8}{'tokens %':>9}{'CPU s':>8}{'Pk %':>9}{'theirs':>9}"
        "  against static, 95 %"
    )
    for name in options.sets:
        compare(name, options, model)
    recalls(options, model)


if __name__ == "__main__":
    main()
