from typing import Optional

from pydantic import BaseModel

from invoices.schema import Invoice
from thena_runtime import Agent, Context, ScriptedProvider, State, Thena, Workflow

ANSWER = '{"number": "R-17", "issued": "2026-03-01", "lines": [{"text": "Work", "amount": "1200.50"}]}'


class Extraction(BaseModel):
    invoice: Optional[Invoice] = None
    problems: list[str] = []


@Agent(provider=ScriptedProvider(["not json", ANSWER]), prompt="extractor.prompt.md", output=Invoice)
class Extractor:
    """Reads the text of an invoice; an answer that doesn't fit is repaired once."""


@Agent(provider=ScriptedProvider(["plausible"]), prompt="./auditor.prompt.md")
class Auditor:
    def __init__(self, extraction: State[Extraction]) -> None:
        self.extraction = extraction

    def before_prompt(self, prompt: str, ctx: Context) -> Optional[str]:
        if isinstance(ctx.output, Invoice):
            self.extraction.invoice = ctx.output
            return f"{prompt}\nThe total is {ctx.output.total}."
        self.extraction.problems.append("nothing was extracted")
        return None


@Workflow(state=Extraction, steps=[Extractor, Auditor])
class ExtractInvoice: ...


invoices_app = Thena(ExtractInvoice)


def main() -> None:
    print(invoices_app.run_sync("Invoice R-17 of 1 March 2026: Work, 1200.50 EUR"))


if __name__ == "__main__":
    main()
