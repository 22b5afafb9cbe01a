"""The contract on its own: anchors, texts, and a verdict that depends on nothing but the declarations."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thena_contract.anchor import Anchor, Ref
from thena_contract.assembly import Assembly
from thena_contract.catalogue import FAULTS
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    AgentStep,
    AnnotationDecl,
    Called,
    ClassDecl,
    Given,
    LoopStep,
    NestedStep,
    OptionDecl,
    OtherStep,
    ParallelStep,
    ParamDecl,
    ParamKind,
    PromptFile,
    PromptText,
    Request,
    Shape,
    Signature,
    StateDecl,
    StepDecl,
    Steps,
    Thing,
    ToolDecl,
    ToolEntry,
    Unknown,
    UnknownStep,
    WorkflowDecl,
    literal_of,
)
from thena_contract.fault import Severity
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


UNSEEN = UnknownStep(anchor=step_at(9))


def looping(
    *,
    steps: Steps = (UNSEEN,),
    until: Called = UNKNOWN,
    given: Given | Unknown = UNKNOWN,
    on_fail: Called = UNKNOWN,
    state: ClassDecl | Thing | Unknown | None = UNKNOWN,
) -> LoopStep:
    """A loop as the first step, of which nothing is known but what is given."""
    return LoopStep(steps=steps, until=until, anchor=step_at(0), given=given, on_fail=on_fail, state=state)


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
        (replace(until(ONE), makes_object=True), ["THN309"]),
        (replace(until(ONE, DEFAULT), makes_object=UNKNOWN), []),
        (replace(until(), makes_object=True), ["THN302"]),
        (None, []),
        (UNKNOWN, []),
    ],
)
def test_until_is_judged_by_what_it_requires(signature: Signature | Unknown | None, codes: list[str]) -> None:
    """Only a required second parameter asks for the state; what can't be called is told apart."""
    steps = (UnknownStep(anchor=step_at(0, "steps", 0)),)
    assembly = workflow(LoopStep(steps=steps, until=signature, anchor=step_at(0)))

    assert [finding.fault.code for finding in judge([assembly])] == codes


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (0, "`steps[0].max_fails` of workflow `Flow` is 0, and a loop counts from 1."),
        (-3, "`steps[0].max_fails` of workflow `Flow` is -3, and a loop counts from 1."),
        (True, "`steps[0].max_fails` of workflow `Flow` is a value of type `bool`, and a loop counts from 1."),
        ("3", "`steps[0].max_fails` of workflow `Flow` is a value of type `str`, and a loop counts from 1."),
        (1, None),
        (None, None),
    ],
)
def test_a_brake_counts_from_one(given: object, text: str | None) -> None:
    """THN305 shows a number, and tells of everything else what it is."""
    value = Thing(kind="value", name=type(given).__name__, literal=literal_of(given))
    assembly = workflow(looping(given=Given(options=(OptionDecl(name="max_fails", value=value),))))

    repair = " Give it a whole number from 1, or `None` for no limit."
    assert texts(assembly) == ([] if text is None else [f"[thena] THN305 {text}{repair}"])


def test_a_brake_that_is_not_seen_is_no_fault() -> None:
    """Neither an object, which may be a number of its own kind, nor what may be among `**options`."""
    number = Thing(kind="instance", name="Limit")
    unseen = Given(options=(OptionDecl(name="max_fails", value=number), OptionDecl(name="max_repeats")), is_whole=False)

    assert texts(workflow(looping(given=unseen))) == []


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        (Given(options=(OptionDecl(name="max_fails"),)), ["THN303"]),
        (Given(unnamed=1), ["THN116"]),
        (Given(options=(OptionDecl(name="untill"),)), ["THN110"]),
        (Given(is_whole=False), []),
        (UNKNOWN, []),
    ],
    ids=["missing", "given without a name", "misspelt", "perhaps spread", "unknown"],
)
def test_an_until_is_missing_only_where_nothing_may_be_meant_for_it(given: Given | Unknown, codes: list[str]) -> None:
    """One mistake is told once: THN303 is silent where an option without a name, or a misspelt one, is told."""
    assembly = workflow(looping(until=None, given=given))

    assert [finding.fault.code for finding in judge([assembly])] == codes


