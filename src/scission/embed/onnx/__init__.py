"""BERT-family sentence encoders on ONNX Runtime: graphs from weights, int8 that no batch-mate changes, batching.

What did not earn its place:

- A truncated model. Pk on 67 documents of choi with the first n layers of MiniLM in float32, and CPU seconds: 6 layers
  4.3, 24 s; 4 layers 8.0, 16 s; 3 layers 8.7, 12 s; 2 layers 11.9, 8 s; 1 layer 14.4, 4 s. The static model gives 6.3,
  and six layers in int8 cost less than three in float32.
- A cascade in which the static model proposes, and MiniLM reads only the units next to undecided gaps, its vectors
  projected among the static ones (``python -m bench.cascade``). Pk of choi / choi_style_ewt / wiki50, all with
  `penalties.STATIC`, and the share of MiniLM's CPU time:

  ============================  ==================  ===========
  MiniLM reads                  Pk                  time
  ============================  ==================  ===========
  nothing                       6.5 / 23.0 / 38.3   0
  10 % of gaps, ±2 units        5.1 / 20.7 / 40.5   0.28 - 0.31
  25 % of gaps, ±1 unit         5.1 / 19.7 / 41.0   0.36 - 0.40
  25 % of gaps, ±2 units        4.7 / 18.5 / 38.6   0.53 - 0.60
  50 % of gaps, ±2 units        4.7 / 17.4 / 39.6   0.80 - 0.89
  everything, projected         4.5 / 16.6 / 40.0   1
  everything                    4.2 / 17.8 / 41.0   1
  ============================  ==================  ===========

  Cuts alone would gain: half the time keeps most of what MiniLM gains on the first two sets, more than as many units at
  random do (5.6 / 19.8 / 39.7), and on wiki50 neither is told from the static model. But chunk vectors come from the
  same pass, and a mixture retrieves worse than MiniLM: recall at 400 tokens in chunks of 140 is 52.7 with static
  vectors, 58.3 with those of 25 % of gaps and ±2 units, and 65.7 with MiniLM's. And it needs a static model that
  was fitted to the transformer.
"""

from .embedder import OnnxEmbedder

__all__ = ["OnnxEmbedder"]
