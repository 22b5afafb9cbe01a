"""Plan a trip: flights and hotels at the same time, then an itinerary until it fits the purse."""

from dataclasses import dataclass, field

from thena_runtime import Agent, Budget, Context, Prompt, ScriptedProvider, State, Thena, ThenaConfig, Workflow, loop, parallel


@dataclass
class Trip:
    city: str = "Lisbon"
    costs: dict[str, int] = field(default_factory=dict)
    drafts: int = 0

    @property
    def total(self) -> int:
        return sum(self.costs.values())


class FitsPurse:
    """Ends the loop once the trip costs no more than the limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __call__(self, ctx: Context, trip: Trip) -> bool:
        return trip.total <= self.limit


@Agent(provider=ScriptedProvider(["420"]), prompt=Prompt("Say what the flight costs."))
class FlightFinder:
    def __init__(self, trip: State[Trip]) -> None:
        self.trip = trip

    def after_response(self, response: str) -> None:
        self.trip.costs["flight"] = int(response)


@Agent(provider=ScriptedProvider(["900"]), prompt=Prompt("Say what the hotel costs."))
class HotelFinder:
    def __init__(self, trip: State[Trip]) -> None:
        self.trip = trip

    def after_response(self, response: str) -> None:
        self.trip.costs["hotel"] = int(response)


@Agent(provider=ScriptedProvider(["Stay in a hostel.", "Take the train."]), prompt=Prompt("Make it cheaper."))
class Haggler:
    def __init__(self, trip: State[Trip]) -> None:
        self.trip = trip

    def after_response(self, response: str) -> None:
        self.trip.drafts += 1
        self.trip.costs["hotel"] -= 200


GATHER = [parallel([FlightFinder, HotelFinder])]
REFINE = [loop([Haggler], until=FitsPurse(1000), max_iterations=5)]


@Workflow(state=Trip, steps=GATHER + REFINE)
class TripPlanner:
    """Gather, then refine."""


app = Thena(TripPlanner, ThenaConfig(budget=Budget(max_chat_calls=20, max_duration=30)))

if __name__ == "__main__":
    print(app.run_sync("A week in Lisbon."))
