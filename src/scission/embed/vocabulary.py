"""The tables of a WordPiece vocabulary: built, saved, and opened as memory maps."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scission.errors import ModelError

_DATA = Path(__file__).resolve().parent.parent / "data"
_CHARACTERS = ("letters", "points", "pool")
_TABLES = ("nodes", "words", "special", "text", "offsets")
SPECIAL = ("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")

_ROOTS = 3  # start of a word, rest of a word, special tokens written out
_PACKED = 10  # characters of a word that is looked up whole
_ASCII = "".join(map(chr, range(33, 127)))
_RANKS = {c: 4 + i for i, c in enumerate("0123456789abcdefghijklmnopqrstuvwxyz")}


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """A BERT uncased WordPiece vocabulary, in the form the kernels read.

    Parameters
    ----------
    characters : tuple of ndarray
        ``letters``, ``pages``, ``entries`` and ``pool``: how BERT normalises each code point.
    nodes, words, marks : ndarray
        The trie of the pieces, the hash table of short words and the ids of ASCII punctuation. Their
        layout is described in ``kernels/wordpiece.py``. All arrays are read-only.
    special : int32[5]
        Ids of ``[UNK]``, ``[CLS]``, ``[SEP]``, ``[PAD]`` and ``[MASK]``; -1 where the vocabulary has none.
    text, offsets : uint8[], int32[V + 1]
        UTF-8 of token i is ``text[offsets[i]:offsets[i + 1]]``.
    """

    characters: tuple[NDArray[Any], ...]
    nodes: NDArray[np.int64]
    words: NDArray[np.int64]
    special: NDArray[np.int32]
    text: NDArray[np.uint8]
    offsets: NDArray[np.int32]

    @classmethod
    def bert_uncased(cls) -> "Vocabulary":
        """Open the vocabulary that ships with the package: bert-base-uncased, MiniLM, bge."""
        return cls.load(_DATA / "bert-uncased")

    @classmethod
    def load(cls, folder: str | Path) -> "Vocabulary":
        """Open the tables that `save` wrote, as read-only memory maps.

        Raises
        ------
        ModelError
            If a table is missing or is not an array.
        """
        folder = Path(folder)
        tables = {name: _open(folder / f"{name}.npy") for name in _TABLES}
        return cls(characters=_load_characters(), **tables)

    @classmethod
    def from_tokens(
        cls, tokens: Sequence[str], *, special_tokens: Iterable[str] = SPECIAL
    ) -> "Vocabulary":
        """Build the tables from a list of tokens; token i has id i.

        Parameters
        ----------
        tokens : sequence of str
            Pieces inside a word begin with ``##``. ``[UNK]`` has to be among them.
        special_tokens : iterable of str
            Tokens that become one id where the text spells them out, as ``tokenizers`` does by default;
            those not in `tokens` are ignored. ``()`` reads them as ordinary text.

        Raises
        ------
        ModelError
            If the list is no WordPiece vocabulary.
        """
        tokens = list(tokens)
        ids = {token: i for i, token in enumerate(tokens)}
        _check_tokens(tokens, ids)
        literal = sorted({token for token in special_tokens if token in ids}, key=ids.__getitem__)
        _check_literals(literal)
        encoded = [token.encode() for token in tokens]
        offsets = np.zeros(len(tokens) + 1, dtype=np.int32)
        np.cumsum([len(token) for token in encoded], out=offsets[1:])
        return cls(
            characters=_load_characters(),
            nodes=_freeze(_build_trie(ids, literal)),
            words=_freeze(_build_words(ids)),
            special=_freeze(np.array([ids.get(token, -1) for token in SPECIAL], dtype=np.int32)),
            text=_freeze(np.frombuffer(b"".join(encoded), dtype=np.uint8)),
            offsets=_freeze(offsets),
        )

    @classmethod
    def from_tokenizer(cls, source: str | Path | Mapping[str, Any]) -> "Vocabulary":
        """Build the tables from a ``tokenizer.json``: its path, or its content.

        Truncation, padding and the template of special tokens in the file are left aside: they are for
        one input of a model, and a file that pads to 128 would make every text 128 tokens long.

        Raises
        ------
        ModelError
            If it is anything but BERT's uncased WordPiece; the message names the part.
        """
        content = dict(source) if isinstance(source, Mapping) else _read_json(Path(source))
        check_tokenizer(content)
        ids = content["model"]["vocab"]
        if sorted(ids.values()) != list(range(len(ids))):
            raise ModelError(
                f"The ids of a vocabulary must be 0 to {len(ids) - 1} without a gap, "
                f"and those of this tokenizer.json are not."
            )
        added = [token["content"] for token in content.get("added_tokens") or ()]
        return cls.from_tokens(sorted(ids, key=ids.__getitem__), special_tokens=added)

    def save(self, folder: str | Path) -> None:
        """Write the tables as ``.npy`` files; the folder is made when it is missing."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name in _TABLES:
            np.save(folder / f"{name}.npy", getattr(self, name))

    @cached_property
    def tables(self) -> tuple[NDArray[Any], ...]:
        """What the kernels take after ``data`` and ``units``, in their order."""
        return (*self.characters, self.nodes, self.words)

    @cached_property
    def tokens(self) -> list[str]:
        """The tokens by id."""
        text = self.text.tobytes()
        ends = self.offsets.tolist()
        return [text[a:b].decode() for a, b in zip(ends[:-1], ends[1:], strict=True)]

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} tokens)"

    @property
    def unk_id(self) -> int:
        """Id of ``[UNK]``: a word that the vocabulary cannot spell."""
        return int(self.special[0])

    @property
    def cls_id(self) -> int:
        """Id of ``[CLS]``, which opens a model's input; -1 without one."""
        return int(self.special[1])

    @property
    def sep_id(self) -> int:
        """Id of ``[SEP]``, which closes a model's input; -1 without one."""
        return int(self.special[2])

    @property
    def pad_id(self) -> int:
        """Id of ``[PAD]``; -1 without one."""
        return int(self.special[3])

    @property
    def mask_id(self) -> int:
        """Id of ``[MASK]``; -1 without one."""
        return int(self.special[4])


