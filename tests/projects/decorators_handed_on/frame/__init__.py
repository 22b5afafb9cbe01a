from .core import Agent, Instrument, Prompt, ScriptedProvider, State
from .core import Workflow as Flow