@pytest.mark.parametrize(
    ("callback", "problem"),
    [
        (until(ONE, ONE, ONE), "needs 3 arguments, but it is called with `(ctx, failure)`"),
        (
            until(ONE, KEYWORD),
            "has a required keyword-only parameter `p1`, but it is called with `(ctx, failure)`",
        ),
        (Thing(kind="value", name="str"), "is a value of type `str`, which can't be called"),
        (until(), None),
        (until(ONE, ONE, DEFAULT), None),
        (UNKNOWN, None),
        (None, None),
    ],
)
def test_a_callback_takes_what_it_is_given(callback: Called, problem: str | None) -> None:
    """THN306 says what stands in the way, and what a callback is called with; fewer arguments are fine."""
    text = (
        f"[thena] THN306 `steps[0].on_fail` of workflow `Flow` {problem}. "
        "Give it a function of `(ctx, failure)`, which may leave out the last ones."
    )

    assert texts(workflow(looping(on_fail=callback))) == ([] if problem is None else [text])


def test_missing_and_empty_steps_are_told_apart() -> None:
    """THN107 stands at the list, or at what has none."""
    empty = looping(steps=())
    missing = ParallelStep(steps=None, anchor=step_at(1), given=Given())
    findings = judge([workflow(empty, missing)])

    assert [(finding.anchor, finding.fault.message) for finding in findings] == [
        (
            step_at(0, "steps"),
            (
                "`steps[0].steps` of workflow `Flow` is empty, so there is nothing to run. "
                "Put at least one agent there: `steps=[YourAgent]`."
            ),
        ),
        (
            step_at(1),
            (
                "`steps[1].steps` of workflow `Flow` is missing, so there is nothing to run. "
                "Put at least one agent there: `steps=[YourAgent]`."
            ),
        ),
    ]
    assert [
        finding.anchor
        for finding in judge([Assembly(workflow=WorkflowDecl(ref=FLOW, state=None, steps=None, given=Given()))])
    ] == [Anchor(FLOW)]


def test_a_workflow_that_comes_back_to_itself_is_told_how() -> None:
    """THN111 tells a workflow that is its own step from one that comes back through another, or has but its name."""
    inner = Ref("app.flow", "Inner")
    itself = NestedStep(workflow=FLOW, anchor=step_at(0), reaches=(FLOW,))
    around = NestedStep(workflow=inner, anchor=step_at(1), reaches=(FLOW, inner))
    other = NestedStep(workflow=FLOW, anchor=step_at(2), reaches=(Ref("app.other", "Flow"),))

    assert [text.partition(", so")[0] for text in texts(workflow(itself, around, other))] == [
        "[thena] THN111 `steps[0]` of workflow `Flow` is that workflow itself",
        "[thena] THN111 `steps[1]` of workflow `Flow` is `Inner`, which contains `Flow` again",
    ]


DRAFT, BASE, REVIEW = Ref("app.state", "Draft"), Ref("app.state", "Base"), Ref("app.state", "Review")


