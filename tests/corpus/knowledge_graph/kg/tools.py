"""Tools that are given a graph when they are made: `tools=` takes the instances."""

from kg.ports import Graph, NodeId
from thena_runtime import Context, Tool


class GraphTool:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph


@Tool(name="add_fact", description="Add a fact.")
class AddFact(GraphTool):
    def execute(self, subject: str, relation: str, object: str, ctx: Context) -> str:
        self.graph.add(NodeId(subject), relation, NodeId(object))
        ctx.facts = ctx.get("facts", 0) + 1
        return "added"


@Tool(name="ask", description="Say what is known about a thing.")
class Ask(GraphTool):
    def execute(self, subject: str) -> dict[str, str]:
        return dict(self.graph.about(NodeId(subject)))
