"""What tests of workflows need: a scripted model, and a run whose events are kept."""

from dataclasses import dataclass

from thena_runtime.app import Seed, Thena
from thena_runtime.conversation import Conversation
from thena_runtime.observability.events import Event
from thena_runtime.providers.scripted import ScriptedProvider, tool_call
from thena_runtime.settings import ThenaConfig

__all__ = ["Recorded", "ScriptedProvider", "record", "tool_call"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run that is over."""

    output: str | None
    conversation: Conversation
    events: tuple[Event, ...]

    @property
    def tree(self) -> str:
        """The run's nodes, one a line, as `kind name status`, indented by depth."""
        ends = {event.id: event for event in self.events if event.phase == "end"}
        starts = (event for event in self.events if event.phase == "start")
        return "\n".join(f"{'  ' * each.depth}{each.kind} {each.name} {ends[each.id].status}" for each in starts)


async def record(workflow: type, prompt: str = "go", *, state: Seed | None = None, data: object = None) -> Recorded:
    """Judge and run a workflow, and keep everything it says. Raises what the run raises."""
    async with Thena(workflow, ThenaConfig()) as app:
        handle = app.run(prompt, state=state, data=data)
        output = await handle
        events = [event async for event in handle.event_stream()]
        return Recorded(output, handle.state, tuple(events))
