"""Classes in, a checked plan out: read what the user wrote, have it judged, and freeze what a run needs."""
