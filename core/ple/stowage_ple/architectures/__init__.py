"""One small file per family of models: where vLLM builds the table, and whether it looks it up inside the graph.

To add one, write a module with an `ARCHITECTURE` and name it in `ALL`.
"""

from stowage_ple.architectures import gemma3n, gemma4
from stowage_ple.architectures.architecture import Architecture

ALL: tuple[Architecture, ...] = (gemma3n.ARCHITECTURE, gemma4.ARCHITECTURE)
