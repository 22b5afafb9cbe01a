"""Receipts, as text."""


def receipt(cart):
    """One line an item, then the total."""
    # TODO: show the tax
    lines = [f"{quantity} x {name}: {price / 100:.2f}" for name, price, quantity in cart.items]
    return "\n".join([*lines, f"Total: {cart.total() / 100:.2f}"])
