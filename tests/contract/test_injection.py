"""The faults of injection: what each text says, and what is no fault or can't be told."""

from dataclasses import replace

import pytest

from thena_contract.anchor import Anchor, Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    AgentStep,
    AnnotationDecl,
    AppDecl,
    ClassDecl,
    MethodDecl,
    ParamDecl,
    ParamKind,
    PromptText,
    Request,
    Shape,
    Signature,
    StateDecl,
    StrayMarker,
    ToolDecl,
    ToolEntry,
    Unknown,
    WorkflowDecl,
)
from thena_contract.judge import judge
from thena_contract.memories import by_position
from thena_contract.vocabulary import RequestKind

FLOW = Ref("flow", "Flow")
DRAFT, TICKET = Ref("states", "Draft"), Ref("states", "Ticket")
SHELF, ATTIC = Ref("stores", "Shelf"), Ref("stores", "Attic")
BARE = (Request(RequestKind.MEMORY, is_marked=False),)
PLAIN = AnnotationDecl(of=Ref("builtins", "str"), missing=())
MISSING = AnnotationDecl(missing=("Draft",))


def param(
    name: str,
    *requests: Request,
    annotation: AnnotationDecl | Unknown | None = PLAIN,
    has_default: bool = False,
    kind: ParamKind = ParamKind.POSITIONAL_OR_KEYWORD,
    asks: tuple[Request, ...] | Unknown = (),
    stray: StrayMarker | None = None,
) -> ParamDecl:
    """A parameter, whose index is set where it is put."""
    return ParamDecl(
        name=name,
        index=0,
        kind=kind,
        has_default=has_default,
        requests=requests or asks,
        anchor=Anchor(FLOW),
        annotation=annotation,
        stray=stray,
    )


def signature(subject: str, *params: ParamDecl) -> Signature:
    """A callable of `A` or `T`, or a constructor."""
    owner, _, method = subject.partition(".")
    anchor = Anchor(Ref("m", owner), ("method", method))
    return Signature(
        subject=subject,
        params=tuple(replace(one, index=i, anchor=anchor.at(one.name)) for i, one in enumerate(params)),
    )


def workflow(
    constructor: tuple[ParamDecl, ...] = (),
    execute: tuple[ParamDecl, ...] = (),
    *,
    tool_constructor: tuple[ParamDecl, ...] = (),
    state: StateDecl | None = None,
    app: AppDecl | Unknown = UNKNOWN,
    new: Signature | Unknown | None = None,
    hooks: tuple[MethodDecl, ...] = (),
    has_own_schema: bool | Unknown = UNKNOWN,
) -> Assembly:
    """A workflow of one agent with one tool."""
    tool = ToolDecl(
        ref=Ref("m", "T"),
        constructor=signature("T.__init__", *tool_constructor),
        execute=signature("T.execute", *execute),
        has_own_schema=has_own_schema,
        shape=Shape(),
    )
    agent = AgentDecl(
        ref=Ref("m", "A"),
        prompt=PromptText(),
        tools=(ToolEntry(tool=tool, anchor=Anchor(Ref("m", "A"), ("option", "tools", 0))),),
        constructor=signature("A.__init__", *constructor),
        shape=Shape(new=new),
        methods=hooks,
    )
    step = AgentStep(agent=agent, anchor=Anchor(FLOW, ("option", "steps", 0)))
    return Assembly(workflow=WorkflowDecl(ref=FLOW, state=state, steps=(step,)), app=app)


def texts(assembly: Assembly) -> list[str]:
    """What is told."""
    return [f"{one.fault.code} {one.fault.message}" for one in judge([assembly])]


def codes(assembly: Assembly) -> list[str]:
    """The codes of what is told."""
    return [one.fault.code for one in judge([assembly])]


def stores(*refs: Ref | Unknown) -> AppDecl:
    """An app with stores of these classes."""
    return AppDecl(
        stores=tuple(UNKNOWN if isinstance(ref, Unknown) else ClassDecl(ref=ref, bases=()) for ref in refs), data=None
    )


