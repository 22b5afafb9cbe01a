"""Faults of what is declared: steps, tools, prompts, providers, and the decorators' options."""

import ast
from typing import Final

from tests.support.planting.source import (
    MARK,
    Edit,
    Edits,
    Function,
    Project,
    Source,
    first_in,
    into_class,
    into_list,
    last_name,
    marked_name,
    with_option,
    without,
)

TOOL: Final = '@TheTool(name="it", description="Do it.")'


def a_string_as_step(project: Project) -> Edits:
    for flow in project.declared("Workflow"):
        edit = into_list(flow.source, flow.option("steps"), f'{MARK}"Summarizer"')
        if edit:
            yield {flow.source: [edit]}


def a_string_as_step_of_a_loop(project: Project) -> Edits:
    for source, call in project.loops():
        edit = into_list(source, call.args[0] if call.args else None, f'{MARK}"Summarizer"')
        if edit:
            yield {source: [edit]}


def an_object_as_step(project: Project) -> Edits:
    made_of_nothing = {one.name for one in project.declared("Agent") if not one.is_made_with}
    for source, call in [*project.loops(), *((one.source, one.call) for one in project.declared("Workflow"))]:
        steps = call.args[0] if call.args else next((each.value for each in call.keywords if each.arg == "steps"), None)
        for step in steps.elts if isinstance(steps, ast.List) else ():
            if isinstance(step, ast.Name) and step.id in made_of_nothing:
                yield {source: [source.swap(step, f"{MARK}{source.written(step)}()")]}


