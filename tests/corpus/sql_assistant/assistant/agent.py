from thena_runtime import Agent, AgentHooks, Context, Prompt, ScriptedProvider, Thena, ToolCall, ToolResult, Workflow, loop
from thena_runtime import called_tool, tool_call

from assistant.tools import Query, Schema


class ReadOnlyError(Exception):
    pass


@Agent(
    provider=ScriptedProvider(
        [
            tool_call("schema"),
            tool_call("query", sql="delete from users"),
            tool_call("query", sql="select name from users"),
            "There is one user: ann.",
        ]
    ),
    prompt=Prompt("You answer questions about the database."),
    tools=[Schema, Query],
)
class Analyst(AgentHooks):
    def before_tool(self, call: ToolCall, ctx: Context) -> ToolCall | None:
        if call.name != "query":
            return None
        if not call.args["sql"].lower().startswith("select"):
            raise ReadOnlyError(call.args["sql"])
        return ToolCall(call.name, {**call.args, "limit": 10})

    def after_tool(self, result: ToolResult, ctx: Context) -> str | None:
        ctx.queries = ctx.get("queries", 0) + 1
        return result.output[:2000]

    def on_error(self, error: Exception, ctx: Context) -> str | None:
        if isinstance(error, ReadOnlyError):
            return "I may only read."
        return None


@Workflow(steps=[loop([Analyst], until=lambda ctx: not called_tool(ctx) and "user" in str(ctx.output), max_iterations=8)])
class SqlAssistant:
    ...


sql_assistant = Thena(SqlAssistant)

if __name__ == "__main__":
    print(sql_assistant.run_sync("How many users are there?"))
