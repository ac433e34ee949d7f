"""The result folder: `result.json`, `report.md`, `report.html` and the logs, all of it readable by hand."""

from __future__ import annotations

import json
from pathlib import Path

from core.errors import AppError
from core.experiment.report_html import as_html
from core.experiment.report_markdown import as_markdown
from core.experiment.result import Result, as_json
from core.files import write_whole


def write_result(result: Result, folder: Path) -> None:
    """Raises: AppError: `compare.not_written`."""
    data = json.dumps(as_json(result), indent=1, ensure_ascii=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (
            ("result.json", data),
            ("report.md", as_markdown(result)),
            ("report.html", as_html(result)),
        ):
            write_whole(folder / name, text.encode("utf-8"), mode=0o644)
    except OSError as error:
        raise AppError("compare.not_written", str(error), path=str(folder), reason=error.strerror) from error
