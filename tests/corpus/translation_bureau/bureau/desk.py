from bureau.document import Ctx, Doc
from thena_runtime import Agent, Prompt, ScriptedProvider, Tool, tool_call


@Tool(name="look_up", description="Look a term up in the glossary.")
class LookUp:
    def execute(self, term: str, doc: Doc, ctx: Ctx) -> str:
        return doc.glossary.get(term, term) + ctx.data.get("suffix", "")


@Tool(name="deliver", description="Deliver a translation.")
class Deliver:
    def execute(self, language: str, text: str, doc: Doc) -> None:
        doc.translations[language] = text


@Agent(
    provider=ScriptedProvider(
        [tool_call("look_up", term="bee"), tool_call("deliver", language="de", text="Biene"), "done"]
    ),
    prompt=Prompt("Translate into German."),
    tools=[LookUp, Deliver],
)
class German:
    language = "de"

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        doc.glossary.setdefault("bee", "Biene")
