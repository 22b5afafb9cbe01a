"""What the editor can ask for. A feature is a function of the session's data and knows no other feature."""
