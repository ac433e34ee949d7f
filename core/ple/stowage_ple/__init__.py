"""Per-layer embedding tables of vLLM models in RAM or on disk.

Loaded by vLLM as a general plugin in every one of its processes; does nothing unless `STOWAGE_PLE` says `ram` or
`disk`.
"""

__version__ = "1.0.0"
