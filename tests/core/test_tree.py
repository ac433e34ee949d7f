"""A conversation's tree: paths, versions, what a deletion hides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.chat.tree import Node, Tree


def tree(text: str, leaf: str | None = None, hidden: str = "", chosen: dict[str, int] | None = None) -> Tree:
    """`"q1 a1<q1 a2<q1"`: name and parent; names with q are questions."""
    nodes = list[Node]()
    for entry in text.split():
        name, _, parent = entry.partition("<")
        role = "user" if name.startswith("q") else "assistant"
        nodes.append(Node(name, parent or None, role, name in hidden.split(), (chosen or {}).get(name, 0)))
    return Tree(nodes, leaf)


BRANCHED = "q1 a1<q1 q2<a1 a2<q2 b1<q1 p1 c1<p1"


def test_the_path_of_a_leaf_and_the_versions_beside_it() -> None:
    found = tree(BRANCHED, "a2")
    assert found.path() == ("q1", "a1", "q2", "a2")
    assert found.path("b1") == ("q1", "b1")
    assert found.versions("a1") == ("a1", "b1")
    assert found.versions("q1") == ("q1", "p1")
    assert found.versions("a2") == ("a2",)


def test_a_version_is_entered_where_it_was_left() -> None:
    assert tree(BRANCHED).leaf_below("q1") == "b1"
    assert tree(BRANCHED, chosen={"a1": 5}).leaf_below("q1") == "a2"
    assert tree(BRANCHED).leaf == "c1"
    assert Tree((), None).leaf is None


def test_a_turn_goes_with_its_answer_and_what_follows_stays() -> None:
    found = tree("q1 a1<q1 q2<a1 a2<q2", "a2")
    removal = found.remove("q1")
    assert (removal.hidden, removal.leaf) == (("q1", "a1"), "a2")
    after = tree("q1 a1<q1 q2<a1 a2<q2", "a2", hidden="q1 a1")
    assert after.path() == ("q2", "a2")
    assert after.way("a2") == ("q1", "a1", "q2", "a2")


def test_one_version_of_several_goes_with_all_below_it() -> None:
    removal = tree(BRANCHED, "a2").remove("a1")
    assert (set(removal.hidden), removal.leaf) == ({"a1", "q2", "a2"}, "b1")
    assert tree(BRANCHED, "a2").remove("b1").leaf == "a2"
    assert tree(BRANCHED, "a2").remove("q1").leaf == "c1"


def test_the_last_answer_alone() -> None:
    removal = tree("q1 a1<q1", "a1").remove("a1")
    assert removal.hidden == ("a1",)
    assert tree("q1 a1<q1", "a1", hidden="a1").path() == ("q1",)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    nodes = list[Node]()
    for number in range(draw(st.integers(1, 12))):
        parent = draw(st.sampled_from([None, *(node.id for node in nodes)]))
        role = draw(st.sampled_from(["user", "assistant"]))
        hidden, chosen = draw(st.booleans()), draw(st.integers(0, 3))
        nodes.append(Node(f"n{number}", parent, "user" if role == "user" else "assistant", hidden, chosen))
    return Tree(nodes, draw(st.sampled_from([None, *(node.id for node in nodes)])))


@given(trees(), st.data())
def test_whatever_is_removed_the_path_has_none_of_it(found: Tree, data: st.DataObject) -> None:
    path = found.path()
    if not path:
        return
    message = data.draw(st.sampled_from(path))
    removal = found.remove(message)
    assert message in removal.hidden
    assert not set(removal.hidden) & {one for one in found.path() if found.node(one).hidden}
    nodes = [found.node(one) for one in found.way(found.leaf)]
    if removal.leaf == found.leaf:
        shown = Tree([Node(n.id, n.parent, n.role, n.hidden or n.id in removal.hidden) for n in nodes], removal.leaf)
        assert message not in shown.path()
        assert set(path) - set(removal.hidden) == set(shown.path())
    else:
        assert message not in found.way(removal.leaf)
