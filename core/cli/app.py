"""The `stowage` command. Heavy imports happen inside a command, so that `--version` and `--help` are quick."""

from __future__ import annotations

from typing import Annotated

import typer

from core.cli.command_entry import command
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
Context = Annotated[int | None, typer.Option(min=16, help="Context length in tokens; the model's own by default.")]


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
    as_json: Json = False,
) -> None:
    """Start MODEL, ask it PROMPT, print the answer and its speed, stop."""
    from core.cli import ask as command
    from core.cli.session import run

    run(
        lambda services, console: command.ask(
            services,
            console,
            model,
            prompt,
            system=system,
            max_tokens=max_tokens,
            engine=engine,
            context=context,
            get=get,
        ),
        as_json=as_json,
    )


@app.command()
def serve(
    model: Model,
    engine: Engine = None,
    context: Context = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port; a free one by default.")] = None,
    show_key: Annotated[bool, typer.Option("--show-key", help="Print the API key.")] = False,
    show_log: Annotated[bool, typer.Option("--log", help="Print vLLM's log.")] = False,
    get: Get = False,
    as_json: Json = False,
) -> None:
    """Serve MODEL with an OpenAI-compatible API on this computer until Ctrl-C."""
    from core.cli import serve as command
    from core.cli.session import run

    run(
        lambda services, console: command.serve(
            services,
            console,
            model,
            engine=engine,
            context=context,
            port=port,
            show_key=show_key,
            show_log=show_log,
            get=get,
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
