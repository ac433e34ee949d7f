"""A launch on paper: what a shell, a YAML reader and systemd make of it."""

from __future__ import annotations

import configparser
import json
import shlex
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from core.engine.options import LaunchOptions, LaunchRequest, PromptCache
from core.engine.written_command import as_shell, as_unit, as_yaml
from core.events import EngineInfo, EngineState
from tests.support import builds

ENGINE = EngineInfo("e", EngineState.READY, "0.33.0", "cuda", "/opt/my engines/bin/python", "3.12", ours=True)
PLAIN = LaunchRequest(
    "m", "/models/m", ENGINE, 4096, build=builds.build("0.33.0"),
    options=LaunchOptions(prefix_caching=False, seed=7, served_name="off",
                          extra=("--tool-parser-plugin=/p/100% $HOME \"x\".py", "--cpu-offload-params", "a", "b")),
)  # fmt: skip


def test_a_shell_reads_the_words_that_were_meant() -> None:
    words = shlex.split(as_shell(PLAIN, port=9000))
    assert words[:2] == ["DO_NOT_TRACK=1", "VLLM_NO_USAGE_STATS=1"]
    assert words[2:5] == ["/opt/my engines/bin/python", "-m", "vllm.entrypoints.openai.api_server"]
    assert words[words.index("--port") + 1] == "9000"
    assert words[-4:] == ['--tool-parser-plugin=/p/100% $HOME "x".py', "--cpu-offload-params", "a", "b"]


def test_yaml_without_the_traps() -> None:
    read: dict[str, Any] = msgspec.yaml.decode("\n".join(as_yaml(PLAIN, port=9000).splitlines()))
    assert (read["model"], read["port"], read["host"]) == ("/models/m", 9000, "127.0.0.1")
    # `x: false` is dropped by vLLM; a name like "off" must stay a text; one value is no list.
    assert read["no-enable-prefix-caching"] is True
    assert not any(value is False for value in read.values())
    assert read["served-model-name"] == ["off", "m"]  # it answers to the model's id too
    assert read["seed"] == 7
    assert read["cpu-offload-params"] == ["a", "b"]
    assert read["tool-parser-plugin"] == '/p/100% $HOME "x".py'
    assert not any("=" in key or "." in key for key in read)


@pytest.mark.parametrize(
    "name",
    [
        "true",
        "No",
        "null",
        "0.5",
        "0123",
        "1.50",
        "-0",
        "7",
        "1e5",
        "a: b",
        "# c",
        "яблоко",
        "-x",
        "a'b",
        "2024-01-01",
        "~",
    ],
)
def test_yaml_keeps_every_text(name: str) -> None:
    asked = replace(PLAIN, options=LaunchOptions(served_name=name))
    first, second = msgspec.yaml.decode(as_yaml(asked))["served-model-name"]
    assert (str(first), second) == (name, "m")


def systemd_words(line: str) -> list[str]:
    """As systemd.service(5) reads a command: quotes, backslashes, `%%` and `$$`."""
    return [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(line)]


def test_a_unit_that_systemd_reads_back() -> None:
    text = as_unit(PLAIN, port=9000)
    command = next(line for line in text.splitlines() if line.startswith("ExecStart="))
    words = systemd_words(command.removeprefix("ExecStart="))
    assert words[0] == "/opt/my engines/bin/python"
    assert "100%% $$HOME" in command
    assert words[-4:] == ['--tool-parser-plugin=/p/100% $HOME "x".py', "--cpu-offload-params", "a", "b"]
    assert "Environment=VLLM_NO_USAGE_STATS=1" in text
    assert "api-key" not in text
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    assert parser.get("Service", "KillMode") == "control-group"
    assert parser.get("Install", "WantedBy") == "default.target"


def test_an_object_stays_one_text() -> None:
    on_disk = LaunchOptions(prompt_cache=PromptCache(0, "/k v", 10))
    read: dict[str, Any] = msgspec.yaml.decode(as_yaml(replace(PLAIN, options=on_disk)))
    assert json.loads(read["kv-transfer-config"])["kv_connector_extra_config"]["disk_path"] == "/k v/kv.bin"
