"""The report of a run: a page that people open and share, and the same as JSON."""
