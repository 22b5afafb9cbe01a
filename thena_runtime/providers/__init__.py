"""Models that answer: one protocol, and a module for each wire format."""
