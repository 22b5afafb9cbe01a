"""The dev loop: change -> check -> clean? run in a child -> show."""
