"""What the rules of tools and hooks say, where no page shows it: THN206, THN401 to THN405, THN501 to THN505."""

from dataclasses import replace

import pytest

from thena_contract.anchor import Anchor, Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    FieldDecl,
    LoopStep,
    MethodDecl,
    ParamDecl,
    ParamKind,
    Request,
    Signature,
    StrayMarker,
    Thing,
    ToolDecl,
    Unknown,
    WorkflowDecl,
)
from thena_contract.judge import judge
from thena_contract.vocabulary import HOOKS, RequestKind

AGENT = Anchor(Ref("app", "Writer"))
TOOL = Anchor(Ref("app", "Read"))
FLOW = Anchor(Ref("app", "Flow"))


def params(
    *asked: RequestKind | None, is_marked: bool = True, stray: StrayMarker | None = None
) -> tuple[ParamDecl, ...]:
    """Parameters `p0`, `p1` and so on that ask for these."""
    return tuple(
        ParamDecl(
            name=f"p{index}",
            index=index,
            kind=ParamKind.POSITIONAL_OR_KEYWORD,
            has_default=False,
            requests=() if kind is None else (Request(kind, is_marked=is_marked),),
            anchor=AGENT.at("method", "m", f"p{index}"),
            stray=None,
        )
        for index, kind in enumerate(asked)
    )


def method(name: str, called: Signature | Thing | Unknown | None = None) -> MethodDecl:
    """A method, by itself one that takes nothing."""
    signature = Signature(subject=f"Writer.{name}", is_generator=False) if called is None else called
    return MethodDecl(name=name, called=signature, anchor=AGENT.at("method", name))


def agent(*methods: MethodDecl, constructor: Signature | Unknown = UNKNOWN, **fields: object) -> AgentDecl:
    """An agent with these methods."""
    return AgentDecl(
        ref=AGENT.declaration,
        prompt=UNKNOWN,
        tools=(),
        constructor=constructor,
        methods=methods,
        **fields,  # type: ignore[arg-type]
    )


def told(*agents: AgentDecl, tools: tuple[ToolDecl, ...] = (), workflow: WorkflowDecl | None = None) -> list[str]:
    """What is found, by its code and text."""
    found = judge([Assembly(workflow=workflow, agents=agents, tools=tools)])
    return [f"{one.fault.code} {one.fault.message}" for one in found]


@pytest.mark.parametrize(
    "name",
    [
        *("before_promt", "beforePrompt", "befor_prompt", "before_propmt", "beforeprompt", "before_tol", "beforeTool"),
        *("aftertool", "after_tooll", "afterTool", "after_reponse", "afterResponse", "onerror", "on_eror", "onError"),
    ],
)
def test_a_name_almost_like_a_hook_is_told(name: str) -> None:
    """One letter more, less or other, two swapped, and camelCase."""
    (text,) = told(agent(method(name)))

    assert text.startswith(f"THN503 `Writer.{name}` is never called by Thena, but looks like the hook `")


@pytest.mark.parametrize(
    "name",
    [
        *("on_errors", "before_tools", "after_tools", "after_responses", "_on_error", "on_error_", "before_prompt2"),
        *("no_error", "in_error", "after", "on", "before", "respond", "after_turn", "on_start", "before_all", "runs"),
        *("is_error", "tool", "prompt", "before_call", "after_call", "on_event", "BEFORE_PROMPT", "after_loop"),
    ],
)
def test_names_of_ones_own_are_no_misspelt_hooks(name: str) -> None:
    """Plurals, numbers, private names and words of their own."""
    assert [] == told(agent(method(name)))


@pytest.mark.parametrize(
    "other", [method("before_prompt"), method("before_prompt", UNKNOWN), method("run"), method("run", UNKNOWN)]
)
def test_a_method_beside_its_hook_is_meant(other: MethodDecl) -> None:
    """Where the hook itself is there, or `run` is, the other name is no slip."""
    assert [] == list(told(agent(method("before_prompts"), method("befor_prompt"), other)))


