"""The transformer as the chunkers see it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import options
from ...cores import cores
from ...errors import OptionError
from ...group import Group
from ...units import window_bounds
from ..checkpoint import Checkpoint, Floats
from ..penalties import TRANSFORMER
from ..providers import choose
from ..vocabulary import Vocabulary
from .batches import Batch
from .encoder import PRECISIONS
from .runs import one_by_one, pooled
from .sessions import session
from .store import built
from .tokenizers import Sequences, open_tokenizer

#: Tokens in a batch. On a CPU the widest activation of 400 tokens (2.4 MB) stays near the second-level cache:
#: batches of 432 tokens run 1.12 times as fast as those of 1,728. A GPU wants to be filled.
_CPU_TOKENS, _GPU_TOKENS = 448, 16384
#: Largest share of padding in a batch. None on a CPU, where a batch then holds one length only.
_CPU_PADDING, _GPU_PADDING = 0.0, 0.05


class OnnxEmbedder:
    """A BERT-family sentence encoder on ONNX Runtime.

    The graph is built from the checkpoint on first use and kept in the cache folder (`scission.embed.cache`); an
    int8 graph of MiniLM takes half a minute to build.

    Parameters
    ----------
    folder : path
        A checkpoint: ``config.json``, ``model.safetensors``, ``tokenizer.json``, and if the model has them
        ``1_Pooling/config.json`` and ``sentence_bert_config.json``.
    precision : {"fp32", "fp16", "int8"}, optional
        Of the arithmetic; by default what suits the device: int8 on a CPU. fp16 is for GPUs: a CPU rounds the
        weights and then computes in fp32, which gains nothing.
    device : {"auto", "cpu", "cuda", "coreml"}, default "auto"
        Where the model runs, see `scission.embed.providers.choose`.
    threads : int, optional
        Batches that are computed side by side, one core each; by default one for each core. All callers share
        them.
    batch_tokens : int, optional
        Most tokens in a batch, padding included; by default what suits the device.
    name : str, optional
        What messages call the model; the folder by default.

    Raises
    ------
    OptionError
        An option is out of its range.
    ModelError
        The folder does not hold a BERT-family checkpoint.
    MissingExtra
        A package of the extra ``cpu`` is not installed.

    Notes
    -----
    On a CPU the same text gets the same vector to the last bit, alone or with others, whatever the number
    of threads: a batch holds sequences of one length, activations have fixed scales, and no operator mixes
    rows. (Beside a longer neighbour, padding would not leak, but softmax would add up in another order: 1e-8.)
    On a GPU the libraries choose kernels by the shape of the batch, and the last bits depend on it.
    """

    #: Several callers gain: one takes texts apart while the other's batches run.
    parallel = True
    penalties = TRANSFORMER

    def __init__(
        self,
        folder: str | Path,
        *,
        precision: str | None = None,
        device: str = "auto",
        threads: int | None = None,
        batch_tokens: int | None = None,
        name: str | None = None,
    ) -> None:
        if precision is not None:
            options.choice("precision", precision, PRECISIONS)
        threads = options.optional_integer("threads", threads, 1)
        batch_tokens = options.optional_integer("batch_tokens", batch_tokens, 1)
        self._reopen = partial(
            type(self),
            folder,
            precision=precision,
            device=device,
            threads=threads,
            batch_tokens=batch_tokens,
            name=name,
        )
        self.name = name or str(folder)
        self._choice = choose(device)
        self.precision = self._choice.checked_precision(precision)
        checkpoint = Checkpoint.open(folder)
        self._choice = self._choice.limited(checkpoint.config.positions)
        self._tokenizer = open_tokenizer(checkpoint.folder / "tokenizer.json")
        found = built(checkpoint, self._tokenizer, self._choice, self.precision)
        self.recipe = found.recipe
        self._session = session(found.path, self._choice)
        self._limit = checkpoint.max_tokens - 2
        self.dimensions = checkpoint.config.hidden
        on_cpu = self._choice.provider == "CPUExecutionProvider"
        self._threads = threads or (cores() if on_cpu else 1)
        self._batch_tokens = batch_tokens or (_CPU_TOKENS if on_cpu else _GPU_TOKENS)
        self._max_padding = _CPU_PADDING if on_cpu else _GPU_PADDING
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self._making = Lock()

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self.name!r}, precision={self.precision!r}, provider={self._choice.provider!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as the folder and the options."""
        return self._reopen, ()

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that sizes are counted in: the model's own when it is a BERT one."""
        return self._tokenizer.vocabulary

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed texts of any length.

        A text longer than the model reads at once is split evenly between words, and its vector is that of all
        its tokens together: nothing is truncated.

        Parameters
        ----------
        texts : sequence of str
            Queries, sentences, chunks. Instructions that a model wants before a query are up to the caller.

        Returns
        -------
        float32[n, d]
            Vectors of length 1; zeros for a text without tokens.

        Raises
        ------
        OptionError
            It is one string and no list of them.
        """
        if isinstance(texts, str):
            raise OptionError("texts must be a list of strings, got one str: put it in a list")
        return self._vectors(self._tokenizer.texts(list(texts)))

    def embed_units(self, group: Group) -> Floats:
        """Embed each unit once."""
        units = np.arange(len(group.units))
        return self.embed_spans(group, units, units + 1)

    def embed_windows(self, group: Group, radius: int) -> Floats:
        """Embed the joined text of each window: ``2 * radius + 1`` times the work."""
        return self.embed_spans(group, *window_bounds(group.units, radius))

    def embed_spans(self, group: Group, first: NDArray[Any], last: NDArray[Any]) -> Floats:
        """Embed runs of units, each as one text."""
        return self._vectors(self._tokenizer.spans(group, first, last))

    def _vectors(self, sequences: Sequences) -> Floats:
        from ...kernels import pooling

        out = np.zeros((len(sequences.starts), self.dimensions), np.float32)
        wanted = np.flatnonzero(sequences.ends > sequences.starts)
        pieces, owners = sequences.chosen(wanted).split(self._limit)
        sums, counts = pooled(
            self._session,
            pieces,
            self._tokenizer.special,
            batch_tokens=self._batch_tokens,
            max_padding=self._max_padding,
            each=self._each,
        )
        total, number = np.zeros((len(wanted), self.dimensions), np.float32), np.zeros(len(wanted))
        np.add.at(total, owners, sums)
        np.add.at(number, owners, counts)
        unit = np.empty_like(total)
        pooling.normalise_rows((total / number[:, None]).astype(np.float32), unit)
        out[wanted] = unit
        return out

    def _each(self, work: Callable[[Batch], None], batches: Iterable[Batch]) -> None:
        """Run batches on the threads that all callers share; a single one on the caller's own."""
        planned = list(batches)
        if self._threads == 1 or len(planned) == 1:
            one_by_one(work, planned)
        else:
            for _ in self._workers().map(work, planned):
                pass

    def _workers(self) -> ThreadPoolExecutor:
        """Make the threads when they are first needed, and again in a process that was forked off."""
        with self._making:
            if self._pool is None or self._pool[0] != os.getpid():
                self._pool = os.getpid(), ThreadPoolExecutor(self._threads, "scission-onnx")
            return self._pool[1]
