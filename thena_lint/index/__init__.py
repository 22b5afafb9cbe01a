"""All files together: module names, and what a name in one file stands for in another."""
