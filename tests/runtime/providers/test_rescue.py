"""Tool calls that a model wrote into its text: which are calls, and what only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_runtime.providers.rescue import CallSplitter, read_calls, rescue_calls

TOOLS = {"read", "list"}


def rescued(text: str, *, strict: bool = False) -> list[tuple[str, object]]:
    """The calls of a text."""
    calls = rescue_calls(text, TOOLS, strict=strict)
    assert {"rescued"} >= {call.source for call in calls}
    return [(call.name, call.arguments) for call in calls]


def one(value: object) -> tuple[str, object] | None:
    """The first call of a JSON value."""
    calls = read_calls(value)
    return (calls[0].name, calls[0].arguments) if calls else None


READ = '{"name": "read", "arguments": {"path": "a.py"}}'
CALLED = [("read", {"path": "a.py"})]


# The forms of a call


@pytest.mark.behaviour("T098", "T099", "T100", "T101", "T102", "T103")
@pytest.mark.parametrize("key", ["name", "tool", "tool_name", "toolName", "function_name", "function"])
def test_a_name_goes_by_many_names(key: str) -> None:
    """Models write the tool's name under any of six keys."""
    assert ("read", {}) == one({key: "read"})


@pytest.mark.behaviour("T104", "T105")
def test_a_name_is_trimmed_and_must_not_be_blank() -> None:
    """Blanks around a name don't belong to it, and nothing but blanks is no name."""
    assert ("read", {}) == one({"name": " read\n"})
    assert one({"name": "  "}) is None


@pytest.mark.behaviour("T106", "T107", "T108", "T109", "T110")
@pytest.mark.parametrize("key", ["arguments", "parameters", "args", "input", "params"])
def test_arguments_go_by_many_names(key: str) -> None:
    """Models write the arguments under any of five keys."""
    assert ("read", {"path": "a"}) == one({"name": "read", key: {"path": "a"}})


@pytest.mark.behaviour("T111", "T112", "T113", "T114")
@pytest.mark.parametrize(
    ("written", "arguments"),
    [({}, {}), ({"args": None}, {}), ({"args": '{"n": 1}'}, {"n": 1}), ({"args": "no JSON"}, "no JSON")],
)
def test_arguments_may_be_missing_or_text(written: dict[str, object], arguments: object) -> None:
    """Nothing is no arguments, text is read as JSON, and stays text where it is none."""
    assert ("read", arguments) == one({"name": "read", **written})


@pytest.mark.behaviour("T115", "T116", "T117", "T118")
@pytest.mark.parametrize("key", ["function", "tool_call", "toolCall", "tool_use"])
def test_a_call_may_be_wrapped(key: str) -> None:
    """A call inside another object is found."""
    assert ("read", {"n": 1}) == one({key: {"name": "read", "args": {"n": 1}}})


@pytest.mark.behaviour("T119", "T120")
def test_wrappers_have_a_limit() -> None:
    """Three wrappers are taken off, and a fourth is one too many."""
    call: object = {"name": "read"}
    for _ in range(3):
        call = {"function": call}
    assert ("read", {}) == one({"tool_call": {"function": {"name": "read"}}})
    assert ("read", {}) == one(call)
    assert one({"function": call}) is None


