"""Fill parameters with what they ask for."""
