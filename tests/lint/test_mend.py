"""Half-typed code hides nothing but the statement it stands in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_lint.source.mend import Mended, mend
from thena_lint.source.parse import SyntaxProblem, parse

FIRST = "import a\n\n\n"
SECOND = '@d\nclass B:\n    """Text.\n\nMore text: in the first column.\n    """\n\n    x = 1\n\n\n'
THIRD = "def c():\n    return [\n        1,\n]\n"


def mended(text: str) -> Mended | None:
    """Mend a text that doesn't parse. The words in what was blanked are left out."""
    problem = parse(text)
    assert isinstance(problem, SyntaxProblem)
    found = mend(text, problem)
    return None if found is None else Mended(found.text, found.lost)


@pytest.mark.parametrize(
    ("broken", "left", "lost", "torn"),
    [
        ("@Workflow(steps=[A, \nclass Flow:\n    x = 1\n", "\nclass Flow:\n    x = 1\n", {"Flow"}, set()),
        ("class Half(:\n    x = 1\n", "class Half:\n    x = 1\n", {"Half"}, set()),
        ("class Half(\n    Base,\n    x = 1\n", "class Half:\n    Base,\n    x = 1\n", {"Half"}, set()),
        ("class A(B):\n    x = \n    y = 1\n", "class A(B):\n\n    y = 1\n", {"A.x"}, {"A"}),
        (
            "class A:\n    @d\n    def f(self, :\n        return 1\n\n    def g(self): ...\n",
            "class A:\n\n\n\n\n    def g(self): ...\n",
            {"A.f"},
            {"A"},
        ),
        ("class A:\n    def f(self, :\n        return 1\n", "class A:\n    pass\n\n", {"A.f"}, {"A"}),
        (
            "class A:\n    class B:\n        x = \n        y = 1\n",
            "class A:\n    class B:\n\n        y = 1\n",
            {"A.B.x"},
            {"A", "A.B"},
        ),
        ("class A:\n  x = (\n  1\n  y = 1\n", "class A:\n\n  1\n  y = 1\n", {"A.x"}, {"A"}),
        ("class A:\n    x = 1\nfoo.\n    y = 1\n", "class A:\n    x = 1\n\n    y = 1\n", set(), {"A"}),
        (
            'class A:\n    """Text.\n\nMore text.\n' + "And more.\n" * 9 + '    """\n    x = \n    y = 1\n',
            'class A:\n    """Text.\n\nMore text.\n' + "And more.\n" * 9 + '    """\n\n    y = 1\n',
            {"A.x"},
            {"A"},
        ),
    ],
)
def test_of_a_broken_class_only_what_is_broken_goes(broken: str, left: str, lost: set[str], torn: set[str]) -> None:
    """A half-typed member, or head, hides no other member, and the class is told to have a gap."""
    text = FIRST + broken + THIRD
    problem = parse(text)
    assert isinstance(problem, SyntaxProblem)
    found = mend(text, problem)
    assert found is not None
    assert (FIRST + left + THIRD, lost, torn) == (found.text, set(found.lost), set(found.torn))


@pytest.mark.parametrize("head", ["cl ass A:", "class A!B:", "if class A:", "clas", " class A:"])
def test_a_head_that_can_not_be_read_is_the_one_that_is_missing(head: str) -> None:
    """Where one class is gone that was there before, members below something broken are taken to be its."""
    text = f"@d\n{head}\n    def f(self): ...\n\n\nclass B: ...\n"
    problem = parse(text)
    assert isinstance(problem, SyntaxProblem)
    found = mend(text, problem, ["A", "B"])
    assert found is not None
    assert ["class A:", "    def f(self): ...", "class B: ..."] == [line for line in found.text.split("\n") if line]
    assert {"A"} == found.lost
    assert found.text.count("\n") == text.count("\n")


def merge(ours: str, theirs: str, base: str = "") -> str:
    """A place where two texts were changed in different ways."""
    return f"<<<<<<< HEAD\n{ours}{base}=======\n{theirs}>>>>>>> other\n"


METHOD = "    def f(self): ...\n"


