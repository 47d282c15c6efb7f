"""Vocabulary tables: building, saving, refusing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scission.embed.vocabulary import Vocabulary
from scission.errors import ModelError
from tests.unit.test_wordpiece import reference, tokenize

TOKENS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "un",
    "##aff",
    "##able",
    "a",
    "!",
    "中",
    "##é",
]


def content() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(reference().to_str())
    return loaded


def texts(vocabulary: Vocabulary, text: str) -> list[str]:
    return [vocabulary.tokens[i] for i, _, _ in tokenize([text], vocabulary)[0]]


def test_the_shipped_tables_are_those_of_the_tokens() -> None:
    shipped = Vocabulary.bert_uncased()
    built = Vocabulary.from_tokens(shipped.tokens)
    assert len(shipped) == 30522
    assert repr(shipped) == "Vocabulary(30522 tokens)"
    assert shipped.tokens[2003] == "is"
    for name in ("nodes", "words", "special", "text", "offsets"):
        np.testing.assert_array_equal(getattr(shipped, name), getattr(built, name), err_msg=name)


def test_special_ids() -> None:
    shipped = Vocabulary.bert_uncased()
    found = (shipped.pad_id, shipped.unk_id, shipped.cls_id, shipped.sep_id, shipped.mask_id)
    assert found == (0, 100, 101, 102, 103)
    assert Vocabulary.from_tokens(["[UNK]", "a"]).pad_id == -1


def test_save_and_load(tmp_path: Path) -> None:
    built = Vocabulary.from_tokens(TOKENS)
    built.save(tmp_path / "new" / "folder")
    loaded = Vocabulary.load(tmp_path / "new" / "folder")
    assert loaded.tokens == TOKENS
    assert texts(loaded, "Unaffable a!中") == ["un", "##aff", "##able", "a", "!", "中"]


def test_every_table_is_a_read_only_array(tmp_path: Path) -> None:
    built = Vocabulary.from_tokens(TOKENS)
    built.save(tmp_path)
    for vocabulary in (built, Vocabulary.load(tmp_path)):
        for table in (*vocabulary.tables, vocabulary.special, vocabulary.text, vocabulary.offsets):
            assert type(table) is np.ndarray
            assert not table.flags.writeable
            assert table.flags.c_contiguous


def test_a_file_that_truncates_and_pads_changes_nothing(tmp_path: Path) -> None:
    # A published bug of peers: the model's tokenizer.json pads to 128, so every text counted 128 tokens.
    padded = content()
    padded["truncation"] = {"max_length": 128, "strategy": "LongestFirst", "stride": 0}
    padded["padding"] = {"strategy": {"Fixed": 128}, "direction": "Right", "pad_id": 0}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(padded), encoding="utf-8")
    for vocabulary in (Vocabulary.from_tokenizer(path), Vocabulary.from_tokenizer(padded)):
        assert texts(vocabulary, "Two words") == ["two", "words"]
        assert len(texts(vocabulary, "word " * 500)) == 500


def test_special_tokens_in_the_text() -> None:
    assert texts(Vocabulary.from_tokens(TOKENS), "a[SEP]a") == ["a", "[SEP]", "a"]
    literal = Vocabulary.from_tokens(TOKENS, special_tokens=())
    assert texts(literal, "a[SEP]a") == ["a", "[UNK]", "[UNK]", "[UNK]", "a"]


def test_words_around_the_longest_that_is_packed() -> None:
    tokens = ["[UNK]", "a" * 9, "a" * 10, "a" * 11, "##a", "z" * 10, "9" * 10, "0"]
    vocabulary = Vocabulary.from_tokens(tokens)
    for length in (9, 10, 11):
        assert texts(vocabulary, "A" * length) == ["a" * length]
    assert texts(vocabulary, "a" * 12) == ["a" * 11, "##a"]
    assert texts(vocabulary, "zzzzzzzzzz 9999999999 0") == ["z" * 10, "9" * 10, "0"]


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("model", "type", "BPE"),
        ("model", "unk_token", "<unk>"),
        ("model", "continuing_subword_prefix", "@@"),
        ("model", "max_input_chars_per_word", 64),
        ("normalizer", "type", "NFC"),
        ("normalizer", "lowercase", False),
        ("normalizer", "strip_accents", False),
        ("normalizer", "clean_text", False),
        ("normalizer", "handle_chinese_chars", False),
        ("pre_tokenizer", "type", "Whitespace"),
    ],
)
def test_what_is_not_supported_is_named(part: str, key: str, value: object) -> None:
    changed = content()
    changed[part][key] = value
    with pytest.raises(ModelError, match=rf"{part}\.{key} must be .*, not {value!r}"):
        Vocabulary.from_tokenizer(changed)


def test_an_absent_part_is_not_supported() -> None:
    changed = content()
    changed["normalizer"] = None
    with pytest.raises(ModelError, match=r"normalizer\.type"):
        Vocabulary.from_tokenizer(changed)


@pytest.mark.parametrize(("key", "value"), [("lstrip", True), ("normalized", True), ("id", 7)])
def test_added_tokens_that_are_not_supported(key: str, value: object) -> None:
    changed = content()
    changed["added_tokens"][0][key] = value
    with pytest.raises(ModelError, match="added token"):
        Vocabulary.from_tokenizer(changed)


def test_ids_with_a_gap() -> None:
    changed = content()
    changed["model"]["vocab"]["[unused5]"] = 99_999
    with pytest.raises(ModelError, match="without a gap"):
        Vocabulary.from_tokenizer(changed)


def test_a_vocabulary_that_is_no_object() -> None:
    changed = content()
    changed["model"]["vocab"] = [["a", 0.5]]
    with pytest.raises(ModelError, match=r"model\.vocab"):
        Vocabulary.from_tokenizer(changed)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["a"], r"\[UNK\]"),
        (["[UNK]", "a", "a"], "1 come twice"),
        (["[UNK]", ""], "non-empty"),
        (["[UNK]", "a\0"], "NUL"),
    ],
)
def test_lists_that_are_no_vocabulary(tokens: list[str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Vocabulary.from_tokens(tokens)


def test_a_special_token_that_would_cut_words() -> None:
    with pytest.raises(ModelError, match="punctuation"):
        Vocabulary.from_tokens(["[UNK]", "sep"], special_tokens=["sep"])


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_files_that_are_no_tokenizer(text: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="tokenizer"):
        Vocabulary.from_tokenizer(path)


def test_a_folder_without_tables(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        Vocabulary.load(tmp_path)
