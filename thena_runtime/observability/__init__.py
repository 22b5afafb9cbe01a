"""Events out of a run, and what is made of them."""
