"""How `stowage command` is called. Nothing heavy is imported before the command runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

Gib = float | None
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
    context: Annotated[int | None, typer.Option(min=16, help="Context length in tokens.")] = None,
    eager: Annotated[bool | None, typer.Option("--eager/--graphs", help="Without or with CUDA graphs.")] = None,
    max_seqs: Annotated[int | None, typer.Option(min=1, help="Requests at once.")] = None,
    max_batched_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of one step.")] = None,
    dtype: Annotated[str | None, typer.Option(help="bfloat16, half, ….")] = None,
    kv_dtype: Annotated[str | None, typer.Option(help="The KV cache's dtype, such as fp8.")] = None,
    cpu_kv: Annotated[int | None, typer.Option("--cpu-kv", min=1, help="GiB of KV cache on a CPU engine.")] = None,
    leave: Annotated[Gib, typer.Option(min=0, help="GiB of VRAM to leave free.")] = None,
    offload: Annotated[Gib, typer.Option(min=0, help="GiB of weights to keep in RAM.")] = None,
    offload_params: Annotated[list[str] | None, typer.Option(help="Only these, such as experts; repeatable.")] = None,
    offload_groups: Annotated[str, typer.Option(metavar="SIZE:AWAY:STEP", help="Prefetch layers by groups.")] = "",
    cache_ram: Annotated[Gib, typer.Option(min=0, help="Prompt cache in RAM, GiB.")] = None,
    cache_disk: Annotated[str, typer.Option(metavar="FOLDER", help="Prompt cache on disk.")] = "",
    cache_disk_gib: Annotated[Gib, typer.Option(min=0, help="Its limit.")] = None,
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
    from core.cli.command import Asked, write
    from core.cli.session import run

    form: Literal["shell", "yaml", "unit"] = "yaml" if yaml else "unit" if unit else "shell"
    asked = Asked(
        model=model, form=form, engine=engine, context=context, eager=eager, max_seqs=max_seqs,
        max_batched_tokens=max_batched_tokens, dtype=dtype, kv_dtype=kv_dtype, cpu_kv_gib=cpu_kv, leave_free_gib=leave,
        offload_gib=offload, offload_params=tuple(offload_params or ()), offload_groups=offload_groups,
        cache_ram_gib=cache_ram, cache_disk=cache_disk, cache_disk_gib=cache_disk_gib, cache_keep=cache_keep,
        ple=place_of(ple), tensor_parallel=tp, pipeline_parallel=pp, prefix_caching=prefix_cache,
        loras=tuple(lora or ()), seed=seed, found=found, extra=tuple(extra or ()),
    )  # fmt: skip
    run(lambda services, console: write(services, console, asked), as_json=as_json)


def place_of(text: str | None) -> Any:
    """As `LaunchOptions.ple` has it; a graphics card is any "device"."""
    if text not in (None, "gpu", "device", "ram", "disk"):
        raise typer.BadParameter("--ple takes gpu, ram or disk.")
    return "device" if text == "gpu" else text
