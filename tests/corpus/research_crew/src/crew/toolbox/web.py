"""The web, as far as this crew may see it."""

import httpx

from crew.core import Brief
from thena_runtime import State, Tool

_PAGES = {"https://example.org/bees": "Bees are insects."}


def _answer(request: httpx.Request) -> httpx.Response:
    text = _PAGES.get(str(request.url))
    return httpx.Response(404) if text is None else httpx.Response(200, text=text)


_client = httpx.AsyncClient(transport=httpx.MockTransport(_answer))


async def search(query: str, limit: int = 5) -> list[str]:
    """Search the web.

    Args:
        query: What to look for.
        limit: How many addresses at most.

    Returns:
        The addresses of the best pages.
    """
    return [url for url, text in _PAGES.items() if query.lower() in text.lower()][:limit]


@Tool(name="fetch", description="Fetch a page.")
class Fetch:
    retries = 3

    async def execute(self, url: str, brief: State[Brief]) -> str:
        for attempt in range(self.retries):
            response = await _client.get(url)
            if response.status_code < 500:
                break
        response.raise_for_status()
        brief.sources[url] = response.text
        return response.text
