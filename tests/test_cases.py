"""Every case that is timed, against its slow twin."""

import importlib

import numpy as np
import pytest
from bench.cases import CASES

from tests import naive
from tests.helpers import PLAIN


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel)
def test_what_is_timed_is_right(case):
    file, name = case.kernel.split(".")
    kernel = getattr(importlib.import_module(f"scission.kernels.{file}"), name)
    arguments, outputs = case.make(20 if PLAIN else 200)
    expected = [np.copy(output) for output in outputs]
    got = kernel(*arguments, *outputs)
    wanted = getattr(getattr(naive, file), name)(*arguments, *expected)
    if case.returns:
        assert got == pytest.approx(wanted)
    for output, right in zip(outputs, expected, strict=True):
        np.testing.assert_allclose(output, right, atol=1e-5, rtol=1e-5)
