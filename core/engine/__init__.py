"""The engine: an installed vLLM, its server process and what both of them say."""
