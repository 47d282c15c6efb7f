"""Fair timing on a machine that is shared: CPU time, interleaved, medians of ratios."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of one call in this process, all its threads together."""
    gc.collect()
    began = time.process_time()
    work()
    return time.process_time() - began


def user_seconds(work: Callable[[], object]) -> float:
    """User CPU time of one call: without what the system takes to hand out fresh pages."""
    began = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    work()
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - began


def interleaved(works: dict[str, Callable[[], object]], rounds: int = 5) -> dict[str, list[float]]:
    """Run each in turn, `rounds` times after a warm-up; a drift of the machine meets all alike."""
    for work in works.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(cpu_seconds(work))
    return times


def ratio(times: dict[str, list[float]], slow: str, fast: str) -> float:
    """How many times faster `fast` is than `slow`: the median over rounds."""
    return median(a / b for a, b in zip(times[slow], times[fast], strict=True))


def per_byte(chunker: Any, text: str, repeats: int) -> float:
    """User CPU time of cutting one document, for each of its characters, after a warm-up."""
    chunker.chunk_batch([text], threads=1)

    def work() -> None:
        for _ in range(repeats):
            chunker.chunk_batch([text], threads=1)

    return user_seconds(work) / repeats / len(text)


#: The interpreter of `run_python`. Name one of an environment that holds the package alone: numba, for one, loads
#: scipy where it finds it, 0.3 s that a plain installation does not have.
PYTHON = os.environ.get("BENCH_PYTHON", sys.executable)


def run_python(program: str, env: dict[str, str] | None = None) -> tuple[float, int]:
    """Wall seconds and peak memory (bytes) of a fresh interpreter that runs `program`."""
    code = f"{program}\nfrom bench.timing import peak_memory; print(peak_memory())"
    began = time.perf_counter()
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True, env=env)
    seconds = time.perf_counter() - began
    return seconds, int(done.stdout.split()[-1])


def peak_memory() -> int:
    """Peak memory of this process so far, bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would count the pages of the process that forked this one
        (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
