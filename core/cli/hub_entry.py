"""How the commands of the Hub are called. Nothing heavy is imported before one runs."""

from __future__ import annotations

from typing import Annotated

import typer

cache_app = typer.Typer(help="The folder where models of the Hub lie.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
ModelOfHub = Annotated[str, typer.Argument(metavar="ID[@REVISION]", help="Such as org/name, or its web address.")]


def search(
    text: Annotated[str, typer.Argument(help="Words, an id or a web address.")] = "",
    sort: Annotated[str, typer.Option(help="trending, downloads, likes, updated or created.")] = "trending",
    size: Annotated[str, typer.Option(help="Parameters: 8B, 7B-14B, -3B or 30B-.")] = "",
    quantization: Annotated[str, typer.Option(help="Such as awq, gptq or fp8.")] = "",
    licence: Annotated[str, typer.Option("--licence", "--license", help="Such as apache-2.0.")] = "",
    author: Annotated[str, typer.Option(help="A user or an organisation.")] = "",
    opened: Annotated[bool, typer.Option("--open", help="Only models that ask for no terms.")] = False,
    days: Annotated[int, typer.Option("--updated", min=0, help="Changed within so many days.")] = 0,
    everything: Annotated[bool, typer.Option("--all", help="Also what vLLM does not load.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=200, help="At most so many.")] = 20,
    fit: Annotated[bool, typer.Option("--fit/--no-fit", help="Work out whether they fit this computer.")] = True,
    as_json: Json = False,
) -> None:
    """Search models on the Hub, with their sizes and whether they fit this computer."""
    from core.cli import search as command
    from core.cli.session import run

    query = command.query_of(text, sort, size, quantization, licence, author, opened, days, everything)
    run(lambda services, console: command.search(services, console, query, limit=limit, fit=fit), as_json=as_json)


def get(
    model: ModelOfHub,
    pause_after: Annotated[
        float | None, typer.Option(min=0.01, metavar="MINUTES", help="Pause then; the same command goes on.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Download a model of the Hub into the cache that every tool shares. Ctrl-C pauses; the same command goes on."""
    from core.cli import get as command
    from core.cli.session import run

    run(lambda services, console: command.get(services, console, model, pause_after_min=pause_after), as_json=as_json)


def models(
    model: Annotated[str | None, typer.Argument(metavar="[ID[@REVISION]]", help="Only this one.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Read every byte and check its hash.")] = False,
    as_json: Json = False,
) -> None:
    """Show the models on this computer: size, last use, whole or what is missing."""
    from core.cli import models as command
    from core.cli.session import run

    work = command.verify if verify else command.show
    run(lambda services, console: work(services, console, model), as_json=as_json)


def rm(model: ModelOfHub, yes: Yes = False, as_json: Json = False) -> None:
    """Delete a model of the Hub, or one revision of it, from this computer; says first how much that frees."""
    from core.cli import remove as command
    from core.cli.session import run

    run(lambda services, console: command.remove(services, console, model, yes=yes), as_json=as_json)


@cache_app.command("move")
def cache_move(
    folder: Annotated[str, typer.Argument(help="A new or empty folder, usually on another disk.")],
    as_json: Json = False,
) -> None:
    """Move all models of the Hub to FOLDER. Interrupted, it takes everything back; killed, it goes on when repeated."""
    from core.cli import cache as command
    from core.cli.session import run

    run(lambda services, console: command.move(services, console, folder), as_json=as_json)


@cache_app.command("sweep")
def cache_sweep(yes: Yes = False, as_json: Json = False) -> None:
    """Delete what broken downloads left: unfinished files that belong to nobody."""
    from core.cli import cache as command
    from core.cli.session import run

    run(lambda services, console: command.sweep(services, console, yes=yes), as_json=as_json)


def login(as_json: Json = False) -> None:
    """Keep a token of the Hub, where every Hugging Face tool finds it. It is asked for, or read from a pipe."""
    from core.cli import account as command
    from core.cli.session import run

    token = command.ask_token()
    run(lambda services, console: command.login(services, console, token), as_json=as_json)


def logout(as_json: Json = False) -> None:
    """Forget the token of the Hub."""
    from core.cli import account as command
    from core.cli.session import run

    run(command.logout, as_json=as_json)


def whoami(as_json: Json = False) -> None:
    """Say who the Hub takes you for."""
    from core.cli import account as command
    from core.cli.session import run

    run(command.whoami, as_json=as_json)


def add_to(app: typer.Typer) -> None:
    for command in (search, get, models, rm, login, logout, whoami):
        app.command()(command)
    app.add_typer(cache_app, name="cache")
