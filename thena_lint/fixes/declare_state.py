"""THN201, THN301, THN304: a workflow declares no state, and something in it is to be given one."""

from collections.abc import Collection, Iterator

import libcst

from thena_contract.anchor import Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, AnnotationDecl, ClassDecl, LoopStep, Signature
from thena_contract.vocabulary import RequestKind
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.index.resolve import ClassAt
from thena_lint.link.assemblies import Linked
from thena_lint.link.states import read_state
from thena_lint.rewrite.calls import with_option
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.heads import Function, by_position
from thena_lint.rewrite.imports import name_of_class
from thena_lint.rewrite.region import Region, line_start, nodes_in

_STATE = "state"
_WITH_STATE = 2


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Declare the class that everything asks for; if there is none, a new one."""
    linked = context.linked(one)
    workflow = None if linked is None else linked.assembly.workflow
    at = None if linked is None or workflow is None else context.home(linked, workflow.ref)
    declared = None if at is None else context.decorator(at)
    if linked is None or workflow is None or workflow.state is not None or at is None or declared is None:
        return
    wanted = _wanted(linked.assembly)
    classes = [context.home(linked, ref) for ref in wanted]
    known = [each for each in classes if each is not None]
    known = _most_derived(context, known) if len(known) == len(classes) else []
    for each in known:
        yield from _with_class(context, declared, at, each, is_only=len(known) == 1)
    if not wanted:
        yield from _with_new_class(declared, at, _read_by_untils(context, linked))


def _wanted(assembly: Assembly) -> tuple[Ref, ...]:
    """The classes that are asked for, those by what can't do without first, and then by nobody else."""
    required, others = _asked(assembly)
    return tuple(dict.fromkeys(required)) or tuple(dict.fromkeys(others))


def _asked(assembly: Assembly) -> tuple[list[Ref], list[Ref]]:
    required: list[Ref] = []
    others: list[Ref] = []
    for consumer in (*assembly.constructors(), *assembly.executes()):
        for param in consumer.signature.params:
            for request in param.asked():
                if request.kind is RequestKind.STATE and isinstance(request.of, Ref):
                    (others if param.has_default else required).append(request.of)
    for loop in assembly.loops():
        required += _of_loop(loop)
    return required, others


def _of_loop(loop: LoopStep) -> Iterator[Ref]:
    if isinstance(loop.state, ClassDecl):
        yield loop.state.ref
    positional = loop.until.required_positional if isinstance(loop.until, Signature) else ()
    for param in positional[1:_WITH_STATE]:
        if isinstance(param.annotation, AnnotationDecl) and isinstance(param.annotation.of, Ref):
            yield param.annotation.of


def _most_derived(context: FixContext, classes: list[ClassAt]) -> list[ClassAt]:
    """The one class that is all of these; if there is none, all of them."""
    for each in classes:
        above = read_state(context.index, each).bases
        refs = [context.index.ref(*other.key) for other in classes if other.key != each.key]
        if above is not UNKNOWN and set(refs) <= set(above):
            return [each]
    return classes


def _with_class(
    context: FixContext, declared: tuple[Region, libcst.Call], at: ClassAt, state: ClassAt, *, is_only: bool
) -> Iterator[Fix]:
    region, call = declared
    named = name_of_class(context, region, state)
    if named is None:
        return
    constructor = read_state(context.index, state).constructor
    is_made_alone = isinstance(constructor, Signature) and not any(param.is_required for param in constructor.params)
    yield Fix(
        title=f"Declare `{named.name}` as the state of `{at.facts.name}`",
        applicability=Applicability.SAFE if is_only and is_made_alone else Applicability.CHOICE,
        edits=(*named.edits, with_option(region, call, _STATE, named.name)),
    )


def _with_new_class(declared: tuple[Region, libcst.Call], at: ClassAt, fields: Collection[str]) -> Iterator[Fix]:
    region, call = declared
    name = f"{at.facts.name}State"
    if "." in at.facts.qualname or name in region.source.text:
        return
    text = f'class {name}:\n    """The state of `{at.facts.name}`: its fields are what every run begins with."""\n'
    # What a condition reads, something has to write: nobody but the author knows what.
    applicability = Applicability.CHOICE if fields else Applicability.UNSAFE
    values = "".join(f"    {field} = None\n" for field in fields)
    text += f"\n{values}\n\n" if values else "\n\n"
    yield Fix(
        title=f"Add a class `{name}`, and declare it as the state of `{at.facts.name}`",
        applicability=applicability,
        edits=(region.insert(_above(region), text), with_option(region, call, _STATE, name)),
    )


def _read_by_untils(context: FixContext, linked: Linked) -> Collection[str]:
    """The fields of the state that the conditions of loops read."""
    found: dict[str, None] = {}
    for loop in linked.assembly.loops():
        option = context.at(linked.site(loop.anchor.at("until")), libcst.Arg)
        until = None if option is None else context.function(option[0], option[1].value)
        params = () if until is None else by_position(until[1].params)[:_WITH_STATE]
        if until is not None and len(params) == _WITH_STATE:
            found.update(dict.fromkeys(_attributes(until[1], params[-1].name.value)))
    return found


def _attributes(function: Function, name: str) -> Iterator[str]:
    for node in nodes_in(function.body):
        match node:
            case libcst.Attribute(value=libcst.Name(value=owner), attr=attribute) if owner == name:
                yield attribute.value


def _above(region: Region) -> int:
    """Where a statement begins, with its decorators and the comments right above it."""
    text = region.source.text
    tree = region.tree
    decorators = tree.decorators if isinstance(tree, libcst.ClassDef) else ()
    at = line_start(text, region.start(decorators[0] if decorators else tree))
    while at > 0 and text.startswith("#", before := line_start(text, _end_of_line_before(text, at))):
        at = before
    return at


def _end_of_line_before(text: str, at: int) -> int:
    return at - 2 if text[at - 2 : at] == "\r\n" else at - 1
