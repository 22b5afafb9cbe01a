"""Facts and names -> assemblies: the declarations that the runtime's reader would make from the same classes."""
