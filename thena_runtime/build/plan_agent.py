"""Agents, planned: prompt, provider, constructor and hooks. Tools are planned next door (`plan_tool`)."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN
from thena_contract.options import is_no_output
from thena_contract.vocabulary import RequestKind
from thena_runtime import hooks
from thena_runtime.build.calls import is_generator
from thena_runtime.build.describe import defining_file, is_prompt_there, items, options_of
from thena_runtime.build.draft import Draft, what, written
from thena_runtime.build.output import OutputType, opening, output_type
from thena_runtime.build.plan import MISSING_STORE, AgentNode
from thena_runtime.build.plan_tool import plan_constructor, plan_tool
from thena_runtime.build.schema import NoSchemaError
from thena_runtime.build.signatures import Callee, read_method
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
    run, hooks_of_class = _run(draft, cls), _hooks(draft, cls)
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
        hooks=hooks_of_class if run is None else {},
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


def _run(draft: Draft, cls: type) -> int | None:
    if not callable(getattr(cls, vocabulary.RUN, None)):
        return None
    callee = read_method(cls, vocabulary.RUN)
    if callee is None:
        return 2
    _refuse_markers(draft, f"`{cls.__name__}.{vocabulary.RUN}`", callee)
    if is_generator(getattr(cls, vocabulary.RUN)):
        draft.problem(f"`{cls.__name__}.{vocabulary.RUN}` is a generator. Return the output instead of yielding it.")
    return draft.arity(f"`{cls.__name__}.{vocabulary.RUN}`", callee.signature, 2)


def _hooks(draft: Draft, cls: type) -> dict[str, int]:
    arities = {}
    for name, given in hooks.GIVEN.items():
        if hooks.hook_of(cls, name) is None:
            continue
        callee = read_method(cls, name)
        subject = f"hook `{cls.__name__}.{name}`"
        if callee is None or not callable(getattr(cls, name)):
            draft.problem(f"{subject} can't be called. Make it a method.")
        else:
            _refuse_markers(draft, subject, callee)
            if is_generator(getattr(cls, name)):
                draft.problem(f"{subject} is a generator. Return the value instead of yielding it.")
            arities[name] = draft.arity(subject, callee.signature, given)
    return arities


def _refuse_markers(draft: Draft, subject: str, callee: Callee) -> None:
    """Refuse what would be passed over: these methods are given their arguments by position."""
    for param in callee.params:
        requests = () if param.requests is UNKNOWN else param.requests
        text = f"{subject} parameter {param.index} `{param.name}`"
        if draft.refuses_misplaced(text, param.name, written(param, callee), param.anchor):
            continue
        if any(request.kind is not RequestKind.CONTEXT for request in requests):
            draft.problem(
                f"{subject} has a marker on parameter {param.index} `{param.name}`, which has no effect there. "
                "Ask in the constructor, and keep what it is given.",
                param.anchor,
            )
