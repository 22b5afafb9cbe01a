"""What a run may spend, and the counting of what it does spend."""
