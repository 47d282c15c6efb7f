"""Chat models that read documents: asked with prompts from files, answers checked, kept and counted."""

from .callables import ChatFunction
from .openai import OpenAIChat
from .protocol import Message

__all__ = ["ChatFunction", "Message", "OpenAIChat"]
