"""The contract on its own: anchors, texts, and a verdict that depends on nothing but the declarations."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_contract.anchor import Anchor, Ref
from thena_contract.assembly import Assembly
from thena_contract.catalogue import FAULTS
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    AgentStep,
    LoopStep,
    NestedStep,
    OtherStep,
    ParallelStep,
    ParamDecl,
    ParamKind,
    PromptFile,
    PromptText,
    Request,
    Signature,
    StateDecl,
    StepDecl,
    Thing,
    ToolDecl,
    ToolEntry,
    Unknown,
    UnknownStep,
    WorkflowDecl,
)
from thena_contract.judge import judge
from thena_contract.vocabulary import RequestKind

FLOW = Ref("app.flow", "Flow")
REVIEWER = Ref("app.agents", "Reviewer")
READ = Ref("app.tools", "Read")


def param(name: str, index: int, owner: Anchor, *, default: bool = False, asks: RequestKind | None = None) -> ParamDecl:
    """A parameter that can be given by position."""
    return ParamDecl(
        name=name,
        index=index,
        kind=ParamKind.POSITIONAL_OR_KEYWORD,
        has_default=default,
        requests=() if asks is None else (Request(asks),),
        anchor=owner.at(name),
    )


def agent(*, prompt: PromptFile | PromptText | Unknown | None = None, asks: RequestKind | None = None) -> AgentDecl:
    """An agent with one tool; its constructor and the tool's `execute` may ask for something."""
    init, execute = Anchor(REVIEWER, ("method", "__init__")), Anchor(READ, ("method", "execute"))
    tool = ToolDecl(
        ref=READ,
        constructor=Signature(subject="Read.__init__"),
        execute=Signature(
            subject="Read.execute", params=(param("path", 0, execute), param("s", 1, execute, asks=asks))
        ),
    )
    return AgentDecl(
        ref=REVIEWER,
        prompt=prompt or PromptText(),
        tools=(ToolEntry(tool=tool, anchor=Anchor(REVIEWER, ("option", "tools", 0))),),
        constructor=Signature(subject="Reviewer.__init__", params=(param("s", 0, init, asks=asks),)),
    )


def step_at(*path: str | int) -> Anchor:
    """The anchor of a step of the workflow."""
    return Anchor(FLOW, ("option", "steps", *path))


def workflow(*steps: StepDecl, state: StateDecl | Unknown | None = None) -> Assembly:
    """A workflow of these steps."""
    return Assembly(workflow=WorkflowDecl(ref=FLOW, state=state, steps=steps))


def texts(assembly: Assembly) -> list[str]:
    """What would be shown."""
    return [finding.fault.render() for finding in judge([assembly])]


def test_an_anchor_reads_like_the_code_it_names() -> None:
    """A label has brackets for positions and dots for keywords."""
    assert step_at(1, "steps", 0, "until").label == "steps[1].steps[0].until"
    assert Anchor(READ, ("method", "execute", "s")).label == "execute.s"
    assert Anchor(READ).label == ""


def test_the_state_is_asked_for_and_not_declared() -> None:
    """Both the constructor and the tool are told, with the whole text."""
    assembly = workflow(AgentStep(agent=agent(asks=RequestKind.STATE), anchor=step_at(0)))

    assert texts(assembly) == [
        (
            "[thena] THN201 `Reviewer.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares none. "
            "Add `state=YourState` to `@Workflow` on `Flow`."
        ),
        (
            "[thena] THN201 `Read.execute` parameter 1 `s` asks for the state, but workflow `Flow` declares none. "
            "Add `state=YourState` to `@Workflow` on `Flow`."
        ),
    ]


def test_a_finding_carries_the_chain_from_the_parameter_to_the_workflow() -> None:
    """For a tool: its entry in the agent, the agent's step, the workflow."""
    assembly = workflow(AgentStep(agent=agent(asks=RequestKind.STATE), anchor=step_at(0)))

    chains = {finding.fault.message.split()[0]: finding.related for finding in judge([assembly])}

    assert [(link.message, link.anchor) for link in chains["`Read.execute`"]] == [
        ("tool `Read` is used by `Reviewer` here", Anchor(REVIEWER, ("option", "tools", 0))),
        ("agent `Reviewer` is a step here", step_at(0)),
        ("workflow `Flow` is declared here", Anchor(FLOW)),
    ]