def asking(kind: RequestKind, of: Ref | Unknown | None = None) -> Request:
    """A marker."""
    return Request(kind, of)


# -- memories


def test_a_memory_over_a_store_that_is_not_there() -> None:
    """The finding leads from the parameter to the app; with a default, an unseen store or a base nothing is told."""
    named = param("m", asking(RequestKind.MEMORY, SHELF))
    derived = AppDecl(stores=(ClassDecl(ref=ATTIC, bases=(SHELF,)),))
    found = judge([workflow((named,), app=stores(ATTIC))])

    assert texts(workflow((named,), app=stores(ATTIC))) == [
        (
            "THN204 `A.__init__` parameter 0 `m` asks for the memory over `Shelf`, and the app of workflow `Flow` "
            "doesn't register that store. Add it: `ThenaConfig(memory=[Shelf])`."
        )
    ]
    assert [link.message for link in found[0].related] == [
        "agent `A` is a step here",
        "workflow `Flow` is declared here",
        "the app of `Flow` is made here",
    ]
    assert ["THN204"] == codes(workflow(execute=(named,), app=stores()))
    assert [] == codes(workflow((replace(named, has_default=True),), app=stores(ATTIC)))
    assert [] == codes(workflow((named,), app=stores(ATTIC, UNKNOWN)))
    assert [] == codes(workflow((named,), app=derived))
    assert [] == codes(workflow((named,), app=AppDecl(stores=(ClassDecl(ref=ATTIC),))))
    assert [] == codes(workflow((named,)))
    assert [] == codes(workflow((param("m", asking(RequestKind.MEMORY, UNKNOWN)),), app=stores()))


def test_a_memory_where_no_store_is() -> None:
    """Marked or not, in a constructor or an `execute`."""
    bare = param("m", *BARE)

    assert texts(workflow((bare,), app=stores())) == [
        (
            "THN205 `A.__init__` parameter 0 `m` asks for a memory, and the app of workflow `Flow` registers no store. "
            "Add one: `ThenaConfig(memory=[YourStore])`."
        )
    ]
    assert ["THN205"] == codes(workflow((param("m", asking(RequestKind.MEMORY)),), app=stores()))
    assert ["THN205"] == codes(workflow(execute=(bare,), app=stores()))
    assert [] == codes(workflow((replace(bare, has_default=True),), app=stores()))
    assert [] == codes(workflow((bare,), app=AppDecl()))


def test_more_memories_by_position_than_stores() -> None:
    """The number counts from 1; a marked one doesn't count, and one with a default is optional."""
    a, b = param("a", *BARE), param("b", *BARE)
    marked = param("m", asking(RequestKind.MEMORY))

    assert texts(workflow((a, b), app=stores(SHELF))) == [
        (
            "THN210 `A.__init__` parameter 1 `b` is memory number 2 by position, and the app of workflow `Flow` "
            "registers one store. Add a store to `ThenaConfig(memory=[...])`, or name the one that is meant: "
            "`b: Annotated[VectorMemory, memory(YourStore)]`."
        )
    ]
    assert [] == codes(workflow((a, b), app=stores(SHELF, ATTIC)))
    assert [] == codes(workflow((a, marked), app=stores(SHELF)))
    assert [] == codes(workflow((a, replace(b, has_default=True)), app=stores(SHELF)))
    assert [] == codes(workflow((param("x", asks=UNKNOWN, annotation=UNKNOWN), a, b), app=stores(SHELF)))


