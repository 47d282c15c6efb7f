"""What a cut costs in the space of a model, when no size is wanted."""

from __future__ import annotations

from typing import NamedTuple


class Penalties(NamedTuple):
    """Penalty of a cut, in units of the document's variance: ``max(least, base + growth * ln(units))``.

    Chance finds better cuts among many, so that the penalty grows with the document.
    """

    least: float
    base: float
    growth: float


#: Of the static model, and of models that nobody has measured. Pk of choi / choi_style_ewt / wiki50: a constant 1.4
#: gives 8.0 / 22.8 / 39.8, a constant 1.5 gives 7.8 / 23.6 / 39.9, this 6.5 / 23.0 / 38.3. Below 1.4, half of all
#: documents of eight sentences about one thing are cut.
STATIC = Penalties(1.4, 0.4, 0.27)
#: Of transformers, whose vectors of single sentences scatter more. MiniLM: 4.8 / 19.6 / 38.6; with `STATIC` 4.2 /
#: 17.8 / 41.0, which is no better on wiki50 than no cut at all (41.2).
TRANSFORMER = Penalties(1.5, 0.2, 0.35)
