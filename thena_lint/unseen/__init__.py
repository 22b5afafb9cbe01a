"""What the linter couldn't see of a project, and why: for those who wonder why it is silent."""
