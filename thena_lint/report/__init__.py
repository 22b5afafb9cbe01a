"""Diagnostics as text for people and as rows for programs."""
