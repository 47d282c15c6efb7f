"""A BERT checkpoint small enough to run in milliseconds, with random weights."""

import json

import numpy as np

_TEXT = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] . , the a of and to in is was cat dog sat ran mat sun moon star light"
    " river sea boat sail king queen castle war peace bread butter salt pan oven bake ##s ##ing ##ed ##er"
)
WORDS = _TEXT.split()
HIDDEN = 24
SHAPE = {"hidden": HIDDEN, "layers": 2, "heads": 3, "inner": 40, "positions": 64}


def write_checkpoint(
    folder, *, seed=0, prefix="", words=WORDS, pooling=None, shape=None, spread=0.3, **config
):
    """Write config.json, model.safetensors and tokenizer.json; `config` overrides single entries."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    shape = {**SHAPE, **(shape or {})}
    weights = _weights(np.random.default_rng(seed), len(words), spread, **shape)
    save_file({prefix + name: w for name, w in weights.items()}, folder / "model.safetensors")
    entries = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "vocab_size": len(words),
        "hidden_size": shape["hidden"],
        "num_hidden_layers": shape["layers"],
        "num_attention_heads": shape["heads"],
        "intermediate_size": shape["inner"],
        "max_position_embeddings": shape["positions"],
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(entries | config))
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer(words)))
    if pooling is not None:
        (folder / "1_Pooling").mkdir(exist_ok=True)
        mode = {"cls": "pooling_mode_cls_token"}.get(pooling, f"pooling_mode_{pooling}_tokens")
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({mode: True}))
    return folder


def _weights(random, size, spread, *, hidden, layers, heads, inner, positions):
    assert hidden % heads == 0
    shapes = {
        "embeddings.word_embeddings.weight": (size, hidden),
        "embeddings.position_embeddings.weight": (positions, hidden),
        "embeddings.token_type_embeddings.weight": (2, hidden),
        "embeddings.LayerNorm.weight": (hidden,),
        "embeddings.LayerNorm.bias": (hidden,),
    }
    for number in range(layers):
        layer = f"encoder.layer.{number}."
        parts = {f"attention.self.{x}": (hidden, hidden) for x in ("query", "key", "value")}
        parts["attention.output.dense"] = (hidden, hidden)
        parts["intermediate.dense"] = (inner, hidden)
        parts["output.dense"] = (hidden, inner)
        for name, shape in parts.items():
            shapes[f"{layer}{name}.weight"] = shape
            shapes[f"{layer}{name}.bias"] = shape[:1]
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"{layer}{name}.weight"] = (hidden,)
            shapes[f"{layer}{name}.bias"] = (hidden,)
    return {
        name: random.normal(
            1.0 if name.endswith("LayerNorm.weight") else 0.0, spread, shape
        ).astype(np.float32)
        for name, shape in shapes.items()
    }


def _tokenizer(words):
    special = [word for word in words if word.startswith("[") and word.isupper()]
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
