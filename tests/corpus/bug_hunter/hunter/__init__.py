from . import agents, flow, settings  # noqa: F401
