"""What agents, tools and options are found to lack: each text that a page doesn't show, and what is let through."""

import pytest

from thena_contract.anchor import Anchor, Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    AgentStep,
    AppDecl,
    BareDecl,
    BareStep,
    Given,
    LoopStep,
    OptionDecl,
    ParallelStep,
    ParamDecl,
    ParamKind,
    PromptText,
    ProviderDecl,
    Shape,
    ShapeKind,
    Signature,
    Thing,
    ToolDecl,
    ToolEntry,
    Unknown,
    WorkflowDecl,
)
from thena_contract.judge import judge

FLOW, WRITER, READ = Ref("app.flow", "Flow"), Ref("app.agents", "Writer"), Ref("app.tools", "Read")
STEP = Anchor(FLOW, ("option", "steps", 0))
USABLE = ProviderDecl(thing=Thing(kind="instance", name="Model"), call=None, has_complete=True, shape=Shape())
TEXT = Thing(kind="value", name="str")
NUMBER = Thing(kind="value", name="int", literal=5)


def agent(**parts: object) -> Assembly:
    """A workflow of one agent, complete but for these parts."""
    whole = {
        "ref": WRITER,
        "prompt": PromptText(is_empty=False),
        "tools": (),
        "constructor": Signature(subject="Writer.__init__"),
        "provider": USABLE,
        "sampling": None,
        "given": Given(),
        "decorators": ("Agent",),
        "shape": Shape(),
    }
    declared = AgentDecl(**{**whole, **parts})  # type: ignore[arg-type]
    return Assembly(workflow=WorkflowDecl(ref=FLOW, state=None, steps=(AgentStep(agent=declared, anchor=STEP),)))


def tool(**parts: object) -> ToolDecl:
    """A tool, complete but for these parts."""
    whole = {
        "ref": READ,
        "constructor": Signature(subject="Read.__init__"),
        "execute": Signature(subject="Read.execute"),
        "name": "read",
        "description": "Read.",
        "has_own_schema": False,
        "given": Given(),
        "decorators": ("Tool",),
        "shape": Shape(),
    }
    return ToolDecl(**{**whole, **parts})  # type: ignore[arg-type]


def with_tools(*tools: ToolDecl | BareDecl | Thing | Unknown) -> Assembly:
    """A workflow of one agent with these tools."""
    anchor = Anchor(WRITER, ("option", "tools"))
    entries = tuple(ToolEntry(tool=one, anchor=anchor.at(index)) for index, one in enumerate(tools))
    return agent(tools=entries)


def given(*unnamed: object, **options: Thing | Unknown) -> Given:
    """What something is given."""
    return Given(
        options=tuple(OptionDecl(name=name, value=value) for name, value in options.items()), unnamed=len(unnamed)
    )


def found(assembly: Assembly) -> list[str]:
    """Code and text of each finding."""
    return [one.fault.render().removeprefix("[thena] ") for one in judge([assembly])]


def needing(name: str) -> Signature:
    """A call that needs one argument."""
    param = ParamDecl(
        name=name,
        index=0,
        kind=ParamKind.POSITIONAL_OR_KEYWORD,
        has_default=False,
        requests=(),
        anchor=Anchor(WRITER),
    )
    return Signature(subject="make", params=(param,))


# -- THN102, THN103


@pytest.mark.parametrize(
    ("thing", "what"),
    [
        (Thing(kind="class", name="Shell"), "the undecorated class `Shell`"),
        (Thing(kind="agent", name="Critic"), "the agent `Critic`"),
        (Thing(kind="instance", name="Shell"), "an instance of `Shell`"),
        (TEXT, "a value of type `str`"),
        (Thing(kind="value", name="NoneType"), "`None`"),
    ],
)
def test_what_is_no_tool_is_named(thing: Thing, what: str) -> None:
    """THN102 says what stands in the list, and where."""
    assert [
        (
            f"THN102 `Writer` has {what} as `tools[1]`, which is no tool. "
            "Put a class with `@Tool(...)` there, an object of one, or a function."
        )
    ] == found(with_tools(tool(), thing))


@pytest.mark.parametrize("execute", [None, TEXT], ids=["missing", "no function"])
def test_an_execute_that_can_not_be_called_is_none(execute: Thing | None) -> None:
    """THN103 is the same for a class attribute that is no method; what isn't seen is let through."""
    assert ["THN103"] == [text[:6] for text in found(with_tools(tool(execute=execute)))]
    assert [] == found(with_tools(tool(execute=UNKNOWN)))


# -- THN104, THN106


