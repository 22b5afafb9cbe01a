"""What fixes are written with: where the parts of a text stand, and the usual changes of calls, heads and imports."""