def test_what_is_not_seen_of_a_method_is_not_judged() -> None:
    """A decorator may make anything of a method, and a base that isn't seen may bring one."""
    unseen = Signature(subject="Writer.before_tool", params=params(None), is_generator=UNKNOWN)

    assert [] == told(agent(method("befor_prompt", UNKNOWN), method("on_error", UNKNOWN), method("run", UNKNOWN)))
    assert [] == told(agent(method("before_tool", unseen)))
    assert [] == told(AgentDecl(ref=AGENT.declaration, prompt=UNKNOWN, tools=(), constructor=UNKNOWN))


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_may_leave_out_trailing_parameters(hook: str) -> None:
    """None, one or both of what it is given, in any number."""
    several = Signature(subject="Writer.hook", params=params(None, RequestKind.CONTEXT, is_marked=False))
    for taken in range(3):
        assert [] == told(agent(method(hook, Signature(subject="", params=several.params[:taken]))))


def test_each_reason_why_a_hook_can_not_be_called_is_told() -> None:
    """Too many arguments, a required keyword, or no method at all; a `run` that isn't called may be anything."""
    keyword = ParamDecl(
        name="limit",
        index=0,
        kind=ParamKind.KEYWORD_ONLY,
        has_default=False,
        requests=(),
        anchor=AGENT.at("method", "m", "limit"),
    )
    called: list[tuple[str, Signature | Thing]] = [
        ("before_tool", Signature(subject="", params=params(None, None, None))),
        ("on_error", Signature(subject="", params=(keyword,))),
        ("after_response", Thing(kind="value", name="str", literal="no")),
        ("run", Signature(subject="", params=params(None, None, None))),
    ]

    def text(subject: str, fact: str, given: str) -> str:
        return (
            f"THN501 `Writer.{subject}` {fact}, but it is called with `({given})`. "
            f"Make it a method of `(self, {given})`, which may leave out the last ones."
        )

    assert [
        text("after_response", "is a value of type `str`", "response, ctx"),
        text("before_tool", "needs 3 arguments", "call, ctx"),
        text("on_error", "has a required keyword-only parameter `limit`", "error, ctx"),
        text("run", "needs 3 arguments", "input, ctx"),
    ] == [text for text in told(agent(*(method(name, what) for name, what in called))) if "THN501" in text]
    assert [] == told(agent(method("run", Thing(kind="value", name="int", literal=3)), method("on_error")))


def test_a_hook_beside_run_is_told_to_be_idle() -> None:
    """THN502 names each hook, with where the agent owns its step."""
    owner = agent(method("run"), method("before_tool"))
    (found,) = judge([Assembly(agents=(owner,))])

    assert (
        "`Writer.before_tool` is never called, because `Writer` defines `run` and so owns its step. "
        "Take the hook away and do its work in `run`, or take `run` away." == found.fault.message
    )
    assert [("`Writer` owns its step here", AGENT.at("method", "run"))] == [
        (one.message, one.anchor) for one in found.related
    ]


@pytest.mark.parametrize("is_mentioned", [True, UNKNOWN])
def test_what_the_class_may_call_itself_is_not_idle(is_mentioned: bool | Unknown) -> None:
    """Nothing is said of a hook beside `run`, or of one misspelt, that other methods of the class speak of."""
    hook = replace(method("before_tool"), is_mentioned=is_mentioned)
    misspelt = replace(method("before_promt"), is_mentioned=is_mentioned)

    assert [] == told(agent(method("run"), hook))
    assert [] == told(agent(misspelt))


def test_run_may_not_take_the_context_first_either() -> None:
    """It is given the input."""
    first = Signature(subject="", params=params(RequestKind.CONTEXT, is_marked=False))

    assert [
        (
            "THN504 `Writer.run` parameter 0 `p0` is annotated `Context`, but receives the input. "
            "Take the context last: `run(self, input, ctx)`."
        )
    ] == told(agent(method("run", first)))


