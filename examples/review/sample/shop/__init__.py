"""A small shop with a few problems, for the review to find."""
