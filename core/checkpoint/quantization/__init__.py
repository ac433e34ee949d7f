"""How a checkpoint's quantization lays out the tensors that vLLM allocates."""
