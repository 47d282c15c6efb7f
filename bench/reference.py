"""The reference tokenizer."""

from __future__ import annotations

import os
from typing import Any


def hugging_face() -> Any:
    """Make the reference tokenizer over the same vocabulary, truncation and padding off."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    from scission.tokens import default_vocabulary

    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    ids = {token: i for i, token in enumerate(default_vocabulary().tokens)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer
