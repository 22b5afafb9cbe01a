"""Which workflows a workflow contains: as far as that is certain, and without reading anything else of them."""

from collections.abc import Iterator

from thena_contract import vocabulary
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, ValueAt, is_framework, resolve
from thena_lint.link.classes import declared_as, keeps_its_name, scope_around
from thena_lint.link.sequences import Item, UnknownItems, items_of
from thena_lint.summary.expressions import Attribute, Call, Name
from thena_lint.summary.spans import Site


def contained_in(index: ProjectIndex, at: ClassAt) -> tuple[ClassAt, ...]:
    """The workflows that a workflow contains, at any depth; itself among them if it does."""
    found: dict[object, ClassAt] = {}
    waiting = [at]
    while waiting:
        for nested in _nested_in(index, waiting.pop()):
            if nested.key not in found:
                found[nested.key] = nested
                waiting.append(nested)
    return tuple(found.values())


def is_workflow(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether a class is certainly a workflow."""
    decoration = declared_as(index, at)
    is_one = decoration is not None and is_framework(decoration.what, vocabulary.WORKFLOW)
    return is_one and keeps_its_name(index, at)


def _nested_in(index: ProjectIndex, at: ClassAt) -> Iterator[ClassAt]:
    decoration = declared_as(index, at)
    given = None if decoration is None or decoration.call is None else decoration.call.keyword("steps")
    if given is None:
        return
    lists = [Item(scope_around(at), given[1], Site(at.file, at.facts.qualname))]
    seen: set[Site] = set()
    while lists:
        waiting = [item for item in items_of(index, lists.pop()) if not isinstance(item, UnknownItems)]
        while waiting:
            item = waiting.pop()
            match item.expression:
                case Name() | Attribute():
                    what = resolve(index, item.scope, item.expression)
                    if isinstance(what, ClassAt) and is_workflow(index, what):
                        yield what
                    elif isinstance(what, ValueAt) and what.site not in seen:
                        seen.add(what.site)
                        waiting.append(Item(what.scope, what.value.expression, what.site))
                case Call() as call:
                    what = resolve(index, item.scope, call.function)
                    if any(is_framework(what, name) for name in vocabulary.STEP_BUILDERS):
                        steps = call.keyword("steps") or ((1, call.positional[0]) if call.positional else None)
                        if steps is not None:
                            lists.append(Item(item.scope, steps[1], item.site))
