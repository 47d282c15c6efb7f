"""Other libraries at the same tasks: are the outputs comparable, and what does each cost.

python -m bench.peers [TASK ...] [-o bench/peers.json]
"""
