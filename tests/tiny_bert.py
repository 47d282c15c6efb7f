"""A BERT checkpoint small enough to run in milliseconds, with random weights."""

import json

import numpy as np

_TEXT = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] . , the a of and to in is was cat dog sat ran mat sun moon star light"
    " river sea boat sail king queen castle war peace bread butter salt pan oven bake ##s ##ing ##ed ##er"
)
WORDS = _TEXT.split()
HIDDEN, LAYERS, HEADS, INNER, POSITIONS = 24, 2, 3, 40, 64


def write_checkpoint(folder, *, seed=0, prefix="", words=WORDS, **config):
    """Write config.json, model.safetensors and tokenizer.json; `config` overrides single entries."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    weights = _weights(np.random.default_rng(seed), len(words))
    save_file({prefix + name: w for name, w in weights.items()}, folder / "model.safetensors")
    entries = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "vocab_size": len(words),
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "max_position_embeddings": POSITIONS,
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(entries | config))
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer(words)))
    return folder


def _weights(random, size):
    shapes = {
        "embeddings.word_embeddings.weight": (size, HIDDEN),
        "embeddings.position_embeddings.weight": (POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
        "embeddings.LayerNorm.weight": (HIDDEN,),
        "embeddings.LayerNorm.bias": (HIDDEN,),
    }
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        parts = {f"attention.self.{x}": (HIDDEN, HIDDEN) for x in ("query", "key", "value")}
        parts["attention.output.dense"] = (HIDDEN, HIDDEN)
        parts["intermediate.dense"] = (INNER, HIDDEN)
        parts["output.dense"] = (HIDDEN, INNER)
        for name, shape in parts.items():
            shapes[f"{layer}{name}.weight"] = shape
            shapes[f"{layer}{name}.bias"] = shape[:1]
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"{layer}{name}.weight"] = (HIDDEN,)
            shapes[f"{layer}{name}.bias"] = (HIDDEN,)
    return {
        name: random.normal(1.0 if name.endswith("LayerNorm.weight") else 0.0, 0.3, shape).astype(
            np.float32
        )
        for name, shape in shapes.items()
    }


def _tokenizer(words):
    special = [word for word in words if word.startswith("[")]
    return {
        "added_tokens": [
            {
                "id": words.index(word),
                "content": word,
                "special": True,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
            }
            for word in special
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: i for i, word in enumerate(words)},
        },
    }