def a_string_as_tool(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        edit = into_list(agent.source, agent.option("tools"), f'{MARK}"web_search"')
        if edit:
            yield {agent.source: [edit]}


def a_tool_without_its_decorator(project: Project) -> Edits:
    for tool in project.declared("Tool"):
        if len(tool.node.decorator_list) != 1:
            continue
        source = tool.source
        at = source.start(tool.call) - 1
        edits: dict[Source, list[Edit]] = {source: [Edit(at, source.end(tool.call), "")]}
        uses = [
            (agent.source, element)
            for agent in project.declared("Agent")
            if isinstance(tools := agent.option("tools"), ast.List)
            for element in tools.elts
            if last_name(element) == tool.name
        ]
        for user, element in uses:
            edits.setdefault(user, []).append(user.mark(element))
        if uses:
            yield edits


def an_execute_by_another_name(project: Project) -> Edits:
    for tool in project.declared("Tool"):
        method = tool.method("execute")
        if method is not None and not tool.node.bases:
            at = tool.source.text.index("execute", tool.source.start(method))
            yield {tool.source: [marked_name(tool), Edit(at, at + len("execute"), "perform")]}


def no_prompt(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        if agent.option("prompt") is not None:
            yield {agent.source: [without(agent.source, agent.call, "prompt"), marked_name(agent)]}


def an_empty_prompt(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        prompt = agent.option("prompt")
        if isinstance(prompt, ast.Call):
            yield {agent.source: [agent.source.mark(prompt), agent.source.swap(prompt.args[0], '""')]}


def a_prompt_file_that_is_not_there(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        prompt = agent.option("prompt")
        if prompt is not None:
            yield {agent.source: [agent.source.swap(prompt, f'{MARK}"./prompts/nowhere.agent.md"')]}


def a_models_name_as_provider(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        provider = agent.option("provider")
        if provider is not None:
            yield {agent.source: [agent.source.swap(provider, f'{MARK}"gpt-5"')]}


def no_provider(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        if agent.option("provider") is not None:
            yield {agent.source: [without(agent.source, agent.call, "provider"), marked_name(agent)]}


def no_steps(project: Project) -> Edits:
    for flow in project.declared("Workflow"):
        steps = flow.option("steps")
        if steps is not None:
            yield {flow.source: [flow.source.swap(steps, f"{MARK}[]")]}


def a_loop_over_nothing(project: Project) -> Edits:
    for source, call in project.loops():
        if call.args and isinstance(call.args[0], ast.List):
            yield {source: [source.swap(call.args[0], f"{MARK}[]")]}


def a_tool_twice(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        tools = agent.option("tools")
        if isinstance(tools, ast.List) and tools.elts and isinstance(tools.elts[0], ast.Name):
            last = agent.source.end(tools.elts[-1])
            yield {agent.source: [Edit(last, last, f", {MARK}{agent.source.written(tools.elts[0])}")]}


def another_tools_name(project: Project) -> Edits:
    by_name = {tool.name: tool for tool in project.declared("Tool")}
    for agent in project.declared("Agent"):
        tools = agent.option("tools")
        if not isinstance(tools, ast.List) or not all(last_name(each) in by_name for each in tools.elts[:2]):
            continue
        if len(tools.elts) < 2:
            continue
        first, second = (by_name[str(last_name(each))] for each in tools.elts[:2])
        names = first.option("name"), second.option("name")
        if isinstance(names[0], ast.Constant) and isinstance(names[1], ast.Constant):
            edits: dict[Source, list[Edit]] = {}
            edits.setdefault(second.source, []).append(second.source.swap(names[1], repr(names[0].value)))
            at = agent.source.start(tools.elts[1])
            edits.setdefault(agent.source, []).append(Edit(at, at, MARK))
            yield edits


def a_tools_name_with_a_blank(project: Project) -> Edits:
    for tool in project.declared("Tool"):
        name = tool.option("name")
        if isinstance(name, ast.Constant):
            yield {tool.source: [tool.source.swap(name, f'{MARK}"two words"')]}


def a_tool_that_says_nothing(project: Project) -> Edits:
    for tool in project.declared("Tool"):
        description = tool.option("description")
        if description is not None:
            yield {tool.source: [tool.source.swap(description, f'{MARK}""')]}


def a_misspelt_option(project: Project) -> Edits:
    for decorator, name in (("Agent", "tols=[]"), ("Tool", "repeatble=True"), ("Workflow", "stat=None")):
        for one in project.declared(decorator):
            yield {one.source: [first_in(one.source, one.call, f"{MARK}{name}")]}


def a_misspelt_option_of_a_loop(project: Project) -> Edits:
    for source, call in project.loops():
        until = next((each for each in call.keywords if each.arg == "until"), None)
        if until is not None:
            yield {source: [Edit(source.start(until), source.start(until), f"{MARK}max_iteration=3, ")]}


def a_workflow_in_its_own_list(project: Project) -> Edits:
    for flow in project.declared("Workflow"):
        steps = flow.option("steps")
        if isinstance(steps, ast.List):
            source, above = flow.source, flow.source.start(flow.node.decorator_list[0]) - 1
            yield {
                source: [
                    Edit(above, above, f"ALL_STEPS = {source.written(steps)}\n"),
                    source.swap(steps, "ALL_STEPS"),
                    Edit(source.end(flow.node), source.end(flow.node), f"\n\n\nALL_STEPS.append({MARK}{flow.name})"),
                ]
            }


def a_decorator_without_brackets(project: Project) -> Edits:
    for decorator in ("Agent", "Tool", "Workflow"):
        for one in project.declared(decorator):
            source = one.source
            if len(one.node.decorator_list) == 1:
                yield {source: [Edit(source.end(one.call.func), source.end(one.call), ""), marked_name(one)]}


def a_decorator_on_a_function_tool(project: Project) -> Edits:
    used = {
        name
        for agent in project.declared("Agent")
        if isinstance(tools := agent.option("tools"), ast.List)
        for name in map(last_name, tools.elts)
    }
    for source in project.sources:
        for node in source.tree.body:
            if isinstance(node, Function) and node.name in used and not node.decorator_list:
                at = source.text.index(node.name, source.start(node))
                yield {
                    source: [
                        source.imported("from thena_runtime import Tool as TheTool"),
                        Edit(source.start(node), source.start(node), f"{TOOL}\n"),
                        Edit(at, at, MARK),
                    ]
                }


def an_agent_that_was_a_tool(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        yield {
            agent.source: [
                agent.source.imported("from thena_runtime import Tool as TheTool"),
                Edit(agent.source.start(agent.node), agent.source.start(agent.node), f"{TOOL}\n"),
                marked_name(agent),
            ]
        }


def an_agent_that_became_a_tool(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        at = agent.source.start(agent.node.decorator_list[0]) - 1
        yield {
            agent.source: [
                agent.source.imported("from thena_runtime import Tool as TheTool"),
                Edit(at, at, f"{TOOL}\n"),
                marked_name(agent),
            ]
        }


def an_abstract_agent(project: Project) -> Edits:
    for decorator in ("Agent", "Tool"):
        for one in project.declared(decorator):
            if one.node.bases or len(one.node.decorator_list) > 1:
                continue
            at = one.source.text.index(one.name, one.source.start(one.node) + len("class")) + len(one.name)
            yield {
                one.source: [
                    one.source.imported("import abc"),
                    marked_name(one),
                    Edit(at, at, "(abc.ABC)"),
                    into_class(one, "@abc.abstractmethod\ndef mine(self) -> str: ..."),
                ]
            }


def an_option_without_its_name(project: Project) -> Edits:
    for decorator, name in (("Agent", "provider"), ("Tool", "name"), ("Workflow", "steps")):
        for one in project.declared(decorator):
            first = next(iter(one.call.keywords), None)
            if first is not None and first.arg == name and not one.call.args:
                yield {one.source: [one.source.swap(first, f"{MARK}{one.source.written(first.value)}")]}


def a_wrong_value(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        for name, text in (("tool_calls", '"every"'), ("sampling", "0.2")):
            yield {agent.source: [with_option(agent.source, agent.call, name, text)]}
    for tool in project.declared("Tool"):
        yield {tool.source: [with_option(tool.source, tool.call, "repeatable", '"yes"')]}


def a_tool_that_is_not_described(project: Project) -> Edits:
    for tool in project.declared("Tool"):
        for name in ("name", "description"):
            yield {tool.source: [without(tool.source, tool.call, name), marked_name(tool)]}
