"""What sizes are counted in: the built-in WordPiece, Hugging Face, tiktoken, or a function that counts."""

from .protocol import Tokenizer, Weights
from .resolve import resolve

__all__ = ["Tokenizer", "Weights", "resolve"]
