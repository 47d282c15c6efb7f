"""The texts that int8 models are calibrated and checked on."""

from __future__ import annotations

import string
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..bert import Ints
from .tokenizers import ModelTokenizer, Sequences

_TEXT = Path(__file__).resolve().parents[2] / "data" / "calibration.txt"
#: What prose does not have: addresses, dates, code, tables.
_LINES = (
    "http://www.example.com/news/2005/nov/1122_report.html?id=77&lang=en&page=3",
    "[https://news.example.co.uk/2/hi/science/nature/4455222.stm]",
    "https://docs.example.org/en/latest/api_reference.html#module-io",
    "ftp://ftp.example.net/pub/linux/kernel/v2.6/patch-2.6.14.bz2",
    'To: "Jane Q. Doe" <jane_doe@mail.example.com>, ops@example.org',
    "08/17/2000 11:21 AM",
    "2024-03-05T14:07:33.120Z ERROR [worker-7] timeout after 3000 ms (attempt 2/5)",
    "Jun 14 15:16:01 combo sshd(pam_unix)[19939]: authentication failure; uid=0 euid=0 tty=NODEVssh",
    "Tel. +1 (555) 010-9999, fax 010-9998",
    "| name | 2019 | 2020 | 2021 | change |",
    "|---|---:|---:|---:|---|",
    "12.5%   3,400   $1,299.00   0.0071   -17",
    "for (int i = 0; i < n; ++i) { sum += a[i] * b[i]; }",
    "def read(path: str) -> bytes: return open(path, 'rb').read()",
    "SELECT id, name FROM users WHERE age >= 21 ORDER BY name DESC LIMIT 10;",
    "$ git commit -m 'fix #42' && make -j8 CFLAGS=-O2",
    "<div class='row'><a href='/about'>About us</a></div>",
    "E = mc^2; f(x) = a_0 + a_1 x + a_2 x^2; p < 0.05; 95 % CI [1.2, 3.4]",
    "5f4dcc3b5aa765d61d8327deb882cf99 d41d8cd98f00b204e9800998ecf8427e",
    "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
    "Ünïcödé — “quotes”, naïve café, 10 €, 20 °C, ½, →, ✓ :-) 👍🏽",
    "C:\\Users\\Public\\Documents\\report_final_v2.docx",
    "Q: 1) yes; 2) no; 3) n/a. A: b, c & d!!! ??? ...",
    "Η θάλασσα είναι ήρεμη και τα πλοία φεύγουν νωρίς το πρωί από το λιμάνι.",
    "Σε αυτό το βιβλίο περιγράφονται οι κανόνες της πόλης.",
    "Утром корабли вышли из гавани, и море было спокойным до самого вечера.",
    "הים שקט והספינות יוצאות מן הנמל מוקדם בבוקר, לפני שהעיר מתעוררת.",
    "בספר הזה כתובים כל חוקי העיר ושמות האנשים שגרו בה.",
    "البحر هادئ والسفن تغادر الميناء في الصباح الباكر قبل أن تستيقظ المدينة.",
    "समुद्र शांत है और जहाज़ सुबह जल्दी बंदरगाह से निकल जाते हैं।",
    "清晨，船隻離開港口，大海一直平靜到晚上。",
    "朝早く船は港を出て、海は夕方まで静かだった。",
    "배는 아침 일찍 항구를 떠났고 바다는 저녁까지 잔잔했다.",
    "เรือออกจากท่าแต่เช้า และทะเลสงบจนถึงเย็น",
    "THIS IS AN IMPORTANT NOTICE: READ ALL INSTRUCTIONS BEFORE USE",
)
#: Sentences that are kept for the check.
HELD_OUT = 100


def calibration_sequences(tokenizer: ModelTokenizer, max_tokens: int) -> list[Ints]:
    """Token ids that ranges and moments are taken over, special tokens included.

    400 sentences of public domain prose; of each a piece of one to four tokens, bare or closed by a mark; lines
    that are not prose; and each ASCII punctuation mark repeated 1 to 40 times. In short, coded and monotonous
    texts activations reach values that no sentence shows.
    """
    random = np.random.default_rng(0)
    sentences = _with_special(tokenizer.texts(_sentences()[:-HELD_OUT]), tokenizer, max_tokens)
    marks = _with_special(tokenizer.texts(["", ".", "!", "?"]), tokenizer, max_tokens)
    short = [_short(row, marks[i % len(marks)], random) for i, row in enumerate(sentences)]
    runs = [mark * int(random.integers(1, 41)) for mark in string.punctuation]
    others = _with_special(tokenizer.texts([*_LINES, *runs]), tokenizer, max_tokens)
    return sentences + short + others


def check_texts() -> list[str]:
    """Return sentences that no calibration has seen."""
    return _sentences()[-HELD_OUT:]


def _sentences() -> list[str]:
    return _TEXT.read_text(encoding="utf-8").splitlines()


def _short(row: Ints, mark: Ints, random: np.random.Generator) -> Ints:
    """Take a few tokens out of a sentence and close them with a mark; both have their special tokens."""
    size = int(random.integers(1, 5))
    begin = 1 + int(random.integers(0, max(1, len(row) - 1 - size)))
    piece = row[begin : min(begin + size, len(row) - 1)]
    return np.concatenate([row[:1], piece, mark[1:]])


def _with_special(sequences: Sequences, tokenizer: ModelTokenizer, max_tokens: int) -> list[Ints]:
    opening, closing = (np.asarray([i], np.int32) for i in tokenizer.special)
    spans: Sequence[tuple[int, int]] = list(
        zip(sequences.starts.tolist(), sequences.ends.tolist(), strict=True)
    )
    return [
        np.concatenate([opening, sequences.ids[a : min(b, a + max_tokens - 2)], closing])
        for a, b in spans
    ]