@pytest.mark.parametrize("state", [Ref("app.state", "Draft"), UNKNOWN], ids=["declared", "unknown"])
def test_a_declared_or_unknown_state_is_no_fault(state: Ref | Unknown) -> None:
    """Neither the parameters nor `until` are reported where a state is, or may be, declared."""
    two = Signature(subject="until", params=(param("ctx", 0, step_at(0, "until")), param("s", 1, step_at(0, "until"))))
    inner = AgentStep(agent=agent(asks=RequestKind.STATE), anchor=step_at(0, "steps", 0))
    assembly = workflow(LoopStep(steps=(inner,), until=two, anchor=step_at(0)), state=state)

    assert texts(assembly) == []


def test_a_request_with_a_default_is_optional() -> None:
    """`s: State[Draft] | None = None` is no fault."""
    asking = agent(asks=RequestKind.STATE)
    assert isinstance(asking.constructor, Signature)
    optional = replace(
        asking.constructor, params=tuple(replace(each, has_default=True) for each in asking.constructor.params)
    )
    step = AgentStep(agent=replace(asking, constructor=optional, tools=()), anchor=step_at(0))

    assert texts(workflow(step)) == []


def test_the_context_in_a_constructor_needs_no_workflow_to_be_wrong() -> None:
    """It is reported once, for an agent in two workflows and for one in none."""
    asking = replace(agent(asks=RequestKind.CONTEXT), tools=())
    used = workflow(AgentStep(agent=asking, anchor=step_at(0)))
    lone = Assembly(agents=(asking,))

    assert len(judge([used, lone])) == 1
    assert texts(lone) == [
        (
            "[thena] THN202 `Reviewer.__init__` parameter 0 `s` asks for the context, which doesn't exist yet when the "
            "object is made. Take the context in a tool's `execute`, or as the last parameter of a hook."
        )
    ]


@pytest.mark.parametrize("exists", [True, UNKNOWN], ids=["there", "unknown"])
def test_a_prompt_that_is_or_may_be_there_is_no_fault(exists: bool | Unknown) -> None:
    """Only a file that is certainly missing is reported."""
    assert texts(Assembly(agents=(agent(prompt=PromptFile(literal="./x.md", exists=exists)),))) == []


def test_a_missing_prompt_is_shown_as_written_on_one_short_line() -> None:
    """Inline text that was taken for a path is cut, whatever its length and its lines."""
    long = PromptFile(literal="You are a reviewer.\nYou review " + "code " * 40, exists=False)

    assert texts(Assembly(agents=(agent(prompt=long),))) == [
        (
            '[thena] THN105 `Reviewer` has `prompt="You are a reviewer. You review code code code code code cod…"`, '
            "and there is no such file beside the agent's own. "
            'Create the file, or write the text itself as `prompt=Prompt("...")`.'
        )
    ]


def test_a_long_path_keeps_its_end() -> None:
    """The file's own name is what a reader looks for."""
    path = PromptFile(literal="/" + "folder/" * 12 + "reviewer.agent.md", exists=False)

    assert [text.split("`")[3] for text in texts(Assembly(agents=(agent(prompt=path),)))] == [
        f'prompt="…{("folder/" * 12 + "reviewer.agent.md")[-59:]}"'
    ]


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("class", "the undecorated class `Thing`"),
        ("tool", "the tool `Thing`"),
        ("instance", "an instance of `Thing`"),
        ("function", "the function `Thing`"),
        ("value", "a value of type `Thing`"),
    ],
)
def test_what_is_no_step_is_named(kind: str, what: str) -> None:
    """The text says what stands there and where."""
    step = OtherStep(thing=Thing(kind=kind, name="Thing"), anchor=step_at(0, "steps", 2))  # type: ignore[arg-type]

    assert texts(workflow(ParallelStep(steps=(step,), anchor=step_at(0)))) == [
        (
            f"[thena] THN101 `Flow` has {what} as `steps[0].steps[2]`, which is no step. "
            "Put an `@Agent` or `@Workflow` class, a `loop` or a `parallel` there."
        )
    ]