def test_a_generator_as_until_or_callback_is_told() -> None:
    """By its position in the steps."""
    generator = Signature(subject="until", is_generator=True)
    loop = LoopStep(
        steps=(),
        until=generator,
        anchor=FLOW.at("option", "steps", 0),
        on_exhausted=None,
        on_fail=generator,
    )
    workflow = WorkflowDecl(ref=FLOW.declaration, state=None, steps=(loop,))

    told_of = [text for text in told(workflow=workflow) if text.startswith("THN505")]
    fact = "is a generator, because it has a `yield`, so nothing in it ever runs. Give the answer with `return`"
    assert [
        f"THN505 `steps[0].on_fail` {fact} instead of `yield`.",
        f"THN505 `steps[0].until` {fact} instead of `yield`.",
    ] == told_of


@pytest.mark.parametrize(
    ("kind", "is_marked", "texts"),
    [
        (RequestKind.STATE, True, ["asks for the state, but only your own code calls this method"]),
        (RequestKind.MEMORY, True, ["asks for a memory, but only your own code calls this method"]),
        (RequestKind.MEMORY, False, []),
        (RequestKind.CONTEXT, True, []),
        (RequestKind.CONTEXT, False, []),
        (RequestKind.RUNTIME, False, []),
        (None, False, []),
    ],
)
def test_a_marker_on_a_method_of_ones_own(kind: RequestKind | None, is_marked: bool, texts: list[str]) -> None:
    """What needs no marker is the type of a parameter like any other; a marker promises what never comes."""
    helper = Signature(subject="Writer.help", params=params(kind, is_marked=is_marked))

    hint = "Put it on a parameter of `Writer.__init__`, and hand on what it is given."
    expected = [f"THN206 `Writer.help` parameter 0 `p0` {text}. {hint}" for text in texts]
    assert expected == told(agent(method("help", helper)))


def test_fields_that_nothing_fills() -> None:
    """A field is told of where no parameter of the constructor asks for the same, and the constructor is seen."""
    field = FieldDecl(name="s", requests=(Request(RequestKind.STATE),), anchor=AGENT.at("field", "s"))
    memory = FieldDecl(
        name="m", requests=(Request(RequestKind.MEMORY, is_marked=False),), anchor=AGENT.at("field", "m")
    )
    takes_nothing = Signature(subject="Writer.__init__")
    takes_state = Signature(subject="Writer.__init__", params=params(RequestKind.STATE))
    takes_unknown = Signature(
        subject="Writer.__init__",
        params=(
            ParamDecl(
                name="x",
                index=0,
                kind=ParamKind.POSITIONAL_OR_KEYWORD,
                has_default=True,
                requests=UNKNOWN,
                anchor=AGENT.at("method", "__init__", "x"),
            ),
        ),
    )

    assert [
        (
            "THN206 `Writer` field `s` asks for the state, but the constructor doesn't take it. "
            "Put it on a parameter of `Writer.__init__`, or on a field that a dataclass takes."
        )
    ] == told(agent(constructor=takes_nothing, fields=(field, memory)))
    for constructor in (takes_state, takes_unknown, UNKNOWN):
        assert [] == told(agent(constructor=constructor, fields=(field,)))


def test_what_a_tool_is_given_where() -> None:
    """The state in `execute`, the runtime in the constructor, and nothing in a method of its own."""
    tool = ToolDecl(
        ref=TOOL.declaration,
        constructor=Signature(subject="Read.__init__", params=params(RequestKind.MEMORY, is_marked=False)),
        execute=Signature(
            subject="Read.execute", params=params(RequestKind.RUNTIME, is_marked=False), is_generator=False
        ),
        methods=(method("execute"), method("help", Signature(subject="Read.help", params=params(RequestKind.STATE)))),
        fields=(),
    )

    assert {
        (
            "THN206 `Read.__init__` parameter 0 `p0` asks for a memory, which a tool is given in `execute`. "
            "Put it on a parameter of `Read.execute`."
        ),
        (
            "THN206 `Read.execute` parameter 0 `p0` asks for the workflow runtime, which a tool is given in its "
            "constructor. Put it on a parameter of the constructor of a `@Tool`."
        ),
        (
            "THN206 `Read.help` parameter 0 `p0` asks for the state, but only your own code calls this method. "
            "Put it on a parameter of `Read.execute`, and hand on what it is given."
        ),
    } == {text for text in told(tools=(tool,)) if text.startswith("THN206")}


