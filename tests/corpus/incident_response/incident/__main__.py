from incident.responders import Commander, Observer
from incident.state import Incident
from thena_runtime import Thena, Workflow


@Workflow(state=Incident, steps=[Observer, Commander])
class Respond: ...


app = Thena(Respond)


def main() -> None:
    print(app.run_sync("Checkout is slow."))


if __name__ == "__main__":
    main()
