"""The faults that only the source shows, in bodies and comments: the linter alone finds them."""
