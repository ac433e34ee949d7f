"""How `stowage command` is called. Nothing heavy is imported before the command runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

Tables = Annotated[
    str | None,
    typer.Option(metavar="gpu|ram|disk", help="Where the embedding tables of Gemma 3n, Gemma 4 E and Qwen4Exp lie."),
]


def command(
    model: Annotated[str, typer.Argument(help="'starter', or a folder with a checkpoint.")],
    extra: Annotated[list[str] | None, typer.Argument(help="After --: options of vLLM itself, checked.")] = None,
    engine: Annotated[str | None, typer.Option(help="The engine to use; see 'stowage engine list'.")] = None,
    shell: Annotated[bool, typer.Option("--shell", help="A line for the shell (this is the default).")] = False,
    yaml: Annotated[bool, typer.Option("--yaml", help="A file for vLLM's --config.")] = False,
    unit: Annotated[bool, typer.Option("--unit", help="A systemd user unit.")] = False,
    found: Annotated[
        str, typer.Option("--import", metavar="FILE", help="Flags or YAML of an article; - for stdin.")
    ] = "",
    context: Annotated[str | None, typer.Option(metavar="TOKENS", help="Context length: 32768, 32K or 32k.")] = None,
    eager: Annotated[bool | None, typer.Option("--eager/--graphs", help="Without or with CUDA graphs.")] = None,
    max_seqs: Annotated[int | None, typer.Option(min=1, help="Requests at once.")] = None,
    max_batched_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of one step.")] = None,
    dtype: Annotated[str | None, typer.Option(help="bfloat16, half, ….")] = None,
    kv_dtype: Annotated[str | None, typer.Option(help="The KV cache's dtype, such as fp8.")] = None,
    cpu_kv: Annotated[int | None, typer.Option("--cpu-kv", min=1, help="GiB of KV cache on a CPU engine.")] = None,
    leave: Annotated[str | None, typer.Option(metavar="GIB", help="VRAM to leave free: 2, 0.5 or 500MiB.")] = None,
    offload: Annotated[str | None, typer.Option(metavar="GIB", help="Weights to keep in RAM.")] = None,
    offload_params: Annotated[list[str] | None, typer.Option(help="Only these, such as experts; repeatable.")] = None,
    offload_groups: Annotated[str, typer.Option(metavar="SIZE:AWAY:STEP", help="Prefetch layers by groups.")] = "",
    cache_ram: Annotated[str | None, typer.Option(metavar="GIB", help="Prompt cache in RAM.")] = None,
    cache_disk: Annotated[str, typer.Option(metavar="FOLDER", help="Prompt cache on disk.")] = "",
    cache_disk_gib: Annotated[str | None, typer.Option(metavar="GIB", help="Its limit.")] = None,
    cache_keep: Annotated[
        bool, typer.Option("--cache-keep", help="Its files outlive the server, without limit.")
    ] = False,
    ple: Tables = None,
    tp: Annotated[int | None, typer.Option("--tp", min=1, help="Split each layer over so many cards.")] = None,
    pp: Annotated[int | None, typer.Option("--pp", min=1, help="Split the layers over so many cards.")] = None,
    prefix_cache: Annotated[bool | None, typer.Option("--prefix-cache/--no-prefix-cache")] = None,
    lora: Annotated[list[str] | None, typer.Option(metavar="NAME=FOLDER", help="An adapter; repeatable.")] = None,
    seed: Annotated[int | None, typer.Option()] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Write down how MODEL would be started with the chosen engine. Nothing is started."""
    if sum((shell, yaml, unit)) > 1:
        raise typer.BadParameter("choose one of --shell, --yaml and --unit.")
    if any(each.endswith("=") for each in lora or ()):
        raise typer.BadParameter("--lora takes NAME=FOLDER, or a folder alone.")
    from core.cli.command import Asked, write
    from core.cli.session import run

    form: Literal["shell", "yaml", "unit"] = "yaml" if yaml else "unit" if unit else "shell"
    asked = Asked(
        model=model, form=form, engine=engine, context=context, eager=eager, max_seqs=max_seqs,
        max_batched_tokens=max_batched_tokens, dtype=dtype, kv_dtype=kv_dtype, cpu_kv_gib=cpu_kv, leave=leave,
        offload=offload, offload_params=tuple(offload_params or ()), offload_groups=groups_of(offload_groups),
        cache_ram=cache_ram, cache_disk=cache_disk, cache_disk_gib=cache_disk_gib, cache_keep=cache_keep,
        ple=place_of(ple), tensor_parallel=tp, pipeline_parallel=pp, prefix_caching=prefix_cache,
        loras=tuple(lora or ()), seed=seed, found=found, extra=tuple(extra or ()),
    )  # fmt: skip
    run(lambda services, console: write(services, console, asked), as_json=as_json)


def groups_of(text: str) -> tuple[int, int, int] | None:
    """SIZE:AWAY:STEP, the last two of them 1 where nothing is said."""
    if not text:
        return None
    try:
        size, away, step = (int(part) for part in (*text.split(":"), *("1", "1")[max(0, text.count(":")) :]))
    except ValueError as error:
        raise typer.BadParameter("--offload-groups takes SIZE:AWAY:STEP, three whole numbers.") from error
    if not (size >= 1 and 1 <= away <= size and step >= 1):
        raise typer.BadParameter("--offload-groups: of SIZE layers AWAY live in RAM, 1 to SIZE; STEP is 1 or more.")
    return size, away, step


def place_of(text: str | None) -> Any:
    """As `LaunchOptions.ple` has it; a graphics card is any "device"."""
    if text not in (None, "gpu", "device", "ram", "disk"):
        raise typer.BadParameter("--ple takes gpu, ram or disk.")
    return "device" if text == "gpu" else text
