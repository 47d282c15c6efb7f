"""Chunks that end at the best separator within reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import options
from ..tokenizers import resolve
from . import languages
from .cutting import Cutter
from .hierarchy import KEEP, Hierarchy, Separator, read_levels
from .langchain import LangChainChunker
from .limited import LimitedChunker
from .sizes import size
from .vectors import ChunkEmbedder

#: Blank lines, line ends, sentence ends, clause ends, white space.
SEPARATORS: tuple[str | tuple[str, ...], ...] = (
    ("\n\n", "\r\n\r\n"),
    ("\n", "\r"),
    (". ", "! ", "? ", "。", "！", "？", "। ", "؟ ", "۔ "),
    ("; ", ", ", "；", "，", "、", "، "),
    (" ", "\t", "\u3000"),
)


class RecursiveChunker(LimitedChunker):
    r"""Cut at blank lines, else at line ends, else at sentence ends, else between words, under a limit.

    Each chunk is as long as its limit allows and ends at the last separator within reach of the best kind that occurs
    there: a worse kind is looked for only where there is none, or where it would leave the chunk nearly empty.

    Parameters
    ----------
    max_tokens : int, optional
        No chunk is larger; 512 unless `max_characters` is given.
    max_characters : int, optional
        The same in characters (code points, as ``len`` counts them).
    overlap : int or float, default 0
        What a chunk repeats at most of the one before it, in the unit of its size; below 1.0 a share of it. It begins
        at the best separator in the first half of that.
    separators : sequence, optional
        From the best to the worst: strings, compiled patterns, or groups of these of the same rank. By default blank
        lines, line ends, ends of sentences, of clauses, white space. Where none is within reach, a
        chunk ends between two grapheme clusters, as if the empty string came last; what comes after an empty string
        is ignored. Patterns are looked for in the whole document, which is slower.
    keep_separator : {"auto", "start", "end", "none"}, default "auto"
        Where a separator goes that a chunk is cut at: to the text after it, to the text before it, or away.
        ``"auto"``: to the text before it; one that begins with a line end and goes on (``"\nclass "``) is cut after
        the line end.
    fill : float, default 0.25
        A separator is passed over for a worse one when the chunk would hold less than this share of what its limit
        reaches. At 0.25 a heading stays with the text below: on Chroma's set 2.0 % of the chunks of at most
        128 tokens have fewer than 10 of them without it, none with it, and recall at 400, 800 and 1,600
        tokens is 55.2 / 69.6 / 77.7 with static vectors (without it 55.3 / 69.0 / 77.5; at 0.4 53.8 / 68.7 / 77.0).
    tokenizer : str, path, object or callable, default "wordpiece"
        What counts tokens, see `FixedChunker`.
    trim : bool, default False
        Whether to take white space off both ends of the chunks; they then no longer tile the document.
    model : str, path, callable or object, default "minilm-static"
        What makes the vectors for ``embeddings=True``: see `SemanticChunker`. Each chunk is read once.

    Raises
    ------
    OptionError
        An option is out of its range, or two do not go together.
    ModelError, MissingExtra
        The tokenizer or the model cannot be found or read.

    Notes
    -----
    What `FixedChunker` says about clusters, words and limits holds here too.
    """

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_characters: int | None = None,
        overlap: int | float = 0,
        separators: Sequence[Separator | Sequence[Separator]] = SEPARATORS,
        keep_separator: str = "auto",
        fill: float = 0.25,
        tokenizer: Any = "wordpiece",
        trim: bool = False,
        model: Any = "minilm-static",
    ) -> None:
        keep = options.choice("keep_separator", keep_separator, KEEP)
        self._cutter = Cutter(
            size(max_tokens, max_characters, overlap, 512),
            Hierarchy(read_levels("separators", separators), keep),
            resolve(tokenizer),
            options.flag("trim", trim),
            options.number("fill", fill, 0.0, 1.0),
        )
        self._embedder = ChunkEmbedder(model)

    @classmethod
    def for_language(cls, language: str, **changes: Any) -> RecursiveChunker:
        """Make a chunker for source text in a programming or markup language.

        Parameters
        ----------
        language : str
            One of those that LangChain knows: ``"python"``, ``"js"``, ``"markdown"``, and so on; a wrong name raises an
            error that lists them.
        **changes
            Options that differ from what the language asks for, and sizes.

        Returns
        -------
        RecursiveChunker
            With the separators of the language: definitions, then statements, then lines, then spaces.
        """
        keep = languages.KEEP.get(language, "auto")
        chosen = {"separators": languages.separators(language), "keep_separator": keep}
        return cls(**{**chosen, **changes})

    @classmethod
    def langchain(cls, *, language: str | None = None, **options: Any) -> LangChainChunker:
        """Make a chunker that cuts exactly as LangChain's ``RecursiveCharacterTextSplitter`` does.

        Parameters
        ----------
        language : str, optional
            As for ``from_language`` there.
        **options
            ``chunk_size``, ``chunk_overlap``, ``separators``, ``keep_separator``, ``is_separator_regex``,
            ``length_function``, ``strip_whitespace``: called, and set by default, as there.

        Returns
        -------
        LangChainChunker
            Its chunks are slices of the document, with offsets; apart from that they have LangChain's
            faults: they do not tile the document, and some exceed the limit.
        """
        if language is not None:
            options = {
                "separators": languages.patterns(language),
                "is_separator_regex": True,
                **options,
            }
        return LangChainChunker(**options)
