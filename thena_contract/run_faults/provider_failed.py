"""THN703: a provider gives no answer."""

from typing import ClassVar, final

from thena_contract.fault import ReasonedFault


@final
class ProviderFailed(ReasonedFault):
    """A provider refused, couldn't be reached, or answered what can't be read. The text is the provider's own."""

    code: ClassVar[str] = "THN703"
    name: ClassVar[str] = "provider-failed"
    text: ClassVar[str] = "{reason}"
    hint: ClassVar[str] = "Mend what the provider names, or call again later where `retryable` says so."
