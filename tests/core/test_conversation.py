"""What of a conversation the server is told."""

from __future__ import annotations

from core.chat.conversation import Conversation, fold_system


def test_turns_in_order_with_the_system_prompt_and_without_reasoning() -> None:
    talk = Conversation("be brief").asked("hi").answered("hello", reasoning="they greet me").asked("bye")
    assert talk.to_api() == (
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
        {"role": "user", "content": "bye"},
    )


def test_a_change_is_a_new_value() -> None:
    before = Conversation().asked("hi")
    before.answered("hello")
    assert len(before.messages) == 1


def test_a_failed_answer_leaves_no_two_user_turns() -> None:
    talk = Conversation(" ").asked("one").answered("", reasoning="cut off").asked("two")
    assert talk.to_api() == ({"role": "user", "content": "one\n\ntwo"},)


def test_the_system_prompt_folds_into_the_first_question() -> None:
    talk = Conversation("be brief").asked("hi").answered("hello").asked("bye").to_api()
    assert fold_system(talk) == (
        {"role": "user", "content": "be brief\n\nhi"},
        {"role": "assistant", "content": "hello"},
        {"role": "user", "content": "bye"},
    )
    assert fold_system(talk[1:]) == talk[1:]
    assert fold_system(talk[:1]) == ({"role": "user", "content": "be brief"},)
