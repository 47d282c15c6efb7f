"""Which configurations to compare: strategies × their options × models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any

from .. import options
from ..errors import CorpusError, MissingExtra, OptionError

#: Keys of a strategy's table that are not options of its chunker.
_RESERVED = ("strategy", "name", "preset", "vectors")
_MODEL_KEYS = ("name", "chunks", "queries", "chunk_prefix", "query_prefix")
_KEYS = ("strategies", "models", "k", "budgets", "metric", "search", "price", "seed")


@dataclass(frozen=True)
class Model:
    """What turns chunks and questions into vectors.

    Attributes
    ----------
    name : str
        What reports call it.
    chunks, queries : object
        Whatever a chunker's ``model`` accepts; the cache knows an object by the model's name. Where the chunks'
        model is static and the questions' is its teacher, question vectors are brought among those of the chunks
        (`StaticEmbedder.project`).
    chunk_prefix, query_prefix : str
        Put before each text, as some models want it.
    """

    name: str
    chunks: Any
    queries: Any
    chunk_prefix: str = ""
    query_prefix: str = ""


@dataclass(frozen=True)
class Configuration:
    """One cell of the grid.

    Attributes
    ----------
    label : str
        What reports call it; unique in the grid.
    strategy : str
        Name of the strategy.
    preset : str or None
        ``"reference"``, for the options that `SemanticChunker.reference` starts from.
    options : mapping
        Options of its chunker.
    vectors : str
        ``"encoded"``: the model reads each chunk. ``"pooled"``: the chunker hands the vectors back from the pass that
        found the boundaries.
    model : Model
        What makes the vectors.
    """

    label: str
    strategy: str
    preset: str | None
    options: Mapping[str, Any]
    vectors: str
    model: Model

    def described(self) -> dict[str, Any]:
        """Return what identifies the configuration, as JSON can hold it."""
        return {
            "label": self.label,
            "strategy": self.strategy,
            "preset": self.preset,
            "options": dict(self.options),
            "vectors": self.vectors,
            "model": self.model.name,
        }


@dataclass(frozen=True)
class Grid:
    """Configurations to compare, and how.

    Attributes
    ----------
    configurations : tuple of Configuration
        The cells, in the order in which they are run.
    k, budgets : tuple of int
        Numbers of chunks, and of tokens, to score at.
    metric : str or None
        What decides which is best; by default token recall at the middle budget, or ``ndcg@10`` for a corpus without
        references.
    search : str
        See `search`.
    price : str or None
        The API model whose price is shown.
    seed : int
        Of the bootstrap.
    """

    configurations: tuple[Configuration, ...]
    k: tuple[int, ...] = (1, 3, 5, 10)
    budgets: tuple[int, ...] = (400, 800, 1600)
    metric: str | None = None
    search: str = "auto"
    price: str | None = "text-embedding-3-small"
    seed: int = field(default=0)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Grid:
        """Read a grid from TOML.

        Raises
        ------
        CorpusError
            The file cannot be read, is not TOML or not a grid.
        """
        try:
            return cls.from_dict(read_toml(Path(path)))
        except OptionError as error:
            raise CorpusError(f"{path}: {error}") from None

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Grid:
        """Make a grid from what its TOML file says.

        Parameters
        ----------
        table : mapping
            ``strategies``: a list of tables, each with ``strategy``, optionally ``name``, ``preset``, ``vectors``
            (``"encoded"``, ``"pooled"`` or a list of both), and any option of the strategy's chunker. An option
            that is a list stands for each of its values in turn; one that is a list by nature is written as a
            list in a list. ``models``: a list of names or of tables with ``name``, ``chunks``, ``queries``,
            ``chunk_prefix``, ``query_prefix``; ``minilm-static`` by default. ``k``, ``budgets``, ``metric``,
            ``search``, ``price``, ``seed``: see `Grid`.

        Raises
        ------
        OptionError
            A key is unknown or a value out of its range; options of chunkers are checked when they are made.
        """
        options.check_known(table, _KEYS, "a grid")
        models = [_model(entry) for entry in _list(table, "models", ["minilm-static"])]
        strategies = _list(table, "strategies", [])
        if not strategies or not models:
            raise OptionError("a grid must have at least one [[strategies]] and one model")
        cells = [cell for entry in strategies for cell in _cells(entry, models)]
        _check_unique([cell.label for cell in cells])
        return cls(
            configurations=tuple(cells),
            k=_counts(table, "k", cls.k) or cls.k,
            budgets=_counts(table, "budgets", cls.budgets),
            metric=_optional_text(table, "metric"),
            search=options.choice("search", table.get("search", "auto"), ("auto", "exact", "hnsw")),
            price=_optional_text(table, "price") or cls.price,
            seed=options.integer("seed", table.get("seed", 0), 0),
        )


def _cells(entry: Any, models: Sequence[Model]) -> Iterator[Configuration]:
    if not isinstance(entry, Mapping):
        raise OptionError(f"each of 'strategies' must be a table, got {entry!r:.80}")
    strategy = entry.get("strategy")
    if not isinstance(strategy, str):
        raise OptionError(f"'strategy' must be the name of a strategy, got {strategy!r}")
    preset = _optional_text(entry, "preset")
    if preset not in (None, "reference") or (preset and strategy != "semantic"):
        raise OptionError(
            f"preset must be 'reference', of the strategy 'semantic', got {preset!r} of {strategy!r}"
        )
    name = _optional_text(entry, "name") or " ".join(filter(None, (strategy, preset)))
    swept = {key: value for key, value in entry.items() if key not in _RESERVED}
    ways = _as_list(entry.get("vectors", "encoded"))
    values = [_as_list(value) for value in swept.values()]
    for chosen, way, model in product(product(*values), ways, models):
        given = dict(zip(swept, chosen, strict=True))
        options.choice("vectors", way, ("encoded", "pooled"))
        yield Configuration(
            _label(name, swept, given, way if len(ways) > 1 else "", model if len(models) > 1 else None),
            strategy, preset, given, way, model,
        )  # fmt: skip


def _label(
    name: str, swept: Mapping[str, Any], given: Mapping[str, Any], way: str, model: Model | None
) -> str:
    """Return the name, with whatever tells the cell from its neighbours."""
    parts = [name]
    parts += [f"{key}={given[key]}" for key, value in swept.items() if len(_as_list(value)) > 1]
    return " ".join(filter(None, [*parts, way, f"({model.name})" if model else ""]))


def _model(entry: Any) -> Model:
    if isinstance(entry, str):
        return Model(entry, entry, entry)
    if not isinstance(entry, Mapping):
        raise OptionError(f"each of 'models' must be a name or a table, got {entry!r:.80}")
    options.check_known(entry, _MODEL_KEYS, "a model")
    name = _optional_text(entry, "name")
    chunks = entry.get("chunks", name)
    if name is None or chunks is None:
        raise OptionError("a model must have a 'name'")
    prefixes = {key: str(entry.get(key, "")) for key in ("chunk_prefix", "query_prefix")}
    return Model(name, chunks, entry.get("queries", chunks), **prefixes)


def _check_unique(labels: Sequence[str]) -> None:
    for label in labels:
        if labels.count(label) > 1:
            raise OptionError(
                f"configurations must differ in their labels, got {label!r} twice: give the strategies a 'name'"
            )


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _list(table: Mapping[str, Any], name: str, default: list[Any]) -> list[Any]:
    value = table.get(name, default)
    if not isinstance(value, list | tuple):
        raise OptionError(f"{name!r} must be a list, got {value!r:.80}")
    return list(value)


def _counts(table: Mapping[str, Any], name: str, default: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        options.integer(f"each of {name}", value, 1) for value in _list(table, name, list(default))
    )


def _optional_text(table: Mapping[str, Any], name: str) -> str | None:
    value = table.get(name)
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    raise OptionError(f"{name!r} must be a string that is not blank, got {value!r:.80}")


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; what is wrong with it is a `CorpusError`."""
    try:
        data = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: not UTF-8: {error.reason}") from None
    toml = _toml()
    try:
        table: dict[str, Any] = toml.loads(data)
    except toml.TOMLDecodeError as error:
        raise CorpusError(f"{path}: not TOML: {error}") from None
    return table


def _toml() -> Any:
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10
        try:
            import tomli as tomllib  # type: ignore[no-redef]
        except ModuleNotFoundError:
            raise MissingExtra(
                "reading TOML on Python 3.10 needs tomli: pip install 'scission[evaluate]'"
            ) from None
    return tomllib


def canonical(value: Any) -> str:
    """JSON of a value, the same for the same content; what JSON cannot hold goes by its repr."""
    return json.dumps(value, sort_keys=True, default=repr)
