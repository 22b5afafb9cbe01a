"""New projects, and new parts of a project: templates with names filled in. Nothing is ever overwritten."""
