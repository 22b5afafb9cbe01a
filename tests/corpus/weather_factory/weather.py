"""Providers of every kind: an instance, a class, a function, an async function, a partial, a lambda."""

import asyncio
from collections.abc import Callable
from functools import partial

from thena_runtime import Agent, Completion, CompletionRequest, Context, Prompt, Provider, ScriptedProvider, Thena
from thena_runtime import Workflow, current_context, parallel


class Sunny:
    """A model that always says the same. It has no base class."""

    def __init__(self, degrees: int = 25) -> None:
        self.degrees = degrees

    async def complete(self, request: CompletionRequest) -> Completion:
        return Completion(content=f"sunny, {self.degrees} degrees")

    async def close(self) -> None:
        """Nothing to close."""


def by_data() -> Provider:
    return current_context().data.get("model") or Sunny()


async def from_vault() -> Provider:
    await asyncio.sleep(0)
    return ScriptedProvider(["rain"])


def make(text: str) -> ScriptedProvider:
    return ScriptedProvider([text])


class Vendor:
    def __init__(self, region: str) -> None:
        self.region = region

    def model(self) -> ScriptedProvider:
        return make(f"fog in {self.region}")


vendor = Vendor("eu")

PROMPT = Prompt("Say what the weather will be.")


@Agent(provider=Sunny, prompt=PROMPT)
class ByClass: ...


@Agent(provider=Sunny(11), prompt=PROMPT)
class ByInstance: ...


@Agent(provider=by_data, prompt=PROMPT)
class ByFunction: ...


@Agent(provider=from_vault, prompt=PROMPT)
class ByAsyncFunction: ...


@Agent(provider=partial(make, "snow"), prompt=PROMPT)
class ByPartial: ...


@Agent(provider=lambda: make("hail"), prompt=PROMPT)
class ByLambda: ...


@Agent(provider=vendor.model, prompt=PROMPT)
class ByMethod: ...


@Workflow(steps=[parallel([ByClass, ByInstance, ByFunction, ByAsyncFunction, ByPartial, ByLambda, ByMethod])])
class Ensemble: ...


def main(make_app: Callable[[type], Thena] = Thena) -> None:
    app = make_app(Ensemble)
    print(app.run_sync("Tomorrow in Rome?", data={"model": Sunny(30)}))


if __name__ == "__main__":
    main()
