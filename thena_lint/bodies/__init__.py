"""What the code inside of declared classes means: which bodies the runtime calls, and what their names stand for."""