def test_parameters_without_annotation_are_memories_where_nothing_is_marked() -> None:
    """They are counted with the others if there is a store; else, or beside a marker, nothing fills them."""
    a, b = param("a", annotation=None), param("b", annotation=None)
    marked = param("s", asking(RequestKind.STATE, DRAFT))
    optional = param("c", annotation=None, has_default=True)

    assert {"a": 0, "b": 1, "m": 2} == by_position(signature("A.__init__", a, optional, b, param("m", *BARE)), 1)
    assert {"m": 0} == by_position(signature("A.__init__", a, param("m", *BARE)), 0)
    assert {"m": 0} == by_position(signature("A.__init__", a, marked, param("m", *BARE)), 2)
    assert ["THN210"] == codes(workflow((a, b), app=stores(SHELF)))
    assert ["THN208", "THN208"] == codes(workflow((a, b), app=stores()))
    assert ["THN208"] == codes(workflow((a, marked), state=StateDecl(ref=DRAFT), app=stores(SHELF)))
    assert [] == codes(workflow((a, b)))


# -- constructors


def test_what_nothing_fills() -> None:
    """The repair is another for an agent than for a tool, which may be given as an object."""
    plain = param("name")

    assert texts(workflow((plain,), tool_constructor=(plain,))) == [
        (
            "THN208 `A.__init__` parameter 0 `name` is required, and nothing fills it. "
            "Give it a default, or ask for what there is, as in `name: State[...]`."
        ),
        (
            "THN208 `T.__init__` parameter 0 `name` is required, and nothing fills it. "
            "Give it a default, or give the agent an object that is made: `tools=[T(...)]`."
        ),
    ]
    assert ["THN208"] == codes(workflow(tool_constructor=(param("name", annotation=None),), app=stores(SHELF)))
    assert [] == codes(workflow((replace(plain, has_default=True),)))
    assert [] == codes(workflow((replace(plain, kind=ParamKind.VAR_KEYWORD),)))
    assert [] == codes(workflow((replace(plain, annotation=UNKNOWN),)))
    assert [] == codes(workflow((replace(plain, annotation=AnnotationDecl()),)))
    assert "THN208" not in codes(workflow((replace(plain, stray=StrayMarker(kind=RequestKind.STATE, where="inside")),)))


def test_the_workflow_runtime_is_for_tools() -> None:
    """An agent that requires it can't be made; a tool can."""
    runtime = param("r", Request(RequestKind.RUNTIME, is_marked=False))

    assert texts(workflow((runtime,), tool_constructor=(runtime,))) == [
        (
            "THN208 `A.__init__` parameter 0 `r` asks for the workflow runtime, which only a tool is given. "
            "Give it a default, or start the workflow in a tool."
        )
    ]
    assert [] == codes(workflow((replace(runtime, has_default=True),)))


def test_what_new_needs() -> None:
    """What the constructor is given too, or needs as well, is told once; nothing is where a metaclass decides."""
    new = signature("A.__new__", param("name"))

    assert texts(workflow(new=new)) == [
        "THN208 `A.__new__` parameter 0 `name` is required, and nothing fills it. Give it a default, or take it out."
    ]
    assert ["THN208"] == codes(workflow((param("name", has_default=True),), new=new))
    assert ["`A.__init__` parameter 0"] == [
        one.fault.message[:24] for one in judge([workflow((param("name"),), new=new)])
    ]
    assert [] == codes(workflow((param("name"),), new=UNKNOWN))
    assert [] == codes(
        workflow((param("name", asking(RequestKind.STATE, DRAFT)),), new=new, state=StateDecl(ref=DRAFT))
    )


def test_the_input_at_construction() -> None:
    """A default doesn't help."""
    given = param("args", asking(RequestKind.INPUT), has_default=True)

    assert texts(workflow((given,))) == [
        (
            "THN203 `A.__init__` parameter 0 `args` asks for the input of a tool call, and when the object is made "
            "there is no call. Take `Input[...]` in a tool's `execute`."
        )
    ]
    assert ["THN203"] == codes(workflow(tool_constructor=(given,)))


# -- arguments


