"""What is asked of an answer, as fields of a request; what a model's files say that it takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.chat.abilities import efforts_of, of_model
from core.chat.params import DEFAULTS, OutputFormat, Params, to_body
from core.errors import AppError

ANY_JSON = {"response_format": {"type": "json_object"}}
SCHEMA = '{"type": "object", "properties": {"a": {"type": "integer"}}}'


def test_nothing_chosen_sends_nothing() -> None:
    assert to_body(DEFAULTS) == {}


def test_every_sampling_parameter_has_vllms_name() -> None:
    chosen = Params(9, 0.5, 0.9, 3, 40, 0.1, 0.2, 0.3, 1.1, ("END",), effort="low", thinking=True)
    assert to_body(chosen) == {
        "max_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 3,
        "top_k": 40,
        "min_p": 0.1,
        "presence_penalty": 0.2,
        "frequency_penalty": 0.3,
        "repetition_penalty": 1.1,
        "stop": ["END"],
        "chat_template_kwargs": {"enable_thinking": True, "thinking": True},
        "reasoning_effort": "low",
    }


@pytest.mark.parametrize(
    ("output", "new", "old"),
    [
        (OutputFormat("regex", r"\d+"), {"structured_outputs": {"regex": r"\d+"}}, {"guided_regex": r"\d+"}),
        (OutputFormat("grammar", "root ::= 'a'"), {"structured_outputs": {"grammar": "root ::= 'a'"}},
         {"guided_grammar": "root ::= 'a'"}),
        (OutputFormat("choice", " yes \n\nno"), {"structured_outputs": {"choice": ["yes", "no"]}},
         {"guided_choice": ["yes", "no"]}),
        (OutputFormat("json"), ANY_JSON, ANY_JSON),
    ],
)  # fmt: skip
def test_the_form_of_the_answer_as_each_version_takes_it(
    output: OutputFormat, new: dict[str, object], old: dict[str, object]
) -> None:
    assert to_body(Params(output=output), (0, 32, 0)) == new
    assert to_body(Params(output=output), (0, 10, 2)) == old


def test_a_schema_is_sent_as_json() -> None:
    body = to_body(Params(output=OutputFormat("json_schema", SCHEMA)))
    assert body["response_format"]["json_schema"]["schema"] == json.loads(SCHEMA)


@pytest.mark.parametrize("output", [OutputFormat("json_schema", "{"), OutputFormat("json_schema", "7"),
                                    OutputFormat("regex", " "), OutputFormat("grammar")])  # fmt: skip
def test_a_form_that_cannot_be_used_is_refused_before_it_is_sent(output: OutputFormat) -> None:
    with pytest.raises(AppError, match=r"chat\.bad_format"):
        to_body(Params(output=output))


def model(folder: Path, **files: object) -> Path:
    for name, content in files.items():
        suffix = "jinja" if name == "chat_template" else "json"
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{name}.{suffix}").write_text(text, "utf-8")
    return folder


def test_a_models_files_say_what_it_takes(tmp_path: Path) -> None:
    folder = model(
        tmp_path,
        config={"vision_config": {"depth": 2}},
        generation_config={"temperature": 0.6, "top_k": 20, "do_sample": True, "max_new_tokens": 99},
        tokenizer_config={"chat_template": "{% if enable_thinking is defined and not enable_thinking %}"},
    )
    found = of_model("m", folder)
    assert (found.images, found.thinking, found.efforts) == (True, True, ())
    assert found.defaults == {"temperature": 0.6, "top_k": 20, "max_tokens": 99}


def test_a_template_of_its_own_file_goes_before_the_tokenizers(tmp_path: Path) -> None:
    folder = model(
        tmp_path,
        config={"model_type": "x"},
        chat_template="{% if reasoning_effort == 'low' %}a{% elif reasoning_effort == \"high\" %}",
        tokenizer_config={"chat_template": [{"name": "default", "template": "enable_thinking"}]},
    )
    found = of_model("m", folder)
    assert (found.images, found.thinking, found.efforts) == (False, False, ("low", "high"))


def test_templates_by_name_and_files_that_are_odd_or_missing(tmp_path: Path) -> None:
    named = [{"name": "tools", "template": "x"}, {"name": "default", "template": "{{ enable_thinking }}"}]
    assert of_model("m", model(tmp_path, tokenizer_config={"chat_template": named}, config="[1")).thinking
    assert of_model("m", None).model == of_model("m", tmp_path / "nowhere").model == "m"
    assert efforts_of("{{ reasoning_effort }}") == ("low", "medium", "high")
