"""Pictures of a workflow's graph, as text: each module draws one kind, and is pure."""
