"""The `stowage` command. Heavy imports happen inside a command, so that `--version` and `--help` are quick."""

from __future__ import annotations

from typing import Annotated

import typer

from core.cli.command_entry import Tables, command, place_of
from core.cli.engine_entry import engine_app
from core.cli.hub_entry import add_to
from core.cli.plan_entry import plan
from core.version import __version__

app = typer.Typer(
    name="stowage",
    help="Plan, launch and prove local language models on vLLM. Without a command it opens the window.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
desktop_app = typer.Typer(help="The entry in your application menu.", no_args_is_help=True)
app.add_typer(engine_app, name="engine")
app.add_typer(desktop_app, name="desktop")

Model = Annotated[str, typer.Argument(help="'starter', a model of the Hub, or a folder with a checkpoint.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Engine = Annotated[str | None, typer.Option(help="The engine to use; see 'stowage engine list'.")]
Get = Annotated[bool, typer.Option("--get", help="Download MODEL first where it is not here, without asking.")]
Force = Annotated[bool, typer.Option("--force", help="Launch in spite of what the look before it finds.")]
Profile = Annotated[
    str | None, typer.Option(help="Options saved under this name; 'last': those of the last good launch.")
]


def tokens_of(text: str) -> int:
    """As `stowage plan` and vLLM read a context: 32768, 32K (= 32768) or 32k (= 32000)."""
    from core.errors import AppError
    from core.planner.written import read_context

    try:
        found = read_context(text)
    except AppError:
        found = 0
    if not isinstance(found, int) or found < 16:
        raise typer.BadParameter(f"{text} is no number of tokens; write 32768, 32K or 32k, 16 at least.")
    return found


Context = Annotated[
    int | None,
    typer.Option(
        parser=tokens_of, metavar="TOKENS", help="Context length: 32768, 32K or 32k; the model's own by default."
    ),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"stowage {__version__}")
        raise typer.Exit


@app.callback()
def stowage(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Plan, launch and prove local language models on vLLM."""


@app.command()
def ask(
    model: Model,
    prompt: Annotated[str, typer.Argument(help="The question.")],
    system: Annotated[str, typer.Option(help="A system prompt.")] = "",
    max_tokens: Annotated[int | None, typer.Option(min=1, help="At most so many answer tokens.")] = None,
    engine: Engine = None,
    context: Context = None,
    get: Get = False,
    force: Force = False,
    ple: Tables = None,
    as_json: Json = False,
) -> None:
    """Start MODEL, ask it PROMPT, print the answer and its speed, stop."""
    from core.cli import ask as command
    from core.cli.session import run
    from core.cli.start import Start

    start = Start(engine, context, force=force, get=get, ple=place_of(ple))
    run(
        lambda services, console: command.ask(
            services, console, model, prompt, system=system, max_tokens=max_tokens, start=start
        ),
        as_json=as_json,
    )


@app.command()
def serve(
    model: Model,
    engine: Engine = None,
    context: Context = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port; a free one by default.")] = None,
    profile: Profile = None,
    show_key: Annotated[bool, typer.Option("--show-key", help="Print the API key.")] = False,
    show_log: Annotated[bool, typer.Option("--log", help="Print vLLM's log.")] = False,
    get: Get = False,
    snippets: Annotated[bool, typer.Option("--snippets", help="Print how to call it from elsewhere.")] = False,
    share: Annotated[bool, typer.Option("--share", help="Let other computers in your network reach it.")] = False,
    force: Force = False,
    ple: Tables = None,
    as_json: Json = False,
) -> None:
    """Serve MODEL with an OpenAI-compatible API on this computer until Ctrl-C."""
    from core.cli import serve as command
    from core.cli.session import run
    from core.cli.start import Start

    start = Start(
        engine, context, port=port, share=share or None, force=force, get=get, profile=profile, ple=place_of(ple)
    )
    run(
        lambda services, console: command.serve(
            services, console, model, start=start, show_key=show_key, show_log=show_log, snippets=snippets
        ),
        as_json=as_json,
    )


@app.command()
def machine(
    as_json: Json = False,
    probe: Annotated[bool, typer.Option("--probe", help="Measure RAM, disk and the way to the GPU first.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show it every second until Ctrl-C.")] = False,
) -> None:
    """Show what this computer has, and who uses it: GPUs, RAM, disks."""
    from core.cli import machine as command

    if probe and watch:
        raise typer.BadParameter("measure first, then watch: --probe and --watch exclude each other.")
    if probe:
        from core.cli.session import run

        run(command.probe, as_json=as_json)
    from core.cli.frame import run_framed

    run_framed(command.watch if watch else command.show, as_json=as_json)


app.command()(plan)
add_to(app)
app.command()(command)


@app.command()
def compare(
    model: Model,
    a: Annotated[str, typer.Option("--a", help="Options of the first launch, such as '--enforce-eager'.")] = "",
    b: Annotated[str, typer.Option("--b", help="Options of the second one.")] = "",
    repeats: Annotated[int, typer.Option(min=1, max=50, help="How often each question is asked.")] = 3,
    order: Annotated[str, typer.Option(help="AB, or ABBA: each is launched twice.")] = "AB",
    max_tokens: Annotated[int, typer.Option(min=2, help="At most so many tokens an answer.")] = 64,
    prompts: Annotated[str | None, typer.Option(help="A text file with one question in each line.")] = None,
    out: Annotated[str | None, typer.Option(help="The folder for the report.")] = None,
    engine: Engine = None,
    context: Context = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Launch MODEL with two sets of options, one after the other, and tell what differs: speed, memory, answers."""
    if order not in ("AB", "ABBA"):
        raise typer.BadParameter("--order is AB or ABBA.")
    from core.cli import compare as command
    from core.cli.session import run

    asked = command.Asked(
        model, a, b, repeats=repeats, order=order, max_tokens=max_tokens, prompts=prompts, out=out, engine=engine,
        context=context, force=force,
    )  # fmt: skip
    run(lambda services, console: command.compare(services, console, asked), as_json=as_json)


@app.command()
def history(
    model: Annotated[str | None, typer.Argument(help="Only launches of this model.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="So many launches, the newest first.")] = 20,
    errors: Annotated[bool, typer.Option("--errors", help="Only launches that failed.")] = False,
    as_json: Json = False,
) -> None:
    """Show earlier launches: how they ended, how long they took, what was planned and what came."""
    from core.cli import history as command
    from core.cli.frame import run_framed

    run_framed(lambda frame: command.show(frame, model, limit, only_errors=errors), as_json=as_json)


@app.command()
def profiles(
    model: Annotated[str | None, typer.Argument(help="Only those that this model can use.")] = None,
    import_from: Annotated[str | None, typer.Option("--import", metavar="FILE", help="Take in a file.")] = None,
    export_to: Annotated[str | None, typer.Option("--export", metavar="FILE", help="Write them into a file.")] = None,
    as_json: Json = False,
) -> None:
    """Show options that were saved under a name, and bring them from or to another computer."""
    from core.cli import profiles as command
    from core.cli.session import run

    run(
        lambda services, console: command.show(services, console, model, import_from=import_from, export_to=export_to),
        as_json=as_json,
    )


@desktop_app.command("install")
def desktop_install() -> None:
    """Put Stowage into your application menu."""
    from core.cli import desktop

    desktop.install()


@desktop_app.command("remove")
def desktop_remove() -> None:
    """Take Stowage out of your application menu."""
    from core.cli import desktop

    desktop.remove()


def main() -> None:
    app()