def test_a_prompt_is_missing_only_where_nothing_is_meant_for_one() -> None:
    """THN104: a misspelt option is told as misspelt, and one without a name as nameless, and neither as missing too."""
    assert ["THN104"] == [text[:6] for text in found(agent(prompt=None))]
    assert ["THN110"] == [text[:6] for text in found(agent(prompt=None, given=given(promt=TEXT)))]
    assert ["THN116"] == [text[:6] for text in found(agent(prompt=None, given=given("x.md")))]
    assert ["THN104", "THN110"] == sorted(text[:6] for text in found(agent(prompt=None, given=given(retries=NUMBER))))
    assert [] == found(agent(prompt=UNKNOWN))
    assert [] == found(agent(prompt=PromptText()))


FUNCTION = Thing(kind="function", name="make")
CLASS = Thing(kind="class", name="Model")
INSTANCE = Thing(kind="instance", name="Model")
LATE = Signature(subject="make", is_generator=True)


@pytest.mark.parametrize(
    ("provider", "what"),
    [
        (None, "no `provider=`"),
        (INSTANCE, "an instance of `Model` as its provider, which is none"),
        (
            ProviderDecl(thing=CLASS, call=UNKNOWN, has_complete=False),
            "the class `Model` as its provider, which has no method `complete`",
        ),
        (
            ProviderDecl(thing=CLASS, call=needing("model"), has_complete=True, shape=Shape()),
            "the class `Model` as its provider, which needs `model`, and is called without arguments",
        ),
        (
            ProviderDecl(thing=CLASS, call=Signature(subject="x"), has_complete=True, shape=Shape(new=needing("key"))),
            "the class `Model` as its provider, which needs `key`, and is called without arguments",
        ),
        (
            ProviderDecl(
                thing=CLASS,
                call=UNKNOWN,
                has_complete=True,
                shape=Shape(kind="abstract", missing="close", new=UNKNOWN),
            ),
            "the class `Model` as its provider, which is abstract: it has no `close` of its own",
        ),
        (
            ProviderDecl(thing=FUNCTION, call=needing("team"), has_complete=False),
            "the function `make` as its provider, which needs `team`, and is called without arguments",
        ),
        (
            ProviderDecl(thing=FUNCTION, call=LATE, has_complete=False),
            "the function `make` as its provider, which is a generator: it yields what it should return",
        ),
    ],
)
def test_a_provider_that_can_not_be_used_is_told_with_its_reason(
    provider: ProviderDecl | Thing | None, what: str
) -> None:
    """THN106 names what stands there, and why no model can be asked through it."""
    assert [
        (
            f"THN106 `Writer` has {what}. "
            "Give it an object with `complete` and `close`, or a class or function that makes one without arguments."
        )
    ] == found(agent(provider=provider))


def test_a_models_name_belongs_to_a_provider() -> None:
    """THN106 shows a newcomer who writes `provider="gpt-4o"` what takes the name."""
    assert [
        (
            "THN106 `Writer` has a value of type `str` as its provider, which is none. "
            'Give the name of a model to a provider, as in `provider=OpenAIProvider("gpt-4o")`.'
        )
    ] == found(agent(provider=TEXT))


@pytest.mark.parametrize(
    "provider",
    [
        UNKNOWN,
        ProviderDecl(thing=CLASS, call=UNKNOWN, has_complete=UNKNOWN),
        ProviderDecl(thing=FUNCTION, call=Signature(subject="make"), has_complete=False),
        ProviderDecl(thing=Thing(kind="instance", name="Factory"), call=UNKNOWN, has_complete=False),
    ],
    ids=["unknown", "a class that isn't seen", "a function", "an object that can be called"],
)
def test_a_provider_that_may_be_used_is_let_through(provider: ProviderDecl | Unknown) -> None:
    """Only what is certain is said."""
    assert [] == found(agent(provider=provider))


# -- THN108, THN109, THN118


def test_two_tools_of_one_name_lead_to_each_other() -> None:
    """THN108 stands at the second one, and shows the first and where both get their names."""
    other = tool(ref=Ref("app.more", "ReadToo"))
    (finding,) = judge([with_tools(tool(), other)])

    assert Anchor(WRITER, ("option", "tools", 1)) == finding.anchor
    assert [
        ("the other one is here", Anchor(WRITER, ("option", "tools", 0))),
        ("`Read` gets its name here", Anchor(READ, ("option", "name"))),
        ("`ReadToo` gets its name here", Anchor(other.ref, ("option", "name"))),
    ] == [(one.message, one.anchor) for one in finding.related]


