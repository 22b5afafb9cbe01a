"""THN204: a memory names a store that the app doesn't register."""

from collections.abc import Iterator

import libcst

from thena_contract import vocabulary
from thena_contract.anchor import Anchor, Ref
from thena_contract.declarations import Signature
from thena_contract.rules.store_not_registered import StoreNotRegistered
from thena_contract.vocabulary import RequestKind
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, Fix
from thena_lint.index.resolve import ClassAt, Scope, ValueAt, resolve
from thena_lint.link.apps import APP
from thena_lint.link.assemblies import Linked
from thena_lint.link.signatures import read_method
from thena_lint.rewrite.calls import argument, by_position, with_entry, with_option
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.imports import name_in_framework, name_of_class
from thena_lint.rewrite.region import Region
from thena_lint.summary.expressions import Attribute, Name, read
from thena_lint.summary.spans import Site

_MEMORY = "memory"
_CONFIG = "config"


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Register the store in every app that lacks it."""
    edits: dict[Edit, None] = {}
    store = None
    for linked in context.found_in(one):
        wanted = _store(linked, one)
        store = None if wanted is None else context.home(linked, wanted)
        if store is None or not _is_made_alone(context, store):
            return
        for app in _apps(linked):
            found = _registered(context, app, store)
            if found is None:
                return
            edits.update(dict.fromkeys(found))
    if store is not None and edits and isinstance(one.fault, StoreNotRegistered):
        title = f"Register `{store.facts.name}` in the app of `{one.fault.workflow}`"
        yield Fix(title=title, applicability=Applicability.SAFE, edits=tuple(edits))


def _store(linked: Linked, one: Diagnostic) -> Ref | None:
    """The store that is asked for where the finding is."""
    assert one.finding is not None
    for consumer in (*linked.assembly.constructors(), *linked.assembly.executes()):
        for param in consumer.signature.params:
            for request in param.asked() if param.anchor == one.finding.anchor else ():
                if request.kind is RequestKind.MEMORY and isinstance(request.of, Ref):
                    return request.of
    return None


def _is_made_alone(context: FixContext, store: ClassAt) -> bool:
    constructor = read_method(context.index, store, vocabulary.CONSTRUCTOR)
    return isinstance(constructor, Signature) and not any(param.is_required for param in constructor.params)


def _apps(linked: Linked) -> Iterator[Site | None]:
    """Where the apps are made in which the fault is."""
    workflow = linked.assembly.workflow
    yield None if workflow is None else linked.sites.get(Anchor(workflow.ref, APP))
    yield from linked.alike


def _registered(context: FixContext, site: Site | None, store: ClassAt) -> tuple[Edit, ...] | None:
    """The edits of one app: in its list of stores, in its config, or with a config of its own."""
    part = context.at(site, libcst.Call)
    if part is None:
        return None
    region, app = part
    given = argument(app, _CONFIG) or next(iter(by_position(app)[1:2]), None)
    if given is None:
        return _with_config(context, region, app, store)
    config = _config(context, region, given.value)
    if config is None:
        return None
    region, call = config
    named = name_of_class(context, region, store)
    if named is None:
        return None
    stores = argument(call, _MEMORY)
    if stores is None:
        return (*named.edits, with_option(region, call, _MEMORY, f"[{named.name}]", is_last=True))
    if isinstance(stores.value, libcst.List | libcst.Tuple):
        return (*named.edits, with_entry(region, stores.value, named.name))
    return None


def _config(context: FixContext, region: Region, value: libcst.BaseExpression) -> tuple[Region, libcst.Call] | None:
    """The call that makes the config, here or where the name of it is bound."""
    if isinstance(value, libcst.Call):
        return region, value
    expression = read(value)
    what = resolve(context.index, Scope(region.source.path), expression)
    is_bound = isinstance(expression, Name | Attribute) and isinstance(what, ValueAt)
    return context.at(what.site, libcst.Call) if is_bound and isinstance(what, ValueAt) else None


def _with_config(context: FixContext, region: Region, app: libcst.Call, store: ClassAt) -> tuple[Edit, ...] | None:
    config = name_in_framework(context, region, vocabulary.CONFIG)
    named = name_of_class(context, region, store)
    if config is None or named is None or any(one.star for one in app.args):
        return None
    made = f"{config.name}({_MEMORY}=[{named.name}])"
    first = next(iter(by_position(app)), None)
    edit = (
        with_option(region, app, _CONFIG, made)
        if first is None
        else region.insert(region.end(first.value), f", {made}")
    )
    return (*config.edits, *named.edits, edit)
