class Portfolio:
    looked_at: set[str] = set()
    picks: list[str] = []
