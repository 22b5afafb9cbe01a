from thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow
from thena_runtime import Tool as Instrument
