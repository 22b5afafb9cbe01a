"""THN804: a bucket of the conversation that doesn't exist."""

from collections.abc import Iterator

from thena_contract import vocabulary
from thena_contract.source_faults.unknown_bucket import UnknownBucket
from thena_lint.bodies.acts import Act
from thena_lint.bodies.meanings import Known
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.spotted import Spotted
from thena_lint.summary.body import Use
from thena_lint.summary.expressions import Constant

_BY_NAME = ("append", "set")


def check(index: BodyIndex, act: Act) -> Iterator[Spotted]:
    """Report every bucket that `ctx.state` doesn't have, named in a call or read as an attribute."""
    for number, use, count in act.uses_of(Known.CONVERSATION):
        rest = use.chain.attributes[count:]
        if not rest or use.may_fail:
            continue
        if rest[0] not in vocabulary.CONVERSATION and not rest[0].startswith("_"):
            yield Spotted(_fault(act, rest[0]), act.site.doing(number, attribute=count))
        bucket = _named(use) if len(rest) == 1 and rest[0] in _BY_NAME else None
        if bucket is not None and bucket not in vocabulary.BUCKETS:
            yield Spotted(_fault(act, bucket), act.site.doing(number, argument=0))


def _fault(act: Act, bucket: str) -> UnknownBucket:
    return UnknownBucket(subject=act.subject, bucket=bucket)


def _named(use: Use) -> str | None:
    """The bucket that a call names."""
    match use.positional if use.how == "called" else ():
        case (Constant(type="str", value=str(bucket)), *_):
            return bucket
    return None
