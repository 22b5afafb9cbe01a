"""What one file says, alone: facts without line numbers, and where each fact stands."""
