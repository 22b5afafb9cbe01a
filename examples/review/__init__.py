"""A workflow that reviews a folder of source files: a reviewer reads every file, an editor writes the report."""
