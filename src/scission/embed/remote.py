"""Embedders behind an OpenAI-compatible ``/embeddings``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from threading import BoundedSemaphore
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import options
from ..errors import EmbeddingError
from ..remote.cache import cache_key, open_cache
from ..remote.ledger import Ledger, Usage
from ..remote.parallel import in_parallel
from ..remote.prices import PriceTable, price_of
from ..remote.service import Service
from ..tokens import default_vocabulary, tokenize
from ..units import from_sentences


class OpenAIEmbedder:
    """An embedding model behind OpenAI, TEI, vLLM, Ollama, llama.cpp or anything else that speaks their protocol.

    Needs the ``openai`` client (``pip install 'scission[llm]'``). The key is read from the environment. Requests
    that fail for the moment are repeated with back-off, as long as ``Retry-After`` says; when one fails for
    good, what the others got is kept, and the next call asks only for the rest.

    Parameters
    ----------
    model : str, default "text-embedding-3-small"
        The model's name at the service.
    base_url : str, optional
        The service; by default ``OPENAI_BASE_URL``, or else OpenAI's.
    dimensions : int, optional
        Wanted length of the vectors, where the model can shorten them.
    batch_items : int, default 512
        Texts in a request, at most. OpenAI allows 2,048; TEI 32 unless configured otherwise.
    batch_tokens : int, default 100_000
        Tokens in a request, at most, counted in those of bert-base-uncased. OpenAI allows 300,000 of its own.
    concurrency : int, default 4
        Requests at a time, however many threads ask.
    timeout : float, default 60
        Seconds until a try is given up.
    max_retries : int, default 5
        Tries after the first.
    api_key_env : str, default "OPENAI_API_KEY"
        The environment variable with the key.
    cache : folder or bool, optional
        Where vectors are kept on disk, so that no text is paid for twice; True for the user's cache folder. Off by
        default: a vector takes 6 kB.
    max_cost : float, optional
        USD that all requests may cost; one that could exceed it is not sent.
    prices : mapping, optional
        Own prices, model to USD per million tokens.

    Raises
    ------
    OptionError
        An option is out of its range, or `max_cost` is given for a model without a price.
    """

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        *,
        base_url: str | None = None,
        dimensions: int | None = None,
        batch_items: int = 512,
        batch_tokens: int = 100_000,
        concurrency: int = 4,
        timeout: float = 60.0,
        max_retries: int = 5,
        api_key_env: str = "OPENAI_API_KEY",
        cache: bool | str | os.PathLike[str] | None = None,
        max_cost: float | None = None,
        prices: PriceTable | None = None,
    ) -> None:
        self.name = options.text("model", model)
        self._dimensions = options.optional_integer("dimensions", dimensions, 1)
        self._batch_items = options.integer("batch_items", batch_items, 1)
        self._batch_tokens = options.integer("batch_tokens", batch_tokens, 1)
        self._concurrency = options.integer("concurrency", concurrency, 1)
        self._free = BoundedSemaphore(self._concurrency)
        self._service = Service(base_url, api_key_env, timeout, max_retries)
        limit = None if max_cost is None else options.number("max_cost", max_cost, 0.0)
        self._ledger = Ledger(self.name, price_of(self.name, prices), limit)
        self._cache = open_cache(cache)
        #: Vectors that a failed call got, by key.
        self._kept: dict[str, NDArray[np.float32]] = {}

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.name!r}, base_url={self._service.base_url!r})"

    @property
    def usage(self) -> Usage:
        """Requests, tokens and cost so far; ``cached`` counts texts."""
        return self._ledger.usage

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts.

        Parameters
        ----------
        texts : sequence of str
            The texts. The same text is sent once; blank ones are not sent, and get zeros. A lone surrogate
            is sent as U+FFFD.

        Returns
        -------
        float32[n, d]
            A vector for each text, in order.

        Raises
        ------
        RemoteError
            No usable answer came, whatever was tried.
        EmbeddingError
            The service sent the wrong number of vectors, a wrong length or values that are not finite.
        BudgetError
            The next request could exceed `max_cost`.
        """
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        wanted = {self._key(text): text for text in clean if text.strip()}
        found = self._known(wanted)
        missing = [key for key in wanted if key not in found]
        batches = self._batches(missing, [wanted[key] for key in missing])

        def fetch(batch: list[str]) -> None:
            vectors = self._request([wanted[key] for key in batch])
            rows = dict(zip(batch, vectors, strict=True))
            if self._cache is not None:
                self._cache.put({key: row.astype("<f4").tobytes() for key, row in rows.items()})
            found.update(rows)

        try:
            in_parallel(fetch, batches, self._concurrency)
        except BaseException:
            self._kept.update(found)
            raise
        for key in wanted:
            self._kept.pop(key, None)
        return self._gathered(clean, found)

    def _gathered(
        self, texts: Sequence[str], found: dict[str, NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        lengths = {len(row) for row in found.values()}
        if len(lengths) > 1:
            raise EmbeddingError(
                f"model {self.name} must return vectors of one length, got {sorted(lengths)}"
            )
        out = np.zeros((len(texts), lengths.pop() if lengths else 1), np.float32)
        for i, text in enumerate(texts):
            if text.strip():
                out[i] = found[self._key(text)]
        return out

    def _key(self, text: str) -> str:
        return cache_key(
            "embedding", self._service.base_url, self.name, self._dimensions or 0, text
        )

    def _known(self, wanted: dict[str, str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors that were got before, by key."""
        found = {key: self._kept[key] for key in wanted if key in self._kept}
        if self._cache is None:
            return found
        for key in wanted:
            stored = None if key in found else self._cache.get(key)
            if stored is not None:
                found[key] = np.frombuffer(stored, "<f4").astype(np.float32)
                self._ledger.count_cached()
        return found

    def _batches(self, keys: list[str], texts: list[str]) -> list[list[str]]:
        """Divide texts, in order, into requests within both limits; a longer text goes alone."""
        if not texts:
            return []
        counts = tokenize(*from_sentences(texts), default_vocabulary()).counts.tolist()
        batches: list[list[str]] = [[]]
        held = 0
        for key, count in zip(keys, counts, strict=True):
            full = len(batches[-1]) == self._batch_items or held + count > self._batch_tokens
            if batches[-1] and full:
                batches.append([])
                held = 0
            batches[-1].append(key)
            held += count
        return batches

    def _request(self, texts: list[str]) -> NDArray[np.float32]:
        extra: dict[str, Any] = {}
        if self._dimensions is not None:
            extra["dimensions"] = self._dimensions
        bound = sum(len(text.encode()) for text in texts)  # no token is shorter than a byte
        with self._free, self._ledger.request(bound, 0) as receipt:
            response = self._service.call(
                lambda client: client.embeddings.create(model=self.name, input=texts, **extra)
            )
            used = getattr(getattr(response, "usage", None), "prompt_tokens", None)
            if isinstance(used, int) and used >= 0:
                receipt.input_tokens = used
        return self._checked(response, len(texts))

    def _checked(self, response: Any, count: int) -> NDArray[np.float32]:
        """Return the vectors in the order of the texts."""
        rows = getattr(response, "data", None)
        if not isinstance(rows, list) or len(rows) != count:
            got = len(rows) if isinstance(rows, list) else type(response).__name__
            raise EmbeddingError(
                f"model {self.name} must return one vector for each of {count} texts, got {got}"
            )
        places = [getattr(row, "index", None) for row in rows]
        if all(place is None for place in places):
            places = list(range(count))
        if sorted(places, key=repr) != sorted(range(count), key=repr):
            raise EmbeddingError(
                f"model {self.name} must number its vectors from 0 to {count - 1}, each once"
            )
        try:
            ordered = [
                row.embedding for _, row in sorted(zip(places, rows, strict=True), key=_place)
            ]
            with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and said below
                vectors = np.array(ordered, np.float32)
        except (TypeError, ValueError, AttributeError):
            vectors = np.zeros(0, np.float32)
        if vectors.ndim != 2 or vectors.shape[1] != (self._dimensions or vectors.shape[1] or 1):
            length = "one length" if self._dimensions is None else f"length {self._dimensions}"
            raise EmbeddingError(
                f"model {self.name} must return vectors of {length}, got shape {vectors.shape}"
            )
        if not np.isfinite(vectors).all():
            raise EmbeddingError(
                f"model {self.name} must return finite values, got NaN or infinity"
            )
        return vectors


def _place(pair: tuple[Any, Any]) -> int:
    return int(pair[0])
