"""Compiled loops over byte buffers and vectors; they import numpy and numba only.

A kernel reads columnar input (one text buffer holding many documents, one array per property) and fills
the output arrays that it is given. Input arrays are read-only, so that a kernel has one compiled
signature whether its text comes from ``bytes``, an Arrow column or a memory map. Every kernel has a
slow, obvious twin of the same name in ``tests/naive``.
"""
