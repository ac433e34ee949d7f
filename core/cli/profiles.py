"""`stowage profiles`: presets that were saved, and files of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from core import words
from core.cli.console import Console
from core.events import ErrorInfo
from core.profiles.profile import Profile, as_plain
from core.services import Services


async def show(
    services: Services, console: Console, model: str | None, *, import_from: str | None, export_to: str | None
) -> None:
    """Import, then list, then export: what was asked for.

    Raises:
        AppError: `profiles.*`, `model.*`.
    """
    for problem in services.profiles.problems:
        console.warn(ErrorInfo.of(problem))
    if import_from is not None:
        imported = await services.profiles.import_file(str(Path(import_from).absolute()))
        for note in imported.notes:
            print(words.explain(note, console.language).as_text(), file=sys.stderr)
        console.say("profiles_imported", names=", ".join(imported.names))
    model_id = None if model is None else (await services.find_model(model)).id
    found = await services.profiles.all(model_id)
    if export_to is not None:
        await services.profiles.export(str(Path(export_to).absolute()), found)
        console.say("profiles_exported", count=len(found), path=export_to)
    if console.as_json:
        listed: list[dict[str, Any]] = [as_plain(each) for each in found]
        console.object({"profiles": listed})
        return
    if not found:
        console.out(console.text("profiles_none"))
    for each in found:
        console.out(_line(each, console))


def _line(profile: Profile, console: Console) -> str:
    where = profile.model or console.text("profiles_general")
    return f"{profile.name}  ·  {where}" + (f"  ·  {profile.engine}" if profile.engine else "")