def test_names_are_compared_only_up_to_what_is_not_seen() -> None:
    """Behind entries that a reader can't count nothing is told by its position."""
    assert [] == found(with_tools(tool(), UNKNOWN, tool(ref=Ref("app.more", "ReadToo"))))
    assert [] == found(with_tools(tool(), tool(ref=Ref("app.more", "ReadToo"), name=UNKNOWN)))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("read file", 'the name `"read file"`'),
        ("", 'the name `""`'),
        ("lire.fichier", 'the name `"lire.fichier"`'),
        ("x" * 65, "a name"),
        ("a`b", "a name"),
    ],
)
def test_a_name_that_no_provider_accepts_is_shown_if_it_is_short(name: str, shown: str) -> None:
    """THN109 for a name."""
    assert [
        f"THN109 `Read` has {shown}, which no provider accepts. Give it a name of 1 to 64 letters, digits, `_` and `-`."
    ] == found(with_tools(tool(name=name)))


def test_a_tool_tells_what_it_is_for() -> None:
    """THN109 for an empty description, and for a function without docstring; THN118 for what is missing."""
    assert [
        (
            "THN109 `Read` has an empty description, and a model is told by it what the tool is for. "
            "Give it a sentence about what it does."
        )
    ] == found(with_tools(tool(description=" ")))
    assert [
        (
            "THN109 `Read` has no docstring, and a model is told by it what the function is for. "
            "Give it a docstring that begins with a sentence about what it does."
        )
    ] == found(with_tools(tool(is_function=True, description=None)))
    assert [
        'THN118 `@Tool` on `Read` has no `name=`, by which a model calls the tool. Add `name="..."` to it.'
    ] == found(with_tools(tool(name=None)))
    assert ["THN110"] == [text[:6] for text in found(with_tools(tool(name=None, given=given(nmae=TEXT))))]


# -- THN110, THN116


def loop_and_parallel(options: Given) -> Assembly:
    """A workflow of a `parallel` inside a `loop`, both given these."""
    inner = ParallelStep(steps=(), anchor=STEP.at("steps", 0), given=options)
    outer = LoopStep(steps=(inner,), until=UNKNOWN, anchor=STEP, given=options)
    return Assembly(
        workflow=WorkflowDecl(ref=FLOW, state=None, steps=(outer,)),
        app=AppDecl(config=options),
    )


def of(code: str, assembly: Assembly) -> list[str]:
    """The texts of one code."""
    return [text for text in found(assembly) if text.startswith(code)]


def test_an_option_that_does_not_exist_is_told_wherever_it_is_given() -> None:
    """THN110 for `loop`, `parallel` and `ThenaConfig`, with the nearest option or all that there are."""
    assert [
        (
            "THN110 `untill` is no option of `ThenaConfig` of an app of `Flow`. "
            "Use one of `log`, `report`, `budget`, `clock`, `keep_bytes`, `memory`."
        ),
        "THN110 `untill` is no option of `parallel` at `steps[0].steps[0]` of `Flow`. Use only `steps`.",
        "THN110 `untill` is no option of `loop` at `steps[0]` of `Flow`. Use `until` instead.",
    ] == of("THN110", loop_and_parallel(given(untill=TEXT)))


def test_what_is_given_without_a_name_is_told_wherever_it_is_given() -> None:
    """THN116 says of a builder that its steps are one list, and of all else that options have names."""
    assert [
        (
            "THN116 `ThenaConfig` of an app of `Flow` is given an option without a name. "
            "Write each option by its name: `log=...`."
        ),
        (
            "THN116 `loop` at `steps[0]` of `Flow` is given more than its list of steps without a name. "
            "Write all steps in one list, and each option by its name: `loop([A, B], until=...)`."
        ),
        (
            "THN116 `parallel` at `steps[0].steps[0]` of `Flow` is given more than its list of steps without a name. "
            "Write all steps in one list, and each option by its name: `parallel([A, B])`."
        ),
    ] == of("THN116", loop_and_parallel(given("x")))


# -- THN112, THN113, THN114, THN115


@pytest.mark.parametrize(
    ("bare", "text"),
    [
        (
            BareDecl(ref=READ, decorator="Tool", on="class"),
            "THN112 `Read` is decorated with `@Tool` without a call. Write `@Tool(...)`.",
        ),
        (
            BareDecl(ref=READ, decorator="Workflow", on="function"),
            (
                "THN113 `Read` is a function and has `@Workflow`, which is for classes. "
                "Take `@Workflow` away, and write a class in the place of the function."
            ),
        ),
        (
            BareDecl(ref=READ, decorator="Tool", on="function"),
            (
                "THN113 `Read` is a function and has `@Tool`, which is for classes. "
                "Take `@Tool` away: a function is a tool as it is, and a model is told its name and docstring."
            ),
        ),
    ],
)
def test_a_decorator_that_declares_nothing_is_told_once(bare: BareDecl, text: str) -> None:
    """As a step, as a tool, in both places, or in none: with the place where it is used first."""
    step = WorkflowDecl(ref=FLOW, state=None, steps=(BareStep(bare=bare, anchor=STEP),))

    assert [text] == found(with_tools(bare, bare))
    assert [text] == found(Assembly(bare=(bare,)))
    assert [text] == found(Assembly(workflow=step, bare=(bare,)))
    assert [("`Read` is used here", STEP)] == [
        (one.message, one.anchor) for finding in judge([Assembly(workflow=step)]) for one in finding.related
    ]


