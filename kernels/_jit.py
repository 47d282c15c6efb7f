"""The one place that decides how a kernel is compiled.

Every kernel is serial, releases the interpreter lock and is cached on disk. Parallelism comes from a
thread pool over documents: ``parallel=True`` cost more than it gave at these sizes, dies under Python
threads (workqueue) and after ``fork`` (omp).
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Reassociation lets reductions use vector registers (11x on a 4096 x 384 cosine, with no worse error).
# "nnan" and "ninf" stay out: with them isnan() lies and a bad vector becomes a plausible distance.
_FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}


def kernel(function: _Function) -> _Function:
    """Compile `function` on its first call, or load it from the disk cache.

    A kernel whose name begins with an underscore is called by other kernels only. It gets no entry for
    Python and no place in the cache, since its callers' machine code holds it: a third less to compile.

    Where no cache folder can be written (a read-only site-packages and no home), numba refuses to
    decorate at all; the kernel is then compiled anew in every process.
    """
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": _FAST_MATH,
    }
    compiled: _Function
    if function.__name__.startswith("_"):
        compiled = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
        return compiled
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # "cannot cache function: no locator available"
        compiled = numba.njit(**options)(function)
    return compiled
