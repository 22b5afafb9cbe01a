"""Layers around a model call and a tool call."""