def test_a_class_is_declared_once() -> None:
    """THN114 names both decorators, or the one that is there twice."""
    repair = "but a class is declared only once. Take all of them away but one."
    assert [f"THN114 `Writer` has `@Agent` and `@Tool`, {repair}"] == found(agent(decorators=("Agent", "Tool")))
    assert [f"THN114 `Read` has `@Tool` more than once, {repair}"] == found(
        with_tools(tool(decorators=("Tool", "Tool")))
    )
    assert [] == found(agent(decorators=UNKNOWN))


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("abstract", "abstract: it has no `read` of its own"),
        ("protocol", "a `Protocol`, which only describes other classes"),
        ("enum", "an `Enum`, which has its members and no other objects"),
        ("typed_dict", "a `TypedDict`, which only describes dicts"),
    ],
)
def test_an_object_must_be_makeable(kind: ShapeKind, what: str) -> None:
    """THN115 says why it isn't; a class that no workflow uses may be anything."""
    shape = Shape(kind=kind, missing="read" if kind == "abstract" else None, new=UNKNOWN)
    text = f"is {what}, so a run can't make an object of it. Use a class that is complete."

    assert [f"THN115 `Read` {text}"] == found(with_tools(tool(shape=shape)))
    assert [f"THN115 `Writer` {text}"] == found(agent(shape=shape))
    assert [] == found(Assembly(tools=(tool(shape=shape),)))


# -- THN117


@pytest.mark.parametrize(
    ("assembly", "text"),
    [
        (agent(tools=TEXT), "`tools` of `Writer` is a value of type `str`. Give a list: `[...]`."),
        (
            agent(tools=Thing(kind="tool", name="Read")),
            "`tools` of `Writer` is the tool `Read`. Give a list: `[...]`.",
        ),
        (
            agent(prompt=NUMBER),
            '`prompt` of `Writer` is `5`. Give the name of a file beside the class, or a text: `Prompt("...")`.',
        ),
        (
            agent(sampling=Thing(kind="value", name="float")),
            "`sampling` of `Writer` is a value of type `float`. Give a mapping, such as `{'temperature': 0}`.",
        ),
        (
            agent(given=given(tool_calls=Thing(kind="value", name="str", literal="frist"))),
            (
                '`tool_calls` of `Writer` is `"frist"`. '
                'Give `"first"`, which executes one call of an answer, or `"all"`, which executes each.'
            ),
        ),
        (
            agent(given=given(output=Thing(kind="class", name="str"))),
            (
                "`output` of `Writer` is the class `str`. "
                "Give a pydantic model or another type that JSON can hold, or leave `output=` out."
            ),
        ),
        (with_tools(tool(name=NUMBER)), "`name` of `Read` is `5`. Give a string."),
        (
            with_tools(tool(given=given(repeatable=Thing(kind="value", name="NoneType")))),
            "`repeatable` of `Read` is `None`. Give `True` or `False`.",
        ),
        (
            Assembly(workflow=WorkflowDecl(ref=FLOW, state=None, steps=Thing(kind="agent", name="Writer"))),
            "`steps` of `Flow` is the agent `Writer`. Give a list: `[...]`.",
        ),
    ],
)
def test_a_value_of_the_wrong_kind_is_told_with_what_is_wanted(assembly: Assembly, text: str) -> None:
    """THN117 shows a literal as it is written, and names anything else by its kind."""
    assert [f"THN117 {text}"] == found(assembly)


@pytest.mark.parametrize(
    "options",
    [
        given(tool_calls=Thing(kind="value", name="str", literal="all")),
        given(tool_calls=Thing(kind="instance", name="Mode", literal=UNKNOWN)),
        given(tool_calls=UNKNOWN, output=UNKNOWN),
        given(output=Thing(kind="class", name="Verdict")),
        given(output=Thing(kind="value", name="NoneType")),
        given(output=Thing(kind="value", name="str", literal="Verdict")),
    ],
)
def test_a_value_that_may_be_right_is_let_through(options: Given) -> None:
    """What isn't seen, and what only pydantic can judge, is no fault here."""
    assert [] == found(agent(given=options))
