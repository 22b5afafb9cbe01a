"""The provider that the environment's variables name: whether it can be reached and takes the key.

The key is never shown. One small request is sent, to the address that `OpenAIProvider()` would ask.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import httpx

from thena_cli.doctor.check import Check

_VARIABLES: Final = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")
_LONGEST_WAIT: Final = 5.0
_REFUSED: Final = frozenset({401, 403})


def look_at_provider(variables: Mapping[str, str], base_url: str, *, asks: bool) -> Iterator[Check]:
    """Look at the variables, and ask the provider for its models; `base_url` is where it is if none says so."""
    key, url, model = (variables.get(name) for name in _VARIABLES)
    if not key and not url:
        yield Check(
            subject="provider",
            health="note",
            fact="OPENAI_API_KEY and OPENAI_BASE_URL aren't set; scripts and providers of your own need neither",
        )
        return
    address = (url or base_url).rstrip("/")
    if not asks:
        yield Check(subject="provider", health="note", fact=f"{address} wasn't asked, for `--offline`")
        return
    headers = {"authorization": f"Bearer {key}"} if key else {}
    try:
        answer = httpx.get(f"{address}/models", headers=headers, timeout=_LONGEST_WAIT)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = str(error) or type(error).__name__
        yield Check(
            subject="provider",
            health="bad",
            fact=f"{address} can't be reached: {reason}",
            repair="Start the server, correct OPENAI_BASE_URL, or look at the network and its proxy.",
        )
        return
    yield _judged(answer, address, key, model)


def _judged(answer: httpx.Response, address: str, key: str | None, model: str | None) -> Check:
    if answer.status_code in _REFUSED:
        fact = "refuses the key" if key else "wants a key"
        return Check(
            subject="provider",
            health="bad",
            fact=f"{address} {fact} (status {answer.status_code})",
            repair="Set OPENAI_API_KEY to a key that may be used there.",
        )
    if answer.status_code >= 500:
        return Check(
            subject="provider",
            health="bad",
            fact=f"{address} fails (status {answer.status_code})",
            repair="Try again later, or look at the server's own log.",
        )
    models = _models(answer)
    if model and models and model not in models:
        return Check(
            subject="provider",
            health="bad",
            fact=f"{address} answers and has no model `{model}`",
            repair=f"Set OPENAI_MODEL to one that it has, such as `{models[0]}`.",
        )
    return Check(subject="provider", health="good", fact=f"{address} answers{' and takes the key' if key else ''}")


def _models(answer: httpx.Response) -> list[str]:
    """The models that it lists; none where it doesn't."""
    try:
        match answer.json():
            case {"data": list(listed)}:
                return [entry["id"] for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str)]
    except ValueError:
        pass
    return []
