"""THN804: a bucket of the conversation that doesn't exist, where another one is meant."""

from collections.abc import Iterator

import libcst

from thena_contract import vocabulary
from thena_contract.source_faults.unknown_bucket import UnknownBucket
from thena_contract.spelling import nearest
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.rewrite.context import FixContext


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Spell the bucket as it is."""
    found = context.nodes(one)
    if found is None or not isinstance(one.fault, UnknownBucket):
        return
    region, nodes = found
    bucket = one.fault.bucket
    meant = nearest(bucket, vocabulary.BUCKETS)
    if meant is None:
        return
    for node in reversed(nodes.path):
        match node:
            case libcst.SimpleString() if node.raw_value == bucket:
                edit = region.swap(node, f"{node.prefix}{node.quote}{meant}{node.quote}")
            case libcst.Attribute(attr=name) if name.value == bucket:
                edit = region.swap(name, meant)
            case _:
                continue
        yield Fix(title=f"Write `{meant}`", applicability=Applicability.SAFE, edits=(edit,))
        return
