"""Causes that are the model: not there, not whole, not known, not for this card.

Wordings: facts dossier E4, H; public reports A10, B8, B11, B23; recorded logs of 0.32; safetensors' own errors.
"""

from __future__ import annotations

from typing import Final

from core.engine.causes.cause import MAYBE_ECHO, Cause, cause

CAUSES: Final[tuple[Cause, ...]] = (
    cause("gated", r"Cannot access gated repo for url \S*?huggingface\.co/(?:api/models/)?(?P<model>[^/\s]+/[^/\s]+)"),
    cause("gated", r"You are trying to access a gated repo|Cannot access gated repo|GatedRepoError"),
    cause("architecture_removed", r"(?P<architecture>\w+) was supported in vLLM until v?(?P<version>[\d.]+\d)"),
    cause("architecture_removed", r"Model architecture (?P<architecture>\w+).{0,80}is not supported in-tree anymore"),
    cause("architecture_broken", r"Model architectures \['?(?P<architecture>\w+)'?\] failed to be inspected"),
    cause("architecture_unknown", r"Model architectures \['?(?P<architecture>\w+)'?[^\]]*\] are not supported for now"),
    cause("architecture_unknown", r"model type `?(?P<architecture>[\w.-]+)`? but Transformers does not recognize this"),
    cause("architecture_unknown", r"Transformers does not recognize this architecture"),
    cause(
        "gguf_plugin", r"Unrecognized model in \S*GGUF\S*|Unknown quantization method: gguf|quantization method gguf"
    ),
    cause("gguf_plugin", r"Load format .?gguf.? is not supported"),
    cause("not_cached", r"Cannot find an appropriate cached snapshot folder|LocalEntryNotFoundError"),
    cause("not_cached", r"We couldn't connect to .{0,60}(?:to load|and couldn't find)|OfflineModeIsEnabled"),
    cause("unauthorized", r"401 Client Error|403 Forbidden|Invalid user token|token .{0,30}is not valid"),
    cause("model_not_found", r"Repo id must (?:use|be in).{0,200}?: '(?P<model>[^']+)'"),
    cause("model_not_found", r"Repository Not Found for url|RepositoryNotFoundError"),
    cause("model_not_found", r"(?P<model>\S+) is not a local folder and is not a valid model identifier"),
    cause("model_not_found", r"Invalid repository ID or local directory specified: '?(?P<model>[^'\s]+)"),
    cause("model_not_found", r"Unrecognized model in (?P<model>\S+)\. Should have a `?model_type`? key"),
    cause("shard_missing", r"No such file or directory: \"?'?(?P<file>[^'\"]+\.(?:safetensors|bin|pt))"),
    cause(
        "shard_missing",
        r"(?:does not appear to have a file named|cannot find file|Missing shard) (?P<file>\S+\.(?:safetensors|bin))",
    ),
    # 0.32, `weight_utils.filter_duplicate_safetensors_files`: a set of paths, of which one is enough.
    cause("shard_missing", r"Weight files referenced in index but missing: \{'(?:[^']*/)?(?P<file>[^'/]+)'"),
    cause("shard_missing", r"following weights were not initialized from checkpoint"),
    cause("weights_missing", r"Cannot find any model weights with [`'\"]?(?P<path>[^`'\"\s]+)"),
    cause(
        "weights_broken",
        r"SafetensorError: .{0,200}|Error while deserializing header|MetadataIncompleteBuffer"
        r"|InvalidHeaderDeserialization|HeaderTooLarge|HeaderTooSmall|PytorchStreamReader failed",
    ),
    cause("weights_mismatch", r"KeyError: '(?P<name>(?:model|lm_head|transformer|language_model)\.[\w.]+)'"),
    cause("weights_mismatch", r"There is no module or parameter named '(?P<name>[\w.]+)'"),
    cause("weights_mismatch", r"AssertionError: .{0,20}(?:loaded_weight|param)\w*\.s(?:hape|ize)", MAYBE_ECHO),
    cause("remote_code", r"trust_remote_code=True|execute the configuration file in that repo|contains custom code"),
    cause("tokenizer", r"Can't load tokenizer for|Couldn't instantiate the backend tokenizer|Unable to load tokenizer"),
    cause("no_chat_template", r"default chat template is no longer allowed|does not have a chat template"),
    cause(
        "quantization_gpu",
        r"The quantization method '?(?P<method>[\w-]+)'? is not supported for the current GPU\. Minimum capability:"
        r" \(?(?P<needed>[\d., ]+\d)\)?\. Current capability: (?:\w+\()?(?P<found>[\w=., ]*\d)",
    ),
    cause("quantization_gpu", r"is not supported for the current GPU\. Minimum capability"),
    cause("quantization_unknown", r"Unknown quantization method:? '?(?P<method>[\w-]+)"),
    cause("quantization_unknown", r"(?P<method>[\w-]+) quantization is currently not supported"),
    cause("quantization_unknown", r"Load format .?(?P<method>[\w-]+).? is not supported"),
    cause(
        "quantization_unknown",
        r"Please install (?P<method>bitsandbytes|autoawq|auto-gptq)|No module named 'bitsandbytes'",
    ),
    cause("bf16_gpu", r"Bfloat16 is only supported on GPUs with compute capability of at least"),
    cause("fp16_model", r"The model type '(?P<model>[\w.-]+)' does not support float16"),
)
