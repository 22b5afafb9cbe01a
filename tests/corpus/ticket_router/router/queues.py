from thena_runtime import Agent, Prompt, ScriptedProvider, Workflow


def queue(name: str) -> type:
    """A workflow for one queue."""

    @Agent(provider=ScriptedProvider([f"{name}: taken"]), prompt=Prompt(f"You answer the queue {name}."))
    class Worker: ...

    @Workflow(steps=[Worker])
    class Queue: ...

    Queue.__name__ = Queue.__qualname__ = name
    return Queue


billing, shipping = queue("billing"), queue("shipping")
