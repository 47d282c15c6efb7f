"""Where the files of a known model can come from: a folder, an archive, an installed package, the hub.

A source is a function that puts one file at a path. It does not check what it delivers; `download` does.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import MissingExtra, ModelError
from .catalogue import KnownModel

#: From the name of a file to that file at a path; raises an error if it cannot.
Source = Callable[[str, Path], None]

_WEIGHTS = "model.safetensors"
_TRUE = {"1", "ON", "YES", "TRUE"}


def open_path(origin: Path, stack: ExitStack) -> Source:
    """Open a folder, a zip archive, or a wheel (an archive that may hold another).

    Raises
    ------
    ModelError
        It is none of these, or holds no checkpoint.
    """
    if origin.is_dir():
        packed = origin / "model.zip"
        if packed.is_file() and not (origin / _WEIGHTS).is_file():
            return open_path(packed, stack)
        return lambda name, target: _copy(origin / name, target)
    if not origin.exists():
        raise ModelError(f"{origin} does not exist: give a folder, a .zip or a .whl")
    try:
        archive, prefix = _inside(stack.enter_context(zipfile.ZipFile(origin)), stack)
    except zipfile.BadZipFile as error:
        raise ModelError(f"{origin} must be a folder, a .zip or a .whl ({error})") from None
    except LookupError:
        raise ModelError(f"{origin} holds no {_WEIGHTS}: it is not a checkpoint") from None

    def take(name: str, target: Path) -> None:
        with archive.open(prefix + name) as packed, target.open("wb") as out:
            shutil.copyfileobj(packed, out, 1 << 20)

    return take


def installed_package(model: KnownModel) -> Path | None:
    """Find the folder of the installed package that carries a model, without importing it."""
    if not model.module:
        return None
    spec = find_spec(model.module)
    places = [] if spec is None else list(spec.submodule_search_locations or [])
    return Path(places[0]) if places else None


def hub(model: KnownModel) -> Source:
    """Download from the hub, or copy from its cache on this machine.

    ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE`` are read at the time of the call; ``HF_HOME``, ``HF_TOKEN`` and the others as
    ``huggingface_hub`` reads them, which also draws the progress bar and resumes a transfer that was cut.

    Raises
    ------
    MissingExtra
        huggingface_hub is not installed.
    """
    try:
        import huggingface_hub
    except ImportError:
        raise MissingExtra(
            "downloading needs huggingface_hub, which is not installed: pip install 'scission[cpu]'"
        ) from None

    def take(name: str, target: Path) -> None:
        there = huggingface_hub.try_to_load_from_cache(model.repo, name, revision=model.revision)
        if isinstance(there, str):
            _copy(Path(there), target)
            return
        if os.environ.get("HF_HUB_OFFLINE", "").upper() in _TRUE:
            raise FileNotFoundError(
                f"HF_HUB_OFFLINE is set, and the hub's cache does not hold revision {model.revision[:12]}"
            )
        _download(huggingface_hub, model, name, target)

    return take


def _download(huggingface_hub: Any, model: KnownModel, name: str, target: Path) -> None:
    staging = target.with_name(f"{target.name}.hub")
    endpoint = os.environ.get("HF_ENDPOINT") or None
    try:
        got = huggingface_hub.hf_hub_download(
            model.repo,
            name,
            revision=model.revision,
            local_dir=staging,
            endpoint=endpoint,
        )
        os.replace(got, target)
    except Exception as error:  # of several libraries, with the reason in the first of their causes
        place = endpoint or "the Hugging Face hub"
        raise OSError(f"{place} does not give it ({_reason(error)})") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _reason(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _copy(origin: Path, target: Path) -> None:
    shutil.copyfile(origin, target)


def _inside(archive: zipfile.ZipFile, stack: ExitStack) -> tuple[zipfile.ZipFile, str]:
    """Find the archive that holds the weights, and the path before their name."""
    names = sorted(archive.namelist(), key=len)
    for name in names:
        if name == _WEIGHTS or name.endswith(f"/{_WEIGHTS}"):
            return archive, name[: -len(_WEIGHTS)]
    for name in names:
        if name.endswith(".zip"):
            packed = stack.enter_context(archive.open(name))
            return _inside(stack.enter_context(zipfile.ZipFile(packed)), stack)
    raise LookupError(_WEIGHTS)
