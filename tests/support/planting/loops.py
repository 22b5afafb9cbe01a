"""Faults of loops."""

import ast

from tests.support.planting.source import (
    MARK,
    OTHER,
    Edits,
    Function,
    Project,
    last_name,
    until_of,
    with_option,
    without,
)


def an_until_with_a_state_that_is_not_there(project: Project) -> Edits:
    stateless = [flow for flow in project.declared("Workflow") if flow.option("state") is None]
    for flow in stateless:
        for node in ast.walk(flow.call):
            if isinstance(node, ast.Call) and last_name(node.func) == "loop" and (until := until_of(node)):
                yield {flow.source: [flow.source.swap(until, f"{MARK}lambda ctx, s: s.done")]}


def an_until_of_nothing(project: Project) -> Edits:
    for source, call in project.loops():
        until = until_of(call)
        for text in () if until is None else ("lambda: True", "lambda ctx, s, n: n > 3"):
            yield {source: [source.swap(until, f"{MARK}{text}")]}  # type: ignore[arg-type]


def no_until(project: Project) -> Edits:
    for source, call in project.loops():
        if until_of(call) is not None:
            yield {source: [source.mark(call), without(source, call, "until")]}


def a_sentence_as_until(project: Project) -> Edits:
    for source, call in project.loops():
        if (until := until_of(call)) is not None:
            yield {source: [source.swap(until, f'{MARK}"the answer is fine"')]}


def a_loop_over_another_state(project: Project) -> Edits:
    for flow in project.declared("Workflow"):
        if flow.option("state") is None:
            continue
        for node in ast.walk(flow.call):
            if isinstance(node, ast.Call) and last_name(node.func) == "loop" and until_of(node) is not None:
                edit = with_option(flow.source, node, "state", "Elsewhere")
                yield {flow.source: [flow.source.imported(OTHER), edit]}


def an_until_over_another_state(project: Project) -> Edits:
    for flow in project.declared("Workflow"):
        steps = flow.option("steps")
        state = flow.option("state")
        for node in ast.walk(steps) if steps is not None and state is not None else ():
            if not isinstance(node, ast.Call) or last_name(node.func) != "loop":
                continue
            until = until_of(node)
            for function in flow.source.tree.body if isinstance(until, ast.Name) else ():
                if isinstance(function, Function) and function.name == until.id:  # type: ignore[union-attr]
                    second = [*function.args.posonlyargs, *function.args.args][1:2]
                    if second and second[0].annotation is not None:
                        yield {
                            flow.source: [
                                flow.source.imported(OTHER),
                                flow.source.swap(second[0].annotation, "Elsewhere"),
                                flow.source.mark(until),  # type: ignore[arg-type]
                            ]
                        }


def a_brake_below_one(project: Project) -> Edits:
    for source, call in project.loops():
        if until_of(call) is not None:
            for name in ("max_iterations", "max_fails", "max_repeats"):
                yield {source: [with_option(source, call, name, "0")]}


def a_callback_that_wants_more(project: Project) -> Edits:
    for source, call in project.loops():
        if until_of(call) is not None:
            for name in ("on_fail", "on_exhausted"):
                yield {source: [with_option(source, call, name, "lambda ctx, told, more: None")]}


def a_class_as_until(project: Project) -> Edits:
    for source, call in project.loops():
        if (until := until_of(call)) is not None:
            text = "class Finished:\n    def __init__(self, ctx: object) -> None:\n        self.ctx = ctx\n\n"
            yield {source: [source.imported(text), source.swap(until, f"{MARK}Finished")]}
