from kg.adapters import DictGraph
from kg.tools import AddFact, Ask
from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Workflow, loop, tool_call, until_answered

graph = DictGraph()
tools = [AddFact(graph), Ask(graph)]


@Agent(
    provider=ScriptedProvider(
        [tool_call("add_fact", subject="bee", relation="is", object="insect"), tool_call("ask", subject="bee"), "Ok."]
    ),
    prompt=Prompt("Keep the graph."),
    tools=tools,
)
class Curator: ...


@Workflow(steps=[loop([Curator], until=until_answered, max_iterations=None)])
class KnowledgeGraph: ...


def main() -> None:
    app = Thena(KnowledgeGraph)
    print(app.run_sync("Bees are insects."))


if __name__ == "__main__":
    main()
