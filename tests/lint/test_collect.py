"""Facts say what a file declares, and nothing that an edit in a body or a comment would change."""

import gc

import libcst
import pytest

from thena_contract.declarations import UNKNOWN
from thena_lint.source.parse import parse
from thena_lint.summary.collect import collect, collect_all
from thena_lint.summary.expressions import Attribute, Call, Constant, Dictionary, Name, Sequence
from thena_lint.summary.facts import Addition, Binding, FileFacts, Import, Value

BEFORE = """
from thena_runtime import Agent, State

@Agent(prompt="./a.md")
class Writer:
    def __init__(self, s: State[int], n: int = 1) -> None:
        self.s = s
"""


def facts(text: str) -> FileFacts:
    """The facts of a text."""
    tree = parse(text)
    assert isinstance(tree, libcst.Module)
    return collect(tree)


@pytest.mark.parametrize(
    "after",
    [
        "# a comment\n\n\n" + BEFORE,
        BEFORE.replace("self.s = s", "self.t = compute(s)\n        return None"),
        BEFORE.replace("n: int = 1", "n: int = 2"),
        BEFORE.replace('(prompt="./a.md")', '(\n    prompt="./a.md",\n)'),
    ],
    ids=["comment", "body", "default", "layout"],
)
def test_what_changes_no_fact(after: str) -> None:
    """Comments, bodies, the value of a default and layout leave the facts equal."""
    assert facts(BEFORE) == facts(after)


@pytest.mark.parametrize(
    ("old", "new"),
    [("State[int]", "State[str]"), (" = 1", ""), ("./a.md", "./b.md"), ("class Writer", "class Critic")],
)
def test_what_changes_the_facts(old: str, new: str) -> None:
    """An annotation, whether there is a default, an option and a name are facts."""
    assert facts(BEFORE) != facts(BEFORE.replace(old, new))


def added(addition: Addition) -> Value:
    """The list `[1]`, and what is added to it."""
    return Value(expression=Sequence("list", (Constant("int", 1),)), added=(addition,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A = 1\nA = B", Value(expression=Name("B"))),
        ("if X:\n    A = 1\nelse:\n    A = 1", Value(expression=Constant("int", 1))),
        ("if X:\n    A = 1\nelse:\n    A = 2", UNKNOWN),
        ("A = 1\nif X:\n    A = 2", UNKNOWN),
        ("if X:\n    A = 1\nA = 3", Value(expression=Constant("int", 3))),
        ("try:\n    from m import A\nexcept ImportError:\n    A = None", UNKNOWN),
        ("if TYPE_CHECKING:\n    from m import A", Import(module="m", name="A")),
        ("if TYPE_CHECKING:\n    from m import A\nelse:\n    A = 1", Value(expression=Constant("int", 1))),
        ("for A in B:\n    pass", UNKNOWN),
        ("with f() as A:\n    pass", UNKNOWN),
        ("A, B = f()", UNKNOWN),
        ("A = [1]\nA += [2]", added(Addition(expression=Sequence("list", (Constant("int", 2),)), is_many=True))),
        ("A = [1]\nA.append(2)", added(Addition(expression=Constant("int", 2)))),
        ("A = [1]\nA.insert(0, 2)", added(Addition(expression=Constant("int", 2), at=0))),
        ("A = [1]\nB = A\nA.append(2)", UNKNOWN),
        ("A = [1]\nprint(A)\nA.append(2)", UNKNOWN),
        ("A = [1]\nif X:\n    A.append(2)", UNKNOWN),
        ("A = [1]\nA.append(2)\nA.sort()", UNKNOWN),
        ("A = 1\ndef f():\n    globals()['A'] = 2", UNKNOWN),
        ("A = [1]\nA[0] = 2", UNKNOWN),
        ("A = [1]\ndel A", UNKNOWN),
        ("class A:\n    pass\nA.execute = f", UNKNOWN),
        ("import A.b.c", Import(module="A")),
        ("import b.c as A", Import(module="b.c")),
        ("from ..b import c as A", Import(module="b", name="c", level=2)),
        ("A: TypeAlias = m.B", Value(expression=Attribute(Name("m"), "B"))),
        ("A: int", None),
    ],
)
def test_what_a_name_stands_for(text: str, expected: Binding | None) -> None:
    """The last binding without condition counts; bindings that differ, and names that are changed, are unknown."""
    assert facts(text).names.get("A") == expected