def _freeze(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _open(path: Path) -> NDArray[Any]:
    try:
        # A plain ndarray over the map: numba would compile every kernel once more for np.memmap.
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"The table {path} cannot be read: {error}. "
            f"Build the vocabulary again, or install scission again if it is part of the package."
        ) from error


def _load_characters() -> tuple[NDArray[Any], ...]:
    return tuple(_open(_DATA / "characters" / f"bert_{name}.npy") for name in _CHARACTERS)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"The tokenizer {path} cannot be read: {error}.") from error
    if not isinstance(content, dict):
        raise ModelError(f"The tokenizer {path} must hold an object, not {type(content).__name__}.")
    return content


def _check_tokens(tokens: list[str], ids: dict[str, int]) -> None:
    if len(ids) != len(tokens):
        raise ModelError(
            f"The tokens of a vocabulary must differ: {len(tokens) - len(ids)} come twice."
        )
    if "[UNK]" not in ids:
        raise ModelError("A WordPiece vocabulary must hold the token [UNK]; this one does not.")
    for token in tokens:
        if not token or "\0" in token:
            raise ModelError(f"A token must be a non-empty string without NUL, not {token!r}.")


def _check_literals(literal: list[str]) -> None:
    for token in literal:
        # Only then does a token that is cut out of the text leave the words beside it as they are.
        if (
            token[0] not in _ASCII
            or token[-1] not in _ASCII
            or token[0].isalnum()
            or token[-1].isalnum()
        ):
            raise ModelError(
                f"A special token must begin and end with ASCII punctuation, like [SEP], not be {token!r}."
            )


_EXPECTED: dict[str, dict[str, tuple[Any, ...]]] = {
    "model": {
        "type": ("WordPiece",),
        "unk_token": ("[UNK]",),
        "continuing_subword_prefix": ("##",),
        "max_input_chars_per_word": (100,),
    },
    "normalizer": {
        "type": ("BertNormalizer",),
        "clean_text": (True,),
        "handle_chinese_chars": (True,),
        "strip_accents": (True, None),
        "lowercase": (True,),
    },
    "pre_tokenizer": {"type": ("BertPreTokenizer",)},
}
_ADDED: dict[str, tuple[Any, ...]] = {
    "special": (True,),
    "single_word": (False,),
    "lstrip": (False,),
    "rstrip": (False,),
    "normalized": (False,),
}


