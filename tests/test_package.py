"""What is shipped: the wheel works on its own, with the sources out of reach."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.helpers import PLAIN

ROOT = Path(__file__).resolve().parents[1]

pytestmark = [
    pytest.mark.skipif(PLAIN, reason="what is packaged does not depend on how kernels run"),
    pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="the sources are not here"),
]

PROGRAM = """
import pathlib, scission, scission.kernels
home = pathlib.Path(scission.__file__).parent
assert "site" in str(home), home
assert pathlib.Path(scission.kernels.__file__).parent == home / "kernels"
assert (home / "py.typed").exists()
text = "Ships sail. The sea is wide. Bread rises. The oven is hot."
chunks = scission.chunk(text)
assert "".join(c.text for c in chunks) == text
print("works")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    # An sdist first and the wheel from it: what the sdist leaves out is missing from the wheel.
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (path,) = out.glob("*.whl")
    return path


def test_the_wheel_holds_every_module_and_table(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, inside in (("src/scission", "scission"), ("kernels", "scission/kernels")):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix not in (".pyc", ".nbi", ".nbc"):
                assert f"{inside}/{path.relative_to(ROOT / folder)}" in names, path
    assert not [name for name in names if name.startswith(("tests", "bench", "tools"))]
    assert {"NOTICE", "LICENSE"} <= {name.rsplit("/", 1)[-1] for name in names}


def test_the_wheel_works_elsewhere(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=False, system_site_packages=False)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    import numpy

    # The dependencies of this environment, but for scission itself: an editable install is a .pth file, which
    # PYTHONPATH does not read.
    packages = Path(numpy.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(packages)])}
    done = subprocess.run(
        [str(python), "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == "works", done.stderr


def test_a_read_only_cache_is_no_reason_to_fail(tmp_path):
    """Without a folder that can be written numba refuses to cache; the kernels work all the same."""
    program = (
        "import numba.core.caching as caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "from scission.kernels import distances\n"
        "import numpy as np\n"
        "out = np.empty(1)\n"
        "distances.cosine_distances(np.ones((1, 2), np.float32), np.ones((1, 2), np.float32), out)\n"
        "assert abs(out[0]) < 1e-6\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": ""}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