def until(*kinds: tuple[ParamKind, bool]) -> Signature:
    """An `until` with parameters of these kinds, each with or without a default."""
    anchor = step_at(0, "until")
    return Signature(
        subject="until",
        params=tuple(
            ParamDecl(name=f"p{index}", index=index, kind=kind, has_default=default, requests=(), anchor=anchor)
            for index, (kind, default) in enumerate(kinds)
        ),
    )


ONE = (ParamKind.POSITIONAL_OR_KEYWORD, False)
ONLY = (ParamKind.POSITIONAL_ONLY, False)
DEFAULT = (ParamKind.POSITIONAL_OR_KEYWORD, True)
STAR = (ParamKind.VAR_POSITIONAL, False)
KEYWORD = (ParamKind.KEYWORD_ONLY, False)


@pytest.mark.parametrize(
    ("signature", "codes"),
    [
        (until(ONE), []),
        (until(ONE, DEFAULT), []),
        (until(ONE, STAR), []),
        (until(STAR), []),
        (until(DEFAULT), []),
        (until(ONE, ONE), ["THN301"]),
        (until(ONLY, ONLY), ["THN301"]),
        (until(ONE, ONE, DEFAULT), ["THN301"]),
        (until(), ["THN302"]),
        (until(ONE, ONE, ONE), ["THN302"]),
        (until(ONE, KEYWORD), ["THN302"]),
        (until(ONE, ONE, KEYWORD), ["THN302"]),
        (None, []),
        (UNKNOWN, []),
    ],
)
def test_until_is_judged_by_what_it_requires(signature: Signature | Unknown | None, codes: list[str]) -> None:
    """Only a required second parameter asks for the state; what can't be called is told apart."""
    assembly = workflow(LoopStep(steps=(), until=signature, anchor=step_at(0)))

    assert [finding.fault.code for finding in judge([assembly])] == codes


def test_what_is_unknown_is_silent() -> None:
    """Unknown steps, tools, constructors and nested workflows give no finding."""
    blind = AgentDecl(ref=REVIEWER, prompt=UNKNOWN, tools=UNKNOWN, constructor=UNKNOWN)
    unseen = replace(agent(), tools=(ToolEntry(tool=UNKNOWN, anchor=Anchor(REVIEWER, ("option", "tools", 0))),))
    steps = (
        AgentStep(agent=blind, anchor=step_at(0)),
        AgentStep(agent=unseen, anchor=step_at(1)),
        UnknownStep(anchor=step_at(2)),
        NestedStep(workflow=Ref("app.other", "Other"), anchor=step_at(3)),
    )

    assert texts(workflow(*steps)) == []


def test_unknown_has_no_truth() -> None:
    """`if UNKNOWN` is a programming error, never a silent yes or no."""
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(UNKNOWN)


@given(st.permutations(range(4)))
def test_the_order_of_assemblies_changes_nothing(order: list[int]) -> None:
    """The verdict is a function of the set of assemblies."""
    asking = agent(asks=RequestKind.STATE, prompt=PromptFile(literal="./x.md", exists=False))
    assemblies = [
        workflow(AgentStep(agent=asking, anchor=step_at(0))),
        workflow(OtherStep(thing=Thing(kind="class", name="A"), anchor=step_at(0))),
        workflow(LoopStep(steps=(), until=until(), anchor=step_at(1))),
        Assembly(agents=(asking,)),
    ]

    assert judge([assemblies[index] for index in order]) == judge(assemblies)


def test_every_fault_that_a_rule_finds_is_named_in_these_tests() -> None:
    """The tests of this folder name each code of a rule at least once."""
    texts = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    of_rules = [code for code, fault in FAULTS.items() if fault.__module__.startswith("thena_contract.rules.")]

    assert [] == [code for code in of_rules if code not in texts]