def check_tokenizer(content: Mapping[str, Any]) -> None:
    """Refuse the content of a ``tokenizer.json`` that is not BERT's uncased WordPiece, naming the part.

    Raises
    ------
    ModelError
        It is not.
    """
    for part, expected in _EXPECTED.items():
        _check_part(part, content.get(part), expected)
    vocabulary = content["model"].get("vocab")
    if not isinstance(vocabulary, dict) or not all(type(i) is int for i in vocabulary.values()):
        raise ModelError("This tokenizer is not supported: its model.vocab must map tokens to ids.")
    for token in content.get("added_tokens") or ():
        name = f"added token {token.get('content')!r}"
        _check_part(name, token, _ADDED)
        if vocabulary.get(token["content"]) != token.get("id"):
            raise ModelError(f"This tokenizer is not supported: its {name} is not in model.vocab.")


def _check_part(part: str, found: object, expected: Mapping[str, tuple[Any, ...]]) -> None:
    settings = found if isinstance(found, dict) else {}
    for key, values in expected.items():
        value = settings.get(key)
        if not any(
            value is known or (value == known and type(value) is type(known)) for known in values
        ):
            raise ModelError(
                f"This tokenizer is not supported: {part}.{key} must be {values[0]!r}, not {value!r}. "
                f"scission reads BERT's uncased WordPiece (bert-base-uncased, all-MiniLM, bge-*-en)."
            )


def _build_words(ids: Mapping[str, int]) -> NDArray[np.int64]:
    """Hash table of the words of up to ten letters and digits, at most 3/4 full.

    They go in by id, which in BERT's vocabulary is by frequency: frequent words are found at once.
    """
    packed = {
        reduce(lambda word, c: word << 6 | _RANKS[c], token, 0): i
        for token, i in sorted(ids.items(), key=lambda item: item[1])
        if len(token) <= _PACKED and all(c in _RANKS for c in token)
    }
    size = 1 << max(4, (len(packed) * 4 // 3).bit_length())
    words = np.zeros(2 * size, dtype=np.int64)
    for word, i in packed.items():
        slot = (word & 0x3FFFFFFF) * 0x9E3779B1 + (word >> 30) * 0x85EBCA77 >> 24 & 2 * size - 2
        while words[slot]:
            slot = slot + 2 & 2 * size - 2
        words[slot : slot + 2] = word, i + 1
    return words


def _build_trie(ids: Mapping[str, int], literal: Sequence[str]) -> NDArray[np.int64]:
    """Double array over three tries; see ``kernels/wordpiece.py`` for the layout of a node."""
    children: list[dict[int, int]] = [{} for _ in range(_ROOTS)]
    values = [0] * _ROOTS
    values[0] = ids["[UNK]"] + 1

    def insert(root: int, token: str, i: int) -> None:
        state = root
        for byte in token.encode():
            if byte not in children[state]:
                children[state][byte] = len(children)
                children.append({})
                values.append(0)
            state = children[state][byte]
        values[state] = i + 1

    for token, i in ids.items():
        if token.startswith("##") and len(token) > 2:
            insert(1, token[2:], i)
        else:
            insert(0, token, i)
    for token in literal:
        insert(2, token, ids[token])
    return _place(children, values)


def _place(children: list[dict[int, int]], values: list[int]) -> NDArray[np.int64]:
    """First-fit placement, in the order of the ids.

    Placing nodes with most children first, as is usual, took 9 % more room and was no faster.
    """
    taken = bytearray(b"\1" * 256 + bytes(2 * len(children) + 4096))
    used: set[int] = set()
    place = list(range(_ROOTS)) + [0] * (len(children) - _ROOTS)
    bases = [0] * len(children)
    first = 256
    for state in range(len(children)):
        labels = sorted(children[state])
        if not labels:
            continue
        slot = first = taken.find(0, first)
        tried = 0
        while slot - labels[0] in used or any(taken[slot + b - labels[0]] for b in labels):
            slot = taken.find(0, slot + 1)
            tried += 1
        if tried > 64:  # what lies before is too crowded to be worth another look
            first += (slot - first) // 2
        bases[state] = slot - labels[0]
        used.add(bases[state])
        for byte, child in children[state].items():
            place[child] = bases[state] + byte
            taken[place[child]] = 1
    nodes = np.zeros(max(max(bases), max(place)) + 257, dtype=np.int64)
    for state, table in enumerate(children):
        nodes[place[state]] |= bases[state] << 32 | values[state] << 8
        for byte, child in table.items():
            nodes[place[child]] |= byte
    return nodes
