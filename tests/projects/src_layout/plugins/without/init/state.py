class Own:
    items = 0
