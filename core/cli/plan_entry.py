"""How `stowage plan` is called. Nothing heavy is imported before the command runs."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

Size = str | None
Placement = Literal["gpu", "ram", "disk"]


def plan(
    model: Annotated[
        str, typer.Argument(help="'starter', a model of the Hub that is here, a folder or a config.json.")
    ],
    gpu: Annotated[str | None, typer.Option(help="Plan for this card of the table, such as 'RTX 3060'.")] = None,
    vram: Annotated[Size, typer.Option(help="Plan for a card with so many GiB.")] = None,
    cc: Annotated[str | None, typer.Option("--cc", help="Its compute capability, such as 8.6.")] = None,
    ram: Annotated[Size, typer.Option(help="RAM of the computer in GiB.")] = None,
    cpu: Annotated[bool, typer.Option("--cpu", help="Plan for vLLM's CPU build.")] = False,
    context: Annotated[str | None, typer.Option(help="Tokens: 32768, 32K, 32k or auto; the model's own.")] = None,
    max_seqs: Annotated[int | None, typer.Option(min=1, help="Requests at once.")] = None,
    max_batched_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of one step.")] = None,
    kv_dtype: Annotated[str, typer.Option(help="The KV cache's dtype, such as fp8.")] = "auto",
    kv_budget_gib: Annotated[Size, typer.Option(help="Give the KV cache exactly so much.")] = None,
    offload: Annotated[Size, typer.Option(help="GiB of weights to keep in RAM.")] = None,
    offload_params: Annotated[list[str] | None, typer.Option(help="Only these parameters, such as experts.")] = None,
    kv_offload: Annotated[Size, typer.Option(help="GiB of RAM for finished prompts.")] = None,
    ple_in_vram: Annotated[bool, typer.Option("--ple-in-vram", help="Keep n-gram tables in VRAM.")] = False,
    ple: Annotated[Placement, typer.Option(help="Where the per-layer embedding table of Gemma lies.")] = "gpu",
    tp: Annotated[int, typer.Option("--tp", min=1, max=64, help="Split the model over so many cards.")] = 1,
    eager: Annotated[bool, typer.Option("--eager", help="Without CUDA graphs.")] = False,
    text_only: Annotated[bool, typer.Option("--text-only", help="Without images and sound.")] = False,
    leave: Annotated[Size, typer.Option(help="GiB of VRAM to leave to the desktop.")] = None,
    engine_version: Annotated[str | None, typer.Option(help="Plan for this vLLM, such as 0.33.0.")] = None,
    solve: Annotated[bool, typer.Option("--solve", help="Choose the options: --context is then the least.")] = False,
    full_kv_precision: Annotated[
        bool, typer.Option("--full-kv-precision", help="With --solve: no 8-bit KV cache.")
    ] = False,
    precise: Annotated[bool, typer.Option("--precise", help="Ask the installed vLLM's own planner too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show where every gigabyte of MODEL would go, whether it fits, and how fast it would be. Downloads nothing."""
    if gpu is None and vram is None and cc is not None:
        raise typer.BadParameter("--cc describes the card of --vram; --gpu knows its own.")
    if cpu and (gpu is not None or vram is not None):
        raise typer.BadParameter("the CPU build uses no card: --cpu excludes --gpu and --vram.")
    if full_kv_precision and not solve:
        raise typer.BadParameter("--full-kv-precision is a wish for --solve.")
    from core.cli.frame import run_framed
    from core.cli.plan import Asked, plan_command

    asked = Asked(
        model=model, gpu=gpu, vram=vram, cc=cc, ram=ram, cpu=cpu, context=context, max_seqs=max_seqs,
        max_batched_tokens=max_batched_tokens, kv_dtype=kv_dtype, kv_budget_gib=kv_budget_gib, offload=offload,
        offload_params=tuple(offload_params or ()), kv_offload=kv_offload, ple_in_vram=ple_in_vram, ple=ple, tp=tp,
        eager=eager, text_only=text_only, leave=leave, engine_version=engine_version, solve=solve,
        full_kv_precision=full_kv_precision, precise=precise,
    )  # fmt: skip
    run_framed(lambda frame: plan_command(frame, asked), as_json=as_json)
