"""Measurements: kernels and pipeline (pytest-benchmark), and the bars that the project holds itself to."""