@pytest.mark.behaviour("T121")
def test_the_wire_format_of_openai_is_a_form_too() -> None:
    """A model may write what it saw its calls look like."""
    call = {"id": "1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
    assert ("read", {"path": "a"}) == one(call)


@pytest.mark.behaviour("T122", "T123")
def test_a_list_holds_calls_in_their_order() -> None:
    """Every call of a list is read; an empty list has none."""
    assert ["read", "list"] == [call.name for call in read_calls([{"name": "read"}, {"tool": "list"}])]
    assert one([]) is None


@pytest.mark.behaviour("T124", "T126", "T127", "T128", "T129")
@pytest.mark.parametrize("value", [None, "read", 3, {"arguments": {}}, {}])
def test_other_values_are_no_calls(value: object) -> None:
    """What names no tool is no call."""
    assert one(value) is None


@pytest.mark.behaviour("T130")
def test_the_form_of_a_call_says_nothing_about_the_tool() -> None:
    """A call of a tool that nobody has is read; whether it is taken is asked later."""
    assert ("unheard_of", {}) == one({"name": "unheard_of"})
    assert [] == rescued('{"name": "unheard_of"}')


@pytest.mark.behaviour("W38")
def test_every_rescued_call_has_an_id_of_its_own() -> None:
    """No two calls share an id, in one answer or in two."""
    calls = [*rescue_calls(f"{READ}\n{READ}", TOOLS), *rescue_calls(READ, TOOLS)]
    assert 3 == len({call.id for call in calls})


# Where a call may stand


@pytest.mark.behaviour("T007", "T009", "T010", "T011", "T012")
@pytest.mark.parametrize(
    "text",
    [READ, f"  {READ}\n", f"```json\n{READ}\n```", f"```\n{READ}\n```", f"\n ``` \n\n {READ}\n\n```\n", f"[{READ}]"],
)
@pytest.mark.parametrize("strict", [False, True])
def test_a_call_may_be_the_whole_answer(text: str, strict: bool) -> None:
    """JSON alone is a call, in a code block or not; strict mode takes it too."""
    assert CALLED == rescued(text, strict=strict)


@pytest.mark.behaviour("T023", "T024", "T025", "T026", "T027", "T028", "W40")
@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{READ}</tool_call>",
        f"<function_call>\n{READ}\n</function_call>",
        f"<tool_use>{READ}</tool_use>",
        f"[TOOL_CALL]{READ}[/TOOL_CALL]",
        f"<TOOL_CALL>{READ}",
        f"<tool_call>\n```json\n{READ}\n```\n</tool_call>",
        f"[TOOL_CALLS][{READ}]",
        '[TOOL_CALLS]read[ARGS]{"path": "a.py"}',
        '<|python_tag|>{"name": "read", "parameters": {"path": "a.py"}}<|eom_id|>',
        f"<|tool_call|>[{READ}]",
        '<function=read>{"path": "a.py"}</function>',
        "<tool_call>\n<function=read>\n<parameter=path>\na.py\n</parameter>\n</function>\n</tool_call>",
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_a_mark_says_that_a_call_is_meant(text: str, strict: bool) -> None:
    """The marks that models were trained on are known; the closing one may be missing."""
    assert CALLED == rescued(text, strict=strict)


@pytest.mark.behaviour("T029")
def test_text_before_a_mark_is_passed_over_but_in_strict_mode() -> None:
    """A model may say what it is about to do."""
    text = f"I will read the file.\n<tool_call>{READ}</tool_call>"
    assert CALLED == rescued(text)
    assert [] == rescued(text, strict=True)


@pytest.mark.behaviour("T030", "T018", "T022")
@pytest.mark.parametrize("text", ["", "an answer", "a [list] of (words)", "<tool_call>read</tool_call>", "{ no json }"])
def test_an_answer_without_a_call_has_none(text: str) -> None:
    """Plain text, and a mark without JSON, are no calls."""
    assert [] == rescued(text)


@pytest.mark.behaviour("T014", "T015", "T016", "T017")
@pytest.mark.parametrize(
    ("written", "path"),
    [('{"a": {"b": 1}}', {"a": {"b": 1}}), (r'"} {"', "} {"), (r'"a \"b\" }"', 'a "b" }'), (r'"\\"', "\\")],
)
def test_braces_quotes_and_backslashes_belong_to_the_arguments(written: str, path: object) -> None:
    """What stands inside a string, or deeper, ends no call."""
    assert [("read", {"path": path})] == rescued(f'I look.\n{{"name": "read", "arguments": {{"path": {written}}}}}')


@pytest.mark.behaviour("T019")
def test_a_call_that_never_ends_is_none() -> None:
    """Half a call can't be executed."""
    assert [] == rescued('{"name": "read", "arguments": {"path": "a')


@pytest.mark.behaviour("T013", "T020", "W40")
def test_every_call_of_an_answer_is_found() -> None:
    """Calls after each other, marked or not, are all taken, and the text after them is not."""
    other = '{"name": "list", "args": {}}'
    assert [*CALLED, ("list", {})] == rescued(f"{READ} {other}")
    assert [*CALLED, ("list", {})] == rescued(f"First this:\n{READ}\nThen that:\n{other}\nI wait.")
    assert [*CALLED, ("list", {})] == rescued(f"<tool_call>{READ}</tool_call>\n<tool_call>{other}</tool_call>")
    assert [*CALLED, *CALLED] == rescued(f"{READ}\n{READ}")


@pytest.mark.behaviour("T008", "T021", "W40")
@pytest.mark.parametrize(
    "text",
    [
        f"I read it now.\n{READ}\nThen I will answer.",
        f"I read it now: {READ}",
        f"Let me look {{at}} this {{x}}.\n```json\n{READ}\n```\nI wait.",
    ],
)
def test_a_call_beside_text_stands_alone_or_at_the_end(text: str) -> None:
    """A call on lines of its own, or at the end, is meant; stray braces before it don't hide it. Strict takes none."""
    assert CALLED == rescued(text)
    assert [] == rescued(text, strict=True)


@pytest.mark.behaviour("W40")
@pytest.mark.parametrize(
    "text",
    [
        f"To read a file you write {READ} and wait.",
        f"For example:\n```json\n{READ}\n```\n",
        f"A call looks like this:\n{READ}\nNothing was called.",
        f"You could write <tool_call>{READ}</tool_call> here.",
        f"The form is `<tool_call>{READ}</tool_call>`.",
        'The tools, e.g. in a table:\n{"name": "read", "arguments": {}}',
    ],
)
def test_a_call_that_is_only_shown_is_not_executed(text: str) -> None:
    """A call within a sentence, in quotation marks of code, or announced as an example is an explanation."""
    assert [] == rescued(text)


@pytest.mark.behaviour("W40")
@pytest.mark.parametrize(
    "text", ['{"tool": "read", "score": 3}', '[{"name": "read", "size": 9}]', '{"result": {"tool": "read"}}']
)
def test_an_answer_in_json_that_names_a_tool_is_no_call(text: str) -> None:
    """An object that has other things to say than a tool's name and its arguments is an answer."""
    assert [] == rescued(text)


@given(
    st.lists(st.sampled_from(["{", "}", "[", '"', READ, "<tool_call>", "```", "\n", "a", "<function=read>"])).map(
        "".join
    )
)
def test_any_text_can_be_read(text: str) -> None:
    """Whatever a model writes, looking for calls ends and finds only tools that there are."""
    assert TOOLS >= {name for name, _ in rescued(text)}
    assert len(rescued(text, strict=True)) <= len(rescued(text))


def test_a_long_answer_of_braces_is_read_in_one_go() -> None:
    """An answer that is all openings costs no more than a hundred attempts."""
    assert [] == rescued("{" * 50_000 + '{"a":' * 50_000)


# While it comes in


def split(*chunks: str) -> tuple[str, str]:
    """What is text for certain, and what was held back to the end."""
    splitter = CallSplitter()
    return "".join(splitter.feed(chunk) for chunk in chunks), splitter.finish()


@pytest.mark.behaviour("W39")
@pytest.mark.parametrize(
    ("whole", "text", "held"),
    [
        ("an answer", "an answer", ""),
        (f"\n{READ}", "", f"\n{READ}"),
        ("```json\n{}", "", "```json\n{}"),
        ("```python\nx = {}", "```python\nx = {}", ""),
        (f"[ {READ}]", "", f"[ {READ}]"),
        ("[a link](x)", "[a link](x)", ""),
        (f"I call. <tool_call>{READ}", "I call. ", f"<tool_call>{READ}"),
        ("I call. <function=read>", "I call. ", "<function=read>"),
        ("1 < 2 <tool", "1 < 2 ", "<tool"),
        ("1 < 2 <tools", "1 < 2 <tools", ""),
        ("``", "", "``"),
    ],
)
def test_what_may_be_a_call_is_held_back(whole: str, text: str, held: str) -> None:
    """JSON at the beginning, and everything from a mark on, waits for the end; all else is text at once."""
    assert (text, held) == split(whole)


PARTS = st.sampled_from(
    [
        "{",
        "[",
        "[{",
        "```",
        "json",
        "tool_c",
        "all",
        "\n",
        " ",
        "<tool_call>",
        "<tool",
        "_call>",
        "<function=",
        "a",
        "[TOOL_",
        "CALLS]",
    ]
)


@given(st.lists(PARTS, max_size=10).map("".join), st.data())
def test_it_never_matters_where_the_text_is_cut(whole: str, data: st.DataObject) -> None:
    """Any way to cut an answer holds back the same."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    chunks = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert split(whole) == split(*chunks)


@pytest.mark.parametrize(
    "beginning",
    [
        "<function=read>\n<parameter=path>\na.p",
        "<function=read>\n<parameter=path>\na.py\n</parameter>\n<parameter=lines>\n1",
        '<function=read>{"path": "a',
    ],
)
@pytest.mark.parametrize("before", ["", "<tool_call>\n"])
def test_a_call_with_some_of_its_arguments_has_none(before: str, beginning: str) -> None:
    """Whatever is known of why the text ends there, what has come stays a text, and isn't executed."""
    assert [("read", beginning.removeprefix("<function=read>"))] == rescued(before + beginning)


@pytest.mark.parametrize("rest", ["", "\n", "\n<par"])
def test_a_call_that_may_have_had_more_arguments_has_none_where_the_text_was_cut_off(rest: str) -> None:
    """In a whole text a closing tag may be missing; in one that was cut off it is what tells that all has come."""
    text = "<function=read>\n<parameter=path>\na.py\n</parameter>" + rest
    closed = text.removesuffix("<par") + "</function>"

    [cut] = rescue_calls(text, TOOLS, is_cut_off=True)
    assert (("read", text.removeprefix("<function=read>")), CALLED) == ((cut.name, cut.arguments), rescued(text))
    assert CALLED == [(call.name, call.arguments) for call in rescue_calls(closed, TOOLS, is_cut_off=True)]
