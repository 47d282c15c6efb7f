"""BERT-family sentence encoders on ONNX Runtime: graphs from weights, int8 that no batch-mate changes, batching."""

from .embedder import OnnxEmbedder

__all__ = ["OnnxEmbedder"]
