"""One run: agents made, steps walked, turns taken, and the handle to all of it."""