def test_arguments_are_judged_only_where_the_model_is_told_of_them() -> None:
    """Not where `schema=` tells, where that isn't seen, or where a marker asks for nothing. Codes THN401 to THN403."""
    untyped = ParamDecl(
        name="p",
        index=0,
        kind=ParamKind.POSITIONAL_OR_KEYWORD,
        has_default=False,
        requests=(),
        anchor=TOOL.at("method", "execute", "p"),
        annotation=None,
        stray=None,
    )

    def found(has_own_schema: bool | Unknown, stray: StrayMarker | None = None) -> list[str]:
        one = ParamDecl(**{name: getattr(untyped, name) for name in untyped.__slots__} | {"stray": stray})  # type: ignore[arg-type]
        execute = Signature(subject="Read.execute", params=(one,), is_generator=False)
        tool = ToolDecl(
            ref=TOOL.declaration, constructor=UNKNOWN, execute=execute, has_own_schema=has_own_schema, methods=()
        )
        return [text[:6] for text in told(tools=(tool,))]

    assert ["THN402"] == found(has_own_schema=False)
    assert [] == found(has_own_schema=True)
    assert [] == found(has_own_schema=UNKNOWN)
    assert ["THN206"] == found(has_own_schema=False, stray=StrayMarker(kind=RequestKind.STATE, where="default"))


@pytest.mark.parametrize(
    ("default", "such"),
    [
        (None, "such as `p0: str`"),
        ("int", "such as `p0: int`"),
        ("NoneType", "such as `p0: str | None`"),
        ("list", "such as `p0: list[str]`"),
        (UNKNOWN, "that of its default"),
    ],
)
def test_the_type_to_write_is_that_of_the_default(default: str | Unknown | None, such: str) -> None:
    """THN402 never proposes a type that the default isn't of."""
    (param,) = params(None)
    untyped = replace(param, annotation=None, has_default=default is not None, default=default)
    execute = Signature(subject="Read.execute", params=(untyped,), is_generator=False)
    tool = ToolDecl(
        ref=TOOL.declaration, constructor=UNKNOWN, execute=execute, has_own_schema=False, methods=(), fields=()
    )

    fact = "THN402 `Read.execute` parameter 0 `p0` has no annotation, so the model isn't told what to send."
    assert [f"{fact} Add its type, {such}."] == told(tools=(tool,))


def test_a_tool_without_execute_is_at_fault_for_that_alone() -> None:
    """What another of its methods asks for was meant for `execute`, so THN206 keeps out of it."""
    tool = ToolDecl(
        ref=TOOL.declaration,
        constructor=UNKNOWN,
        execute=None,
        methods=(method("run", Signature(subject="Read.run", params=params(RequestKind.STATE))),),
        fields=(),
    )

    assert ["THN103"] == [text[:6] for text in told(tools=(tool,))]


def test_a_generator_is_told_where_it_is_defined() -> None:
    """THN405 stands at the base that has `execute`, and at a function itself; codes THN401 to THN404 have pages."""
    generator = Signature(subject="Read.execute", is_generator=True)
    base = MethodDecl(name="execute", called=generator, anchor=Anchor(Ref("app", "Base")).at("method", "execute"))

    def anchors(methods: tuple[MethodDecl, ...] | Unknown) -> list[Anchor]:
        tool = ToolDecl(ref=TOOL.declaration, constructor=UNKNOWN, execute=generator, methods=methods)
        return [one.anchor for one in judge([Assembly(tools=(tool,))]) if one.fault.code == "THN405"]

    assert [base.anchor] == anchors((base,))
    assert [TOOL] == anchors(())
    assert [] == anchors(UNKNOWN)
