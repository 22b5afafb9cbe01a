class JobState:
    rows = 0
    bad: list[int] = []