def test_the_input_beside_arguments() -> None:
    """The first argument beside it is named, whether or not it comes before; markers are no arguments."""
    whole = param("args", asking(RequestKind.INPUT))
    state = StateDecl(ref=DRAFT)

    assert texts(workflow(execute=(param("path"), whole, param("more")))) == [
        (
            "THN207 `T.execute` takes the whole input as `args`, and parameter 0 `path` beside it would be filled "
            "from the same arguments. Move `path` into the model of `args`, or take every argument by itself."
        )
    ]
    assert ["THN207"] == codes(workflow(execute=(whole, param("other", asking(RequestKind.INPUT)))))
    assert [] == codes(workflow(execute=(whole, param("s", asking(RequestKind.STATE, DRAFT))), state=state))
    assert "THN207" not in codes(workflow(execute=(whole, param("x", asks=UNKNOWN))))


@pytest.mark.parametrize("kind", [ParamKind.VAR_POSITIONAL, ParamKind.VAR_KEYWORD])
def test_stars_that_ask(kind: ParamKind) -> None:
    """Whatever it is that they ask for, with the stars as they are written."""
    star = "*" if kind is ParamKind.VAR_POSITIONAL else "**"
    asks = param("all", *BARE, kind=kind)

    assert texts(workflow(tool_constructor=(replace(asks, requests=(asking(RequestKind.RUNTIME),)),))) == [
        (
            f"THN212 `T.__init__` parameter 0 `{star}all` asks for the workflow runtime, but takes any number of "
            "arguments. Ask in a parameter of its own, without a star."
        )
    ]
    assert ["THN212"] == codes(workflow((asks,)))
    assert "THN212" in codes(workflow(execute=(asks,)))


def test_what_has_a_star_is_never_required() -> None:
    """`*all: State[S]` is told once, as THN212: neither THN201 nor THN205 says that something is lacking beside it."""
    for kind in (RequestKind.STATE, RequestKind.MEMORY):
        asks = replace(param("all", asking(kind)), kind=ParamKind.VAR_POSITIONAL)
        assert ["THN212"] == codes(workflow((asks,), app=AppDecl()))


def test_two_markers_on_one_parameter() -> None:
    """Two kinds, or two stores; both are named."""
    both = param("p", asking(RequestKind.STATE, UNKNOWN), asking(RequestKind.INPUT))
    memories = param("p", asking(RequestKind.MEMORY, SHELF), asking(RequestKind.MEMORY))

    assert texts(workflow(execute=(both,), state=StateDecl(ref=DRAFT))) == [
        (
            "THN213 `T.execute` parameter 0 `p` asks for the input and for the state at once. "
            "Keep the one that is meant, and take the other in a parameter of its own."
        )
    ]
    assert texts(workflow((memories,))) == [
        (
            "THN213 `A.__init__` parameter 0 `p` asks for a memory and for the memory over `Shelf` at once. "
            "Keep the one that is meant, and take the other in a parameter of its own."
        )
    ]


# -- annotations


def test_a_name_that_is_not_there() -> None:
    """Where the annotation decides something: of what must be filled, and of what the model is told."""
    hidden = param("d", asks=UNKNOWN, annotation=MISSING)
    state = StateDecl(ref=DRAFT, bases=())

    assert texts(workflow((hidden,))) == [
        (
            "THN211 `A.__init__` parameter 0 `d` is annotated with `Draft`, which can't be evaluated when the app is "
            "made. Import it at run time: at the top of the module, outside of `if TYPE_CHECKING`."
        )
    ]
    assert ["THN211"] == codes(workflow((param("d", annotation=MISSING),)))
    assert ["THN211"] == codes(workflow(execute=(replace(hidden, has_default=True),)))
    assert ["THN211"] == codes(workflow(execute=(param("d", asking(RequestKind.INPUT, UNKNOWN), annotation=MISSING),)))
    assert [] == codes(workflow((replace(hidden, has_default=True),)))
    assert [] == codes(workflow((param("d", asking(RequestKind.STATE, UNKNOWN), annotation=MISSING),), state=state))


