"""Two apps over the same agents: a quick check and a full review."""
