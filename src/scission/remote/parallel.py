"""A bounded number of requests at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_parallel(function: Callable[[T], R], items: Sequence[T], workers: int) -> list[R]:
    """Call a function for every item, at most `workers` at a time, and return the results in order.

    After the first failure nothing new is begun; what is under way is waited for, so that `function` may keep
    what it got. Then the failure of the earliest item is raised.
    """
    if workers == 1 or len(items) < 2:
        return [function(item) for item in items]
    pool = ThreadPoolExecutor(min(workers, len(items)), thread_name_prefix="scission-remote")
    try:
        futures = [pool.submit(function, item) for item in items]
        wait(futures, return_when=FIRST_EXCEPTION)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    for future in futures:
        if not future.cancelled():
            error = future.exception()
            if error is not None:
                raise error
    return [future.result() for future in futures]
