class Cart:
    items = 0
