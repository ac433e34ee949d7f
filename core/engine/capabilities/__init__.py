"""What an installed vLLM accepts and does, read from its source as text: no import, no GPU, about a second."""
