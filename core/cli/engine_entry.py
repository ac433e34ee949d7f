"""`stowage engine …` as typer sees it; the commands themselves are in `core.cli.engine`."""

from __future__ import annotations

from typing import Annotated

import typer

engine_app = typer.Typer(help="Engines: installed vLLM builds.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@engine_app.command("list")
def engine_list(as_json: Json = False) -> None:
    """Show the engines; * marks the chosen one."""
    from core.cli import engine
    from core.cli.session import run

    run(engine.list_engines, as_json=as_json)


@engine_app.command("install")
def engine_install(
    recipe: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND[+PLUGIN][==VERSION]]",
            help="cpu, cuda, cuda129, rocm or nightly; also cpu==0.31.0 or cuda+gguf. The fitting one by default.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Install a vLLM build into Stowage's own folder."""
    from core.cli import engine
    from core.cli.session import run

    run(lambda services, console: engine.install(services, console, recipe), as_json=as_json)


@engine_app.command("add")
def engine_add(
    path: Annotated[str, typer.Argument(help="A Python, or a virtual environment, that has vLLM.")],
    as_json: Json = False,
) -> None:
    """Use a vLLM of your own. It is never changed and never removed."""
    from core.cli import engine
    from core.cli.session import run

    run(lambda services, console: engine.add(services, console, path), as_json=as_json)


@engine_app.command("verify")
def engine_verify(
    engine_id: Annotated[str | None, typer.Argument(metavar="ENGINE")] = None, as_json: Json = False
) -> None:
    """Import vLLM in the engine and say what it is."""
    from core.cli import engine
    from core.cli.session import run

    run(lambda services, console: engine.verify(services, console, engine_id), as_json=as_json)


@engine_app.command("repair")
def engine_repair(engine_id: Annotated[str, typer.Argument(metavar="ENGINE")], as_json: Json = False) -> None:
    """Mend an engine that Stowage installed: redo what is missing or does not fit."""
    from core.cli import engine
    from core.cli.session import run

    run(lambda services, console: engine.repair(services, console, engine_id), as_json=as_json)


@engine_app.command("remove")
def engine_remove(engine_id: Annotated[str, typer.Argument(metavar="ENGINE")], as_json: Json = False) -> None:
    """Delete an engine that Stowage installed, or forget one of your own."""
    from core.cli import engine
    from core.cli.session import run

    run(lambda services, console: engine.remove(services, console, engine_id), as_json=as_json)


@engine_app.command("use")
def engine_use(engine_id: Annotated[str, typer.Argument(metavar="ENGINE")], as_json: Json = False) -> None:
    """Make an engine the default."""
    from core.cli import engine
    from core.cli.session import run

    run(lambda services, console: engine.use(services, console, engine_id), as_json=as_json)


@engine_app.command("update")
def engine_update(
    engine_id: Annotated[str | None, typer.Argument(metavar="ENGINE", help="The default one by default.")] = None,
    version: Annotated[str | None, typer.Option("--to", help="This version; the newest by default.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Only ask the package index what there is.")] = False,
    as_json: Json = False,
) -> None:
    """Install a newer vLLM beside ENGINE, try it, and use it when it passes."""
    from core.cli import engine
    from core.cli.session import run

    if check:
        run(lambda services, console: engine.check(services, console, engine_id), as_json=as_json)
    else:
        run(lambda services, console: engine.update(services, console, engine_id, version), as_json=as_json)


@engine_app.command("rollback")
def engine_rollback(as_json: Json = False) -> None:
    """Make the engine before the default again."""
    from core.cli import engine
    from core.cli.session import run

    run(engine.roll_back, as_json=as_json)


@engine_app.command("resume")
def engine_resume(engine_id: Annotated[str, typer.Argument(metavar="ENGINE")], as_json: Json = False) -> None:
    """Finish an installation that was cut off."""
    from core.cli import engine
    from core.cli.session import run

    run(lambda services, console: engine.resume(services, console, engine_id), as_json=as_json)


@engine_app.command("clean")
def engine_clean(engine_id: Annotated[str, typer.Argument(metavar="ENGINE")], as_json: Json = False) -> None:
    """Delete what an installation left that was cut off."""
    from core.cli import engine
    from core.cli.session import run

    run(lambda services, console: engine.clean(services, console, engine_id), as_json=as_json)


@engine_app.command("capabilities")
def engine_capabilities(
    engine_id: Annotated[str | None, typer.Argument(metavar="ENGINE")] = None,
    diff: Annotated[
        tuple[str, str] | None, typer.Option("--diff", metavar="OLD NEW", help="What changed between two engines.")
    ] = None,
    search: Annotated[str, typer.Option(help="Only what holds this text.")] = "",
    as_json: Json = False,
) -> None:
    """Show what an engine accepts and does: options, architectures, quantization, and what it silently ignores."""
    from core.cli import capabilities
    from core.cli.session import run

    if diff is not None:
        old, new = diff
        run(lambda services, console: capabilities.compare(services, console, old, new), as_json=as_json)
    run(lambda services, console: capabilities.show(services, console, engine_id, search), as_json=as_json)