def test_the_state_as_another_class() -> None:
    """A base is fine, and what isn't known is; two classes of one name are told apart by their modules."""
    asks = param("s", asking(RequestKind.STATE, DRAFT), has_default=True)
    other = Ref("elsewhere", "Draft")

    assert texts(workflow((asks,), state=StateDecl(ref=TICKET, bases=()))) == [
        (
            "THN209 `A.__init__` parameter 0 `s` asks for the state as `Draft`, but workflow `Flow` declares "
            "`state=Ticket`. Name the same class in both places, or a base of the declared one in `State[...]`."
        )
    ]
    assert (
        "as `states.Draft`, but workflow `Flow` declares `state=elsewhere.Draft`"
        in (texts(workflow(execute=(asks,), state=StateDecl(ref=other, bases=())))[0])
    )
    assert [] == codes(workflow((asks,), state=StateDecl(ref=TICKET, bases=(DRAFT,))))
    assert [] == codes(workflow((asks,), state=StateDecl(ref=TICKET)))
    assert [] == codes(workflow((asks,), state=StateDecl(ref=DRAFT, bases=())))
    assert [] == codes(
        workflow((param("s", asking(RequestKind.STATE, UNKNOWN)),), state=StateDecl(ref=TICKET, bases=()))
    )


def test_the_class_of_the_state_as_an_argument() -> None:
    """A warning: the same class may be meant as a model."""
    plain = param("cart", annotation=AnnotationDecl(of=DRAFT, missing=()))
    state = StateDecl(ref=DRAFT, bases=())

    assert texts(workflow(execute=(plain,), state=state)) == [
        (
            "THN214 `T.execute` parameter 0 `cart` is a `Draft`, the state of workflow `Flow`, and without a marker "
            "the model fills it in. Write `cart: State[Draft]` to be given the workflow's own object."
        )
    ]
    assert [] == codes(workflow(execute=(plain,), state=StateDecl(ref=TICKET, bases=(DRAFT,))))
    assert [] == codes(workflow(execute=(replace(plain, annotation=AnnotationDecl(missing=())),), state=state))


def test_the_class_of_the_state_that_no_model_can_be_told_of() -> None:
    """One finding with the repair: THN403 names the marker, and THN214 is for what a model could fill in."""
    plain = param("cart", annotation=AnnotationDecl(of=DRAFT, missing=(), has_schema=False))
    state = StateDecl(ref=DRAFT, bases=())
    (found,) = judge([workflow(execute=(plain,), state=state, has_own_schema=False)])

    assert (
        "THN403 `T.execute` parameter 0 `cart` is filled in by the model, which can't be told about its type: "
        "it has no JSON schema. Give it the marker of the state: `cart: State[Draft]`."
    ) == f"{found.fault.code} {found.fault.message}"
    assert ["workflow `Flow` is declared here"] == [one.message for one in found.related]
    assert ["THN214"] == codes(workflow(execute=(plain,), state=state, has_own_schema=True))
    assert ["THN403"] == codes(workflow(execute=(plain,), state=StateDecl(ref=TICKET, bases=()), has_own_schema=False))


def test_the_data_as_another_class() -> None:
    """In an `execute` and in a hook; an app that promises nothing can't be wrong."""
    asks = param("ctx", Request(RequestKind.CONTEXT, DRAFT, is_marked=False))
    app = AppDecl(stores=(), data=ClassDecl(ref=TICKET, bases=()))
    hook = MethodDecl(
        name="after_response", called=signature("A.after_response", param("response"), asks), anchor=Anchor(FLOW)
    )
    other = replace(hook, name="helper")

    assert texts(workflow(execute=(asks,), app=app)) == [
        (
            "THN215 `T.execute` parameter 0 `ctx` is a `Context[Draft]`, but the app of workflow `Flow` has "
            "`data=Ticket`. Name the same class in both places."
        )
    ]
    assert ["THN215"] == codes(workflow(app=app, hooks=(hook, other)))
    assert [] == codes(workflow(execute=(asks,), app=AppDecl(stores=(), data=None)))
    assert [] == codes(workflow(execute=(asks,), app=AppDecl(data=ClassDecl(ref=TICKET, bases=(DRAFT,)))))
    assert [] == codes(workflow(execute=(asks,)))
