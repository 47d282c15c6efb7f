"""The page in a real browser: no error on its console, every distance drawn, text in the right direction."""

import re
import shutil
import subprocess

import pytest

from scission import SemanticChunker
from scission.explain.page import page
from tests.helpers import PLAIN

BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)

pytestmark = [
    pytest.mark.skipif(
        BROWSER is None, reason="no Chromium is on PATH (Debian: apt install chromium)"
    ),
    pytest.mark.skipif(PLAIN, reason="what a page shows does not depend on how kernels run"),
]

ENGLISH = "The ship left the harbour at dawn. Its sails were full of wind.\n\nBread needs yeast. Bakers rise early. "
ARABIC = "غادرت السفينة الميناء عند الفجر. كانت الأشرعة مليئة بالريح.\n\nيحتاج العجين إلى الخميرة. "
CHINESE = "船在黎明时离开了港口。船帆鼓满了风。\n\n面团需要酵母。面包师起得很早。"
ATTACK = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\"> & more. "


def opened(html, folder, profile="profile"):
    """The page's DOM after its script has run, and what its console said."""
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    done = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom",
            f"--user-data-dir={folder / profile}", "--enable-logging=stderr", "--virtual-time-budget=20000",
            "--window-size=1200,1600", path.as_uri(),
        ],
        capture_output=True, text=True, encoding="utf-8", timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, console


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("english, 200 kB", ENGLISH * 1800),
        ("arabic", ARABIC * 20),
        ("chinese", CHINESE * 20),
        ("mixed", ENGLISH + ARABIC + CHINESE + ATTACK + "\ud800\x00\x1b" + ENGLISH),
        ("one sentence", "One ship."),
        ("empty", ""),
    ],
)
def test_the_page_opens_without_errors_and_draws_every_distance(name, text, tmp_path):
    explanation = SemanticChunker(target_tokens=120).explain(text)
    dom, console = opened(explanation.to_html(), tmp_path)
    assert console == []
    assert "owned" not in re.search(r"<title>(.*?)</title>", dom)[1]
    assert f'data-drawn="{dom.count(chr(34) + "u" + chr(34))}"' in dom
    if len(explanation.distances):
        points = re.findall(r'<polyline points="([^"]*)" class="curve"', dom)
        assert len(points[0].split()) == len(explanation.distances)
        assert dom.count("<circle") == len(explanation.cuts)


def test_the_console_is_heard(tmp_path):
    """A page whose script fails is seen to fail: the test above would notice."""
    html = "<script>console.error('heard'); nothing.at.all</script>"
    _, console = opened(html, tmp_path)
    assert len(console) == 2


def test_the_policy_lets_no_other_script_run(tmp_path):
    html = SemanticChunker().explain(ENGLISH).to_html()
    dom, console = opened(
        html.replace("<main", "<script>document.title = 'owned'</script><main"), tmp_path
    )
    assert "owned</title>" not in dom
    assert len(console) == 1


def test_a_frame_of_a_notebook_draws_itself(tmp_path):
    """Scripts in a sandboxed frame run, and side by side pages draw both gradients."""
    both = [
        SemanticChunker().explain(ENGLISH),
        SemanticChunker(breakpoints="absolute").explain(ENGLISH),
    ]
    dom, console = opened(page(both), tmp_path)
    assert console == []
    assert dom.count('class="curve"') == 4
    frame = both[0]._repr_html_()
    assert opened(f"<!doctype html><body>{frame}</body>", tmp_path)[1] == []
