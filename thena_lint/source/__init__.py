"""One file in: its text, its tree, its suppressions; and which files there are."""