@pytest.mark.parametrize(
    ("declared", "wanted", "codes"),
    [
        (StateDecl(ref=DRAFT, bases=(BASE,)), DRAFT, []),
        (StateDecl(ref=DRAFT, bases=(BASE,)), BASE, []),
        (StateDecl(ref=DRAFT, bases=(BASE,)), Ref("builtins", "object"), []),
        (StateDecl(ref=DRAFT, bases=(BASE,)), REVIEW, ["THN304"]),
        (StateDecl(ref=DRAFT), REVIEW, []),
        (UNKNOWN, REVIEW, []),
    ],
)
def test_a_loop_counts_on_the_state_of_its_workflow(
    declared: StateDecl | Unknown, wanted: Ref, codes: list[str]
) -> None:
    """`loop(state=)` and the second parameter of `until` may name the state's class or one above it."""
    by_option = workflow(looping(state=ClassDecl(ref=wanted)), state=declared)
    second = replace(until(ONE, ONE).params[1], annotation=AnnotationDecl(of=wanted))
    by_parameter = workflow(
        looping(until=replace(until(ONE, ONE), params=(until(ONE).params[0], second))), state=declared
    )

    assert [finding.fault.code for finding in judge([by_option])] == codes
    assert [finding.fault.code for finding in judge([by_parameter])] == codes


def test_a_loop_of_a_state_in_a_workflow_without_one_is_told() -> None:
    """THN304 says that none is declared, or that what is named is no class."""
    named = looping(state=ClassDecl(ref=DRAFT, bases=()))
    no_class = looping(state=Thing(kind="instance", name="Draft"))

    repair = "Name the same class there and as `state=` of `@Workflow` on `Flow`."
    assert texts(workflow(named)) == [
        f"[thena] THN304 `steps[0].state` names `Draft`, but workflow `Flow` declares none as its state. {repair}"
    ]
    assert texts(workflow(no_class)) == [
        "[thena] THN304 `steps[0].state` is an instance of `Draft`, but workflow `Flow` declares none as its state. "
        + repair
    ]


@pytest.mark.parametrize(
    ("state", "what"),
    [
        (Thing(kind="instance", name="Draft"), "an instance of `Draft`, which is no class"),
        (
            StateDecl(ref=DRAFT, shape=Shape(kind="abstract", missing="count")),
            "`Draft`, which is abstract: it leaves `count` to its subclasses",
        ),
        (
            StateDecl(ref=DRAFT, shape=Shape(kind="enum")),
            "`Draft`, an `Enum`, which has its members and no other objects",
        ),
        (
            StateDecl(ref=DRAFT, shape=Shape(kind="protocol")),
            "`Draft`, a `Protocol`, which only describes other classes",
        ),
        (StateDecl(ref=DRAFT, shape=Shape(kind="typed_dict")), "`Draft`, a `TypedDict`, which only describes dicts"),
        (StateDecl(ref=DRAFT, constructor=until(DEFAULT, KEYWORD)), "`Draft`, which can't be made without `p1`"),
        (StateDecl(ref=DRAFT, shape=Shape(new=until(ONE))), "`Draft`, which can't be made without `p0`"),
        (StateDecl(ref=DRAFT, shape=Shape(), constructor=until(DEFAULT, STAR)), None),
        (StateDecl(ref=DRAFT), None),
        (UNKNOWN, None),
    ],
)
def test_a_state_is_a_class_that_can_be_made(state: StateDecl | Thing | Unknown, what: str | None) -> None:
    """THN601 says what stands in the way."""
    text = (
        f"[thena] THN601 `state=` of workflow `Flow` is {what}, and every run makes an object of it. "
        "Give it a class that can be made without arguments."
    )

    assert texts(Assembly(workflow=WorkflowDecl(ref=FLOW, state=state, steps=(UNSEEN,)))) == (
        [] if what is None else [text]
    )


def test_a_state_that_runs_would_share_and_one_that_is_frozen() -> None:
    """THN603 names the attribute; THN604 is a warning."""
    state = StateDecl(ref=DRAFT, is_frozen=True, uncopied="lock")
    findings = judge([Assembly(workflow=WorkflowDecl(ref=FLOW, state=state, steps=(UNSEEN,)))])

    assert [(finding.fault.code, finding.fault.severity) for finding in findings] == [
        ("THN603", Severity.ERROR),
        ("THN604", Severity.WARNING),
    ]


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


@settings(deadline=None)
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
