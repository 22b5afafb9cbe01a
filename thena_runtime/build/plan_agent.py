"""Agents, planned: prompt, provider, constructor and hooks. Tools are planned next door (`plan_tool`)."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, AgentDecl, MethodDecl, Signature, Unknown
from thena_contract.options import is_no_output
from thena_contract.vocabulary import RequestKind
from thena_runtime.build.describe import defining_file, is_prompt_there, items, options_of
from thena_runtime.build.draft import Draft, what
from thena_runtime.build.output import OutputType, opening, output_type
from thena_runtime.build.plan import MISSING_STORE, AgentNode
from thena_runtime.build.plan_tool import plan_constructor, plan_tool
from thena_runtime.build.schema import NoSchemaError
from thena_runtime.build.things import thing
from thena_runtime.decorators import Prompt
from thena_runtime.messages import Sampling
from thena_runtime.providers.provider import Provider


def plan_agent(draft: Draft, cls: type) -> AgentNode:
    draft = draft.inside(cls)
    subject = f"`{cls.__name__}`"
    options = options_of(cls)
    entries = items(options.get("tools", ()))
    tools = tuple(tool for tool in (plan_tool(draft, entry) for entry in entries or ()) if tool is not None)
    sampling = options.get("sampling")
    described = draft.description.agents[cls]
    run = _run(cls, described)
    constructor = plan_constructor(draft, cls)
    filled = [*constructor, *(each for tool in tools for each in tool.execute)]
    prompt, provider = _prompt(draft, cls, options.get("prompt")), options.get("provider")
    output = _output(draft, subject, options.get("output"))
    return AgentNode(
        cls=cls,
        name=cls.__name__,
        prompt=prompt,
        head=opening(prompt, output),
        provider=provider,
        shared=provider if isinstance(provider, Provider) and not isinstance(provider, type) else None,
        sampling=cast(Sampling, dict(sampling)) if isinstance(sampling, Mapping) else Sampling(),
        tools=tools,
        specs=tuple(tool.spec for tool in tools),
        constructor=constructor,
        # An agent that owns its step has no hook that fires.
        hooks=_hooks(described) if run is None else {},
        needs_memory=any(each.request is RequestKind.MEMORY and each.store != MISSING_STORE for each in filled),
        run=run,
        calls_all=options.get("tool_calls") == "all",
        output=output,
    )


def _output(draft: Draft, subject: str, declared: object) -> OutputType | None:
    if declared is None or is_no_output(thing(declared)):
        return None
    try:
        return output_type(declared)
    except NoSchemaError as error:
        draft.problem(
            f"`output` of {subject} is {what(declared)}, which a model can't be told about ({error}). "
            "Give a pydantic model, or another type with a JSON schema."
        )
        return None


def _prompt(draft: Draft, cls: type, prompt: object) -> str:
    subject = f"`{cls.__name__}`"
    if isinstance(prompt, Prompt):
        return prompt.text
    if isinstance(prompt, str | Path):
        home = defining_file(cls)
        if home is None:
            draft.problem(f'{subject} stands in no file, so no prompt file can be beside it. Use `Prompt("...")`.')
        elif is_prompt_there(home.parent / prompt) is not False:
            return _read_prompt(draft, subject, home.parent / prompt)
    return ""


def _read_prompt(draft: Draft, subject: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        draft.problem(
            f"the prompt file of {subject} can't be read ({error.strerror}: {path}). "
            "Let whoever runs this read it, or name another file."
        )
    except UnicodeDecodeError as error:
        draft.problem(f"the prompt file of {subject} can't be read ({error}: {path}). Save it as UTF-8 text.")
    return ""


def _run(cls: type, agent: AgentDecl) -> int | Unknown | None:
    run = agent.method(vocabulary.RUN)
    if not isinstance(run, MethodDecl) or not callable(getattr(cls, vocabulary.RUN)):
        return None
    return _taken(run)


def _hooks(agent: AgentDecl) -> dict[str, int | Unknown]:
    hooks = {name: agent.method(name) for name in vocabulary.HOOKS}
    return {name: _taken(hook) for name, hook in hooks.items() if isinstance(hook, MethodDecl)}


def _taken(method: MethodDecl) -> int | Unknown:
    """With how many of its arguments a method can be called."""
    given, called = len(vocabulary.CALLED[method.name]), method.called
    if not isinstance(called, Signature):
        return UNKNOWN
    if called.takes_any_positional:
        return given
    return min(given, len(called.positional))
