"""What a comparison is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from scission import ChunkBatch

#: From documents to a contender's native output for all of them, whatever its form.
Work = Callable[[Sequence[str]], Any]


@dataclass(frozen=True)
class Piece:
    """A chunk as the checks see it; `start` is None where the library gives no offset into the document."""

    text: str
    start: int | None = None


@dataclass(frozen=True)
class Contender:
    """One library at one task.

    Attributes
    ----------
    name : str
        What the table calls it.
    distribution : str
        Its name in the package index; the version is read from there.
    make : callable
        Returns the work, set up and ready. Only the work is timed.
    pieces : callable
        From its native output to the chunks of each document.
    every : int
        It is given each so-manieth document of the corpus; slow ones need no more for a stable figure.
    """

    name: str
    distribution: str
    make: Callable[[], Work]
    pieces: Callable[[Any], list[list[Piece]]]
    every: int = 1

    @property
    def version(self) -> str | None:
        """The installed version, or None."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return None


@dataclass(frozen=True)
class Task:
    """What all contenders are asked to do.

    Attributes
    ----------
    name, title : str
        For the command line and for the table.
    limit : int or None
        The size that no chunk may exceed.
    size : callable
        Size of a text in the unit of `limit`.
    contenders : list of Contender
        The first is what the others are compared with.
    """

    name: str
    title: str
    limit: int | None
    size: Callable[[str], int]
    contenders: list[Contender] = field(default_factory=list)


def each(work: Callable[[str], Any]) -> Work:
    """Lift a function of one document to many."""
    return lambda texts: [work(text) for text in texts]


def strings(outputs: Sequence[Sequence[str]]) -> list[list[Piece]]:
    """Read lists of strings."""
    return [[Piece(text) for text in output] for output in outputs]


def batch(output: ChunkBatch) -> list[list[Piece]]:
    """Read scission's columns."""
    return [
        [Piece(chunk.text, chunk.start) for chunk in output.of_document(number)]
        for number in range(len(output.texts))
    ]


def indexed(outputs: Sequence[Sequence[Any]]) -> list[list[Piece]]:
    """Read objects with a text and a ``start_index``, as chonkie and blazechunk return them."""
    return [[Piece(chunk.text, chunk.start_index) for chunk in output] for output in outputs]
