"""Settings of ``scission chunk`` in a TOML file, for a run that can be repeated."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..errors import OptionError
from ..options import choice
from .outputs import FORMATS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: What a run does when neither the command line nor a file says otherwise.
DEFAULTS: dict[str, Any] = {
    "files": ["-"],
    "strategy": "semantic",
    "output": None,
    "format": None,
    "encoding": "utf-8",
    "threads": None,
    "embeddings": False,
    "pages": False,
    "quiet": False,
}

_TYPES: dict[str, type] = {
    "files": list,
    "strategy": str,
    "output": str,
    "format": str,
    "encoding": str,
    "threads": int,
    "embeddings": bool,
    "pages": bool,
    "quiet": bool,
}
_OPTIONS = "options"


def settle(arguments: argparse.Namespace) -> dict[str, Any]:
    """Fill in what the command line leaves open, and return the strategy's options from the file.

    The command line wins over the file, the file over `DEFAULTS`.

    Raises
    ------
    OptionError
        The file cannot be read, is not TOML, or has a key or a type that is not known.
    """
    settings = _read(arguments.config) if arguments.config is not None else {}
    for name, default in DEFAULTS.items():
        if getattr(arguments, name) in (None, []):
            setattr(arguments, name, settings.get(name, default))
    if arguments.format is not None:
        choice("format", arguments.format, FORMATS)
    given: dict[str, Any] = settings.get(_OPTIONS, {})
    return given


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            settings = tomllib.load(file)
    except OSError as error:
        raise OptionError(
            f"--config must name a file that can be read, got {path}: {error.strerror}"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OptionError(f"--config must name a TOML file, got {path}: {error}") from None
    known = {**_TYPES, _OPTIONS: dict}
    for key, value in settings.items():
        if key not in known:
            raise OptionError(
                f"{path} has no setting {key!r}: the settings are {', '.join(sorted(known))}; options of the "
                f"strategy stand under [{_OPTIONS}]"
            )
        if type(value) is not known[key]:
            raise OptionError(f"{path}: {key} must be of type {known[key].__name__}, got {value!r}")
    return settings