@pytest.mark.parametrize(
    ("broken", "left", "lost", "torn"),
    [
        (merge("class A: ...\n", "class B: ...\n"), "", {"A", "B"}, set()),
        (merge("class A: ...\n", "class B: ...\n", "||||||| base\nclass C: ...\n"), "", {"A", "B", "C"}, set()),
        (merge("", "class B: ...\n"), "", {"B"}, set()),
        (merge("import a\n", "import b\n") + "x = 1\n", "x = 1\n", {"a", "b"}, set()),
        (merge("class A:\n", "class B:\n") + METHOD, "class A:\n" + METHOD, {"A", "B"}, {"A"}),
        ("class A:\n" + merge("    x = 1\n", "    y = 1\n") + METHOD, "class A:\n" + METHOD, {"A.x", "A.y"}, {"A"}),
        ("class A:\n" + METHOD + merge("", "    y = 1\n"), "class A:\n" + METHOD, {"A.y"}, {"A"}),
        ("class A:\n" + METHOD + merge("", "        y = 1\n"), "class A:\n    pass\n", {"A.f", "A.y"}, {"A"}),
        ("class A:\n" + METHOD + merge("", "class B:\n    x = 1\n"), "class A:\n" + METHOD, {"B", "A.x"}, {"A"}),
        ("x = (\n" + merge("    1,\n", "    2,\n") + ")\n", "", {"x"}, set()),
        ('x = """\n' + merge('a\n"""\n', 'b\n"""\n') + METHOD.lstrip(), METHOD.lstrip(), {"x", "a", "b"}, set()),
        ("=======\nclass B: ...\n>>>>>>> other\nclass A: ...\n", "class A: ...\n", {"B"}, set()),
        ("<<<<<<< HEAD\nclass B: ...\nclass A: ...\n", "", {"A", "B", "c"}, set()),
    ],
)
def test_what_two_merged_texts_dispute_is_unknown(broken: str, left: str, lost: set[str], torn: set[str]) -> None:
    """Neither side of a merge that isn't settled counts; of a class it is the member, or the head."""
    text = FIRST + broken + THIRD
    problem = parse(text)
    assert isinstance(problem, SyntaxProblem)
    found = mend(text, problem)
    assert found is not None
    assert text.count("\n") == found.text.count("\n")
    rest = THIRD if "c" not in lost else ""
    seen = [line for line in found.text.split("\n") if line]
    assert (FIRST + left + rest).split() == "\n".join(seen).split()
    assert (lost, torn) == (set(found.lost), set(found.torn))


@pytest.mark.parametrize(
    ("broken", "lost"),
    [
        ("def half(a, b:\n    return a\n", {"half"}),
        ("async def half(a, b:\n    pass\n", {"half"}),
        ("from m import A, B as\n", {"A", "B", "as"}),
        ("from m import (\n    A,\n    B B,\n)\n", {"A", "B"}),
        ("from m import * as\n", {"as", "*"}),
        ("import m.n as\n", {"m", "n", "as"}),
        (": from m import *\n", {"*"}),
        (": def half(): ...\n", {"half"}),
        ("x, y = = 1\n", {"x", "y"}),
        ("x: int = \n", {"x"}),
        ("if True\n    y = 1\n", {"y"}),
        ("f(\n", set()),
        ("STEPS.append(\n", {"STEPS"}),
        ("STEPS += [\n", {"STEPS"}),
        ("STEPS[0] = = A\n", {"STEPS"}),
    ],
)
def test_a_broken_statement_is_blanked_and_its_names_are_told(broken: str, lost: set[str]) -> None:
    """Only the broken lines go, and the lines around them keep their numbers."""
    blank = "\n" * broken.count("\n")
    assert Mended(FIRST + blank + SECOND + THIRD, frozenset(lost)) == mended(FIRST + broken + SECOND + THIRD)


