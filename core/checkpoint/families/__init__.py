"""One module per family of architectures: the tensors vLLM builds for it and the caches its layers keep.

Written from the model classes of vLLM 0.32 (`model_executor/models/`), in their order of registration, and checked
against the parameters that those classes build on the meta device.
"""
