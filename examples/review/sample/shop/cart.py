"""A shopping cart."""


class Cart:
    """Items with their prices, in cents."""

    def __init__(self, items=[]):
        self.items = items

    def add(self, name, price, quantity=1):
        """Put something into the cart."""
        if price == None:
            raise ValueError("an item needs a price")
        self.items.append((name, price, quantity))

    def total(self):
        """What the cart costs."""
        return sum(price * quantity for _, price, quantity in self.items)
