"""A strategy for each kind of document, and a cheap one for what exceeds a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np

from ... import options
from ...chunks import ChunkBatch
from ...errors import OptionError
from ...text import TextBuffer
from ...tokens import default_vocabulary, whole_counts
from ..base import Chunker
from ..structure.inner import as_inner
from .kinds import KINDS, ending_of, kind_of, mime_of

#: What becomes of documents unless told otherwise.
ROUTES: Mapping[str, Any] = {"markdown": "markdown", "html": "html", "code": "code"}

Select: TypeAlias = Callable[[str, Mapping[str, Any]], "str | None"]
Matters: TypeAlias = Callable[[str, Mapping[str, Any]], bool]


@dataclass(frozen=True, eq=False)
class _Routed(TextBuffer):
    """Documents whose routes are decided."""

    routes: tuple[str, ...] = ()


class RoutingChunker(Chunker):
    """Give each document to the strategy that its kind calls for.

    Every chunk's ``metadata`` has ``route``: the key of `routes` that was taken, ``"default"`` or ``"cheap"``.

    Parameters
    ----------
    routes : mapping, optional
        From a file's ending (``".md"``), a MIME type (``"text/html"``, ``"text/*"``) or a kind (``"markdown"``,
        ``"html"``, ``"code"``, ``"text"``) to a strategy: a chunker, a name, or a mapping of options with the name
        under ``"strategy"``. The first of these that is there decides: ending, MIME type, family of MIME types, kind.
        By default Markdown, HTML and code have their own strategies. Endings are those of ``metadata["source"]``, MIME
        types those of ``metadata["mime_type"]``; the kind is told by either, or by the look of the text.
    default : str, Chunker or mapping, default "semantic"
        The strategy for the rest.
    max_tokens : int, default 512
        The limit where a strategy is given by name without one.
    select : callable, optional
        A function of your own from a text and its metadata to a key of `routes`, to ``"default"``, or to None, which
        leaves the choice to the rules above.
    cheap : str, Chunker or mapping, optional
        The strategy for documents that do not matter, and for those beyond the budget.
    matters : callable, optional
        From a text and its metadata to whether it may spend the budget; by default every document does.
    budget_tokens : int, optional
        How many tokens of documents, counted by bert-base-uncased, may go to other strategies than `cheap`. It is spent
        in the order of the documents: one that is larger than what is left goes to `cheap`, a smaller one after it
        may not. Every call of ``chunk``, ``chunk_batch`` or ``stream`` has the whole budget.

    Raises
    ------
    MissingExtra
        A strategy needs a package that is not installed.
    OptionError
        An option is out of its range, or two do not go together.

    Notes
    -----
    With `budget_tokens` the chunks of a document depend on the documents before it in the same call; they never depend
    on later ones, nor on threads.
    """

    def __init__(
        self,
        *,
        routes: Mapping[str, Any] | None = None,
        default: Any = "semantic",
        max_tokens: int | None = None,
        select: Select | None = None,
        cheap: Any = None,
        matters: Matters | None = None,
        budget_tokens: int | None = None,
    ) -> None:
        limit = options.optional_integer("max_tokens", max_tokens, 1)
        given = ROUTES if routes is None else _checked_routes(routes)
        self._routes = {key: _strategy(f"routes[{key!r}]", given[key], limit) for key in given}
        self._strategies = {**self._routes, "default": _strategy("default", default, limit)}
        if cheap is not None:
            self._strategies["cheap"] = _strategy("cheap", cheap, limit)
        self._select = _function("select", select)
        self._matters = _function("matters", matters)
        self._budget = options.optional_integer("budget_tokens", budget_tokens, 0)
        if cheap is None and (budget_tokens is not None or matters is not None):
            name = "matters" if budget_tokens is None else "budget_tokens"
            raise OptionError(f"{name} needs cheap, the strategy for the rest, got None")
        orders = {getattr(chunker, "_order", None) for chunker in self._strategies.values()}
        if "joined" in orders and len(orders - {None}) > 1:
            raise OptionError("routes with parents must all have order='joined', or none of them")

    @property
    def _parallel(self) -> bool:
        return all(chunker._parallel for chunker in self._strategies.values())

    @property
    def _has_parents(self) -> bool:
        return any(chunker._has_parents for chunker in self._strategies.values())

    @property
    def _extracts(self) -> bool:
        return any(chunker._extracts for chunker in self._strategies.values())

    def _prepared(self, groups: Iterator[TextBuffer]) -> Iterator[TextBuffer]:
        """Decide routes in the order of the documents, before threads take over."""
        left = self._budget
        for group in groups:
            routes, left = self._decide(group, left)
            yield _Routed(group.data, group.documents, group.texts, group.metadata, tuple(routes))

    def _decide(self, buffer: TextBuffer, left: int | None) -> tuple[list[str], int | None]:
        """Return the route of each document, and what is left of the budget."""
        notes = buffer.metadata or [{}] * len(buffer)
        sizes: list[int] = []
        if left is not None:
            sizes = whole_counts(buffer, default_vocabulary()).tolist()
        routes = []
        for i, (text, note) in enumerate(zip(buffer.texts, notes, strict=True)):
            route = self._route(text, note)
            if self._matters is not None and not self._matters(text, note):
                route = "cheap"
            elif left is not None and route != "cheap":
                if sizes[i] > left:
                    route = "cheap"
                else:
                    left -= sizes[i]
            routes.append(route)
        return routes, left

    def _route(self, text: str, metadata: Mapping[str, Any]) -> str:
        if self._select is not None:
            chosen = self._select(text, metadata)
            if chosen is not None:
                return options.choice("what select returns", chosen, tuple(self._strategies))
        mime = mime_of(metadata)
        for key in (ending_of(metadata), mime, f"{mime.split('/')[0]}/*"):
            if key in self._routes:
                return key
        kind = kind_of(text, metadata)
        return kind if kind in self._routes else "default"

    def _chunk_group(self, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        if isinstance(buffer, _Routed):
            routes = list(buffer.routes)
        else:  # nested in another strategy, whose pieces are no documents to budget
            routes, _ = self._decide(buffer, self._budget)
        texts = list(buffer.texts)
        parts = []
        for route in dict.fromkeys(routes):
            numbers = np.flatnonzero(np.asarray([name == route for name in routes]))
            inside = TextBuffer.from_texts([texts[i] for i in numbers.tolist()])
            if buffer.metadata is not None:
                inside = replace(inside, metadata=[buffer.metadata[i] for i in numbers.tolist()])
            batch = self._strategies[route]._chunk_group(inside, embeddings)
            for i, text in zip(numbers.tolist(), batch.texts, strict=True):
                texts[i] = text
            parts.append(_renumbered(batch, numbers, route))
        both = ChunkBatch.concatenate(parts)
        parents = None if both.parents is None else both.parents.changed(texts=texts)
        whole = both.changed(texts=texts, parents=parents)
        return whole.take(np.argsort(whole.document, kind="stable"))


def _renumbered(batch: ChunkBatch, numbers: Any, route: str) -> ChunkBatch:
    """Give the documents of a batch their numbers in the group, and its chunks the name of the route."""
    own = batch.chunk_metadata or [{}] * len(batch)
    parents = batch.parents
    if parents is not None:
        parents = parents.changed(
            token_count=parents.token_count, texts=[], document=numbers[parents.document]
        )
    return batch.changed(
        token_count=batch.token_count,  # now, while the texts are there
        texts=[],
        document=numbers[batch.document],
        chunk_metadata=[{**entry, "route": route} for entry in own],
        parents=parents,
    )


def _checked_routes(routes: Any) -> Mapping[str, Any]:
    if not isinstance(routes, Mapping):
        raise OptionError(f"routes must be a mapping, got {type(routes).__name__}")
    for key in routes:
        is_key = isinstance(key, str) and (key[:1] == "." or "/" in key or key in KINDS)
        if not is_key:
            raise OptionError(
                "a key of routes must be a file's ending such as '.md', a MIME type, or one of "
                f"{', '.join(map(repr, KINDS))}, got {key!r}"
            )
    return cast("Mapping[str, Any]", routes)


def _strategy(name: str, value: Any, max_tokens: int | None) -> Chunker:
    """Accept a chunker, a name, or options; the common limit is for those without one."""
    has_its_own = isinstance(value, Chunker) or (isinstance(value, Mapping) and len(value) > 1)
    return as_inner(value, None if has_its_own else max_tokens, name)


def _function(name: str, value: Any) -> Any:
    if value is None or callable(value):
        return value
    raise OptionError(f"{name} must be a function of a text and its metadata, got {value!r}")