@pytest.mark.parametrize("inside", ["name=\n)\n", "name=1,\nage=\n)\n", "x = 1\n", ")\n'", "def half(\n"])
def test_what_a_broken_decorator_stands_on_is_doubtful(inside: str) -> None:
    """A class isn't taken for undecorated since its decorator is half-typed in several lines; the next one is."""
    text = "@Tool(\n" + inside + "\nclass A:\n    x = 1\n" + THIRD + "class D: ...\n"
    problem = parse(text)
    assert isinstance(problem, SyntaxProblem)
    found = mend(text, problem)

    assert found is not None
    assert "A" in found.lost | found.doubtful
    assert found.lost.isdisjoint({"c", "D"})
    assert found.doubtful.isdisjoint({"c", "D"})
    assert found.text.endswith(THIRD + "class D: ...\n")


@pytest.mark.parametrize(
    ("inside", "is_whole"),
    [
        ("foo.\n    def execute(self): ...\n", False),
        ("x = 1\n    y: int = 2\n", False),
        ("def (:\n    def execute(self): ...\n", False),
        ("f(\n    @d\n    def execute(self): ...\n", False),
        ("foo.(\n    y: int = 2\n", False),
        ("def half(a, b:\n    return a\n", True),
        ("steps = [\n    A,\n", True),
        ("class Half(:\n    def execute(self): ...\n", True),
        ("foo.\n", True),
        ("foo.\n    # a comment\n", True),
    ],
)
def test_a_body_that_broken_code_cuts_in_two_is_torn(inside: str, is_whole: bool) -> None:
    """A class isn't taken for what stands above a line that was written into it; a half-typed neighbour hides none."""
    text = "class A:\n    x = 1\n" + inside + THIRD
    problem = parse(text)
    assert isinstance(problem, SyntaxProblem)
    found = mend(text, problem)

    assert found is not None
    assert "A" not in found.lost
    assert is_whole == ("A" not in found.torn)
    assert found.text.endswith(THIRD)


def test_what_looks_like_one_word_may_be_two() -> None:
    """Where a bracket is missing, what a broken statement names is still among its words."""
    problem = parse("patchPatched)\n")
    assert isinstance(problem, SyntaxProblem)
    found = mend("patchPatched)\n", problem)
    assert found is not None
    assert {"patch", "Patched"} <= found.words


def test_a_string_that_is_never_closed_takes_the_rest_with_it() -> None:
    """Below an open triple quote all is text, and what looks like code there declares nothing."""
    found = mended(FIRST + 'x = """\n' + THIRD)
    assert Mended(FIRST + "\n" * 5, frozenset({"x", "c"})) == found


def test_several_broken_statements_are_all_blanked() -> None:
    """Each piece is judged alone."""
    found = mended("x = (\n" + SECOND + "y = )\n" + THIRD)
    assert Mended("\n" + SECOND + "\n" + THIRD, frozenset({"x", "y"})) == found


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_stay_as_they_are(end: str) -> None:
    """A blanked line keeps its own end."""
    assert Mended(end + "y = 1" + end, frozenset({"x"})) == mended("x = (" + end + "y = 1" + end)


@pytest.mark.parametrize("text", ["x = 1\0\ny = 2\n", "(" * 300 + "\ny = 2\n"])
def test_what_no_parser_survives_is_blanked_too(text: str) -> None:
    """A null and far too many brackets cost their own line only."""
    found = mended(text)
    assert found is not None
    assert "\ny = 2\n" == found.text


PARTS = (
    "import a\n",
    SECOND,
    THIRD,
    "x = (\n",
    '"""',
    "def half(a, b:\n",
    "    y = 1\n",
    ")\n",
    "\f\n",
    "@d\n",
    "é = '😀'\n",
)


@given(st.lists(st.sampled_from(PARTS), max_size=8))
def test_mended_text_parses_and_has_the_same_lines(parts: list[str]) -> None:
    """Whatever is typed, every line is untouched, blank or the rest of a class, and the result parses."""
    text = "".join(parts)
    problem = parse(text)
    if not isinstance(problem, SyntaxProblem):
        return
    found = mend(text, problem)
    if found is None:
        return
    assert not isinstance(parse(found.text), SyntaxProblem)
    before, after = text.split("\n"), found.text.split("\n")
    assert len(before) == len(after)
    changed = {pair[1] for pair in zip(before, after, strict=True) if pair[1] not in ("", pair[0])}
    assert changed <= {"class B:", "    pass", " pass"}
