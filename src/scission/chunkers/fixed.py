"""Chunks of a fixed size."""

from __future__ import annotations

from typing import Any

from .. import options
from ..tokenizers import resolve
from .cutting import Cutter
from .hierarchy import KEEP, Hierarchy, separator_of
from .langchain import LangChainChunker
from .limited import LimitedChunker
from .sizes import size
from .vectors import ChunkEmbedder


class FixedChunker(LimitedChunker):
    """Cut every so many tokens or characters.

    Chunk i holds the tokens (or characters) from i·(L - O) on, L of them, where O is the overlap; fewer where the last
    one would be cut in two.

    Parameters
    ----------
    max_tokens : int, optional
        Size of a chunk in tokens; 512 unless `max_characters` is given.
    max_characters : int, optional
        Size of a chunk in characters (code points, as ``len`` counts them).
    overlap : int or float, default 0
        What a chunk repeats at most of the one before it, in the unit of its size; below 1.0 a share of it.
    tokenizer : str, path, object or callable, default "wordpiece"
        What counts tokens: the built-in tokenizer (bert-base-uncased); ``"tiktoken:NAME"``; the path of a
        ``tokenizer.json``; an object of ``tokenizers`` or ``tiktoken``; a function from a text to a number.
    separator : str or compiled pattern, optional
        Cut only here, packing as many pieces into a chunk as fit. A piece that is too long alone is cut anywhere.
    keep_separator : {"auto", "start", "end", "none"}, default "auto"
        Where `separator` goes, see `RecursiveChunker`.
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
    A cut never goes through a grapheme cluster (an emoji with its modifiers, a letter with its accents) unless the
    cluster alone exceeds the limit, and never through a character: where one alone exceeds the limit, `chunk`
    raises a `TextError`. Nor does it go through a word of the built-in tokenizer that fits the limit, since the parts
    of a word have other tokens than the word. ``token_count`` is that of the chunk's own text. With the built-in
    tokenizer, and others that know unknown tokens, no chunk holds more than 32 bytes for each token of
    its limit: a page of base64 would be a single token.
    """

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_characters: int | None = None,
        overlap: int | float = 0,
        tokenizer: Any = "wordpiece",
        separator: Any = None,
        keep_separator: str = "auto",
        trim: bool = False,
        model: Any = "minilm-static",
    ) -> None:
        keep = options.choice("keep_separator", keep_separator, KEEP)
        levels = () if separator is None else ((separator_of("separator", separator),),)
        self._cutter = Cutter(
            size(max_tokens, max_characters, overlap, 512),
            Hierarchy(levels, keep),
            resolve(tokenizer),
            options.flag("trim", trim),
        )
        self._embedder = ChunkEmbedder(model)

    @classmethod
    def langchain(cls, *, separator: str = "\n\n", **options: Any) -> LangChainChunker:
        """Make a chunker that cuts exactly as LangChain's ``CharacterTextSplitter`` does.

        Parameters
        ----------
        separator : str
            Where to cut, and nowhere else, however long a piece may be.
        **options
            As for `RecursiveChunker.langchain`; ``keep_separator`` is False by default.
        """
        chosen = {"keep_separator": False, **options}
        return LangChainChunker(separators=[separator], recursive=False, **chosen)
