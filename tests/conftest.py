"""Settings that every test shares."""

import os

# Tests share their cores, and BLAS threads that wait for each other took twenty times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

# As plain Python it is the kernels that are tested, a hundred times slower; what only uses them runs compiled.
if os.environ.get("NUMBA_DISABLE_JIT") == "1":
    collect_ignore = [
        "evaluate", "remote", "structure", "test_aio.py", "test_cascade_bench.py", "test_cli_runs.py",
        "test_download.py", "test_explain.py", "test_langchain.py",
        "test_peers.py", "test_providers.py", "test_service_bench.py", "test_threads.py",
    ]  # fmt: skip
    collect_ignore_glob = ["unit/test_onnx_*.py"]

# Kernels compile on first use, and run a hundred times slower as plain Python: no example has a deadline.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("compiled", derandomize=True, max_examples=100, **_COMMON)
settings.register_profile("plain", derandomize=True, max_examples=25, **_COMMON)
settings.load_profile("plain" if os.environ.get("NUMBA_DISABLE_JIT") == "1" else "compiled")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Built models go to a folder of the run, not to the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCISSION_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
