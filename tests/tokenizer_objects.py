"""Small tokenizers of every kind, trained here: nothing is downloaded."""

from functools import cache

TRAINING = [
    "The ship left the harbour at dawn, and bread needs yeast! Dr. Smith paid $3.50 at 5 p.m. ",
    "Grüße aus Köln. 海は広い。船が来た！ यह एक वाक्य है। 👩‍🚀 🇩🇪🇫🇷 e\u0301 words and more words, words within words.",
]


@cache
def byte_level():
    """A byte-level BPE of ``tokenizers``, as GPT-2's, that pads and truncates."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(TRAINING * 20, trainer)
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    return tokenizer


@cache
def unigram():
    """A unigram model with normalisation and an unknown token, as T5's."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=120, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
    )
    tokenizer.train_from_iterator(TRAINING * 20, trainer)
    return tokenizer


@cache
def tiktoken_encoding():
    """An encoding of ``tiktoken`` with single bytes and a few merges."""
    import tiktoken

    merges = [
        b" t",
        b"he",
        b" the",
        b"or",
        b"wor",
        b"words",
        b" words",
        b"in",
        b"\xe2\x80",
        b"\xf0\x9f",
        b"th",
    ]
    ranks = {bytes([i]): i for i in range(256)}
    for merge in merges:
        ranks[merge] = len(ranks)
    return tiktoken.Encoding(
        "tiny",
        pat_str=r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        mergeable_ranks=ranks,
        special_tokens={"<|end|>": len(ranks)},
    )


def rough(text):
    """A count that does not add up: what many estimate tokens by."""
    return (len(text) + 3) // 4
