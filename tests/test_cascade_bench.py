"""Which units a cascade gives to the transformer."""

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is part of scission[cpu]")
pytest.importorskip("onnxruntime", reason="onnxruntime is part of scission[cpu]")

from bench.cascade import undecided

from scission import SemanticChunker
from scission.text import TextBuffer

SHIPS = "The ship sails over the sea. Its captain steers by the stars. Sailors haul the ropes. "
BREAD = "Bread rises in the oven. The baker kneads the dough. Flour and yeast make a loaf. "


def test_units_next_to_the_closest_gaps_are_chosen_in_each_document():
    chunker = SemanticChunker(max_tokens=None)
    rule = chunker._rule
    work = chunker._decide(TextBuffer.from_texts([SHIPS + BREAD, "", "One.", BREAD * 2 + SHIPS]))
    measured = work.measured
    net = np.abs(rule.gains(measured, work.verdict).net)
    begins = measured.document_units[:-1]
    assert np.diff(measured.document_units).tolist() == [6, 0, 1, 9]
    assert not undecided(measured, rule, 0.0, 3).any()
    # A document of one unit has no gap.
    assert np.flatnonzero(~undecided(measured, rule, 1.0, 1)).tolist() == [begins[2]]
    first = 1 + int(net[1:6].argmin())
    last = 8 + int(net[8:16].argmin())
    closest = undecided(measured, rule, 0.2, 1)  # a gap of five, two of eight
    assert np.flatnonzero(closest[:6]).tolist() == [first - 1, first]
    assert closest[[last - 1, last]].all()
    assert 3 <= closest[7:].sum() <= 4
    assert undecided(measured, rule, 0.2, 2)[closest].all()
