"""Which other models a launch names, as options or as words of the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.command import LaunchRequest
from core.engine.named_models import named_models
from core.engine.options import LaunchOptions, Speculative
from core.events import EngineInfo, EngineState

REQUEST = LaunchRequest("m", "/m", EngineInfo("x", EngineState.READY, "0.32.0", "cpu", "/p", "3.11", ours=True))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), ()),
        (("--tokenizer", "org/Words"), ("org/Words",)),
        (("--tokenizer=org/Words", "--hf-config-path", "org/Config"), ("org/Words", "org/Config")),
        (("--speculative-config", '{"model": "org/Draft", "num_speculative_tokens": 3}'), ("org/Draft",)),
        (("--speculative-config", "{not json"), ()),
        (("--speculative-config.model", "org/Draft"), ("org/Draft",)),
        (("--tokenizer", "/models/words", "--seed", "org/no"), ()),
    ],
)
def test_extra_words(words: tuple[str, ...], found: tuple[str, ...]) -> None:
    assert named_models(replace(REQUEST, options=LaunchOptions(extra=words))) == found
    assert named_models(replace(REQUEST, extra_args=words)) == found


def test_a_draft_model_that_was_chosen_and_a_folder_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = replace(REQUEST, options=LaunchOptions(speculative=Speculative("draft_model", 3, "org/Draft")))
    assert named_models(request) == ("org/Draft",)
    (tmp_path / "org" / "Draft").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert named_models(request) == ()