def test_strings_and_numbers() -> None:
    """Text that is joined or escaped is read as Python reads it; what is computed keeps only its type."""
    text = r"""
A = ["a" 'b', "\x41", r"\d", b"x", f"{x}", -0x1F, 1.5, None, True, ..., {}, {1}, [x for x in y], "a" f"{x}"]
"""
    expected = (
        Constant("str", "ab"),
        Constant("str", "A"),
        Constant("str", r"\d"),
        Constant("bytes"),
        Constant("str"),
        Constant("int", -31),
        Constant("float"),
        Constant("NoneType"),
        Constant("bool", True),
        Constant("ellipsis"),
        Dictionary((), ()),
        Constant("set"),
        Constant("list"),
        Constant("str"),
    )

    assert facts(text).names["A"] == Value(expression=Sequence("list", expected))


def test_long_sums_are_read() -> None:
    """An expression of many terms is read as far as it matters."""
    found = facts("A = " + " + ".join(["B"] * 190)).names["A"]

    assert isinstance(found, Value)


def test_all_is_read_where_it_is_plain() -> None:
    """`__all__` is known as a list of strings that more are added to, and unknown where those can't be seen."""
    assert facts("__all__ = ['a', 'b']").exports == ("a", "b")
    assert facts("__all__ = ['a'] + other.__all__").exports is UNKNOWN
    assert facts("__all__ = ['a']\n__all__ += ['b']\n__all__.append('c')").exports == ("a", "b", "c")
    assert facts("__all__ = ['a']\n__all__ += other.__all__").exports is UNKNOWN
    assert facts("__all__ = ['a']\n__all__ += 'bc'").exports is UNKNOWN
    assert facts("__all__ = ['a']\n__all__.remove('a')").exports is UNKNOWN
    assert facts("__all__ = ['a']\nif x:\n    __all__ += ['b']").exports is UNKNOWN
    assert facts("a = 1").exports is None


MANY = "".join(
    f"class C{number}:\n    made = [{number}]\n\n    def do(self):\n        work()\n\n\n" for number in range(64)
)


@pytest.mark.parametrize(
    "other",
    [
        "",
        "class C20:\n    made = 1\n",
        "def C20():\n    other()\n",
        "C20 = wrap(C20)\n",
        "del C20\n",
        "C20.made.append(1)\n",
        "C20.do = other\n",
        "if condition:\n    class C20:\n        def do(self):\n            other()\n",
        "for C20 in rows:\n    pass\n",
        "def replace():\n    global C20\n    C20 = None\n",
    ],
)
@pytest.mark.parametrize("is_above", [True, False], ids=["above", "below"])
def test_classes_in_a_row_are_read_as_each_by_itself(other: str, is_above: bool) -> None:
    """Whatever else binds the name of one of many classes, above or below them, counts as if they were few."""
    few = MANY[MANY.index("class C20:") : MANY.index("class C21:")]

    of_many, of_few = (known_of_one(other + text if is_above else text + other) for text in (MANY, few))

    assert of_few == of_many


def known_of_one(text: str) -> object:
    """All that is known of the class `C20` in a text."""
    tree = parse(text)
    assert isinstance(tree, libcst.Module)
    known, bodies = collect_all(tree)
    functions = {key: body for key, body in bodies.functions.items() if key[0].startswith("C20")}
    attributes = {name: value for name, value in bodies.attributes.items() if name.startswith("C20")}
    return known.names.get("C20"), known.uses, known.unsure, functions, attributes


def test_arguments_keep_their_order() -> None:
    """A call's arguments are kept as written, spread ones too."""
    found = facts("A = f(a, *b, c=d, **e)").names["A"]

    assert isinstance(found, Value) and isinstance(found.expression, Call)
    assert [(one.keyword, one.star) for one in found.expression.arguments] == [
        (None, ""),
        (None, "*"),
        ("c", ""),
        (None, "**"),
    ]
    assert found.expression.positional == (Name("a"),)


def test_reading_leaves_nothing_to_the_garbage_collector() -> None:
    """What reading a text makes on the way goes at once, so that a command needn't look for garbage at all."""
    text = (
        BEFORE
        + r"""
    def after_response(self, response: str) -> None:
        self.s.notes = "\n".join(f"{one}" for one in [response, "a" "b", b"c", r"\d"])
"""
    )
    collect_all(libcst.parse_module(text))
    gc.collect()
    gc.disable()
    try:
        collect_all(libcst.parse_module(text.replace("response", "answer")))
        assert gc.collect() == 0
    finally:
        gc.enable()
