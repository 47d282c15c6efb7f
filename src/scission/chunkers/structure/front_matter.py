"""The front matter of a Markdown file: YAML between lines of dashes, TOML between lines of plus signs."""

from __future__ import annotations

import re
import sys
from typing import Any

from ...errors import MissingExtra

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_YAML = re.compile(
    r"\A\ufeff?---[ \t]*(?:\r\n?|\n)(.*?)^(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)", re.S | re.M
)
_TOML = re.compile(
    r"\A\ufeff?\+\+\+[ \t]*(?:\r\n?|\n)(.*?)^\+\+\+[ \t]*(?:\r\n?|\n|\Z)", re.S | re.M
)


def front_matter(text: str) -> tuple[int, Any]:
    """Return where the front matter of a text ends (0 when there is none), and what it says.

    What cannot be read as YAML or TOML, or refers to itself, is returned as the string that it is. Dates and whatever
    else JSON does not know become strings.
    """
    normal = text[:2].lstrip("\ufeff")
    if normal[:1] == "-":
        found, read = _match(_YAML, text), _yaml
    elif normal[:1] == "+":
        found, read = _match(_TOML, text), _toml
    else:
        return 0, None
    if found is None:
        return 0, None
    end, content = found
    try:
        value = read(content)
    except ValueError:
        return end, content
    return end, value if value is not None else {}


def _match(pattern: re.Pattern[str], text: str) -> tuple[int, str] | None:
    match = pattern.match(text)
    return None if match is None else (match.end(), match.group(1))


def _toml(content: str) -> Any:
    return _plain(tomllib.loads(content.replace("\r\n", "\n").replace("\r", "\n")))


def _yaml(content: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingExtra(
            "YAML front matter needs PyYAML, which is not installed: pip install 'scission[markdown]'"
        ) from None
    try:
        # An alias can make a few lines stand for gigabytes.
        if any(
            isinstance(event, yaml.AliasEvent) for event in yaml.parse(content, yaml.SafeLoader)
        ):
            raise ValueError("front matter with aliases")
        return _plain(yaml.load(content, yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _plain(value: Any) -> Any:
    """Return a value that JSON can take."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(entry) for entry in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and value - value == 0.0:  # neither infinite nor NaN
        return value
    return str(value)
