"""Memories over vector stores: what agents remember beyond a conversation."""
